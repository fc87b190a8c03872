"""People's labels that judges are held against one by one, and what each judge says of the same statements.

Labels of different groups are never pooled, so one group is chosen: blind labels, of the random audit where there are
enough of these. Where several people labelled a statement their majority counts.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.judges.rollup import each_judge, tally
from medreview.judges.votes import VOTED, Vote, VoteReader
from medreview.labels import TieRule
from medreview.stats.clusters import Clusters
from medreview.stats.formulas.estimate import FEW_ITEMS
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    TOGETHER,
    Group,
    ReviewerLabel,
    reviewers_label,
)

TIED: Final = "reviewers tied"

_OF_STATEMENTS: Final = """
SELECT s.statement_id, s.response_id, r.model, length(s.text) AS length
FROM statement AS s JOIN response AS r USING (response_id)
WHERE s.statement_id IN (SELECT value FROM json_each(?)) ORDER BY r.ordinal, s.ordinal"""
_VOTES: Final = f"""
SELECT j.statement_id, {VOTED} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id)
WHERE j.statement_id IN (SELECT value FROM json_each(?1))
      AND (?2 IS NULL OR run.judge_run_id IN (SELECT value FROM json_each(?2)))
ORDER BY j.statement_id"""


@dataclass(frozen=True, slots=True)
class PeoplesLabels:
    """Whether each statement is supported, by people. ``left_out`` counts their labels that say neither, and ties."""

    title: str
    reviewers: tuple[str, ...]
    labels: Mapping[str, bool]
    left_out: Mapping[str, int]
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A labelled statement: ``supported`` by the people, ``words`` (whether it is, by judge; ``None``: no verdict),
    ``confidences`` of the judges that stored one. ``writer``: the model of the answer; ``length`` in characters."""

    statement_id: str
    cluster: str
    writer: str
    length: int
    supported: bool
    words: Mapping[str, bool | None]
    confidences: Mapping[str, float]


def peoples_labels(labels: Mapping[str, Mapping[str, ReviewerLabel]]) -> PeoplesLabels:
    """The group of labels to hold judges against, by reviewer and statement.

    The blind labels of the random audit where there are 30 statements with these, else the blind group with most, else
    the assisted one with most.
    """
    group = _chosen(labels, Counter(label.group for held in labels.values() for label in held.values()))
    if group is None:
        return PeoplesLabels("no labels", (), {}, {}, ())
    found: dict[str, list[bool]] = defaultdict(list)
    left_out: Counter[str] = Counter()
    people = set()
    for name, held in labels.items():
        for unit, label in held.items():
            if label.group != group:
                continue
            word = reviewers_label(label.label, BINARY, stale=label.stale)
            if word.label is None:
                left_out[word.missing] += 1
            else:
                found[unit].append(word.label == BINARY.labels[0])
                people.add(name)
    majority = {unit: sum(said) * 2 > len(said) for unit, said in found.items() if sum(said) * 2 != len(said)}
    left_out[TIED] += len(found) - len(majority)
    return PeoplesLabels(group.title, tuple(sorted(people)), majority, +left_out, group.cautions)


def _chosen(labels: Mapping[str, Mapping[str, ReviewerLabel]], counts: Mapping[Group, int]) -> Group | None:
    if not counts:
        return None
    drawn = GROUPS[0]
    if len({unit for held in labels.values() for unit, label in held.items() if label.group == drawn}) >= FEW_ITEMS:
        return drawn
    return max(counts, key=lambda group: (group.mode == "blind", counts[group]))


def judged_labels(
    reader: sqlite3.Connection,
    of: PeoplesLabels,
    clusters: Clusters,
    tie: TieRule,
    *,
    runs: Collection[str] | None = None,
) -> list[JudgedLabel]:
    """The labelled statements with what every judge says of them and, of several judges, all together.

    The offline judge is left out: it compares words. ``runs``: only the judgements of these count.
    """
    said = {unit: _words(votes, tie) for unit, votes in _votes(reader, of.labels, runs)}
    nothing: tuple[dict[str, bool | None], dict[str, float]] = ({}, {})
    return [
        JudgedLabel(
            row["statement_id"],
            clusters.of[row["response_id"]],
            row["model"],
            row["length"],
            of.labels[row["statement_id"]],
            *said.get(row["statement_id"], nothing),
        )
        for row in reader.execute(_OF_STATEMENTS, (json.dumps(list(of.labels)),))
    ]


def judges_of(labelled: Sequence[JudgedLabel]) -> list[str]:
    """Those that were asked about one of the statements, by name; all together come first."""
    names = {name for one in labelled for name in one.words}
    return [*([TOGETHER] if TOGETHER in names else []), *sorted(names - {TOGETHER})]


def said_by(labelled: Sequence[JudgedLabel], judge: str) -> Iterator[tuple[JudgedLabel, bool]]:
    """The statements of which a judge has a verdict, each with it."""
    for one in labelled:
        word = one.words.get(judge)
        if word is not None:
            yield one, word


def _votes(
    reader: sqlite3.Connection, units: Collection[str], runs: Collection[str] | None
) -> Iterator[tuple[str, list[Vote]]]:
    voters = VoteReader(reader)
    chosen = None if runs is None else json.dumps(list(runs))
    rows = reader.execute(_VOTES, (json.dumps(list(units)), chosen))
    for unit, of_one in groupby(rows, key=itemgetter(0)):
        yield unit, [vote for vote in voters.votes(of_one) if not vote.judge.offline]


def _words(votes: Sequence[Vote], tie: TieRule) -> tuple[dict[str, bool | None], dict[str, float]]:
    words: dict[str, bool | None] = {judge.name: said.supported for judge, said in each_judge(votes).items()}
    sure = {name: found for name, word in words.items() if (found := _confidence(votes, name, word)) is not None}
    if len(words) > 1:
        words[TOGETHER] = tally(votes, tie).supported
    return words, sure


def _confidence(votes: Sequence[Vote], judge: str, word: bool | None) -> float | None:
    """One supporting source is enough, so that the surest says it; not supported takes all, so that the least sure."""
    stored = [
        vote.confidence
        for vote in votes
        if vote.judge.name == judge and vote.supported == word and vote.confidence is not None
    ]
    return None if word is None or not stored else max(stored) if word else min(stored)
