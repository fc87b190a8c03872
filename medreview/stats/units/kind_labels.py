"""Who said what of the units of one kind: reviewers with the mode of their labels, machines, and right labels."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from medreview.judges.votes import Judge
from medreview.labels import scale_of
from medreview.stats.reports.reviewer_labels import Mode
from medreview.stats.reports.told_gold import ToldGold, told_gold
from medreview.stats.units.scales import SUPPORTED, UnitScale, scales_of
from medreview.units.gold_results import labels_when_told
from medreview.units.registry import KINDS

Which = Literal["first, blind", "assisted", "final"]
"""Which labels a figure is of. The first ones that were given blind; those that were given with machines in sight, as
they stand; all as they stand. Figures of two kinds of labels never stand under one name."""
FIRST_BLIND: Final[Which] = "first, blind"
ASSISTED: Final[Which] = "assisted"
FINAL: Final[Which] = "final"
OF_MODE: Final[Mapping[Mode, Which]] = {"blind": FIRST_BLIND, "assisted": ASSISTED}

RULES: Final = Judge("offline", offline=True).title
"""What the offline rules are called where judges stand: they are triage, not a verdict."""

_GIVEN: Final = """
SELECT reviewer, unit, axis, mode, label, current, event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM (SELECT reviewer, pass, unit, axis, mode, label, current, event_id FROM axis_label
      UNION ALL SELECT reviewer, pass, unit, axis, mode, label, current, event_id FROM flag_label)
WHERE pass = 1 AND unit >= ?1 || ':' AND unit < ?1 || ';' ORDER BY reviewer, unit, axis"""
_QUESTIONS: Final = "SELECT 'answer:' || response_id, question FROM response"


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """One reviewer's label on one axis of a unit. ``item``: what is labelled, the unit or an output of it.

    ``label`` is the one that counts in its ``mode``: of a blind one the first; ``current`` as it stands now.
    """

    item: str
    unit: str
    axis: str
    reviewer: str
    mode: Mode
    label: str
    current: str


@dataclass(frozen=True)
class KindLabels:
    """All of one kind, on the first pass.

    ``units`` are those that are there; ``cluster`` is what they come from, ``clusters`` that of each item that somebody
    labelled. ``stale``: labels that were given on a text that has changed since; they count nowhere. ``said``: by
    machine, what it says of the items (axis, item -> label); ``gold``: by axis the right labels that may be told;
    ``told``: by reviewer the labels (unit, axis) that stood when that was.
    """

    kind: str
    units: frozenset[str]
    cluster: str
    clusters: Mapping[str, str]
    given: tuple[GivenLabel, ...]
    stale: int
    said: Mapping[str, Mapping[tuple[str, str], str]]
    gold: Mapping[str, ToldGold]
    told: Mapping[str, Mapping[tuple[str, str], str]]

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Who labelled, by name."""
        return tuple(sorted({one.reviewer for one in self.given}))

    def of(self, reviewer: str, which: Which, scale: UnitScale) -> dict[str, str]:
        """A reviewer's labels on a scale, by item."""
        final = which == FINAL
        return folded(
            scale,
            (
                (one.axis, one.item, one.current if final else one.label)
                for one in self.given
                if one.reviewer == reviewer and (final or OF_MODE[one.mode] == which)
            ),
        )

    def machine(self, name: str, scale: UnitScale) -> dict[str, str]:
        """A machine's labels on a scale, by item."""
        return folded(scale, ((axis, item, label) for (axis, item), label in self.said[name].items()))

    def right(self, scale: UnitScale) -> dict[str, str]:
        """The right labels that may be told, on a scale."""
        return folded(
            scale,
            ((axis, item, label) for axis in scale.folds if axis in self.gold
             for item, label in self.gold[axis].labels.items()),
        )  # fmt: skip

    def against_gold(self, reviewer: str, which: Which, scale: UnitScale) -> dict[str, str]:
        """A reviewer's labels as they stood when the right ones were told: what is changed after that counts not."""
        when_told = self.told.get(reviewer, {})
        mine = self.of(reviewer, which, scale)
        before = folded(scale, ((axis, unit, label) for (unit, axis), label in when_told.items()))
        return {item: before.get(item, label) for item, label in mine.items()}

    def counts(self, reviewer: str, axis: str, which: Which) -> Counter[str]:
        """How often a reviewer gave each label of an axis, "cannot judge" among them."""
        final = which == FINAL
        return Counter(
            one.current if final else one.label
            for one in self.given
            if one.reviewer == reviewer and one.axis == axis and (final or OF_MODE[one.mode] == which)
        )


def kind_labels(
    reader: sqlite3.Connection,
    kind: str,
    reviewers: Collection[str] | None = None,
    *,
    alone: bool = False,
    all_gold: bool = False,
) -> KindLabels:
    """Read one kind; ``reviewers``: whose labels are taken, everybody's without it. ``alone``: without what machines
    and right labels say of the same. ``all_gold``: every right label may be told, as ``told_gold`` has it."""
    units = frozenset(row[0] for row in reader.execute(f"SELECT unit FROM ({KINDS[kind].rows})"))
    axes = scales_of(kind).axes
    given: list[GivenLabel] = []
    stale = 0
    for row in reader.execute(_GIVEN, (kind,)):
        axis = scale_of(row["axis"])
        if row["unit"] not in units or axis not in axes or not (reviewers is None or row["reviewer"] in reviewers):
            continue
        if row["stale"]:
            stale += 1
            continue
        item = item_of(row["unit"], row["axis"])
        given.append(
            GivenLabel(item, row["unit"], axis, row["reviewer"], row["mode"], row["label"], row["current"])
        )  # fmt: skip
    given = _two_way(given)
    gold = {} if alone else {axis: told_gold(reader, axis, kind, every=all_gold) for axis in axes}
    wanted = {one.unit for one in given} | {unit for told in gold.values() for unit in told.labels}
    said: dict[str, dict[tuple[str, str], str]] = {}
    for rating in KINDS[kind].machine_ratings(reader) if wanted and not alone else ():
        if rating.unit in wanted and scale_of(rating.axis) in axes:
            own = said.setdefault(rating.rater, {})
            own[scale_of(rating.axis), item_of(rating.unit, rating.axis)] = rating.value
    said = {name: _two_way_words(own) for name, own in said.items()}
    clusters = dict(clusters_of(reader, kind, wanted))
    items = {one.item: clusters[one.unit] for one in given}
    return KindLabels(
        kind=kind,
        units=units,
        cluster=scales_of(kind).cluster,
        clusters=clusters | items,
        given=tuple(given),
        stale=stale,
        said=said,
        gold=gold,
        told={} if alone else {name: labels_when_told(reader, name, 1) for name in {one.reviewer for one in given}},
    )


def _two_way(given: Sequence[GivenLabel]) -> list[GivenLabel]:
    """The labels; of who said of a unit only that it is not supported, all on that scale.

    Their "supported" stands among the four labels, their other word does not: compared on these they would agree by
    what is left out.
    """
    fold = SUPPORTED.folds["evidence"]
    names = {one.reviewer for one in given if one.axis == "support"}
    found: dict[tuple[str, str, str], GivenLabel] = {}
    for one in given:  # by axis: that of the four labels comes first, and counts
        two_way = one.reviewer in names and one.axis == "evidence" and {one.label, one.current} <= fold.keys()
        label = replace(one, axis="support", label=fold[one.label], current=fold[one.current]) if two_way else one
        found.setdefault((label.reviewer, label.axis, label.item), label)
    return list(found.values())


def _two_way_words(said: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """The same of a machine's, which has its two-way word beside each label."""
    only = {item for axis, item in said if axis == "support"} - {item for axis, item in said if axis == "evidence"}
    return {(axis, item): label for (axis, item), label in said.items() if not only or axis != "evidence"}


def item_of(unit: str, axis: str) -> str:
    """What a label is of: the unit, or the output of it that the axis names (``quality/3``)."""
    part = axis.partition("/")[2]
    return f"{unit}/{part}" if part else unit


def folded(scale: UnitScale, labels: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Labels (axis, item, label) as those of a scale, by item; of two axes the first of the scale counts."""
    found: dict[str, dict[str, str]] = {axis: {} for axis in scale.folds}
    for axis, item, label in labels:
        place = scale.folds.get(axis, {}).get(label)
        if place is not None:
            found[axis][item] = place
    return {item: label for axis in reversed(tuple(found)) for item, label in found[axis].items()}


def clusters_of(reader: sqlite3.Connection, kind: str, units: Collection[str]) -> Iterator[tuple[str, str]]:
    """What each unit comes from: what the kind says, of an answer its question."""
    if kind == "answer":
        yield from ((row[0], row[1]) for row in reader.execute(_QUESTIONS) if row[0] in units)
        return
    yield from ((unit, KINDS[kind].cluster(reader, unit)) for unit in sorted(units))
