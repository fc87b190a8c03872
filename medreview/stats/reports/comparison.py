"""Two opinions on the same statements, as a report shows them: agreement, table, marginals, what was left out.

``under_rules`` compares the judges under every tie rule with a reviewer, or with the majority of several: it shows what
the rule makes of even votes.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from medreview.labels import Mode, TieRule
from medreview.stats.formulas.agreement import LEADING_PAIR, TOO_FEW, PairTables, encode, paired_in_draw
from medreview.stats.formulas.bootstrap import Floats, Resampling
from medreview.stats.formulas.classification import Classification, McNemar, classified
from medreview.stats.formulas.coefficients import Weights
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEW_ITEMS, Estimate, estimate_named, landis_koch
from medreview.stats.formulas.hypothesis_tests import paired_test
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.shared_draws import CountedBlock, DrawnBlock, draw_together
from medreview.stats.reports.reviewer_labels import BINARY, COARSE, Scale, ScaleLabel
from medreview.stats.reports.study_reader import Alike, K


@dataclass(frozen=True)
class Comparison:
    """``first`` (rows of ``table``) against ``second`` (columns), on the labels of a scale in the protocol's order.

    ``agreement`` are percent agreement, clustered and by Wilson, and the chance-corrected coefficients:
    Cohen's kappa (Cohen 1960) and AC1 (Gwet 2008). ``n`` statements of so many ``clusters`` were compared (each a
    ``cluster``, such as a question); ``dropped`` counts the others by reason; ``first_counts`` and ``second_counts``
    are the marginals; ``mcnemar`` stands where there are two labels, and asks whether both say the first of them
    equally often. ``mode`` says how the reviewers' labels were given, ``None`` between judges; ``drawn``, of a
    reviewer's labels against judges, whether the statements are the random audit.

    ``kappa_band`` is the word of Landis & Koch (1977) for kappa, to stand beside its interval. ``weighted``: where the
    labels have an ``order``, Cohen's weighted kappa (1968) and Gwet's AC2 (2014), linear and quadratic weights of it.
    ``per_label``: where ``first`` is the reference (a person, or people, beside a judge), accuracy, and of each label
    and their mean precision, recall and F1; ``None`` between equals. ``labels_of``, between reviewers: which labels
    these are (``medreview.stats.reports.reviewer_agreement``); ``made_of`` counts how the final ones came to be.
    """

    first: str
    second: str
    scale: str
    labels: tuple[str, ...]
    n: int
    cluster: str
    clusters: int
    dropped: Mapping[str, int]
    table: tuple[tuple[int, ...], ...]
    first_counts: Mapping[str, int]
    second_counts: Mapping[str, int]
    agreement: tuple[Estimate, ...]
    mcnemar: McNemar | None
    cautions: tuple[str, ...]
    mode: Mode | None = None
    drawn: bool | None = None
    kappa_band: str | None = None
    order: tuple[str, ...] = ()
    weighted: tuple[Estimate, ...] = ()
    per_label: Classification | None = None
    labels_of: str | None = None
    made_of: Mapping[str, int] = field(default_factory=dict)

    def estimate(self, name: str) -> Estimate:
        """The leading estimate of this name (``"Cohen's kappa"``); raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(slots=True)
class Pairing:
    """Collects the labels that two give on one scale, statement by statement; ``reference``: the first is right."""

    first: str
    second: str
    scale: Scale
    mode: Mode | None = None
    drawn: bool | None = None
    reference: bool = False
    cells: list[int] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, cluster: str, first: ScaleLabel, second: ScaleLabel) -> None:
        """Take up one statement; one that has no label of the two is dropped for that."""
        self._take(self._cell(first, second, 1), cluster)

    def add_alike(self, statements: Alike[K], said: Callable[[K], tuple[ScaleLabel, ScaleLabel] | None]) -> None:
        """Take up many, by what both said of each kind of them; ``None`` for a kind that is not compared at all."""
        cells = []
        for kind, count in zip(statements.kinds, statements.counts, strict=True):
            both = said(kind)
            cells.append(None if both is None else self._cell(*both, count))
        for cluster, code in zip(statements.clusters, statements.codes, strict=True):
            self._take(cells[code], cluster)

    def _cell(self, first: ScaleLabel, second: ScaleLabel, count: int) -> int | None:
        """The cell of the table, row by row; ``None``, and ``count`` of them dropped, where one has no label."""
        if first.label is None or second.label is None:
            self.dropped[first.missing or second.missing] += count
            return None
        labels = self.scale.labels
        return labels.index(first.label) * len(labels) + labels.index(second.label)

    def _take(self, cell: int | None, cluster: str) -> None:
        if cell is not None:
            self.cells.append(cell)
            self.clusters.append(cluster)

    def leave_two_way_words(self) -> None:
        """Compare nothing where one of the two has words of supported or not only: without its "not supported", which
        has no place among the four labels, the rest would agree by what is left out."""
        if self.dropped[COARSE]:
            self.dropped[COARSE] += len(self.cells)
            self.cells, self.clusters = [], []


def compare(
    pairings: Sequence[Pairing],
    resampling: Resampling,
    cautions: Sequence[tuple[str, ...]] = (),
    *,
    full: bool = True,
) -> tuple[Comparison, ...]:
    """All figures of the pairings of one view, from the same resamples of its clusters.

    ``cautions``, one entry per pairing, come before those on small numbers. ``full``: with weighted coefficients and
    figures per label, which take most of the time.
    """
    for pairing in pairings:
        pairing.leave_two_way_words()
    blocks = [
        CountedBlock(one.clusters, np.array(one.cells, dtype=np.int64), len(one.scale.labels) ** 2) for one in pairings
    ]
    said = cautions or [()] * len(pairings)
    return tuple(
        _compared(pairing, own, resampling, more, full=full)
        for pairing, own, more in zip(pairings, draw_together(blocks, resampling), said, strict=True)
    )


def _compared(
    pairing: Pairing, drawn: DrawnBlock, resampling: Resampling, cautions: tuple[str, ...], *, full: bool
) -> Comparison:
    labels, n, clusters = pairing.scale.labels, len(pairing.cells), len(set(pairing.clusters))
    both = paired_in_draw(drawn.units, drawn.sums, labels, dropped=pairing.dropped.total(), resampling=resampling)
    figures, table = both.agreement(LEADING_PAIR), both.table
    small = small_numbers(n, clusters, resampling.cluster, figures, noun="statement")
    return Comparison(
        first=pairing.first,
        second=pairing.second,
        scale=pairing.scale.name,
        labels=labels,
        n=n,
        cluster=resampling.cluster,
        clusters=clusters,
        dropped=dict(pairing.dropped.most_common()),
        table=table,
        first_counts=dict(zip(labels, map(sum, table), strict=True)),
        second_counts=dict(zip(labels, map(sum, zip(*table, strict=True)), strict=True)),
        agreement=_shown(both, figures, one_each=clusters == n),
        mcnemar=_mcnemar(drawn.units, resampling) if pairing.scale is BINARY and n else None,
        cautions=(*cautions, *small) if n else cautions,
        mode=pairing.mode,
        drawn=pairing.drawn,
        kappa_band=landis_koch(figures["cohen_kappa"].value),
        order=pairing.scale.order,
        weighted=_weighted(pairing, drawn, resampling) if full and n else (),
        per_label=classified(both) if full and pairing.reference and n else None,
    )


def _weighted(pairing: Pairing, drawn: DrawnBlock, resampling: Resampling) -> tuple[Estimate, ...]:
    """Kappa and AC2 with linear and with quadratic weights, on the labels from one end to the other."""
    order = pairing.scale.order
    if not order:
        return ()
    places = encode(order, pairing.scale.labels)
    cells = (places[:, None] * len(order) + places).ravel()
    ordered = paired_in_draw(
        drawn.units[:, cells], drawn.sums[:, cells], order, dropped=pairing.dropped.total(), resampling=resampling
    )
    kinds: tuple[Weights, ...] = ("linear", "quadratic")
    return tuple(
        replace(figure, notes=())
        for weights in kinds
        for figure in ordered.agreement(("cohen_kappa", "gwet_ac"), weights).values()
    )


def _mcnemar(units: Floats, resampling: Resampling) -> McNemar:
    """Of how often each says the first of two labels."""
    only_first, only_second, items = (column.tolist() for column in (units[:, 1], units[:, 2], units.sum(axis=1)))
    return paired_test(only_first, only_second, items, resampling.cluster)


def _shown(both: PairTables, figures: Mapping[str, Estimate], *, one_each: bool) -> tuple[Estimate, ...]:
    """Percent agreement over clusters and by Wilson; by Wilson alone, which is better, with one statement of each."""
    clustered = figures["percent_agreement"]
    wilson = proportion(
        clustered.name,
        int(np.trace(both.observed[0])),
        clustered.n,
        level=both.resampling.level,
        dropped=clustered.dropped,
        nothing=clustered.reason or "There is nothing to compare.",
    )
    percent = (wilson,) if one_each else (clustered, wilson)
    return tuple(replace(figure, notes=()) for figure in (*percent, figures["cohen_kappa"], figures["gwet_ac"]))


def small_numbers(
    n: int, clusters: int, cluster: str, figures: Mapping[str, Estimate], *, noun: str = "item"
) -> tuple[str, ...]:
    """The cautions on small numbers, once for all figures of a comparison of so many items, each a ``noun``."""
    found = []
    if n < FEW_ITEMS:
        found.append(f"Too few {noun}s ({n}): {FEW_ITEMS} or more are wanted before these figures are used.")
    if clusters < FEW_CLUSTERS:
        few = f"Too few {cluster}s ({clusters})"
        found.append(f"{few}: below {FEW_CLUSTERS} even these intervals can be too narrow.")
    return (*found, *(note for note in figures["cohen_kappa"].notes if note.startswith(TOO_FEW)))


@dataclass(frozen=True)
class UnderRule:
    """One judge, or all together, against the reference under a tie rule, which is the same on both sides.

    ``tied_reviewers`` and ``tied_judges`` count even votes, whatever the rule makes of them.
    """

    judge: str
    rule: TieRule
    tied_reviewers: int
    tied_judges: int
    n: int
    agreement: Estimate
    kappa: Estimate


def under_rules(
    asked: Sequence[tuple[TieRule, Pairing]], ties: Sequence[tuple[int, int]], resampling: Resampling
) -> tuple[UnderRule, ...]:
    """Every pairing under its rule, from one draw; ``ties``: of reviewers, and of judges, of each."""
    found = compare([pairing for _, pairing in asked], resampling, full=False)
    return tuple(
        UnderRule(
            judge=one.second,
            rule=rule,
            tied_reviewers=people,
            tied_judges=judges,
            n=one.n,
            agreement=one.estimate("percent agreement"),
            kappa=one.estimate("Cohen's kappa"),
        )
        for (rule, _), (people, judges), one in zip(asked, ties, found, strict=True)
    )
