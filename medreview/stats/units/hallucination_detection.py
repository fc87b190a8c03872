"""Evaluators that find hallucinations in answers, against gold labels (MedHalu), alone and with remarks.

``detection`` is of sections 3.3 and 4 of MedHalu. ``assisted_report`` is of section 5: what judges found by themselves,
and with an expert's remarks. The remarks may hold the answer, so that these figures say how far a judge follows an
expert. They count neither for nor against a judge and stand in no other figure.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, Literal

import numpy as np

from medreview.judges.majority import majority_vote
from medreview.labels import HALLUCINATION
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.formulas.agreement import paired
from medreview.stats.formulas.bootstrap import (
    DEFAULT,
    Resampling,
    contributions,
    draw,
    shared,
    sum_by_cluster,
)
from medreview.stats.formulas.classification import Classification, classification
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import Side, StatisticDifference, difference, paired_test, with_holm
from medreview.stats.reports.reviewer_labels import Scale
from medreview.stats.units.kind_labels import FOUND, TYPE, told_gold
from medreview.study.ids import unit_id
from medreview.study.study_acts import groups_of
from medreview.units.registry import KINDS
from medreview.units.statement_view import response_name

SHOWN: Final = ("labels and reasons", "reasons only")
"""What of an expert's words an assisted judge was shown; the second has neither label nor marked words."""

Group = Literal["model", "expert", "layperson", ""]
"""What kind of evaluator somebody is; ``""``: nobody said."""
EvaluatorKind = Literal["judge", "judges", "assisted", "people", "person"]

_ANSWERS: Final = "SELECT response_id, origin FROM response WHERE trim(text) <> '' ORDER BY ordinal"
_REASONS_ONLY: Final = """coalesce((SELECT json_extract(o.params, '$.remarks.reasons_only') FROM judge_run AS o
          WHERE o.ordinal = {run}), 0)"""
_ASSISTED: Final = f"""SELECT response_id, judge, type, {_REASONS_ONLY.format(run="run")} AS reasons_only
FROM finding_current WHERE type IS NOT NULL AND assisted ORDER BY run"""
_PEOPLE: Final = """
SELECT l.reviewer, l.unit, l.label, l.mode, coalesce(json_extract(e.payload, '$.group'), '') AS "group"
FROM reviewer_label AS l JOIN event AS e ON e.event_id = l.event_id
WHERE l.axis = 'hallucination' AND l.pass = 1 AND l.unit >= 'answer:' AND l.unit < 'answer;'
ORDER BY l.reviewer, l.unit"""


@dataclass(frozen=True)
class Evaluator:
    """Who said what of the answers.

    ``kind``: a judge by itself; the majority of all ``judges``; ``assisted``, a judge with an expert's remarks, which
    is no vote; ``people``, the majority of a group or somebody who belongs to none; a ``person`` of a group. ``types``:
    level of the hallucination axis by response; ``ties``: answers on which a group is even; ``mode``: of people's
    labels, blind or assisted, and what of the expert's words an assisted judge was shown.
    """

    name: str
    kind: EvaluatorKind
    group: Group
    types: Mapping[str, str]
    mode: str = ""
    ties: int = 0


@dataclass(frozen=True)
class Detection:
    """The answers with a gold label that may be shown: its type and the data set by response.

    ``silent``: how many gold labels may not be shown yet. Intervals resample ``clusters``: several answers to one
    question, each with a hallucination of another type, are alike.
    """

    types: Mapping[str, str]
    data_sets: Mapping[str, str]
    clusters: Clusters
    evaluators: tuple[Evaluator, ...]
    silent: int

    def found(
        self, evaluator: Evaluator, data_set: str | None = None, of_type: str = "", resampling: Resampling = DEFAULT
    ) -> Classification:
        """Whether there is a hallucination at all, as the paper counts it; in one data set, or of one type.

        Of one type: the answers with that type, and those without any hallucination.
        """
        chosen = [
            response
            for response, kind in self.types.items()
            if data_set in (None, self.data_sets[response]) and (not of_type or kind in (of_type, "none"))
        ]
        return self._right(evaluator, chosen, FOUND, resampling)

    def type_found(self, evaluator: Evaluator, resampling: Resampling = DEFAULT) -> Classification:
        """Of which type it is, "none" being one."""
        return self._right(evaluator, list(self.types), TYPE, resampling)

    def kappa(self, evaluator: Evaluator, scale: Scale = TYPE, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement with the right label, chance-corrected: do people see what was planted?"""
        fold = scale.folds["hallucination"]
        responses = [response for response in self.types if response in evaluator.types]
        told = paired(
            [fold[evaluator.types[response]] for response in responses],
            [fold[self.types[response]] for response in responses],
            scale.labels, shared([self.clusters.of[response] for response in responses]),
            resampling.over(self.clusters.name),
        )  # fmt: skip
        return told.kappa()

    def _right(
        self, evaluator: Evaluator, chosen: Sequence[str], scale: Scale, resampling: Resampling
    ) -> Classification:
        fold = scale.folds["hallucination"]
        return classification(
            [fold[self.types[response]] for response in chosen],
            [fold[evaluator.types[response]] if response in evaluator.types else None for response in chosen],
            scale.labels,
            clusters=shared([self.clusters.of[response] for response in chosen]),
            resampling=resampling.over(self.clusters.name),
            sides=("reference", "evaluator"),
        )

    def types_in(self, data_set: str | None = None) -> set[str]:
        """The types of the answers of one data set that have a right label, or of all of them."""
        return {kind for response, kind in self.types.items() if data_set in (None, self.data_sets[response])}

    @property
    def sets(self) -> list[str]:
        """The data sets of the answers with a right label, the largest first."""
        counts = Counter(self.data_sets[response] for response in self.types)
        return sorted(counts, key=lambda name: (-counts[name], name))


def detection(reader: sqlite3.Connection, *, all_gold: bool = False) -> Detection:
    """Everybody who judged answers, in this order: judges alone, all of them, judges with remarks, groups, people.

    ``all_gold``: as of ``told_gold``.
    """
    gold = told_gold(reader, "hallucination", "answer", every=all_gold)
    rows = reader.execute(_ANSWERS).fetchall()
    types = {row["response_id"]: gold.labels.get(unit_id("answer", row["response_id"])) for row in rows}
    return Detection(
        types={response: kind for response, kind in types.items() if kind is not None},
        data_sets={row["response_id"]: row["origin"] for row in rows},
        clusters=study_clusters(reader),
        evaluators=(*_judges(reader), *_people(reader)),
        silent=gold.silent,
    )


def _judges(reader: sqlite3.Connection) -> Iterator[Evaluator]:
    alone: dict[str, dict[str, str]] = {}
    for rating in KINDS["answer"].machine_ratings(reader):
        alone.setdefault(rating.rater, {})[rating.unit.partition(":")[2]] = rating.value
    for judge, types in alone.items():
        yield Evaluator(judge, "judge", "model", types)
    if len(alone) > 1:
        yield _majority("all judges", "judges", "model", alone)
    assisted: dict[tuple[str, str], dict[str, str]] = {}
    for response, judge, level, reasons_only in reader.execute(_ASSISTED):
        assisted.setdefault((judge, SHOWN[bool(reasons_only)]), {})[response] = level
    for (judge, mode), types in assisted.items():
        yield Evaluator(judge, "assisted", "model", types, mode)


def _people(reader: sqlite3.Connection) -> Iterator[Evaluator]:
    """Groups by the majority of their members; who belongs to none, alone; then the members of each group."""
    known = groups_of(reader)
    said: dict[tuple[Group, str, str], dict[str, dict[str, str]]] = {}
    for row in reader.execute(_PEOPLE):
        group: Group = row["group"] or known.get(row["reviewer"], "")
        members = said.setdefault((group, group or row["reviewer"], row["mode"]), {})
        members.setdefault(row["reviewer"], {})[row["unit"].partition(":")[2]] = row["label"]
    for (group, name, mode), members in sorted(said.items()):
        yield _majority(name, "people", group, members, mode)
    for (group, _, mode), members in sorted(said.items()):
        if len(members) > 1:
            yield from (Evaluator(name, "person", group, types, mode) for name, types in sorted(members.items()))


def _majority(
    name: str, kind: EvaluatorKind, group: Group, members: Mapping[str, Mapping[str, str]], mode: str = ""
) -> Evaluator:
    answers = _every(members.values())
    most = majority_vote([[types.get(answer) for types in members.values()] for answer in answers])
    types = {answer: str(label) for answer, label in zip(answers, most.labels, strict=True) if label is not None}
    return Evaluator(name, kind, group, types, mode, most.ties)


def _every(types: Iterable[Mapping[str, str]]) -> list[str]:
    return list(dict.fromkeys(answer for one in types for answer in one))


QUESTIONS: Final = ("reviewer: found or not", "reviewer: type", "gold: found or not", "gold: type")
"""Against whose labels, and what has to be right: that there is a hallucination, or its type, too."""
LEVELS: Final = tuple(label.level for label in HALLUCINATION)

_PAIRS: Final = f"""
SELECT b.judge, b.model, r.response_id, r.ordinal, r.record_id, r.origin, b.type AS before, a.type AS after,
       {_REASONS_ONLY.format(run="a.run")} AS reasons_only
FROM finding_current AS a JOIN finding_current AS b
ON b.response_id = a.response_id AND b.judge = a.judge AND NOT b.assisted
JOIN response AS r ON r.response_id = a.response_id
WHERE a.assisted ORDER BY b.judge, r.ordinal"""

_NOT_TOLD: Final = "No response has both words of the judge and a right label that is shown."

# The label that all who labelled the answer give; what they differ on has none.
_LABELS: Final = """
SELECT unit, min(label) AS label FROM reviewer_label
WHERE axis = 'hallucination' AND unit LIKE 'answer:%' AND pass = 1 AND reviewer = coalesce(?, reviewer)
GROUP BY unit HAVING min(label) = max(label)"""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """One judge on one response. A type is a level of the hallucination axis; ``None``: the judge abstained, nobody
    labelled the answer (or they differ), no gold is known (or may be shown yet). ``shown``: one of :data:`SHOWN`."""

    judge: str
    model: str
    response_id: str
    name: str
    record_id: str
    origin: str
    before: str | None
    after: str | None
    reviewer: str | None
    gold: str | None
    shown: str = SHOWN[0]


@dataclass(slots=True)
class Against:
    """A judge held against right labels, before and after, over ``n`` responses with both of its words.

    ``found_*``: it agrees with the label on whether there is a hallucination at all; ``type_*``: also on its type.
    ``*_mended``: wrong before and right after; ``*_spoilt``: right before and wrong after.
    """

    n: int = 0
    found_before: int = 0
    found_after: int = 0
    found_mended: int = 0
    found_spoilt: int = 0
    type_before: int = 0
    type_after: int = 0
    type_mended: int = 0
    type_spoilt: int = 0


@dataclass(slots=True)
class JudgeBeforeAfter:
    """All of one judge: what it was ``shown`` of the expert's words, its responses asked both times, how many
    abstentions each time, and from which type to which its word went (``moved["none"]["fact"]``).

    ``differences``: the share that is right after, minus that before, in the order of :data:`QUESTIONS`, on responses
    with both words and a right label, with McNemar's exact test; all judges of a report are one family.
    """

    judge: str
    shown: tuple[str, ...] = ()
    responses: int = 0
    abstained_before: int = 0
    abstained_after: int = 0
    moved: dict[str, dict[str, int]] = field(default_factory=dict)
    reviewer: Against = field(default_factory=Against)
    gold: Against = field(default_factory=Against)
    differences: tuple[StatisticDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class AssistedReport:
    """Every pair of runs, and their sums. ``gold_waits``: responses whose gold is still hidden."""

    judges: list[JudgeBeforeAfter]
    responses: list[BeforeAfter]
    gold_waits: int


def assisted_report(
    reader: sqlite3.Connection,
    reviewer: str | None = None,
    resampling: Resampling = DEFAULT,
    *,
    all_gold: bool = False,
) -> AssistedReport:
    """What judges said before and after remarks, against the labels of one reviewer or of all, and against gold.

    ``all_gold``: as of ``told_gold``."""
    rows = list(_rows(reader, reviewer, all_gold))
    known = {row[0] for row in reader.execute("SELECT unit FROM gold WHERE axis = 'hallucination'")}
    waiting = {row.response_id for row in rows if row.gold is None and f"answer:{row.response_id}" in known}
    grouped = {judge: list(group) for judge, group in groupby(rows, key=lambda row: row.judge)}
    judges = [_summed(judge, own) for judge, own in grouped.items()]
    clusters = study_clusters(reader)
    resampling = replace(resampling, cluster=clusters.name)
    found = with_holm([one for own in grouped.values() for one in _differences(own, clusters, resampling)])
    for place, judge in enumerate(judges):
        judge.differences = found[place * len(QUESTIONS) : (place + 1) * len(QUESTIONS)]
    return AssistedReport(judges, rows, len(waiting))


def _rows(reader: sqlite3.Connection, reviewer: str | None, all_gold: bool) -> Iterator[BeforeAfter]:
    labels = dict(map(tuple, reader.execute(_LABELS, (reviewer,))))
    gold = told_gold(reader, "hallucination", every=all_gold).labels
    for row in reader.execute(_PAIRS).fetchall():
        unit = f"answer:{row['response_id']}"
        yield BeforeAfter(
            judge=row["judge"],
            model=row["model"],
            response_id=row["response_id"],
            name=response_name(row["ordinal"]),
            record_id=row["record_id"],
            origin=row["origin"],
            before=row["before"],
            after=row["after"],
            reviewer=labels.get(unit),
            gold=gold.get(unit),
            shown=SHOWN[bool(row["reasons_only"])],
        )


def _summed(judge: str, rows: Sequence[BeforeAfter]) -> JudgeBeforeAfter:
    both = [(row.before, row.after) for row in rows if row.before and row.after]
    counts = Counter(both)
    return JudgeBeforeAfter(
        judge=judge,
        shown=tuple(sorted({row.shown for row in rows})),
        responses=len(rows),
        abstained_before=sum(row.before is None for row in rows),
        abstained_after=sum(row.after is None for row in rows),
        moved={one: {other: counts[one, other] for other in LEVELS if counts[one, other]}
               for one in LEVELS if any(counts[one, other] for other in LEVELS)},
        reviewer=_against((row.before, row.after, row.reviewer) for row in rows),
        gold=_against((row.before, row.after, row.gold) for row in rows),
    )  # fmt: skip


def _right(word: str, right: str) -> tuple[bool, bool]:
    """Whether a judge's word is right on there being a hallucination, and on its type, too."""
    return (word == "none") == (right == "none"), word == right


def _differences(
    rows: Sequence[BeforeAfter], clusters: Clusters, resampling: Resampling
) -> Iterator[StatisticDifference]:
    """One judge's, each cluster of responses being drawn with both words on each."""
    mine, other = (Side.share(when, np.eye(3)[place], np.eye(3)[2]) for place, when in enumerate(("after", "before")))
    for place, question in enumerate(QUESTIONS):
        told = [
            (clusters.of[row.response_id], [_right(str(word), right)[place % 2] for word in (row.after, row.before)])
            for row in rows
            if row.before and row.after and (right := row.gold if place > 1 else row.reviewer)
        ]
        each = [[*both, True, both[0] > both[1], both[1] > both[0]] for _, both in told]
        held = sum_by_cluster(np.array(each, dtype=np.float64).reshape(-1, 5), [cluster for cluster, _ in told])
        units, only = held[:, :3], held[:, 3:]
        sums = draw(contributions(units), resampling) if told else units
        test = paired_test(only[:, 0].tolist(), only[:, 1].tolist(), units[:, 2].tolist(), resampling.cluster)
        yield difference(
            mine, other, question, units, sums, scale="share_difference", paired=True, undefined=_NOT_TOLD,
            test=test if told else None, resampling=resampling,
        )  # fmt: skip


def _against(words: Iterable[tuple[str | None, str | None, str | None]]) -> Against:
    told = Against()
    for before, after, right in words:
        if before is None or after is None or right is None:
            continue
        told.n += 1
        found, same = (list(one) for one in zip(_right(before, right), _right(after, right), strict=True))
        told.found_before += found[0]
        told.found_after += found[1]
        told.found_mended += found == [False, True]
        told.found_spoilt += found == [True, False]
        told.type_before += same[0]
        told.type_after += same[1]
        told.type_mended += same == [False, True]
        told.type_spoilt += same == [True, False]
    return told
