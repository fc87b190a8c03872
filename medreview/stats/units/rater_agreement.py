"""Raters of units beside each other: two reviewers, several, a machine or right labels and a reviewer.

Intervals resample what the units come from, where several come from the same; else the units themselves. Beside that:
what became of units on which reviewers differ; SourceCheckup's tests of judges against the majority of the experts, on
pairs; and, of whole responses, a reviewer's own labels on the statements, rolled up, beside that on the response.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from medreview.judges.majority import majority_vote
from medreview.stats.formulas.agreement import LEADING_PAIR, many_raters, paired
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling, shared
from medreview.stats.formulas.classification import Classification, classified
from medreview.stats.formulas.estimate import FEW_CLUSTERS, Estimate, estimate_named
from medreview.stats.formulas.human_baseline import StandIn, alternative_annotator
from medreview.stats.formulas.hypothesis_tests import TestResult
from medreview.stats.formulas.ranks_and_ratings import icc, spearman
from medreview.stats.reports.comparison import small_numbers
from medreview.stats.reports.reviewer_agreement import PaperTest, paper_tests
from medreview.stats.reports.reviewer_labels import BINARY, ReviewerLabel, reviewer_labels, reviewers_label
from medreview.stats.units.kind_labels import (
    ALL_SUPPORTED,
    FINAL,
    FIRST_BLIND,
    OF_MODE,
    RULES,
    SUPPORTED,
    KindLabels,
    Ratings,
    Which,
)
from medreview.study.ids import STATEMENT, unit_id

SIDES: Final = ("reference", "other")
"""What sentences on precision and recall call the two."""
GOLD: Final = "the right label"
CONSENSUS: Final = "the majority of the reviewers"
_OF_MANY: Final = ("mean_pairwise_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac")
_LEAST_OF_MANY: Final = 2


@dataclass(frozen=True)
class UnitAgreement:
    """``first`` (rows of ``table``) beside ``second`` (columns) on the labels of a scale, in the protocol's order.

    ``which`` says which labels of reviewers these are. ``n`` items from ``clusters`` have both; ``dropped`` are those
    that the first labelled and the second has no label for. ``agreement``: percent agreement, Cohen's kappa and Gwet's
    AC1; of ordered labels, as steps of one, quadratically weighted kappa and AC2, ICC(2,1) of absolute agreement
    (Shrout & Fleiss 1979) and Spearman's rho with the test that it is 0. ``right``, where one of the two is the
    reference: accuracy, precision, recall and F1 of the second.
    """

    first: str
    second: str
    which: str
    n: int
    clusters: int
    dropped: int
    table: tuple[tuple[int, ...], ...]
    agreement: tuple[Estimate, ...]
    right: Classification | None
    cautions: tuple[str, ...]
    order_test: TestResult | None = None

    def estimate(self, name: str) -> Estimate:
        """The estimate of this name; raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(frozen=True)
class ManyReviewers:
    """All reviewers on one kind of labels: mean pairwise agreement, Fleiss' kappa (Fleiss 1971), Krippendorff's alpha
    (2011), Gwet's AC1 (2008), of ``items`` with two labels or more. Of ordered labels alpha is ordinal, and AC2 stands.
    """

    which: str
    reviewers: tuple[str, ...]
    items: int
    agreement: tuple[Estimate, ...]


@dataclass(frozen=True)
class UnitConsensus:
    """The majority of the reviewers on the ``items`` with two labels or more, of which ``ties`` have none, and the
    machines beside it."""

    which: str
    reviewers: tuple[str, ...]
    items: int
    ties: int
    machines: tuple[UnitAgreement, ...]


def beside(
    first: str,
    one: Mapping[str, str],
    second: str,
    other: Mapping[str, str],
    table: Ratings,
    *,
    which: str = "",
    reference: bool = False,
    resampling: Resampling = DEFAULT,
    cautions: tuple[str, ...] = (),
) -> UnitAgreement:
    """Two raters' labels, by item; ``reference``: the first one is what the second is held against."""
    scale, items = table.scale, sorted(one)
    rows, columns = [one[item] for item in items], [other.get(item) for item in items]
    both = [item for item in items if item in other]
    groups = {table.clusters[item] for item in both}
    clusters = [table.clusters[item] for item in items] if len(groups) < len(both) else None
    found = paired(rows, columns, scale.labels, clusters, resampling.over(table.cluster))
    leading = found.agreement(LEADING_PAIR, "quadratic" if scale.order else "none")
    figures = tuple(replace(figure, notes=()) for figure in leading.values())
    test = None
    if scale.order:
        steps = {label: float(place) for place, label in enumerate(scale.labels, 1)}
        ours, theirs = [steps[one[item]] for item in both], [steps[other[item]] for item in both]
        correlation = spearman(ours, theirs, level=resampling.level)
        of_both = [table.clusters[item] for item in both] if clusters else None
        absolute = icc(
            list(zip(ours, theirs, strict=True)), clusters=of_both, resampling=resampling.over(table.cluster)
        )
        figures, test = (*figures, absolute, correlation.figure), correlation.test
    # Of items that stand alone nothing is resampled but these.
    few = len(groups) if clusters else FEW_CLUSTERS
    small = small_numbers(len(both), few, table.cluster, leading) if both else ()
    return UnitAgreement(
        first=first,
        second=second,
        which=which,
        n=len(both),
        clusters=len(groups),
        dropped=found.dropped,
        table=found.table,
        agreement=figures,
        right=classified(found, SIDES) if reference else None,
        cautions=(*cautions, *small),
        order_test=test,
    )


def between_reviewers(
    table: Ratings, resampling: Resampling, kinds: Sequence[Which] = (FIRST_BLIND, FINAL)
) -> tuple[UnitAgreement, ...]:
    """Each two reviewers who share an item, by each kind of labels: the first ones that both gave blind, all final
    ones."""
    found = []
    known: dict[tuple[str, str], tuple[dict[str, tuple[str, str]], UnitAgreement]] = {}
    for which in kinds:
        for (first, one), (second, other) in combinations(table.of(which).items(), 2):
            both = {item: (one[item], other[item]) for item in sorted(one) if item in other}
            if not both:
                continue
            before, figures = known.get((first, second), ({}, None))
            if figures is None or before != both:
                mine, theirs = ({item: pair[side] for item, pair in both.items()} for side in (0, 1))
                figures = beside(first, mine, second, theirs, table, which=which, resampling=resampling)
            known[first, second] = both, figures
            found.append(replace(figures, which=which))
    return tuple(found)


def all_reviewers(table: Ratings, resampling: Resampling) -> tuple[ManyReviewers, ...]:
    """Everybody together, wherever two labelled the same item: first blind labels, then final ones."""
    found, ordered = [], bool(table.scale.order)
    for which in (FIRST_BLIND, FINAL):
        names, items, ballots = _ballots(table, which)
        twice = [place for place, ballot in enumerate(ballots) if sum(vote is not None for vote in ballot) > 1]
        if len(names) < _LEAST_OF_MANY or not twice:
            continue
        many = many_raters(
            ballots, table.scale.labels, clusters=shared([table.clusters[item] for item in items]),
            statistics=_OF_MANY, weights="quadratic" if ordered else "none",
            metric="ordinal" if ordered else "nominal", resampling=resampling.over(table.cluster),
        )  # fmt: skip
        found.append(ManyReviewers(which, names, len(twice), tuple(many.figures.values())))
    return tuple(found)


def _ballots(table: Ratings, which: Which) -> tuple[tuple[str, ...], list[str], list[list[str | None]]]:
    """Who labelled, the items, and each one's label of each item."""
    said = table.of(which)
    items = sorted({item for found in said.values() for item in found})
    return tuple(said), items, [[found.get(item) for found in said.values()] for item in items]


def majority_of_reviewers(table: Ratings, which: Which) -> tuple[tuple[str, ...], int, int, dict[str, str]]:
    """Who labelled; how many items have two labels or more, and on how many of these they tie; the majority."""
    names, items, ballots = _ballots(table, which)
    twice = [
        (item, ballot) for item, ballot in zip(items, ballots, strict=True) if len(ballot) - ballot.count(None) > 1
    ]
    most = majority_vote([ballot for _, ballot in twice])
    said = {item: str(label) for (item, _), label in zip(twice, most.labels, strict=True) if label is not None}
    return names, len(twice), most.ties, said


def consensus(table: Ratings, resampling: Resampling) -> tuple[UnitConsensus, ...]:
    """The majority of the reviewers on items with two labels or more, blind and assisted apart, and each machine."""
    found = []
    for which in OF_MODE.values():
        names, items, ties, said = majority_of_reviewers(table, which)
        if items:
            machines = _against(CONSENSUS, said, which, table, resampling)
            found.append(UnitConsensus(which, names, items, ties, machines))
    return tuple(found)


def against_machines(table: Ratings, resampling: Resampling) -> tuple[UnitAgreement, ...]:
    """Each machine beside each reviewer, blind and assisted apart."""
    return tuple(
        each
        for (name, which), mine in table.people.items()
        if which != FINAL
        for each in _against(name, mine, which, table, resampling)
    )


def against_gold(table: Ratings, resampling: Resampling) -> tuple[UnitAgreement, ...]:
    """Reviewers, blind and assisted apart, and machines against the gold labels that may be shown."""
    return tuple(
        beside(GOLD, table.gold, name, said, table, which=which, reference=True, resampling=resampling)
        for (name, which), said in table.when_told.items()
        if which != FINAL and said.keys() & table.gold.keys()
    ) + _against(GOLD, table.gold, "", table, resampling)


def _against(
    first: str, right: Mapping[str, str], which: str, table: Ratings, resampling: Resampling
) -> tuple[UnitAgreement, ...]:
    """Each machine that shares an item with the first one."""
    return tuple(
        beside(first, right, name, said, table, which=which, reference=True, resampling=resampling,
               cautions=_triage(name))
        for name, said in table.machines.items()
        if said.keys() & right.keys()
    )  # fmt: skip


def machine_stand_ins(table: Ratings, epsilon: float, level: float) -> tuple[StandIn, ...]:
    """Every machine against the first blind labels of the reviewers, where two or more gave some.

    Of steps by the root of the mean squared distance, of other labels by the share that are the same. Rules that
    compare words are left out.
    """
    people, scale = table.of(FIRST_BLIND), table.scale
    if len(people) < 2:
        return ()
    places: dict[Hashable, float] | None
    places = {label: float(place) for place, label in enumerate(scale.labels)} if scale.order else None
    return tuple(
        alternative_annotator(
            machine, said, people, table.clusters, places=places, epsilon=epsilon, unit=table.cluster, level=level
        )
        for machine, said in table.machines.items()
        if machine != RULES and said
    )  # fmt: skip


def _triage(name: str) -> tuple[str, ...]:
    return ("Rules alone: triage, not a verdict.",) if name == RULES else ()


_CONFLICTS: Final = """
SELECT c.unit, a.label, a.adjudicated_by, a.stands FROM conflict AS c
LEFT JOIN adjudicated AS a ON a.unit = c.unit AND a.axis = c.axis
WHERE c.axis = ?1 AND {of_kind}"""
_COMPARED: Final = """(
SELECT unit, reviewer, pass, axis, label FROM decision_current
UNION ALL SELECT unit, reviewer, pass, 'support', iif(label = 'supported', label, 'not_supported')
FROM decision_current WHERE axis = 'evidence' AND label <> 'cannot_judge'
UNION ALL SELECT unit, reviewer, pass, axis, current FROM flag_label)"""
"""What reviewers are compared by, on every unit; in the view ``compared_label`` only where they can differ."""
_TWICE: Final = f"""
SELECT unit FROM {_COMPARED} AS c WHERE pass = 1 AND axis = ?1 AND {{of_kind}}
GROUP BY unit HAVING count(DISTINCT reviewer) > 1"""
_LABELS: Final = f"""
SELECT unit, reviewer, label FROM {_COMPARED} AS c WHERE pass = 1 AND axis = ?1 AND {{of_kind}}"""
_OF_KIND: Final = "c.unit >= ?2 || ':' AND c.unit < ?2 || ';'"
_OF_STATEMENTS: Final = "NOT instr(c.unit, ':') AND ?2 = ?2"


@dataclass(frozen=True)
class Adjudication:
    """Units with the labels of two reviewers or more (``twice``), and those of them on which they ``differ``.

    Of these so many were settled by a third person (``by_third``) or by the reviewers together (``by_agreement``), and
    are ``open``: nobody has settled them, or a label was changed since. ``outcome``: the labels that they were settled
    with; ``upheld``: how often each reviewer's own label was that.
    """

    twice: int
    differ: int
    by_third: int
    by_agreement: int
    open: int
    outcome: Mapping[str, int]
    upheld: Mapping[str, int]


def adjudication(reader: sqlite3.Connection, kind: str, axis: str, units: Collection[str]) -> Adjudication:
    """Count them on one axis of a kind, of units that are there, whoever the reviewers are."""
    asked, of_kind = (axis, kind), _OF_STATEMENTS if kind == STATEMENT else _OF_KIND
    twice = [row[0] for row in reader.execute(_TWICE.format(of_kind=of_kind), asked) if row[0] in units]
    rows = [row for row in reader.execute(_CONFLICTS.format(of_kind=of_kind), asked) if row["unit"] in units]
    settled = {row["unit"]: row for row in rows if row["stands"]}
    by = Counter(row["adjudicated_by"] for row in settled.values())
    upheld = Counter(
        reviewer
        for unit, reviewer, label in (reader.execute(_LABELS.format(of_kind=of_kind), asked) if settled else ())
        if unit in settled and settled[unit]["label"] == label
    )
    return Adjudication(
        twice=len(twice),
        differ=len(rows),
        by_third=by["third"],
        by_agreement=by["agreement"],
        open=len(rows) - len(settled),
        outcome=dict(sorted(Counter(row["label"] for row in settled.values()).items())),
        upheld=dict(sorted(upheld.items())),
    )


@dataclass(frozen=True)
class PairTests:
    """Tests against the majority of ``reviewers`` on ``items`` pairs with two labels or more, ties left out."""

    which: str
    reviewers: tuple[str, ...]
    items: int
    tests: tuple[PaperTest, ...]


@dataclass(frozen=True)
class PairFigures:
    """On supported or not, blind and assisted labels apart. Their figures stand among those of the scale: the
    mean pairwise agreement of the reviewers, and each judge beside their majority."""

    tests: tuple[PairTests, ...]


def tests_of_pairs(labels: KindLabels) -> PairFigures | None:
    """``None`` where no pair has the labels of two."""
    found, table = [], labels.on(SUPPORTED)
    for which in OF_MODE.values():
        names, items, _, majority = majority_of_reviewers(table, which)
        units = sorted(majority)
        said = {
            name: [None if (word := words.get(unit)) is None else word == "supported" for unit in units]
            for name, words in table.machines.items()
            if name != RULES and words.keys() & majority.keys()
        }
        if said:
            right = [majority[unit] == "supported" for unit in units]
            found.append(PairTests(which, names, items, tuple(paper_tests(right, said, CONSENSUS))))
    return PairFigures(tuple(found)) if found else None


OWN: Final = "the same reviewer's statements"
_STATEMENTS: Final = "SELECT response_id, statement_id FROM statement_standing"


@dataclass(frozen=True)
class WholeResponseFigures:
    """Each reviewer's "all statements supported?" (rows) beside what the same person's labels on the statements come to
    (columns): ``no`` as soon as one is not supported, ``yes`` when all have a label and are. Labels of one kind on both
    sides, first blind or final. The roll-up of the judges stands among the machines of the axis."""

    own_statements: tuple[UnitAgreement, ...]


def whole_response_figures(
    reader: sqlite3.Connection, labels: KindLabels, resampling: Resampling = DEFAULT
) -> WholeResponseFigures:
    """Of every reviewer who labelled a whole response and statements of it."""
    statements: dict[str, list[str]] = {}
    for response_id, statement_id in reader.execute(_STATEMENTS) if labels.given else ():
        statements.setdefault(unit_id("response", response_id), []).append(statement_id)
    found, table = [], labels.on(ALL_SUPPORTED)
    for name in labels.reviewers:
        mine = reviewer_labels(reader, name)
        for which in (FIRST_BLIND, FINAL):
            said = table.people.get((name, which), {})
            own = {
                unit: level
                for unit in said
                if (level := rolled_up(statements.get(unit, []), mine, final=which == FINAL)) is not None
            }
            if own:
                found.append(beside(name, said, OWN, own, table, which=which, resampling=resampling))
    return WholeResponseFigures(tuple(found))


def rolled_up(statements: list[str], labels: Mapping[str, ReviewerLabel], *, final: bool) -> str | None:
    """What a reviewer's labels on the statements of a response come to; ``None`` while one is missing and none says no.

    ``final``: by the labels as they stand; else by the first ones, of those given blind.
    """
    words: list[str | None] = []
    for statement in statements:
        label = labels.get(statement)
        if label is None or not (final or label.group.mode == "blind"):
            words.append(None)
            continue
        level = label.current if final else label.label
        words.append(reviewers_label(level, BINARY, stale=label.stale).label)
    if "not_supported" in words:
        return "no"
    return "yes" if words and None not in words else None
