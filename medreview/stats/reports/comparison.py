"""Two opinions on the same statements, as a report shows them: agreement, table, marginals, what was left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import eq
from typing import Final

import numpy as np

from medreview.stats.formulas.agreement import encode, pair_figures
from medreview.stats.formulas.bootstrap import Floats, Resampling, contributions, draw
from medreview.stats.formulas.classification import McNemar, clustered_mcnemar, mcnemar
from medreview.stats.formulas.estimate import Estimate, estimate_named
from medreview.stats.formulas.intervals import proportion
from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEW_ITEMS
from medreview.stats.reports.label_scales import BINARY, Scale, ScaleLabel
from medreview.stats.reports.reviewer_labels import Mode

_STATISTICS: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")


@dataclass(frozen=True)
class Comparison:
    """``first`` (rows of ``table``) against ``second`` (columns), on the labels of a scale in the protocol's order.

    ``agreement`` are percent agreement, clustered by response and by Wilson, and the chance-corrected coefficients:
    Cohen's kappa (Cohen 1960) and AC1 (Gwet 2008). ``n`` statements of so many ``responses`` were compared; ``dropped``
    counts the others by reason; ``first_counts`` and ``second_counts`` are the marginals; ``mcnemar`` stands where
    there are two labels. ``mode`` says how the reviewers' labels were given, ``None`` between judges; ``drawn``, of a
    reviewer's labels against judges, whether the statements are the random audit.
    """

    first: str
    second: str
    scale: str
    labels: tuple[str, ...]
    n: int
    responses: int
    dropped: Mapping[str, int]
    table: tuple[tuple[int, ...], ...]
    first_counts: Mapping[str, int]
    second_counts: Mapping[str, int]
    agreement: tuple[Estimate, ...]
    mcnemar: McNemar | None
    cautions: tuple[str, ...]
    mode: Mode | None = None
    drawn: bool | None = None

    def estimate(self, name: str) -> Estimate:
        """The leading estimate of this name (``"Cohen's kappa"``); raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(slots=True)
class Pairing:
    """Collects the labels that two give on one scale, statement by statement."""

    first: str
    second: str
    scale: Scale
    mode: Mode | None = None
    drawn: bool | None = None
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    responses: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, response_id: str, first: ScaleLabel, second: ScaleLabel) -> bool:
        """Take up one statement; False when one of the two has no label and it is dropped for that."""
        if first.label is None or second.label is None:
            self.dropped[first.missing or second.missing] += 1
            return False
        self.rows.append(first.label)
        self.columns.append(second.label)
        self.responses.append(response_id)
        return True


def compare(
    pairings: Sequence[Pairing], resampling: Resampling, cautions: Sequence[tuple[str, ...]] = ()
) -> tuple[Comparison, ...]:
    """All figures of the pairings of one view, from the same resamples of its responses.

    ``cautions``, one entry per pairing, come before those on small numbers.
    """
    place: dict[str, int] = {}
    for pairing in pairings:
        for response_id in pairing.responses:
            place.setdefault(response_id, len(place))
    blocks = [_tables(pairing, place) for pairing in pairings]
    units = np.hstack(blocks) if blocks else np.zeros((0, 0))
    sums = draw(contributions(units), resampling) if len(units) else units
    ends = np.cumsum([block.shape[1] for block in blocks])
    said = cautions or [()] * len(pairings)
    return tuple(
        _compared(pairing, block, sums[:, end - block.shape[1] : end], resampling, more)
        for pairing, block, end, more in zip(pairings, blocks, ends, said, strict=True)
    )


def _tables(pairing: Pairing, place: Mapping[str, int]) -> Floats:
    """One table per response of the view, laid out flat (R x q*q)."""
    q = len(pairing.scale.labels)
    cells = encode(pairing.rows, pairing.scale.labels) * q + encode(pairing.columns, pairing.scale.labels)
    where = np.array([place[response_id] for response_id in pairing.responses], dtype=np.int64)
    flat = np.bincount(where * q * q + cells, minlength=len(place) * q * q)
    return flat.reshape(len(place), q * q).astype(np.float64)


def _compared(
    pairing: Pairing, units: Floats, sums: Floats, resampling: Resampling, cautions: tuple[str, ...]
) -> Comparison:
    labels = pairing.scale.labels
    dropped, q = pairing.dropped.total(), len(labels)
    figures = pair_figures(units, sums, labels, statistics=_STATISTICS, dropped=dropped, resampling=resampling)
    counts = units.sum(axis=0).astype(int).reshape(q, q)
    table = tuple(tuple(int(count) for count in row) for row in counts)
    return Comparison(
        first=pairing.first,
        second=pairing.second,
        scale=pairing.scale.name,
        labels=labels,
        n=len(pairing.rows),
        responses=len(set(pairing.responses)),
        dropped=dict(pairing.dropped.most_common()),
        table=table,
        first_counts=dict(zip(labels, map(sum, table), strict=True)),
        second_counts=dict(zip(labels, map(sum, zip(*table, strict=True)), strict=True)),
        agreement=_shown(pairing, figures, resampling.level),
        mcnemar=_mcnemar(units) if pairing.scale is BINARY and pairing.rows else None,
        cautions=(*cautions, *_small(pairing, figures)),
        mode=pairing.mode,
        drawn=pairing.drawn,
    )


def _mcnemar(units: Floats) -> McNemar:
    """Exact where each statement is from a response of its own, else over responses."""
    used = units[units.sum(axis=1) > 0]
    if used.sum() == len(used):
        return mcnemar(int(used[:, 1].sum()), int(used[:, 2].sum()))
    return clustered_mcnemar(used[:, 1].tolist(), used[:, 2].tolist())


def _shown(pairing: Pairing, figures: Mapping[str, Estimate], level: float) -> tuple[Estimate, ...]:
    agreed = sum(map(eq, pairing.rows, pairing.columns))
    clustered = figures["percent_agreement"]
    wilson = proportion(
        clustered.name,
        agreed,
        len(pairing.rows),
        level=level,
        dropped=clustered.dropped,
        nothing=clustered.reason or "There is nothing to compare.",
    )
    # One statement per response: there is nothing to cluster, and Wilson is the better interval.
    percent = (wilson,) if len(set(pairing.responses)) == len(pairing.rows) else (clustered, wilson)
    chosen = (*percent, figures["cohen_kappa"], figures["gwet_ac"])
    return tuple(replace(figure, notes=()) for figure in chosen)


def _small(pairing: Pairing, figures: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The cautions on small numbers, once for all figures of the pairing."""
    n, responses = len(pairing.rows), len(set(pairing.responses))
    if n == 0:
        return ()
    found = []
    if n < FEW_ITEMS:
        found.append(f"Too few statements ({n}): {FEW_ITEMS} or more are wanted before these figures are used.")
    if responses < FEW_CLUSTERS:
        found.append(f"Too few responses ({responses}): below {FEW_CLUSTERS} even these intervals are too narrow.")
    return (*found, *(note for note in figures["cohen_kappa"].notes if note.startswith("Too few")))
