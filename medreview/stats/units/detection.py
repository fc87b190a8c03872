"""Who finds hallucinations in answers, held against right labels that are known (MedHalu sections 3.3 and 4)."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.judges.majority import majority_vote
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.classification import Classification, classification
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.told_gold import told_gold
from medreview.stats.units.scales import FOUND, TYPE, UnitScale
from medreview.study.backgrounds import groups_of
from medreview.study.unit_ids import unit_id
from medreview.units.registry import KINDS

Group = Literal["model", "expert", "layperson", ""]
"""What kind of evaluator somebody is; ``""``: nobody said."""
EvaluatorKind = Literal["judge", "judges", "assisted", "people", "person"]

_ANSWERS: Final = "SELECT response_id, question, origin FROM response WHERE trim(text) <> '' ORDER BY ordinal"
_ASSISTED: Final = """SELECT response_id, judge, type FROM finding_current
WHERE type IS NOT NULL AND assisted ORDER BY run"""
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
    labels, blind or assisted.
    """

    name: str
    kind: EvaluatorKind
    group: Group
    types: Mapping[str, str]
    mode: str = ""
    ties: int = 0


@dataclass(frozen=True)
class Detection:
    """The answers with a right label that may be told: its type, the data set and the question by response.

    ``silent``: how many right labels may not be told yet. Intervals resample questions: several answers to one of
    them, each with a hallucination of another type, are alike.
    """

    types: Mapping[str, str]
    data_sets: Mapping[str, str]
    questions: Mapping[str, str]
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

    def kappa(self, evaluator: Evaluator, scale: UnitScale = TYPE, resampling: Resampling = DEFAULT) -> Estimate:
        """Agreement with the right label, chance-corrected: do people see what was planted?"""
        fold = scale.folds["hallucination"]
        responses = [response for response in self.types if response in evaluator.types]
        told = two_raters(
            [fold[evaluator.types[response]] for response in responses],
            [fold[self.types[response]] for response in responses],
            scale.labels, clusters=self._clusters(responses), statistics=("cohen_kappa",), resampling=resampling,
            unit="question",
        )  # fmt: skip
        return told.figures["cohen_kappa"]

    def _right(
        self, evaluator: Evaluator, chosen: Sequence[str], scale: UnitScale, resampling: Resampling
    ) -> Classification:
        fold = scale.folds["hallucination"]
        return classification(
            [fold[self.types[response]] for response in chosen],
            [fold[evaluator.types[response]] if response in evaluator.types else None for response in chosen],
            scale.labels,
            clusters=self._clusters(chosen),
            resampling=resampling,
            unit="question",
            sides=("reference", "evaluator"),
        )

    def _clusters(self, responses: Sequence[str]) -> list[str] | None:
        """The questions of answers; none where each has one of its own."""
        asked = [self.questions[response] for response in responses]
        return asked if len(set(asked)) < len(asked) else None

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
        questions={row["response_id"]: row["question"] for row in rows},
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
    assisted: dict[str, dict[str, str]] = {}
    for response, judge, level in reader.execute(_ASSISTED):
        assisted.setdefault(judge, {})[response] = level
    for judge, types in assisted.items():
        yield Evaluator(judge, "assisted", "model", types)


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
