"""QA items as annotators found them (ClinIQLink sections 3.4 and 3.6): rates, and the agreement of two."""

import sqlite3
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.labels import RELEVANCE
from medreview.stats.formulas.agreement import many_raters, two_raters
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.study import Study

LEVELS: Final = tuple(label.level for label in RELEVANCE)
HIGHEST: Final = LEVELS[-1]
_VALIDITY: Final = ("valid", "flagged")
_NOBODY: Final = "No item has a label yet."

_ITEMS: Final = """
SELECT u.unit_id, coalesce(nullif(u.belongs_to, ''), u.unit_id) AS cluster, l.reviewer, l.label, a.label AS settled
FROM unit AS u JOIN reviewer_label AS l ON l.unit = u.unit_id AND l.pass = 1
LEFT JOIN adjudicated AS a ON a.unit = u.unit_id AND a.axis = l.axis AND a.stands
WHERE u.kind = 'qa' ORDER BY u.ordinal, l.reviewer"""
_FLAGS: Final = """
SELECT unit, reviewer, json_extract(payload, '$.on') AS set_now FROM event_live
WHERE kind = 'flag' AND unit GLOB 'qa:*' AND json_extract(payload, '$.flag') IN ('dispute', 'feedback')
AND event_id IN (
    SELECT max(event_id) FROM event_live WHERE kind = 'flag' AND unit GLOB 'qa:*'
    GROUP BY unit, reviewer, json_extract(payload, '$.flag'))"""
_TIMES: Final = """
SELECT unit, sum(json_extract(payload, '$.active_ms')) AS ms, count(json_extract(payload, '$.active_ms')) AS n
FROM event_live WHERE kind = 'decide' AND unit GLOB 'qa:*' GROUP BY unit"""


@dataclass(frozen=True)
class AnnotatedItem:
    """An item with a label. ``relevance`` by annotator; ``flagged``: who set a dispute or feedback on it.

    ``settled`` is the relevance that counts: as adjudicated, else the one that all give; ``None`` while they differ.
    """

    unit: str
    cluster: str
    relevance: Mapping[str, str]
    flagged: frozenset[str]
    settled: str | None


def annotated(study: Study) -> list[AnnotatedItem]:
    """Every item that somebody has labelled, in order."""
    flags: dict[str, set[str]] = {}
    for row in study.reader.execute(_FLAGS):
        if row["set_now"]:
            flags.setdefault(row["unit"], set()).add(row["reviewer"])
    rows: dict[str, list[sqlite3.Row]] = {}
    for row in study.reader.execute(_ITEMS):
        rows.setdefault(row["unit_id"], []).append(row)
    return [_item(unit, labels, flags.get(unit, set())) for unit, labels in rows.items()]


def _item(unit: str, rows: Sequence[sqlite3.Row], flagged: set[str]) -> AnnotatedItem:
    labels = {row["reviewer"]: row["label"] for row in rows}
    one = set(labels.values())
    settled = rows[0]["settled"] or (one.pop() if len(one) == 1 else None)
    return AnnotatedItem(unit, rows[0]["cluster"], labels, frozenset(flagged), settled)


def hallucination_rate(items: Sequence[AnnotatedItem]) -> Estimate:
    """Items on which a dispute or feedback of anybody stands."""
    return proportion("hallucination rate", sum(bool(one.flagged) for one in items), len(items), nothing=_NOBODY)


def answerability(items: Sequence[AnnotatedItem]) -> Estimate:
    """Items on which neither stands."""
    return proportion("answerability", sum(not one.flagged for one in items), len(items), nothing=_NOBODY)


def plausibility(items: Sequence[AnnotatedItem]) -> Estimate:
    """Items of the highest relevance; those on which annotators differ are left out until that is settled."""
    settled = [one for one in items if one.settled is not None]
    return proportion(
        "plausibility", sum(one.settled == HIGHEST for one in settled), len(settled),
        dropped=len(items) - len(settled), nothing=_NOBODY,
    )  # fmt: skip


def ideal(items: Sequence[AnnotatedItem]) -> Estimate:
    """Items of the highest relevance on which neither flag stands."""
    settled = [one for one in items if one.settled is not None]
    return proportion(
        "ideal-pair yield", sum(one.settled == HIGHEST and not one.flagged for one in settled), len(settled),
        dropped=len(items) - len(settled), nothing=_NOBODY,
    )  # fmt: skip


def relevance_kappa(items: Sequence[AnnotatedItem]) -> Estimate:
    """Quadratically weighted kappa of the two annotators of an item, put in the order of their names."""
    twice = [sorted(one.relevance) for one in items if len(one.relevance) > 1]
    both = [one for one in items if len(one.relevance) > 1]
    pairs = [(one.relevance[names[0]], one.relevance[names[1]]) for one, names in zip(both, twice, strict=True)]
    told = two_raters(
        [first for first, _ in pairs], [second for _, second in pairs], LEVELS,
        clusters=[one.cluster for one in both], statistics=("cohen_kappa",), weights="quadratic",
    )  # fmt: skip
    return told.figures["cohen_kappa"]


def relevance_fleiss(items: Sequence[AnnotatedItem]) -> Estimate:
    """Nominal Fleiss' kappa on relevance, of the items with two labels."""
    return _fleiss(items, [list(one.relevance.values()) for one in items], LEVELS)


def validity_fleiss(items: Sequence[AnnotatedItem]) -> Estimate:
    """The same on flagged or not, of the same items."""
    ratings = [[_VALIDITY[name in one.flagged] for name in one.relevance] for one in items]
    return _fleiss(items, ratings, _VALIDITY)


def validity_agreement(items: Sequence[AnnotatedItem]) -> Estimate:
    """How often two annotators of an item agree on flagged or not; its PABAK is twice this, minus 1."""
    ratings = [[_VALIDITY[name in one.flagged] for name in one.relevance] for one in items]
    return _many(items, ratings, _VALIDITY, "mean_pairwise_agreement")


def _fleiss(items: Sequence[AnnotatedItem], ratings: Sequence[Sequence[str]], labels: Sequence[Hashable]) -> Estimate:
    return _many(items, ratings, labels, "fleiss_kappa")


def _many(
    items: Sequence[AnnotatedItem], ratings: Sequence[Sequence[str]], labels: Sequence[Hashable], statistic: str
) -> Estimate:
    widest = max(map(len, ratings), default=0)
    filled: list[list[Hashable]] = [[*row, *[None] * (widest - len(row))] for row in ratings]
    told = many_raters(filled, labels, clusters=[one.cluster for one in items], statistics=(statistic,))
    return told.figures[statistic]


def minutes(study: Study) -> Estimate:
    """Minutes of work on a label, of those given here; intervals resample items."""
    rows = [(row["ms"] / 60_000, row["n"]) for row in study.reader.execute(_TIMES) if row["n"]]
    sample = ResponseSample(("minutes", "labels"), rows)
    return sample.figure("minutes", "minutes", "labels", undefined="No label says how long it took.")
