"""Hallucinated outputs of models, as parts of a report: rates, models beside each other, what goes with the rate."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given
from medreview.cli.reports.estimates import p_cell
from medreview.cli.reports.layout import Part, TableHeading, Title, cells, inset, numbers, table
from medreview.cli.reports.unit_divisions import flag_parts
from medreview.stats.formulas.estimate import half_up
from medreview.stats.units.output_flags import FlagCorrelation, FlagDifference, OutputFlags

_LEGEND: Final = (
    "minus: share of labels that flag, the first minus the second, paired by ranking; p by Holm. z: of the rates, as "
    "in ClinIQLink, which takes outputs as independent; p by Bonferroni."
)


def output_flag_parts(flags: OutputFlags | None) -> Iterator[Part]:
    """Rates by model and type, each two models, correlations over models; nothing where nobody was asked."""
    if flags is None:
        return
    yield Title(f"Hallucinated outputs: {flags.flagged:,} of {flags.asked:,}")
    for kind in dict.fromkeys(one.type for one in flags.models):
        of_kind = [(given(one.model), one) for one in flags.models if one.type == kind]
        yield from ([f"type {given(kind)}"] if kind else [])
        yield from flag_parts(of_kind)
    if flags.differences:
        yield from ("", _differences(flags.differences))
    if flags.correlations:
        yield from ("", _correlations(flags.correlations))


def _differences(found: tuple[FlagDifference, ...]) -> Part:
    rows = (
        (
            f"{given(one.labels.first)} - {given(one.labels.second)}",
            *cells(one.labels.estimate, "none", signed=True),
            p_cell(one.labels.adjusted, at_limit=one.labels.at_limit),
            "" if one.test.statistic is None else half_up(one.test.statistic, 2),
            p_cell(one.bonferroni, at_limit=False),
            *numbers(one.labels.estimate.clusters),
        )
        for one in found
    )  # fmt: skip
    names = ("each two models", "minus", "95% interval", "p Holm", "z", "p Bonf.", "from")
    why = dict.fromkeys(
        reason for one in found for reason in (one.labels.estimate.reason, one.test.reason) if reason
    )  # fmt: skip
    return inset(table(names, rows), *why, f"{_LEGEND} A family of {found[0].family}.")


def _correlations(found: tuple[FlagCorrelation, ...]) -> Part:
    rows = (
        (
            f"{one.beside}, type {given(one.type)}" if one.type else one.beside,
            *cells(one.correlation.figure, "none", 2), p_cell(one.correlation.test.pvalue, at_limit=False),
            *numbers(one.models),
        )
        for one in found
    )  # fmt: skip
    tests = dict.fromkeys(one.correlation.test.name for one in found if one.correlation.test.pvalue is not None)
    why = dict.fromkeys(one.correlation.figure.reason for one in found if one.correlation.figure.reason)
    return inset(
        TableHeading("Spearman's rho of the models' hallucination rates with their ..."),
        table(("", "rho", "95% interval", "p", "models"), rows),
        *(f"p: {name}" for name in tests),
        *filter(None, why),
    )
