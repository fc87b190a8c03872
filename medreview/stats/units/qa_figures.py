"""Figures of QA items (ClinIQLink sections 3.4 and 3.6): the items, rates by type and model, tests, agreement of two.

``flag_ratios`` are the shares of annotators' flags and relevance from counts alone, with Wilson's intervals.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from medreview.labels import RELEVANCE
from medreview.stats.formulas.agreement import first_two, many_raters
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling, shared
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import TestResult, in_family, two_proportions
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.shared_draws import ResponseSample
from medreview.stats.units.closed_answers import ItemAnswerFigures
from medreview.units.qa import TYPES

LEVELS: Final = tuple(label.level for label in RELEVANCE)
HIGHEST: Final = LEVELS[-1]

_ITEMS: Final = """
SELECT u.unit_id, coalesce(nullif(u.belongs_to, ''), u.unit_id) AS cluster, json_extract(u.content, '$.type') AS type,
       u.model, l.reviewer, l.label, l.current, l.mode, a.label AS settled
FROM unit AS u JOIN reviewer_label AS l ON l.unit = u.unit_id AND l.pass = 1
LEFT JOIN adjudicated AS a ON a.unit = u.unit_id AND a.axis = l.axis AND a.stands
WHERE u.kind = 'qa' ORDER BY u.ordinal, l.reviewer"""
_FLAGS: Final = """
SELECT f.unit, f.reviewer, f.axis AS flag, f.current = 'flagged' AS flagged, a.label = 'flagged' AS settled
FROM flag_label AS f LEFT JOIN adjudicated AS a ON a.unit = f.unit AND a.axis = f.axis AND a.stands
WHERE f.pass = 1 AND f.unit >= 'qa:' AND f.unit < 'qa;' AND f.unit IN (SELECT unit FROM flag_act)"""
_TIMES: Final = """
SELECT unit, reviewer, json_extract(payload, '$.active_ms') AS ms FROM event_live
WHERE kind = 'decide' AND unit >= 'qa:' AND unit < 'qa;' AND json_extract(payload, '$.active_ms') IS NOT NULL"""


@dataclass(frozen=True)
class AnnotatedItem:
    """An item with a label; ``cluster``: its passage.

    ``relevance`` by annotator is the one that counts, of a blind label the first; ``modes``: how each was given.
    ``flags``: by annotator, which of dispute and feedback stand; ``standing``: which count, as settled where that was
    done, else those of anybody; ``flags_open``: annotators differ on one, and nobody has settled it. ``settled`` is the
    relevance by final labels: as adjudicated, else the one that all give; ``None`` while they differ. ``minutes``: of
    each label that says its time.
    """

    unit: str
    cluster: str
    type: str
    model: str
    relevance: Mapping[str, str]
    modes: Mapping[str, str]
    flags: Mapping[str, frozenset[str]]
    standing: frozenset[str]
    flags_open: bool
    settled: str | None
    minutes: tuple[float, ...]

    @property
    def flagged(self) -> bool:
        """Whether a dispute or feedback stands: the answer counts as hallucinated."""
        return bool(self.standing)

    @property
    def top(self) -> bool:
        """Whether its relevance is the highest."""
        return self.settled == HIGHEST


def annotated(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> list[AnnotatedItem]:
    """Every item that somebody has labelled, in order; ``reviewers``: whose labels and flags are taken."""

    def chosen(name: str) -> bool:
        return reviewers is None or name in reviewers

    flags: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute(_FLAGS):
        if chosen(row["reviewer"]):
            flags.setdefault(row["unit"], []).append(row)
    minutes: dict[str, list[float]] = {}
    for row in reader.execute(_TIMES):
        if chosen(row["reviewer"]):
            minutes.setdefault(row["unit"], []).append(row["ms"] / 60_000)
    rows: dict[str, list[sqlite3.Row]] = {}
    for row in reader.execute(_ITEMS):
        if chosen(row["reviewer"]):
            rows.setdefault(row["unit_id"], []).append(row)
    return [_item(labels, flags.get(unit, []), minutes.get(unit, [])) for unit, labels in rows.items()]


def _item(rows: Sequence[sqlite3.Row], flags: Sequence[sqlite3.Row], minutes: Sequence[float]) -> AnnotatedItem:
    one = {row["current"] for row in rows}
    return AnnotatedItem(
        unit=rows[0]["unit_id"],
        cluster=rows[0]["cluster"],
        type=rows[0]["type"] or "",
        model=rows[0]["model"],
        relevance={row["reviewer"]: row["label"] for row in rows},
        modes={row["reviewer"]: row["mode"] for row in rows},
        flags={
            name: frozenset(row["flag"] for row in flags if row["reviewer"] == name and row["flagged"])
            for name in {row["reviewer"] for row in flags}
        },
        standing=frozenset(
            row["flag"] for row in flags if (row["flagged"] if row["settled"] is None else row["settled"])
        ),
        flags_open=len({(row["flag"], row["flagged"]) for row in flags if row["settled"] is None})
        > len({row["flag"] for row in flags if row["settled"] is None}),
        settled=rows[0]["settled"] or (one.pop() if len(one) == 1 else None),
        minutes=tuple(minutes),
    )


NOBODY: Final = "No item has a label yet."
FORWARD: Final = "forward"
INVERSE: Final = "inverse"
_VALIDITY: Final = ("valid", "flagged")
_UNSETTLED: Final = "On every item annotators differ, and nobody has settled it."


@dataclass(frozen=True)
class QARates:
    """Some items: all of them (``split`` is ``""``), of one ``type``, or by one ``model``.

    ``relevance``: how many settled items have each level; ``unsettled``: items on which annotators differ, which are
    left out of plausibility and yield. ``disputed`` and ``with_feedback`` count items on which such a flag stands: as
    it was settled, else that of anybody. ``flags_open``: items on whose flags annotators differ, and nobody has settled
    it. All intervals are Wilson's (1927). Hallucination rate: items with a flag. Answerability: those without one.
    Plausibility: those of the highest relevance. Ideal-pair yield: of the highest relevance and without a flag.
    ``minutes`` is the mean of a label, over items.
    """

    split: str
    stratum: str
    items: int
    relevance: Mapping[str, int]
    unsettled: int
    disputed: int
    with_feedback: int
    flags_open: int
    hallucination_rate: Estimate
    plausibility: Estimate
    answerability: Estimate
    ideal_pairs: Estimate
    minutes: Estimate


@dataclass(frozen=True)
class RateTest:
    """Do two groups of items differ in their hallucination rate? ``difference``: first minus second; the p values are
    corrected for the ``family`` of tests that were made together (Holm 1979, Bonferroni)."""

    split: str
    first: str
    second: str
    difference: float | None
    test: TestResult
    holm: float | None
    bonferroni: float | None
    family: int


@dataclass(frozen=True)
class QAFigures:
    """``labels``: how many were given blind and how many assisted. ``twice``: the share of labelled items with two
    labels or more. Agreement is of those: on relevance (Cohen's kappa and Gwet's AC2 with quadratic weights, of the
    first two annotators in the order of their names; of all of them, see the scale) and on flagged or not.
    ``answered``: what models answered to the items, labelled or not."""

    labels: Mapping[str, int]
    twice: Estimate
    rates: tuple[QARates, ...]
    tests: tuple[RateTest, ...]
    relevance_agreement: tuple[Estimate, ...]
    validity_agreement: tuple[Estimate, ...]
    answered: ItemAnswerFigures | None = None


def qa_figures(
    items: Sequence[AnnotatedItem], resampling: Resampling = DEFAULT, answered: ItemAnswerFigures | None = None
) -> QAFigures:
    """Of the items that have a label, and what models answered to these and the others."""
    by_type = _grouped(items, [one.type for one in items], list(TYPES))
    by_model = _grouped(items, [one.model for one in items], [])
    groups = [("", "", list(items))]
    groups += [("type", name, members) for name, members in by_type.items()]
    groups += [("model", name, members) for name, members in by_model.items()]
    doubled = sum(len(one.relevance) > 1 for one in items)
    return QAFigures(
        labels=dict(Counter(mode for one in items for mode in one.modes.values())),
        twice=proportion("share with two labels", doubled, len(items), nothing=NOBODY),
        rates=tuple(rates_of(split, name, members, resampling) for split, name, members in groups),
        tests=(*_tests("type", list(_contrasts(by_type))), *_tests("model", list(_each_two(by_model)))),
        relevance_agreement=relevance_agreement(items, resampling),
        validity_agreement=validity_agreement(items, resampling),
        answered=answered,
    )


def _grouped(
    items: Sequence[AnnotatedItem], names: Sequence[str], order: Sequence[str]
) -> dict[str, list[AnnotatedItem]]:
    """The items by name, where there are several names."""
    found: dict[str, list[AnnotatedItem]] = {}
    for one, name in zip(items, names, strict=True):
        found.setdefault(name, []).append(one)
    ranked = sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))
    return {name: found[name] for name in ranked} if len(found) > 1 else {}


def rates_of(split: str, stratum: str, items: Sequence[AnnotatedItem], resampling: Resampling = DEFAULT) -> QARates:
    """The rates of some items."""
    settled = [one for one in items if one.settled is not None]
    n, flagged, open_ = len(items), sum(one.flagged for one in items), len(items) - len(settled)
    ideal = sum(one.top and not one.flagged for one in settled)
    left = _UNSETTLED if items else NOBODY
    flags = Counter(flag for one in items for flag in one.standing)
    levels = Counter(one.settled for one in settled)
    sample = ResponseSample(
        ("minutes", "labels"),
        [(sum(one.minutes), len(one.minutes)) for one in items if one.minutes],
        resampling.over("item"),
    )
    return QARates(
        split=split,
        stratum=stratum,
        items=n,
        relevance={level: levels[level] for level in LEVELS},
        unsettled=open_,
        disputed=flags["dispute"],
        with_feedback=flags["feedback"],
        flags_open=sum(one.flags_open for one in items),
        hallucination_rate=proportion("hallucination rate", flagged, n, nothing=NOBODY),
        plausibility=proportion(
            "plausibility", sum(one.top for one in settled), len(settled), dropped=open_, nothing=left
        ),
        answerability=proportion("answerability", n - flagged, n, nothing=NOBODY),
        ideal_pairs=proportion("ideal-pair yield", ideal, len(settled), dropped=open_, nothing=left),
        minutes=sample.figure(
            "minutes for a label", "minutes", "labels", undefined="No label says how long it took.", scale="amount"
        ),
    )


Contrast = tuple[str, Sequence[AnnotatedItem], str, Sequence[AnnotatedItem]]


def _contrasts(by_type: Mapping[str, Sequence[AnnotatedItem]]) -> Iterator[Contrast]:
    """Each type beside its inverse, and all of the one kind beside all of the other."""
    pairs = [(name, f"{name}_inverse") for name in by_type if f"{name}_inverse" in by_type]
    for forward, inverse in pairs:
        yield inverse, by_type[inverse], forward, by_type[forward]
    if len(pairs) > 1:
        yield (
            INVERSE, [one for _, name in pairs for one in by_type[name]],
            FORWARD, [one for name, _ in pairs for one in by_type[name]],
        )  # fmt: skip


def _each_two(groups: Mapping[str, Sequence[AnnotatedItem]]) -> Iterator[Contrast]:
    for first, second in combinations(groups, 2):
        yield first, groups[first], second, groups[second]


def _tests(split: str, contrasts: Sequence[Contrast]) -> Iterator[RateTest]:
    found = []
    for first, mine, second, theirs in contrasts:
        k = (sum(one.flagged for one in mine), sum(one.flagged for one in theirs))
        n = (len(mine), len(theirs))
        found.append((first, second, k[0] / n[0] - k[1] / n[1], two_proportions(k, n)))
    for (first, second, difference, test), by in zip(found, in_family([test for *_, test in found]), strict=True):
        yield RateTest(split, first, second, difference, test, *by)


def relevance_agreement(items: Sequence[AnnotatedItem], resampling: Resampling = DEFAULT) -> tuple[Estimate, ...]:
    """Of two annotators on relevance, weighted; who they are may differ from item to item."""
    both = [one for one in items if len(one.relevance) > 1]
    clusters = shared([one.cluster for one in both])
    return first_two([one.relevance for one in both], LEVELS, clusters, resampling.over("passage"))


def validity_agreement(items: Sequence[AnnotatedItem], resampling: Resampling = DEFAULT) -> tuple[Estimate, ...]:
    """Of all annotators on flagged or not: mean pairwise agreement, its PABAK (Brennan & Prediger 1981), Fleiss' kappa
    and Gwet's AC1, from the same counts."""
    ballots = [[_VALIDITY[bool(one.flags.get(name))] for name in one.relevance] for one in items]
    told = many_raters(
        ballots, _VALIDITY, clusters=shared([one.cluster for one in items]),
        statistics=("mean_pairwise_agreement", "brennan_prediger", "fleiss_kappa", "gwet_ac"),
        resampling=resampling.over("passage"),
    )  # fmt: skip
    return tuple(told.figures.values())


_NOTHING: Final = "No item was annotated."


@dataclass(frozen=True)
class FlagRatios:
    """Four shares of the same ``n`` items.

    ``plausibility``: those of the highest relevance. ``hallucination_rate``: those with feedback or a dispute, or both.
    ``answerability``: those with neither; taken as the rest of the hallucination rate, for the paper's own formula is
    not in the text that was kept of it. ``ideal_pair_yield``: those of the highest relevance and with neither.
    """

    plausibility: Estimate
    hallucination_rate: Estimate
    answerability: Estimate
    ideal_pair_yield: Estimate


def flag_ratios(n: int, top_relevance: int, flagged: int, ideal: int | None = None) -> FlagRatios:
    """The shares of ``n`` annotated items; ``ideal`` counts those of the highest relevance without any flag.

    Undefined without items; a count that is no part of ``n`` leaves its share undefined, too.
    """

    def share(name: str, k: int | None) -> Estimate:
        why = None
        if k is None:
            why = "It is not known which of the items are of the highest relevance and without a flag."
        elif not 0 <= k <= n:
            why = f"{k} of {n} is not a share."
        if k is None or why is not None:
            return Estimate(name, None, None, None, "Wilson", max(n, 0), reason=why, scale="share")
        return proportion(name, k, n, nothing=_NOTHING)

    return FlagRatios(
        share("plausibility", top_relevance),
        share("hallucination rate", flagged),
        share("answerability", n - flagged),
        share("ideal-pair yield", ideal),
    )
