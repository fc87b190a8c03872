"""Who said what of the units of one kind (reviewers, machines, right labels), the scales that compare it, what leads.

"Cannot judge" has no place on any scale: such a label is left out and counted. Gold labels may be shown for units that
are decided, and whose block is shown where that was blind. The study's owner may ask to see all of them; the record
says so (the look ``gold``).
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple, get_args

from medreview.judges.votes import VotingJudge
from medreview.labels import AXES, FLAG_AXES, Mode, scale_of
from medreview.stats.clusters import ClusterName, Clusters, study_clusters
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import share_of
from medreview.stats.reports.own_labels import Basis
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, Scale
from medreview.stats.reports.study_reader import UnitSelection
from medreview.study.ids import STATEMENT
from medreview.text import in_words
from medreview.units.kind import RULES as OF_REFERENCES
from medreview.units.kind import Headline
from medreview.units.label_comparisons import labels_when_told
from medreview.units.registry import KINDS

CANNOT: Final = "cannot_judge"


class KindScales(NamedTuple):
    """The scales of a kind by its axes. ``cluster``: what several units are from, in the singular; figures resample
    it."""

    cluster: str
    axes: Mapping[str, tuple[Scale, ...]]


def _whole(axis: str, title: str, *, ordered: bool = False) -> Scale:
    """A scale of all labels of an axis."""
    levels = tuple(label.level for label in AXES[axis] if label.level != CANNOT)
    return Scale(axis, title, levels, levels if ordered else (), {axis: {level: level for level in levels}})


def _two(name: str, title: str, axis: str, yes: tuple[str, ...], labels: tuple[str, str]) -> Scale:
    """A scale of two labels: ``yes`` are the levels of the axis that are the first of them."""
    levels = (label.level for label in AXES[axis] if label.level != CANNOT)
    return Scale(name, title, labels, folds={axis: {level: labels[level not in yes] for level in levels}})


def _binary() -> Scale:
    """Supported or not; "not supported" in a file of labels is no level, and has its place here only."""
    evidence = {level: BINARY.labels[level != "supported"] for level in LEVELS.labels}
    return BINARY._replace(folds={"evidence": evidence, "support": {label: label for label in BINARY.labels}})


FOUND: Final = _two("found", "hallucinated or not", "hallucination", ("fact", "input", "context", "other"),
                    ("hallucinated", "none"))  # fmt: skip
"""Whether anything is hallucinated at all, as MedHalu counts it."""
TYPE: Final = _whole("hallucination", "type of hallucination")
RELEVANCE: Final = _whole("relevance", "relevance, 1 to 5", ordered=True)
QUALITY: Final = _whole("quality", "Good, Okay, Bad", ordered=True)
_HALLUCINATED: Final = _whole("hallucinated", "hallucinated or not")
_ANSWERABLE: Final = _two(
    "answerable", "answerable or not", "answerability", ("answerable",), ("answerable", "not_answerable")
)
_KEPT: Final = _two("kept", "kept in some words or discarded", "suggestion", ("kept", "edited"), ("kept", "discarded"))
_PRESENT: Final = _two("present", "present or not", "presence", ("present", "both"), ("present", "absent"))
_CONTRADICTED: Final = _two("contradicted", "contradicted or not", "presence", ("contradicted", "both"),
                            ("contradicted", "not_contradicted"))  # fmt: skip
_LEVELS: Final = LEVELS._replace(order=(), folds={"evidence": {one: one for one in LEVELS.labels}})
ALL_SUPPORTED: Final = _whole("all_supported", "all statements supported or not")

SUPPORTED: Final = _binary()
"""Of a pair: supported or not."""

_RIGHT: Final = _two("right", "right or with a fault", "statement_list", ("none",), ("right", "faulty"))

REFERENCE_SCALE: Final = _whole("reference", "four labels")
_ACCUSED: Final = _two("accused", "as described or not", "reference", ("match",), ("match", "accused"))

_SCALES: Final[Mapping[str, KindScales]] = {
    "pair": KindScales("response", {"evidence": (_LEVELS, SUPPORTED), "support": ()}),
    "response": KindScales("response", {"all_supported": (ALL_SUPPORTED,)}),
    "answer": KindScales("response", {"hallucination": (FOUND, TYPE)}),
    "qa": KindScales("passage", {"relevance": (RELEVANCE,), **{flag: (_whole(flag, flag),) for flag in FLAG_AXES}}),
    "question": KindScales("text", {"answerability": (_whole("answerability", "three labels"), _ANSWERABLE)}),
    "revision": KindScales("response", {"revision": (_whole("revision", "five labels"),)}),
    "suggestion": KindScales(
        "case",
        {
            "suggestion": (_whole("suggestion", "keep, discard or edit"), _KEPT),
            "category": (_whole("category", "category"),),
        },
    ),
    "fact": KindScales("case", {"presence": (_whole("presence", "four labels"), _PRESENT, _CONTRADICTED)}),
    "statement_list": KindScales("response", {"statement_list": (_RIGHT,)}),
    "reference": KindScales("response", {"reference": (REFERENCE_SCALE, _ACCUSED)}),
    "ranking": KindScales("ranking", {"rank": (), "quality": (QUALITY,), "hallucinated": (_HALLUCINATED,)}),
}
"""By kind. What comes from a response comes from its question where responses share one."""


def scales_of(kind: str) -> KindScales:
    """Those of a kind; of one that has no entry here a scale of all labels of its axis, without order."""
    found = _SCALES.get(kind)
    if found is not None:
        return found
    axis = KINDS[kind].axis
    return KindScales("group", {axis: (_whole(axis, in_words(axis)),)})


_GOLD: Final = "g.axis = ?1 AND (?2 = '' OR (g.unit >= ?2 || ':' AND g.unit < ?2 || ';'))"
_TOLD: Final = f"""
SELECT g.unit, g.label, g.spans FROM gold AS g
WHERE {_GOLD} AND (?3 OR (g.unit IN (SELECT unit FROM standing WHERE state = 'decided')
                          AND g.unit NOT IN (SELECT unit FROM kept_blind WHERE NOT seen)))"""


@dataclass(frozen=True, slots=True)
class ToldGold:
    """``labels`` and the ``places`` of the gold spans by unit, if they may be shown; ``silent`` counts the others."""

    labels: dict[str, str]
    places: dict[str, list[tuple[int, int]]]
    silent: int


def told_gold(
    reader: sqlite3.Connection, axis: str, kind: str = "", *, every: bool = False, only: Collection[str] | None = None
) -> ToldGold:
    """The gold of an axis; of the units of one ``kind``, other than the statement, where that is given.

    ``every``: whoever has decided what. ``only``: of these units.
    """
    told = reader.execute(_TOLD, (axis, kind, every)).fetchall()
    rows = [row for row in told if only is None or row["unit"] in only]
    units = [row[0] for row in reader.execute(f"SELECT g.unit FROM gold AS g WHERE {_GOLD}", (axis, kind))]
    return ToldGold(
        {row["unit"]: row["label"] for row in rows},
        {row["unit"]: [(span["start"], span["end"]) for span in json.loads(row["spans"])] for row in rows},
        sum(only is None or unit in only for unit in units) - len(rows),
    )


Which = Literal["first, blind", "assisted", "final"]
"""Which labels a figure is of. The first ones that were given blind; those that were given with machines in sight, as
they stand; all as they stand. Figures of two kinds of labels never stand under one name."""
FIRST_BLIND: Final[Which] = "first, blind"
ASSISTED: Final[Which] = "assisted"
FINAL: Final[Which] = "final"
OF_MODE: Final[Mapping[Mode, Which]] = {"blind": FIRST_BLIND, "assisted": ASSISTED}

RULES: Final = VotingJudge("offline", offline=True).title
"""What the offline rules are called where judges stand: they are triage, not a verdict."""

_GIVEN: Final = """
SELECT reviewer, unit, axis, mode, label, current, event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM (SELECT reviewer, pass, unit, axis, mode, label, current, event_id FROM axis_label
      UNION ALL SELECT reviewer, pass, unit, axis, mode, label, current, event_id FROM flag_label)
WHERE pass = 1 AND unit >= ?1 || ':' AND unit < ?1 || ';' ORDER BY reviewer, unit, axis"""


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
    machine, what it says of the items (axis, item -> label); ``gold``: by axis the gold labels that may be shown;
    ``told``: by reviewer the labels (unit, axis) when gold was shown.
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

    def on(self, scale: Scale) -> "Ratings":
        """All of them as labels of a scale."""
        said: dict[tuple[str, Which], list[tuple[str, str, str]]] = {
            (name, which): [] for name in self.reviewers for which in (FIRST_BLIND, ASSISTED, FINAL)
        }
        for one in self.given:
            said[one.reviewer, OF_MODE[one.mode]].append((one.axis, one.item, one.label))
            said[one.reviewer, FINAL].append((one.axis, one.item, one.current))
        before = {
            name: folded(scale, ((axis, unit, label) for (unit, axis), label in told.items()))
            for name, told in self.told.items()
        }
        people = {rater: mine for rater, given in said.items() if (mine := folded(scale, given))}
        gold = [(axis, item, label) for axis, of in self.gold.items() for item, label in of.labels.items()]
        return Ratings(
            scale,
            self.cluster,
            self.clusters,
            people,
            machines={
                name: folded(scale, ((axis, item, label) for (axis, item), label in words.items()))
                for name, words in self.said.items()
            },
            gold=folded(scale, gold),
            when_told={
                rater: {item: before.get(rater[0], {}).get(item, label) for item, label in mine.items()}
                for rater, mine in people.items()
            },
        )

    def counts(self, reviewer: str, axis: str, which: Which) -> Counter[str]:
        """How often a reviewer gave each label of an axis, "cannot judge" among them."""
        final = which == FINAL
        return Counter(
            one.current if final else one.label
            for one in self.given
            if one.reviewer == reviewer and one.axis == axis and (final or OF_MODE[one.mode] == which)
        )


@dataclass(frozen=True)
class Ratings:
    """Who said what of one kind on a ``scale``, by item; ``clusters``: what each item comes from, a ``cluster``.

    ``people``: by reviewer and which labels these are, where there is any; ``when_told``: the same as they were when
    the gold labels were shown first, for later changes do not count. ``machines`` by name; ``gold``: the right labels
    that may be shown.
    """

    scale: Scale
    cluster: str
    clusters: Mapping[str, str]
    people: Mapping[tuple[str, Which], Mapping[str, str]]
    machines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    gold: Mapping[str, str] = field(default_factory=dict)
    when_told: Mapping[tuple[str, Which], Mapping[str, str]] = field(default_factory=dict)

    def of(self, which: Which) -> dict[str, Mapping[str, str]]:
        """The reviewers' labels of one kind, by name."""
        return {name: said for (name, kind), said in self.people.items() if kind == which}


def kind_labels(
    reader: sqlite3.Connection,
    kind: str,
    reviewers: Collection[str] | None = None,
    *,
    alone: bool = False,
    all_gold: bool = False,
    only: UnitSelection | None = None,
) -> KindLabels:
    """Read one kind; ``reviewers``: whose labels are taken, everybody's without it. ``alone``: without what machines
    and gold labels say of the same. ``all_gold``: every gold label may be shown (``told_gold``). ``only``: that part of
    it."""
    units = frozenset(row[0] for row in reader.execute(f"SELECT unit FROM ({KINDS[kind].rows})"))
    units = units if only is None else units & only.units
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
    gold = (
        {}
        if alone
        else {axis: told_gold(reader, axis, kind, every=all_gold, only=only and only.units) for axis in axes}
    )
    wanted = {one.unit for one in given} | {unit for told in gold.values() for unit in told.labels}
    said: dict[str, dict[tuple[str, str], str]] = {}
    for rating in KINDS[kind].machine_ratings(reader) if wanted and not alone else ():
        if rating.unit in wanted and scale_of(rating.axis) in axes:
            own = said.setdefault(rating.rater, {})
            own[scale_of(rating.axis), item_of(rating.unit, rating.axis)] = rating.value
    said = {name: _two_way_words(own) for name, own in said.items()}
    cluster, clusters = unit_clusters(reader, kind, wanted)
    items = {one.item: clusters[one.unit] for one in given}
    return KindLabels(
        kind=kind,
        units=units,
        cluster=cluster,
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


def folded(scale: Scale, labels: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Labels (axis, item, label) as those of a scale, by item; of two axes the first of the scale counts."""
    found: dict[str, dict[str, str]] = {axis: {} for axis in scale.folds}
    for axis, item, label in labels:
        place = scale.folds.get(axis, {}).get(label)
        if place is not None:
            found[axis][item] = place
    return {item: label for axis in reversed(tuple(found)) for item, label in found[axis].items()}


_STATEMENTS: Final = "SELECT statement_id, response_id FROM statement_standing"


def unit_clusters(
    reader: sqlite3.Connection, kind: str, units: Collection[str], answers: Clusters | None = None
) -> tuple[str, dict[str, str]]:
    """What units come from: the name of one such thing, and that of each unit, as the kind says; of statements that
    are still there, too.

    ``answers``: the clusters of the study, where they are known already.
    """
    if kind == STATEMENT:
        answers = answers or study_clusters(reader)
        return answers.name, {unit: answers.of[of] for unit, of in reader.execute(_STATEMENTS) if unit in units}
    held = {unit: KINDS[kind].cluster(reader, unit) for unit in sorted(units)}
    return clusters_of_kind(reader, kind, held, answers)


def clusters_of_kind(
    reader: sqlite3.Connection, kind: str, held: Mapping[str, str], answers: Clusters | None = None
) -> tuple[str, dict[str, str]]:
    """The same where it is known what the kind says of each unit: what comes from a response comes from its question
    where responses share one."""
    cluster = scales_of(kind).cluster
    if cluster not in get_args(ClusterName):
        return cluster, dict(held)
    answers = answers or study_clusters(reader)
    return answers.name, {unit: answers.of.get(response, response) for unit, response in held.items()}


_WELL: Final = "well"
_NOTHING: Final = "No label has a place in this share."


@dataclass(frozen=True)
class RaterShare:
    """One rater of a kind: ``labels`` on so many items of so many ``units``, ``blind`` of a reviewer's first given
    blind. ``share``: of those with a place in the headline, the items of which the rater speaks well. ``machine``: no
    person; ``rules``: nor a model: words were compared."""

    rater: str
    machine: bool
    rules: bool
    labels: int
    units: int
    blind: int
    share: Estimate


@dataclass(frozen=True)
class UnitHeadline:
    """``units`` of a kind, ``labelled`` of them by somebody; ``words``: what the share of each of the ``raters`` is,
    people first. Items are units, or what is labelled of them (outputs of a ranking); figures resample the
    ``cluster``."""

    kind: str
    title: str
    noun: str
    words: str
    cluster: str
    units: int
    labelled: int
    raters: tuple[RaterShare, ...]

    @property
    def people(self) -> tuple[RaterShare, ...]:
        """The reviewers."""
        return tuple(one for one in self.raters if not one.machine)

    def basis(self, rater: RaterShare) -> Basis:
        """Of what a reviewer's labels are: nothing but statements is drawn at random."""
        return "all" if rater.units == self.units else "chosen"


def unit_headline(
    reader: sqlite3.Connection,
    kind: str,
    reviewers: Collection[str] | None = None,
    *,
    machines: bool = True,
    only: UnitSelection | None = None,
) -> UnitHeadline:
    """That of a kind of ``registry.KINDS``; ``reviewers``: whose labels are taken, everybody's without it. ``only``:
    that part of the kind.

    Without ``machines`` it has no word of these, and may be read by who must not know it.
    """
    asked = KINDS[kind]
    labels = kind_labels(reader, kind, reviewers, alone=True, only=only)
    scale = _headline_scale(asked.headline)
    said: dict[str, list[tuple[str, str, str]]] = {}
    units: dict[str, str] = {}
    for rating in asked.machine_ratings(reader) if machines else ():
        if only is not None and rating.unit not in only.units:
            continue
        item = item_of(rating.unit, rating.axis)
        units[item] = rating.unit
        said.setdefault(rating.rater, []).append((scale_of(rating.axis), item, rating.value))
    unknown = {unit for unit in units.values() if unit not in labels.clusters}
    _, came_from = unit_clusters(reader, kind, unknown)
    clusters = {
        **{item: came_from.get(unit) or labels.clusters[unit] for item, unit in units.items()},
        **labels.clusters,
    }

    def share(items: Mapping[str, str], given: int) -> Estimate:
        return _share(asked.headline.words, items, given - len(items), clusters, labels.cluster)

    final = labels.on(scale).of(FINAL)

    def by_people() -> Iterator[RaterShare]:
        for name in labels.reviewers:
            mine = [one for one in labels.given if one.reviewer == name and one.axis in scale.folds]
            blind = sum(one.mode == "blind" for one in mine)
            of_scale = final.get(name, {})
            of_units = len({one.unit for one in mine})
            yield RaterShare(name, False, False, len(mine), of_units, blind, share(of_scale, len(mine)))

    def by_machines() -> Iterator[RaterShare]:
        for name, words in said.items():
            mine = [word for word in words if word[0] in scale.folds]
            rules = name in (RULES, OF_REFERENCES)
            of_units = len({units[item] for _, item, _ in mine})
            yield RaterShare(name, True, rules, len(mine), of_units, 0, share(folded(scale, mine), len(mine)))

    return UnitHeadline(
        kind=kind,
        title=asked.title,
        noun=asked.noun,
        words=asked.headline.words,
        cluster=labels.cluster,
        units=len(labels.units),
        labelled=len({one.unit for one in labels.given}),
        raters=(*by_people(), *sorted(by_machines(), key=lambda one: (one.rules, one.rater))),
    )


def headlines(reader: sqlite3.Connection, reviewers: Collection[str] | None = None) -> tuple[UnitHeadline, ...]:
    """Of every kind that the study uses, in the order of the first screen."""
    return tuple(unit_headline(reader, kind, reviewers) for kind in KINDS if KINDS[kind].in_use(reader))


def _headline_scale(headline: Headline) -> Scale:
    """The labels that speak well of a unit, and all others of their axes; "cannot judge" has no place here either."""
    return Scale(
        headline.words,
        headline.words,
        (_WELL, "other"),
        folds={
            axis: {each.level: _WELL if each.level in well else "other" for each in AXES[axis] if each.level != CANNOT}
            for axis, well in headline.speaks_well.items()
        },
    )


def _share(name: str, items: Mapping[str, str], left: int, clusters: Mapping[str, str], cluster: str) -> Estimate:
    """Over what the items come from; by Wilson where each comes from another."""
    counts: dict[str, tuple[int, int]] = {}
    for item, word in items.items():
        so, of = counts.get(clusters[item], (0, 0))
        counts[clusters[item]] = so + (word == _WELL), of + 1
    return share_of(name, list(counts.values()), nothing=_NOTHING, dropped=left, unit=cluster)
