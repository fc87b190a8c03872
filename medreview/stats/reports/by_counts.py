"""What is counted in each part of a divided study, and outside it: verdicts, labels, and both beside each other."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from medreview.stats.formulas.thresholds import FEWEST
from medreview.stats.reports.label_scales import BINARY, JuryVerdict, judges_label, reviewers_label
from medreview.stats.reports.reviewer_labels import GROUPS, Group, ReviewerLabel
from medreview.stats.reports.selection import Selection
from medreview.stats.reports.shared_draws import Block
from medreview.stats.reports.strata import By, strata_of
from medreview.stats.reports.study_reader import JudgedStatement, judged_responses
from medreview.stats.reports.study_support import MOST_STRATA, verdict_of

Labels = Mapping[str, ReviewerLabel]
_Parts = Mapping[str, frozenset[str | None]]
"""The names of the parts that each statement is in; ``None`` for what was folded."""


@dataclass(slots=True)
class Counts:
    """One thing, item by item, in the part and outside it: which of ``width`` cells an item falls into."""

    width: int
    responses: list[str] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    dropped: int = 0

    def add(self, response_id: str, inside: bool, cell: int | None) -> None:
        """Take up one item; without a cell it is left out, and counted if it is in the part."""
        if cell is None:
            self.dropped += inside
            return
        self.responses.append(response_id)
        self.cells.append(cell if inside else self.width + cell)

    def add_both(self, response_id: str, inside: int | None, outside: int | None) -> None:
        """Take up one item twice, in the part and outside it, if it has a cell in both."""
        if inside is not None and outside is not None:
            self.add(response_id, True, inside)
            self.add(response_id, False, outside)

    @property
    def block(self) -> Block:
        """The cells of the part, then those of the rest."""
        return Block(self.responses, np.array(self.cells, dtype=np.int64), 2 * self.width)


@dataclass(slots=True)
class Reviewed:
    """A reviewer's labels of one group: what they say, and that beside what judges say (2 x label + verdict).

    ``paired``: the latter with a judge's own word and, outside the part, with that of all judges, on the same labels.
    """

    group: Group
    labels: int = 0
    said: Counts = field(default_factory=lambda: Counts(2))
    agreed: Counts = field(default_factory=lambda: Counts(4))
    paired: Counts = field(default_factory=lambda: Counts(4))

    def add(self, label: ReviewerLabel, inside: bool, word: JuryVerdict | None) -> None:
        """Take up one label beside a word of judges, if it is of the group."""
        if label.group != self.group:
            return
        self.labels += inside
        mine = _cell(reviewers_label(label.label, BINARY, stale=label.stale).label)
        theirs = _cell(judges_label(word, BINARY).label)
        self.said.add(label.response_id, inside, mine)
        self.agreed.add(label.response_id, inside, _beside(mine, theirs))

    def pair(self, label: ReviewerLabel, own: JuryVerdict | None, together: JuryVerdict | None) -> None:
        """One label beside a judge's own word and that of all judges, if both have one."""
        if label.group != self.group:
            return
        mine = _cell(reviewers_label(label.label, BINARY, stale=label.stale).label)
        cells = [_beside(mine, _cell(judges_label(word, BINARY).label)) for word in (own, together)]
        self.paired.add_both(label.response_id, *cells)


@dataclass(slots=True)
class PartCounts:
    """What is collected of one part; ``None`` is the name of all that were folded.

    ``paired``: a judge's own word and, outside the part, that of all judges, on the same statements.
    """

    name: str | None
    reviewed: dict[str, Reviewed]
    statements: int = 0
    responses: set[str] = field(default_factory=set)
    judged: Counts = field(default_factory=lambda: Counts(2))
    paired: Counts = field(default_factory=lambda: Counts(2))

    @property
    def columns(self) -> list[Counts]:
        """Everything that is counted of it: two of the verdicts, then three of each reviewer."""
        of_reviewers = (each for one in self.reviewed.values() for each in (one.said, one.agreed, one.paired))
        return [self.judged, self.paired, *of_reviewers]


def count_parts(
    reader: sqlite3.Connection, by: By, labels: Mapping[str, Labels], pass_no: int, only: Selection
) -> tuple[list[PartCounts], int]:
    """The parts of a study, the largest first, and how many were folded into the last.

    Outside a part is the rest of the study; by ``judge``, where a part has a judge's own word, ``paired`` has what is
    compared.
    """
    every = _held(strata_of(reader, by, pass_no=pass_no), only)
    kept, folded = _kept(every, by)
    placed = _placed(every, kept)
    of_reviewer = {
        name: _placed(_held(strata_of(reader, by, name, pass_no), only), kept) if by == "queue" else placed
        for name in labels
    }
    names: list[str | None] = [*kept, *([None] if folded else [])]
    leading = {name: _leading(held.values()) for name, held in labels.items()}
    parts = [
        PartCounts(
            name,
            {who: Reviewed(_group_in(name, labels[who], of_reviewer[who]) if by == "queue" else leading[who])
             for who in labels},
        )
        for name in names
    ]  # fmt: skip
    for case in judged_responses(reader, only):
        for statement in case.statements:
            unit = statement.statement_id
            given = [(who, held[unit]) for who, held in labels.items() if unit in held]
            verdict = _of(verdict_of(statement, case))
            for part in parts:
                inside = part.name in placed[unit]
                if inside:
                    part.statements += 1
                    part.responses.add(case.response_id)
                if by == "judge":
                    _count_judge(part, case.response_id, statement, inside, given, verdict)
                    continue
                part.judged.add(case.response_id, inside, verdict)
                for who, label in given:
                    part.reviewed[who].add(label, part.name in of_reviewer[who][unit], statement.together)
    return parts, folded


def _count_judge(
    part: PartCounts,
    response_id: str,
    statement: JudgedStatement,
    inside: bool,
    given: Sequence[tuple[str, ReviewerLabel]],
    verdict: int | None,
) -> None:
    if not inside:
        return
    own = next((word for judge, word in statement.by_judge.items() if judge.title == part.name), None)
    said = _of(None if own is None else own.supported)
    part.judged.add(response_id, True, said)
    part.paired.add_both(response_id, said, verdict)
    for who, label in given:
        part.reviewed[who].add(label, True, own)
        part.reviewed[who].pair(label, own, statement.together)


def _held(strata: Mapping[str, tuple[str, ...]], only: Selection) -> dict[str, tuple[str, ...]]:
    return {unit: held for unit, held in strata.items() if only.holds(unit)}


def _kept(strata: Mapping[str, tuple[str, ...]], by: By) -> tuple[list[str], int]:
    """The parts that stand alone, the largest first, and how many others there are. A judge is never one of others."""
    sizes = Counter(name for held in strata.values() for name in held)
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    if by == "judge":
        return names, 0
    kept = [name for name in names[:MOST_STRATA] if sizes[name] >= FEWEST]
    return kept, len(names) - len(kept)


def _placed(strata: Mapping[str, tuple[str, ...]], kept: Sequence[str]) -> _Parts:
    alone = frozenset(kept)
    return {unit: frozenset(name if name in alone else None for name in held) for unit, held in strata.items()}


def _leading(labels: Iterable[ReviewerLabel]) -> Group:
    """The first group that there are labels of."""
    groups = {label.group for label in labels}
    return next((group for group in GROUPS if group in groups), GROUPS[0])


def _group_in(name: str | None, labels: Labels, parts: _Parts) -> Group:
    return _leading([label for unit, label in labels.items() if name in parts[unit]])


def _beside(mine: int | None, theirs: int | None) -> int | None:
    return None if mine is None or theirs is None else 2 * mine + theirs


def _cell(label: str | None) -> int | None:
    return None if label is None else BINARY.labels.index(label)


def _of(supported: bool | None) -> int | None:
    return None if supported is None else int(not supported)
