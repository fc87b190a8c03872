"""Answers: evaluators against the right labels side by side, how far marked words are apart, and the marked answers."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from medreview.stats.formulas.bootstrap import DEFAULT, Resampling
from medreview.stats.formulas.classification import Classification
from medreview.stats.formulas.estimate import Estimate, Scale
from medreview.stats.units.hallucination_detection import Detection, Evaluator, detection
from medreview.stats.units.kind_labels import FOUND, TYPE, told_gold
from medreview.study.study_acts import groups_of
from medreview.study.unit_faults import RESPONSE, response_of
from medreview.units.findings import Finding, alone, findings_of
from medreview.units.statement_view import response_name

MissingRule = Literal["exclude", "length"]

_FIGURES: Final[tuple[tuple[str, Scale], ...]] = (
    ("mean edit distance", "amount"), ("median edit distance", "amount"), ("mean relative edit distance", "ratio"),
)  # fmt: skip
_NOTHING = "No expert span has a model span to compare with."


@dataclass(frozen=True)
class SpanItem:
    """One response: the exact texts of the expert's spans and of the model's."""

    expert: Sequence[str]
    model: Sequence[str]


@dataclass(frozen=True)
class SpanDistances:
    """Per expert span, pooled in order: distance in code points and the same over the longer length.

    ``None`` is a span without a candidate that the rule ``exclude`` left out; ``without_candidate`` counts them
    under either rule.
    """

    distances: tuple[int | None, ...]
    relative: tuple[float | None, ...]
    without_candidate: int
    mean: Estimate
    median: Estimate
    mean_relative: Estimate


def nearest(expert: str, candidates: Sequence[str]) -> tuple[int, float] | None:
    """Least Levenshtein distance in code points to any candidate, and that over the longer length; ``None`` if none.

    Of equally near candidates the one with the smaller relative distance counts.
    """
    from rapidfuzz.distance import Levenshtein

    found = ((Levenshtein.distance(expert, candidate), max(len(expert), len(candidate))) for candidate in candidates)
    return min(((distance, distance / longer if longer else 0.0) for distance, longer in found), default=None)


def span_distances(
    items: Sequence[SpanItem],
    missing: MissingRule = "exclude",
    *,
    level: float = 0.95,
    replicates: int = 9_999,
    seed: int = 1,
) -> SpanDistances:
    """Distances of all expert spans to the nearest model span of the same response, with pooled mean and median.

    ``missing``: an expert span without any model span is left out and counted (``exclude``) or taken as the distance
    to the empty text (``length``). Intervals resample responses.
    """
    import numpy as np

    from medreview.stats.formulas import bootstrap
    from medreview.stats.formulas.coefficients import ratio

    pairs: list[list[tuple[int, float] | None]] = []
    lonely = 0
    for item in items:
        found = [nearest(span, item.model) for span in item.expert]
        lonely += found.count(None)
        if missing == "length":
            found = [
                nearest(span, [""]) if pair is None else pair for span, pair in zip(item.expert, found, strict=True)
            ]
        pairs.append(found)
    pooled = [pair for found in pairs for pair in found]
    known = [[pair for pair in found if pair is not None] for found in pairs]
    used = [found for found in known if found]
    n, clusters = sum(map(len, used)), len(used)
    dropped = len(pooled) - n
    if n == 0:
        mean, median, mean_relative = (
            Estimate(name, None, None, None, "none", 0, 0, dropped, _NOTHING, level, scale=scale)
            for name, scale in _FIGURES
        )
    else:
        grid = sorted({distance for kept in used for distance, _ in kept})
        column = {distance: index for index, distance in enumerate(grid)}
        units = np.zeros((clusters, len(grid) + 1))
        for row, kept in zip(units, used, strict=True):
            for distance, relative in kept:
                row[column[distance]] += 1
                row[-1] += relative
        values = np.array(grid, dtype=np.float64)
        resampling = bootstrap.Resampling(level, replicates, seed)
        data = bootstrap.contributions(units)
        sums, observed = bootstrap.draw(data, resampling), data.total

        def figure(of: tuple[str, Scale], finish: "bootstrap.Statistic", *, smooth: bool = True) -> Estimate:
            name, scale = of
            return bootstrap.bootstrap_figure(
                name, float(finish(observed)[0]), finish(sums), n=n, clusters=clusters, undefined=_NOTHING,
                instead="", left_out=bootstrap.without_each(units, finish, resampling) if smooth else None,
                scale=scale, resampling=resampling, dropped=dropped,
            )  # fmt: skip

        mean = figure(_FIGURES[0], lambda s: ratio(s[:, :-1] @ values, s[:, :-1].sum(axis=1)))
        median = figure(_FIGURES[1], lambda s: bootstrap.medians(s[:, :-1], values), smooth=False)
        mean_relative = figure(_FIGURES[2], lambda s: ratio(s[:, -1], s[:, :-1].sum(axis=1)))
    return SpanDistances(
        distances=tuple(None if pair is None else pair[0] for pair in pooled),
        relative=tuple(None if pair is None else pair[1] for pair in pooled),
        without_candidate=lonely,
        mean=mean,
        median=median,
        mean_relative=mean_relative,
    )


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
    the same ``by_data_set`` and ``by_type`` (the answers with that type, and those without any). ``type``: of which
    type. Kappas are Cohen's (1960) with the right label.
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
    """``silent``: right labels that may not be told yet. ``hallucinated``: of the others, how many answers are of each
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
        type=found.type_found(one, resampling),
        kappa_found=found.kappa(one, FOUND, resampling),
        kappa_type=found.kappa(one, TYPE, resampling),
    )


def spans_apart(
    reader: sqlite3.Connection, resampling: Resampling = DEFAULT, *, all_gold: bool = False
) -> Iterator[SpanFigures]:
    """Of each judge by itself, from what experts marked and from the right places; not from laypeople's marks."""
    said: dict[str, dict[str, list[str]]] = {}
    for response, judge, spans in reader.execute(_FOUND):
        said.setdefault(judge, {})[response] = [span["quote"] for span in json.loads(spans)]
    for reference, marked in ((PEOPLE, _marked(reader)), (GOLD, _right_places(reader, all_gold))):
        for judge, passages in said.items():
            items = [SpanItem(spans, passages[answer]) for answer, spans in marked.items() if answer in passages]
            if items:
                yield _apart(judge, reference, items, resampling)


def _apart(judge: str, reference: str, items: list[SpanItem], resampling: Resampling) -> SpanFigures:
    def told(missing: MissingRule) -> tuple[tuple[Estimate, ...], int]:
        found = span_distances(
            items, missing, level=resampling.level, replicates=resampling.replicates, seed=resampling.seed
        )
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
    """By answer, the words at the right places that may be told."""
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
