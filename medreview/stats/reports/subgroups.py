"""A study divided into subgroups (``--by``): support and agreement in each, and what sets a subgroup apart.

First by what a study can be divided, and which statements are in which part; then what is counted in each part and
outside it; then the figures, which all come from the same resamples.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np

from medreview.errors import UserError
from medreview.judges.triage import QUOTE_FAULTS
from medreview.judges.votes import Vote, jury
from medreview.labels import PROVEN_QUOTES
from medreview.stats.formulas.agreement import LEADING_PAIR, paired_in_draw
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import FEWEST, Estimate, estimate_named
from medreview.stats.formulas.hypothesis_tests import Side, StatisticDifference, difference, with_holm
from medreview.stats.formulas.shared_draws import CountedBlock, DrawnBlock, ResponseSample, draw_together
from medreview.stats.reports.answer_arms import COLUMNS, EXTRA, arm_word, study_arms
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    Group,
    JuryVerdict,
    ReviewerLabel,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.study_reader import EVERYTHING, JudgedStatement, Selection, judged_responses
from medreview.stats.reports.study_support import MOST_STRATA, verdict_of

By = Literal["model", "origin", "domain", "judge", "page", "quote", "queue", "arms"]
DIVISIONS: Final[tuple[By, ...]] = ("model", "origin", "domain", "judge", "page", "quote", "queue")
"""By what every study can be divided; by the arms of :func:`study_arms` where answers say them."""
SEVERAL: Final = frozenset({"domain", "page", "judge", "queue"})
"""Of these a statement may be in several parts, so that they add up to more than the whole."""

NOT_FETCHED: Final = "not fetched"
NO_SOURCE: Final = "no source"
NO_JUDGE: Final = "not judged"
NO_QUOTE: Final = "no quote"
SOUND_QUOTE: Final = "sound quote"
NOT_DECIDED: Final = "not decided"
NOT_SAID: Final = "not said"

# The sources that a statement cites itself; those of its response where it cites none.
_BY_SOURCE: Final = """
SELECT s.statement_id, {value} AS stratum FROM statement_standing AS s
LEFT JOIN (SELECT statement_id, source_id FROM marker WHERE source_id IS NOT NULL
           UNION ALL
           SELECT t.statement_id, c.source_id FROM statement_standing AS t JOIN citation AS c USING (response_id)
           WHERE NOT EXISTS (SELECT 1 FROM marker AS m WHERE m.statement_id = t.statement_id
                             AND m.source_id IS NOT NULL)) AS cited USING (statement_id)
LEFT JOIN source AS u USING (source_id) LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot"""
_QUERIES: Final[Mapping[str, str]] = {
    "model": "SELECT s.statement_id, r.model FROM statement_standing AS s JOIN response AS r USING (response_id)",
    "origin": "SELECT s.statement_id, r.origin FROM statement_standing AS s JOIN response AS r USING (response_id)",
    "domain": _BY_SOURCE.format(value=f"iif(u.source_id IS NULL, '{NO_SOURCE}', u.domain)"),
    "page": _BY_SOURCE.format(
        value=f"iif(u.source_id IS NULL, '{NO_SOURCE}', coalesce(p.page_state, '{NOT_FETCHED}'))"
    ),
    "queue": f"""SELECT s.statement_id, coalesce(l.block, '{NOT_DECIDED}') FROM statement_standing AS s
        LEFT JOIN reviewer_label AS l ON l.unit = s.statement_id AND l.axis = 'evidence' AND l.pass = ?1
             AND l.reviewer = coalesce(?2, l.reviewer)""",
}
_ABOUT: Final[Mapping[str, str]] = {
    "model": "the model that wrote the response",
    "origin": "where the question is from",
    "domain": "the domains of what the statement cites itself, else of all that its response cites",
    "judge": "the judges that were asked about the statement",
    "page": "the states of the pages that the statement cites itself, else of all that its response cites",
    "quote": "the gravest fault of a quote for support that a judge gave",
    "queue": "the queue in which the label that counts was given",
}


def about(by: str) -> str:
    """What a division goes by, in words, and whether a statement can be in several parts of it."""
    several = "; a statement can be in several, and these add up to more than the whole" if by in SEVERAL else ""
    return f"{_ABOUT.get(by) or f'what the record of the answer says of its {arm_word(by)}'}{several}"


def check_division(reader: sqlite3.Connection, by: str | None) -> None:
    """Raises :class:`UserError` where a study cannot be divided so, before it is read."""
    if by is None or by in DIVISIONS:
        return
    if by not in COLUMNS and not by.startswith(EXTRA):
        raise UserError(f"A study is divided by {', '.join([*DIVISIONS, *COLUMNS])} or {EXTRA}NAME, not by {by!r}.")
    study_arms(reader, by)


def strata_of(
    reader: sqlite3.Connection, by: str, reviewer: str | None = None, pass_no: int = 1
) -> dict[str, tuple[str, ...]]:
    """The parts that each statement of the study is in, one or more, in order of their names.

    ``reviewer``: whose labels say which queue it was; without one everybody's. ``""`` is a model, or an origin, that
    was not given.
    """
    if by not in DIVISIONS:
        of = study_arms(reader, by).of
        rows = reader.execute("SELECT statement_id, response_id FROM statement_standing")
        return {statement_id: (of.get(response_id, NOT_SAID),) for statement_id, response_id in rows}
    if by not in _QUERIES:
        return {
            statement.statement_id: strata_said(statement, by)
            for case in judged_responses(reader, votes=by == "quote")
            for statement in case.statements
        }
    found: dict[str, set[str]] = {}
    for statement_id, stratum in reader.execute(_QUERIES[by], (pass_no, reviewer) if by == "queue" else ()):
        found.setdefault(statement_id, set()).add(stratum)
    return {statement_id: tuple(sorted(strata)) for statement_id, strata in found.items()}


def strata_said(statement: JudgedStatement, by: str) -> tuple[str, ...]:
    """The same of one statement, by what judges said of it: of ``judge`` and ``quote``."""
    if by == "judge":
        return tuple(judge.title for judge in statement.by_judge) or (NO_JUDGE,)
    return (_quote(jury(statement.votes)),)


def _quote(votes: Collection[Vote]) -> str:
    """The gravest fault of a quote for support, as triage orders them."""
    if not votes:
        return NO_JUDGE
    faults = {vote.false_quote for vote in votes}
    for fault in QUOTE_FAULTS:
        if fault in faults:
            return fault
    return SOUND_QUOTE if any(vote.quote_status in PROVEN_QUOTES for vote in votes) else NO_QUOTE


Labels = Mapping[str, ReviewerLabel]
_Parts = Mapping[str, frozenset[str | None]]
"""The names of the parts that each statement is in; ``None`` for what was folded."""


@dataclass(slots=True)
class ItemCounts:
    """One thing, item by item, in the part and outside it: which of ``width`` cells an item falls into."""

    width: int
    clusters: list[str] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    dropped: int = 0

    def add(self, cluster: str, inside: bool, cell: int | None) -> None:
        """Take up one item; without a cell it is left out, and counted if it is in the part."""
        if cell is None:
            self.dropped += inside
            return
        self.clusters.append(cluster)
        self.cells.append(cell if inside else self.width + cell)

    def add_both(self, cluster: str, inside: int | None, outside: int | None) -> None:
        """Take up one item twice, in the part and outside it, if it has a cell in both."""
        if inside is not None and outside is not None:
            self.add(cluster, True, inside)
            self.add(cluster, False, outside)

    @property
    def block(self) -> CountedBlock:
        """The cells of the part, then those of the rest."""
        return CountedBlock(self.clusters, np.array(self.cells, dtype=np.int64), 2 * self.width)


@dataclass(slots=True)
class Reviewed:
    """A reviewer's labels of one group: what they say, and that beside what judges say (2 x label + verdict).

    ``paired``: the latter with a judge's own word and, outside the part, with that of all judges, on the same labels.
    """

    group: Group
    labels: int = 0
    said: ItemCounts = field(default_factory=lambda: ItemCounts(2))
    agreed: ItemCounts = field(default_factory=lambda: ItemCounts(4))
    paired: ItemCounts = field(default_factory=lambda: ItemCounts(4))

    def add(self, label: ReviewerLabel, inside: bool, word: JuryVerdict | None, *beside: JuryVerdict | None) -> None:
        """Take up one label with a word of judges, if it is of the group; that word ``beside`` another, if both are."""
        if label.group != self.group:
            return
        self.labels += inside
        mine = _cell(reviewers_label(label.label, BINARY, stale=label.stale).label)
        cells = [
            None if mine is None or theirs is None else 2 * mine + theirs
            for theirs in (_cell(judges_label(said, BINARY).label) for said in (word, *beside))
        ]
        self.said.add(label.cluster, inside, mine)
        self.agreed.add(label.cluster, inside, cells[0])
        if beside:
            self.paired.add_both(label.cluster, cells[0], cells[1])


@dataclass(slots=True)
class PartCounts:
    """What is collected of one part; ``None`` is the name of all that were folded.

    ``paired``: a judge's own word and, outside the part, that of all judges, on the same statements.
    """

    name: str | None
    reviewed: dict[str, Reviewed]
    statements: int = 0
    responses: set[str] = field(default_factory=set)
    judged: ItemCounts = field(default_factory=lambda: ItemCounts(2))
    paired: ItemCounts = field(default_factory=lambda: ItemCounts(2))

    @property
    def columns(self) -> list[ItemCounts]:
        """Everything that is counted of it: two of the verdicts, then three of each reviewer."""
        of_reviewers = (each for one in self.reviewed.values() for each in (one.said, one.agreed, one.paired))
        return [self.judged, self.paired, *of_reviewers]


def count_parts(
    reader: sqlite3.Connection, by: str, labels: Mapping[str, Labels], pass_no: int, only: Selection
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
                    _count_judge(part, case.cluster, statement, inside, given, verdict)
                    continue
                part.judged.add(case.cluster, inside, verdict)
                for who, label in given:
                    part.reviewed[who].add(label, part.name in of_reviewer[who][unit], statement.together)
    return parts, folded


def _count_judge(
    part: PartCounts,
    cluster: str,
    statement: JudgedStatement,
    inside: bool,
    given: Sequence[tuple[str, ReviewerLabel]],
    verdict: int | None,
) -> None:
    if not inside:
        return
    own = next((word for judge, word in statement.by_judge.items() if judge.title == part.name), None)
    said = _of(None if own is None else own.supported)
    part.judged.add(cluster, True, said)
    part.paired.add_both(cluster, said, verdict)
    for who, label in given:
        part.reviewed[who].add(label, True, own, statement.together)


def _held(strata: Mapping[str, tuple[str, ...]], only: Selection) -> dict[str, tuple[str, ...]]:
    return {unit: held for unit, held in strata.items() if only.holds(unit)}


def _kept(strata: Mapping[str, tuple[str, ...]], by: str) -> tuple[list[str], int]:
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


def _cell(label: str | None) -> int | None:
    return None if label is None else BINARY.labels.index(label)


def _of(supported: bool | None) -> int | None:
    return None if supported is None else int(not supported)


FOLDED: Final = "all others"
REST: Final = "the rest"
TOGETHER_THERE: Final = "the judges together, where both have a verdict"

_NO_VERDICT: Final = "No statement here has a verdict."
_NO_LABEL: Final = "No statement here has a label that says supported or not."
_NOT_BOTH: Final = "One of the two has nothing to compare."
_OF_QUEUES: Final = (
    "Labels of one queue are blind, those of another assisted: each part has its own group, and they are not compared."
)


@dataclass(frozen=True)
class StratumLabels:
    """A reviewer's labels in one part: those of the ``group`` that leads (``mode``, ``drawn``), ``labels`` of them.

    ``supported``: the share that says supported, of the labels that say either. ``agreement`` with the judges,
    supported or not: percent agreement, Cohen's kappa, Gwet's AC1, on ``table`` (rows: the reviewer).
    ``apart``: percent agreement here minus that in the rest.
    """

    reviewer: str
    group: str
    mode: str
    drawn: bool
    labels: int
    supported: Estimate
    agreement: tuple[Estimate, ...]
    table: tuple[tuple[int, ...], ...]
    apart: StatisticDifference | None

    def estimate(self, name: str) -> Estimate:
        """The estimate of this name (``"Cohen's kappa"``); raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(frozen=True)
class StratumFigures:
    """One part: its ``statements``, the ``responses`` that they are in, and what is said of them.

    ``folded``: it is not one part but all those too small to stand alone, or beyond the largest. ``supported``:
    statements that the judges find supported / those with a verdict; by ``judge`` it is that judge's own word.
    ``apart``: that share minus that of what the report is ``against``.
    """

    stratum: str
    folded: bool
    statements: int
    responses: int
    supported: Estimate
    apart: StatisticDifference | None
    reviewers: tuple[StratumLabels, ...]


@dataclass(frozen=True)
class ByReport:
    """The study divided ``by`` something; ``about`` says what goes by it. The largest part comes first.

    ``arms``: what the record of an answer says of its run, prompt, version or ``extra.NAME``, where it is by ``arms``.

    ``folded`` parts were too small to stand alone, or beyond the largest, and are one; that has no figures where even
    so it is too small: ``untold`` are its statements. ``against``: what each part is compared with; of two parts that
    are the whole, the second would only repeat the first. Every interval is from the same resamples of clusters; the p
    values of one statistic are one family (Holm 1979).
    """

    by: By
    about: str
    against: str
    strata: tuple[StratumFigures, ...]
    folded: int
    untold: int
    cautions: tuple[str, ...]
    arms: str = ""


def by_report(
    reader: sqlite3.Connection,
    by: str,
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    *,
    pass_no: int = 1,
    only: Selection = EVERYTHING,
) -> ByReport:
    """A study, or ``only`` a part of it, divided; ``labels`` are those of each reviewer in it, by statement."""
    counts, folded = count_parts(reader, by, labels, pass_no, only)
    # Parts too small even together would reveal single verdicts.
    parts = [part for part in counts if part.name is not None or part.statements >= FEWEST or len(counts) == 1]
    against = TOGETHER_THERE if by == "judge" else REST
    drawn = iter(draw_together([column.block for part in parts for column in part.columns], resampling))
    figures = [
        _figures(part, against, [next(drawn) for _ in part.columns], resampling, paired=by == "judge") for part in parts
    ]
    # Of two parts that are the whole, one minus the other is said once.
    pairwise = by not in SEVERAL and len(counts) == len(parts) == 2
    compared = [(len(parts) > 1 or by == "judge") and not (pairwise and place) for place in range(len(parts))]
    return ByReport(
        by=next((each for each in DIVISIONS if each == by), "arms"),
        arms="" if by in DIVISIONS else by,
        about=about(by),
        against=against,
        strata=_in_families(figures, compared, tuple(labels), of_labels=by != "queue"),
        folded=folded,
        untold=sum(part.statements for part in counts) - sum(part.statements for part in parts),
        cautions=(_OF_QUEUES,) if by == "queue" else () if by in DIVISIONS else _explained(reader, by, parts),
    )


def _explained(reader: sqlite3.Connection, by: str, parts: Sequence[PartCounts]) -> tuple[str, ...]:
    return study_arms(reader, by).explained(part.name for part in parts if part.name is not None)


def _figures(
    part: PartCounts, against: str, drawn: Sequence[DrawnBlock], resampling: Resampling, *, paired: bool
) -> StratumFigures:
    name = FOLDED if part.name is None else part.name
    of_reviewers = [drawn[place : place + 3] for place in range(2, len(drawn), 3)]
    return StratumFigures(
        stratum=name,
        folded=part.name is None,
        statements=part.statements,
        responses=len(part.responses),
        supported=_share("supported, by the judges", drawn[0], part.judged.dropped, _NO_VERDICT, resampling),
        apart=_apart(name, against, "supported, by the judges", drawn[paired], [1.0, 0.0], resampling),
        reviewers=tuple(
            _labels(reviewer, held, name, against, said, agreed, beside if paired else agreed, resampling)
            for (reviewer, held), (said, agreed, beside) in zip(part.reviewed.items(), of_reviewers, strict=True)
        ),
    )


def _labels(
    reviewer: str,
    held: Reviewed,
    name: str,
    against: str,
    said: DrawnBlock,
    agreed: DrawnBlock,
    compared: DrawnBlock,
    resampling: Resampling,
) -> StratumLabels:
    units, sums = agreed.units[:, :4], agreed.sums[:, :4]
    found = paired_in_draw(units, sums, BINARY.labels, dropped=held.agreed.dropped, resampling=resampling)
    return StratumLabels(
        reviewer=reviewer,
        group=held.group.title,
        mode=held.group.mode,
        drawn=bool(held.group.drawn),
        labels=held.labels,
        supported=_share(f"supported, by {reviewer}", said, held.said.dropped, _NO_LABEL, resampling),
        agreement=tuple(found.agreement(LEADING_PAIR).values()),
        table=found.table,
        apart=_apart(name, against, "percent agreement", compared, [1.0, 0.0, 0.0, 1.0], resampling),
    )


def _share(name: str, drawn: DrawnBlock, dropped: int, nothing: str, resampling: Resampling) -> Estimate:
    """The share of the first cell of a part, of its two."""
    units, sums = (np.column_stack((held[:, 0], held[:, 0] + held[:, 1])) for held in (drawn.units, drawn.sums))
    sample = ResponseSample(("yes", "both"), units, resampling, sums=sums)
    return sample.share(name, "yes", "both", undefined=nothing, whole="supported", dropped=dropped)


def _apart(
    name: str, against: str, statistic: str, drawn: DrawnBlock, counted: Sequence[float], resampling: Resampling
) -> StatisticDifference:
    """The share of the ``counted`` cells in the part minus that outside it, which may be the same items."""
    width = len(counted)
    nothing = [0.0] * width
    ones = [1.0] * width
    return difference(
        Side.share(name, [*counted, *nothing], [*ones, *nothing]),
        Side.share(against, [*nothing, *counted], [*nothing, *ones]),
        statistic,
        drawn.units,
        drawn.sums,
        paired=against == TOGETHER_THERE,
        scale="share_difference",
        undefined=_NOT_BOTH,
        resampling=resampling,
    )


def _in_families(
    strata: Sequence[StratumFigures], compared: Sequence[bool], reviewers: Sequence[str], *, of_labels: bool
) -> tuple[StratumFigures, ...]:
    """The parts with p values adjusted for as many as there are of each statistic; without what is not compared."""
    judged = _adjusted([one.apart if told else None for one, told in zip(strata, compared, strict=True)])
    by_reviewer = [
        _adjusted([one.reviewers[place].apart if told and of_labels else None
                   for one, told in zip(strata, compared, strict=True)])
        for place in range(len(reviewers))
    ]  # fmt: skip
    return tuple(
        replace(
            one,
            apart=judged[at],
            reviewers=tuple(replace(held, apart=by_reviewer[place][at]) for place, held in enumerate(one.reviewers)),
        )
        for at, one in enumerate(strata)
    )


def _adjusted(differences: Sequence[StatisticDifference | None]) -> list[StatisticDifference | None]:
    told = iter(with_holm([one for one in differences if one is not None]))
    return [None if one is None else next(told) for one in differences]
