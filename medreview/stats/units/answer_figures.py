"""Answers: evaluators against the right labels side by side, how far marked words are apart, and the marked answers."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from medreview.stats.clusters import study_clusters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.spans import MissingRule, SpanItem, span_distances
from medreview.stats.units.hallucination_detection import Detection, Evaluator, detection
from medreview.stats.units.kind_labels import FOUND, TYPE, told_gold
from medreview.study.study_acts import groups_of
from medreview.study.unit_faults import RESPONSE, response_of
from medreview.units.findings import Finding, alone, findings_of
from medreview.units.statement_view import response_name

PEOPLE: Final = "what experts marked"
GOLD: Final = "the right places"
_TYPES: Final = ("fact", "input", "context", "other")

_FOUND: Final = """SELECT response_id, judge, spans FROM finding_current
WHERE type IS NOT NULL AND NOT assisted ORDER BY run"""
_MARKED: Final = """
SELECT unit, reviewer, json_extract(payload, '$.exact') AS exact,
       coalesce(json_extract(payload, '$.group'), '') AS "group"
FROM span_live
WHERE axis = 'hallucination' AND pass = 1 AND unit >= 'answer:' AND unit < 'answer;'
      AND json_extract(payload, '$.target') = 'response'"""


@dataclass(frozen=True)
class EvaluatorFigures:
    """One evaluator against the right labels, of ``n`` answers. ``kind`` and ``group`` are those of ``Evaluator``.

    ``found``: hallucinated or not, as MedHalu counts it, with figures of each class, since most answers may be of one;
    the same ``by_data_set`` and ``by_type`` (the answers with that type, and those without any), and by both, where
    there are several data sets: ``by_set_and_type``. ``type``: of which type. Kappas are Cohen's (1960) with the right
    label.
    """

    name: str
    kind: str
    group: str
    mode: str
    n: int
    ties: int
    found: Classification
    by_data_set: Mapping[str, Classification]
    by_type: Mapping[str, Classification]
    by_set_and_type: Mapping[str, Mapping[str, Classification]]
    type: Classification
    kappa_found: Estimate
    kappa_type: Estimate


@dataclass(frozen=True)
class SpanFigures:
    """How far a judge's words are from those of the ``reference``: for each span there the least edit distance to one
    of the judge in the same answer, in characters (MedHalu); its mean and median, and the mean over the longer length.

    ``without``: spans in answers where the judge marked nothing. In ``left_out`` they are, in ``as_length`` they count
    with their whole length.
    """

    judge: str
    reference: str
    answers: int
    spans: int
    without: int
    left_out: tuple[Estimate, ...]
    as_length: tuple[Estimate, ...]


@dataclass(frozen=True)
class AnswerFigures:
    """``silent``: gold labels that may not be shown yet. ``hallucinated``: of the others, how many answers are of each
    type."""

    right_labels: int
    silent: int
    types: Mapping[str, int]
    data_sets: tuple[str, ...]
    evaluators: tuple[EvaluatorFigures, ...]
    spans: tuple[SpanFigures, ...]


def answer_figures(
    reader: sqlite3.Connection,
    reviewers: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
    *,
    all_gold: bool = False,
) -> AnswerFigures:
    """Of all evaluators; ``reviewers``: of which people, everybody without it (groups are of all their members).

    ``all_gold``: as of ``told_gold``.
    """
    found = detection(reader, all_gold=all_gold)
    chosen = [one for one in found.evaluators if reviewers is None or _is_wanted(one, reviewers)]
    kinds = list(found.types.values())
    return AnswerFigures(
        right_labels=len(found.types),
        silent=found.silent,
        types={level: kinds.count(level) for level in TYPE.labels if level in kinds},
        data_sets=tuple(found.sets),
        evaluators=tuple(
            _figures(found, one, resampling) for one in chosen if one.types.keys() & found.types.keys()
        ),
        spans=tuple(spans_apart(reader, resampling, all_gold=all_gold)),
    )  # fmt: skip


def _is_wanted(one: Evaluator, reviewers: Collection[str]) -> bool:
    return (
        one.kind in ("judge", "judges", "assisted") or one.name in reviewers or bool(one.group and one.kind == "people")
    )


def _figures(found: Detection, one: Evaluator, resampling: Resampling) -> EvaluatorFigures:
    sets = found.sets if len(found.sets) > 1 else []
    types = [level for level in _TYPES if level in found.types.values()]
    return EvaluatorFigures(
        name=one.name,
        kind=one.kind,
        group=one.group,
        mode=one.mode,
        n=len(one.types.keys() & found.types.keys()),
        ties=one.ties,
        found=found.found(one, resampling=resampling),
        by_data_set={name: found.found(one, name, resampling=resampling) for name in sets},
        by_type={level: found.found(one, of_type=level, resampling=resampling) for level in types},
        by_set_and_type={
            name: {
                level: found.found(one, name, of_type=level, resampling=resampling)
                for level in types
                if level in found.types_in(name)
            }
            for name in sets
        },
        type=found.type_found(one, resampling),
        kappa_found=found.kappa(one, FOUND, resampling),
        kappa_type=found.kappa(one, TYPE, resampling),
    )


def spans_apart(
    reader: sqlite3.Connection,
    resampling: Resampling = DEFAULT,
    *,
    all_gold: bool = False,
) -> Iterator[SpanFigures]:
    """Of each judge by itself, from what experts marked and from the right places; not from laypeople's marks."""
    clusters = study_clusters(reader)
    said: dict[str, dict[str, list[str]]] = {}
    for response, judge, spans in reader.execute(_FOUND):
        said.setdefault(judge, {})[response] = [span["quote"] for span in json.loads(spans)]
    for reference, marked in ((PEOPLE, _marked(reader)), (GOLD, _right_places(reader, all_gold))):
        for judge, passages in said.items():
            items = [
                SpanItem(spans, passages[answer], clusters.of[answer])
                for answer, spans in marked.items()
                if answer in passages
            ]
            if items:
                yield _apart(judge, reference, items, replace(resampling, cluster=clusters.name))


def _apart(judge: str, reference: str, items: list[SpanItem], resampling: Resampling) -> SpanFigures:
    def told(missing: MissingRule) -> tuple[tuple[Estimate, ...], int]:
        found = span_distances(items, missing, resampling)
        return (found.mean, found.median, found.mean_relative), found.without_candidate

    left_out, without = told("exclude")
    return SpanFigures(
        judge, reference, len(items), sum(len(item.expert) for item in items), without, left_out, told("length")[0]
    )


def _marked(reader: sqlite3.Connection) -> dict[str, list[str]]:
    """By answer, what people other than laypeople marked in it."""
    known = groups_of(reader)
    marked: dict[str, list[str]] = {}
    for row in reader.execute(_MARKED):
        if (row["group"] or known.get(row["reviewer"], "")) != "layperson":
            marked.setdefault(row["unit"].partition(":")[2], []).append(row["exact"])
    return marked


def _right_places(reader: sqlite3.Connection, all_gold: bool) -> dict[str, list[str]]:
    """By answer, the words of the gold spans that may be shown."""
    told = told_gold(reader, "hallucination", "answer", every=all_gold)
    places = {unit.partition(":")[2]: found for unit, found in told.places.items()}
    texts = dict(reader.execute("SELECT response_id, text FROM response").fetchall()) if any(places.values()) else {}
    return {answer: [texts[answer][start:end] for start, end in found] for answer, found in places.items() if found}


_SPANS: Final = """SELECT unit, reviewer, payload FROM span_live
WHERE pass = 1 AND axis = 'hallucination' AND json_extract(payload, '$.target') = ? ORDER BY event_id"""
_ANSWERS: Final = "SELECT * FROM response WHERE response_id IN (SELECT value FROM json_each(?)) ORDER BY ordinal"


@dataclass(frozen=True)
class MarkedSpan:
    """A place in an answer that a reviewer marked, with its type (a level of the axis) and reason."""

    start: int
    end: int
    type: str
    reviewer: str
    reason: str


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer, the places marked in it, and what judges found in it by themselves."""

    response_id: str
    name: str
    model: str
    question: str
    text: str
    spans: tuple[MarkedSpan, ...]
    findings: tuple[Finding, ...]


def marked_answers(
    reader: sqlite3.Connection, reviewers: Collection[str], only: Collection[str] | None = None
) -> tuple[MarkedAnswer, ...]:
    """Each answer in which one of the reviewers marked something in the first pass.

    ``only``: spans on these statements, and those on whole answers.
    """
    found: dict[str, list[MarkedSpan]] = {}
    for row in reader.execute(_SPANS, (RESPONSE,)):
        if row["reviewer"] in reviewers and (only is None or ":" in row["unit"] or row["unit"] in only):
            said = json.loads(row["payload"])
            span = MarkedSpan(said["start"], said["end"], said["label"], row["reviewer"], said.get("reason") or "")
            found.setdefault(response_of(reader, row["unit"]), []).append(span)
    return tuple(
        MarkedAnswer(
            response_id=row["response_id"],
            name=response_name(row["ordinal"]),
            model=row["model"],
            question=row["question"],
            text=row["text"],
            spans=tuple(sorted(found[row["response_id"]], key=lambda span: (span.start, span.end))),
            findings=alone(findings_of(reader, row["response_id"])),
        )
        for row in reader.execute(_ANSWERS, (json.dumps(sorted(found)),))
    )
