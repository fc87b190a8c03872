"""Who finds hallucinations in answers, held against right labels that are known (MedHalu sections 3.3 and 4)."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from medreview.judges.majority import majority_vote
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.classification import Classification, classification
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.spans import SpanDistances, SpanItem, span_distances
from medreview.stats.reports.told_gold import told_gold
from medreview.study import Study
from medreview.study.unit_ids import unit_id

LABELS: Final = ("hallucinated", "none")

_ANSWERS: Final = "SELECT response_id, question, origin FROM response WHERE trim(text) <> '' ORDER BY ordinal"
_FOUND: Final = "SELECT response_id, judge, assisted, type, spans FROM finding_current WHERE type IS NOT NULL"
_PEOPLE: Final = """
SELECT l.reviewer, l.unit, l.label, l.mode, coalesce(json_extract(e.payload, '$.group'), '') AS "group"
FROM reviewer_label AS l JOIN event AS e ON e.event_id = l.event_id
WHERE l.axis = 'hallucination' AND l.pass = 1 AND l.unit GLOB 'answer:*'"""
_SPANS: Final = """
SELECT unit, json_extract(payload, '$.exact') AS exact FROM span_live
WHERE axis = 'hallucination' AND pass = 1 AND unit GLOB 'answer:*' AND json_extract(payload, '$.target') = 'response'"""


@dataclass(frozen=True)
class Evaluator:
    """Who said what of the answers: ``kind`` is judge, assisted (a judge with an expert's remarks), group or person.

    ``types``: level of the hallucination axis by response; ``mode``: of people's labels, blind or assisted.
    """

    name: str
    kind: str
    types: Mapping[str, str]
    mode: str = ""


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

    def found(self, evaluator: Evaluator, data_set: str | None = None, of_type: str = "") -> Classification:
        """Whether there is a hallucination at all, as the paper counts it; in one data set, or of one type.

        Of one type: the answers with that type, and those without any hallucination.
        """
        chosen = [
            response
            for response, kind in self.types.items()
            if data_set in (None, self.data_sets[response]) and (not of_type or kind in (of_type, "none"))
        ]
        return classification(
            [_binary(self.types[response]) for response in chosen],
            [_binary(evaluator.types.get(response)) for response in chosen],
            LABELS,
            clusters=[self.questions[response] for response in chosen],
        )


def detection(study: Study) -> Detection:
    """Everybody who judged answers, in this order: judges alone, judges with remarks, groups of people, people."""
    reader = study.reader
    gold = told_gold(reader, "hallucination")
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
    said: dict[tuple[int, str], dict[str, str]] = {}
    for row in reader.execute(f"{_FOUND} ORDER BY assisted, run"):
        said.setdefault((row["assisted"], row["judge"]), {})[row["response_id"]] = row["type"]
    for (assisted, judge), types in said.items():
        yield Evaluator(judge, "assisted" if assisted else "judge", types)


def _people(reader: sqlite3.Connection) -> Iterator[Evaluator]:
    """Groups by the majority of their members; who belongs to none, alone."""
    groups: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for row in reader.execute(f"{_PEOPLE} ORDER BY l.reviewer, l.unit"):
        name = row["group"] or row["reviewer"]
        members = groups.setdefault((name, row["mode"]), {})
        members.setdefault(row["unit"].partition(":")[2], {})[row["reviewer"]] = row["label"]
    for (name, mode), answers in sorted(groups.items()):
        most = majority_vote([list(said.values()) for said in answers.values()]).labels
        types = {response: str(label) for response, label in zip(answers, most, strict=True) if label is not None}
        yield Evaluator(name, "people", types, mode)


def distances(study: Study) -> Iterator[tuple[str, SpanDistances]]:
    """Of each judge alone: how far its passages are from those that people marked in the same answers."""
    marked: dict[str, list[str]] = {}
    for row in study.reader.execute(_SPANS):
        marked.setdefault(row["unit"].partition(":")[2], []).append(row["exact"])
    told: dict[str, dict[str, list[str]]] = {}
    for row in study.reader.execute(f"{_FOUND} AND NOT assisted ORDER BY run"):
        quotes = [span["quote"] for span in json.loads(row["spans"])]
        told.setdefault(row["judge"], {})[row["response_id"]] = quotes
    for judge, passages in told.items():
        items = [SpanItem(expert, passages[response]) for response, expert in marked.items() if response in passages]
        yield judge, span_distances(items)


def kappa_with_gold(found: Detection, evaluator: Evaluator) -> Estimate:
    """Agreement on the type, chance-corrected: do people see what was planted?"""
    responses = [response for response in found.types if response in evaluator.types]
    told = two_raters(
        [evaluator.types[response] for response in responses],
        [found.types[response] for response in responses],
        ("none", "fact", "input", "context", "other"),
        clusters=[found.questions[response] for response in responses],
        statistics=("cohen_kappa",),
    )
    return told.figures["cohen_kappa"]


def data_sets_of(found: Detection) -> list[str]:
    """The data sets of the answers with a right label, the largest first."""
    return _most(found.data_sets[response] for response in found.types)


def _most(names: Iterable[str]) -> list[str]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))


def _binary(kind: str | None) -> str | None:
    return None if kind is None else "none" if kind == "none" else "hallucinated"
