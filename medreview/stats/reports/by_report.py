"""A study divided: support and agreement in each part, from the same resamples, and what sets a part apart."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from medreview.stats.formulas.agreement import pair_figures
from medreview.stats.formulas.bootstrap import Floats, Resampling, Statistic
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.differences import Difference, Side, difference, with_holm
from medreview.stats.formulas.estimate import Estimate, estimate_named
from medreview.stats.formulas.response_sample import ResponseSample
from medreview.stats.formulas.thresholds import FEWEST
from medreview.stats.reports.by_counts import PartCounts, Reviewed, count_parts
from medreview.stats.reports.label_scales import BINARY
from medreview.stats.reports.reviewer_labels import ReviewerLabel
from medreview.stats.reports.selection import EVERYTHING, Selection
from medreview.stats.reports.shared_draws import Drawn, draw_together
from medreview.stats.reports.strata import SEVERAL, By, about

FOLDED: Final = "all others"
REST: Final = "the rest"
TOGETHER_THERE: Final = "the judges together, where both have a verdict"

_AGREEMENT: Final = ("percent_agreement", "cohen_kappa", "gwet_ac")
_NO_VERDICT: Final = "No statement here has a verdict."
_NO_LABEL: Final = "No statement here has a label that says supported or not."
_NOT_BOTH: Final = "One of the two has nothing to compare."
_OF_QUEUES: Final = (
    "Labels of one queue are blind, those of another assisted: each part has its own group, and they are not compared."
)


@dataclass(frozen=True)
class StratumLabels:
    """A reviewer's labels in one part: those of the ``group`` that leads (``mode``, ``drawn``), ``labels`` of them.

    ``supported``: the share that says supported, of the labels that say either. ``agreement`` with the judges,
    supported or not: percent agreement, Cohen's kappa, Gwet's AC1, on ``table`` (rows: the reviewer).
    ``apart``: percent agreement here minus that in the rest.
    """

    reviewer: str
    group: str
    mode: str
    drawn: bool
    labels: int
    supported: Estimate
    agreement: tuple[Estimate, ...]
    table: tuple[tuple[int, ...], ...]
    apart: Difference | None

    def estimate(self, name: str) -> Estimate:
        """The estimate of this name (``"Cohen's kappa"``); raises ``KeyError`` that names those there are."""
        return estimate_named(self.agreement, name)


@dataclass(frozen=True)
class StratumFigures:
    """One part: its ``statements``, the ``responses`` that they are in, and what is said of them.

    ``folded``: it is not one part but all those too small to stand alone, or beyond the largest. ``supported``:
    statements that the judges find supported / those with a verdict; by ``judge`` it is that judge's own word.
    ``apart``: that share minus that of what the report is ``against``.
    """

    stratum: str
    folded: bool
    statements: int
    responses: int
    supported: Estimate
    apart: Difference | None
    reviewers: tuple[StratumLabels, ...]


@dataclass(frozen=True)
class ByReport:
    """The study divided ``by`` something; ``about`` says what goes by it. The largest part comes first.

    ``folded`` parts were too small to stand alone, or beyond the largest, and are one; that has no figures where even
    so it is too small: ``untold`` are its statements. ``against``: what each part is compared with; of two parts that
    are the whole, the second would only repeat the first. Every interval is from the same resamples of responses; the p
    values of one statistic are one family (Holm 1979).
    """

    by: By
    about: str
    against: str
    strata: tuple[StratumFigures, ...]
    folded: int
    untold: int
    cautions: tuple[str, ...]


def by_report(
    reader: sqlite3.Connection,
    by: By,
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    *,
    pass_no: int = 1,
    only: Selection = EVERYTHING,
) -> ByReport:
    """A study, or ``only`` a part of it, divided; ``labels`` are those of each reviewer in it, by statement."""
    counts, folded = count_parts(reader, by, labels, pass_no, only)
    # What is too small even together would tell its verdicts one by one.
    parts = [part for part in counts if part.name is not None or part.statements >= FEWEST or len(counts) == 1]
    against = TOGETHER_THERE if by == "judge" else REST
    drawn = iter(draw_together([column.block for part in parts for column in part.columns], resampling))
    figures = [
        _figures(part, against, [next(drawn) for _ in part.columns], resampling, paired=by == "judge") for part in parts
    ]
    # Of two parts that are the whole, one minus the other is said once.
    pairwise = by not in SEVERAL and len(counts) == len(parts) == 2
    compared = [(len(parts) > 1 or by == "judge") and not (pairwise and place) for place in range(len(parts))]
    return ByReport(
        by=by,
        about=about(by),
        against=against,
        strata=_in_families(figures, compared, tuple(labels), of_labels=by != "queue"),
        folded=folded,
        untold=sum(part.statements for part in counts) - sum(part.statements for part in parts),
        cautions=(_OF_QUEUES,) if by == "queue" else (),
    )


def _figures(
    part: PartCounts, against: str, drawn: Sequence[Drawn], resampling: Resampling, *, paired: bool
) -> StratumFigures:
    name = FOLDED if part.name is None else part.name
    of_reviewers = [drawn[place : place + 3] for place in range(2, len(drawn), 3)]
    return StratumFigures(
        stratum=name,
        folded=part.name is None,
        statements=part.statements,
        responses=len(part.responses),
        supported=_share("supported, by the judges", drawn[0], part.judged.dropped, _NO_VERDICT, resampling),
        apart=_apart(name, against, "supported, by the judges", drawn[paired], [1.0, 0.0], resampling),
        reviewers=tuple(
            _labels(reviewer, held, name, against, said, agreed, beside if paired else agreed, resampling)
            for (reviewer, held), (said, agreed, beside) in zip(part.reviewed.items(), of_reviewers, strict=True)
        ),
    )


def _labels(
    reviewer: str,
    held: Reviewed,
    name: str,
    against: str,
    said: Drawn,
    agreed: Drawn,
    compared: Drawn,
    resampling: Resampling,
) -> StratumLabels:
    units, sums = agreed.units[:, :4], agreed.sums[:, :4]
    found = pair_figures(
        units, sums, BINARY.labels, statistics=_AGREEMENT, dropped=held.agreed.dropped, resampling=resampling
    )
    cells = units.sum(axis=0).astype(int).reshape(2, 2)
    return StratumLabels(
        reviewer=reviewer,
        group=held.group.title,
        mode=held.group.mode,
        drawn=bool(held.group.drawn),
        labels=held.labels,
        supported=_share(f"supported, by {reviewer}", said, held.said.dropped, _NO_LABEL, resampling),
        agreement=tuple(found.values()),
        table=tuple(tuple(int(count) for count in row) for row in cells),
        apart=_apart(name, against, "percent agreement", compared, [1.0, 0.0, 0.0, 1.0], resampling),
    )


def _share(name: str, drawn: Drawn, dropped: int, nothing: str, resampling: Resampling) -> Estimate:
    """The share of the first cell of a part, of its two."""
    units, sums = (np.column_stack((held[:, 0], held[:, 0] + held[:, 1])) for held in (drawn.units, drawn.sums))
    sample = ResponseSample(("yes", "both"), units, resampling, sums=sums)
    return sample.share(name, "yes", "both", undefined=nothing, whole="supported", dropped=dropped)


def _apart(
    name: str, against: str, statistic: str, drawn: Drawn, counted: Sequence[float], resampling: Resampling
) -> Difference:
    """The share of the ``counted`` cells in the part minus that outside it, which may be the same items."""
    width = len(counted)
    nothing = [0.0] * width
    inside, outside = np.array([*counted, *nothing]), np.array([*nothing, *counted])
    ones = np.ones(width)
    of_inside, of_outside = np.array([*ones, *nothing]), np.array([*nothing, *ones])
    return difference(
        Side(name, _quotient(inside, of_inside), of_inside),
        Side(against, _quotient(outside, of_outside), of_outside),
        statistic,
        drawn.units,
        drawn.sums,
        paired=against == TOGETHER_THERE,
        scale="share_difference",
        undefined=_NOT_BOTH,
        resampling=resampling,
    )


def _quotient(over: Floats, under: Floats) -> Statistic:
    return lambda sums: ratio(sums @ over, sums @ under)


def _in_families(
    strata: Sequence[StratumFigures], compared: Sequence[bool], reviewers: Sequence[str], *, of_labels: bool
) -> tuple[StratumFigures, ...]:
    """The parts with p values adjusted for as many as there are of each statistic; without what is not compared."""
    judged = _adjusted([one.apart if told else None for one, told in zip(strata, compared, strict=True)])
    by_reviewer = [
        _adjusted([one.reviewers[place].apart if told and of_labels else None
                   for one, told in zip(strata, compared, strict=True)])
        for place in range(len(reviewers))
    ]  # fmt: skip
    return tuple(
        replace(
            one,
            apart=judged[at],
            reviewers=tuple(replace(held, apart=by_reviewer[place][at]) for place, held in enumerate(one.reviewers)),
        )
        for at, one in enumerate(strata)
    )


def _adjusted(differences: Sequence[Difference | None]) -> list[Difference | None]:
    told = iter(with_holm([one for one in differences if one is not None]))
    return [None if one is None else next(told) for one in differences]
