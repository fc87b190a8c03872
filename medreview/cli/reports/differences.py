"""Differences with their intervals and tests, a table for each family that was looked at together."""

from collections.abc import Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import more_models, p_value
from medreview.cli.reports.layout import Heading, Part, Title, cells, inset, numbers, reasons, table
from medreview.stats.formulas.differences import Difference
from medreview.stats.formulas.estimate import half_up
from medreview.stats.formulas.thresholds import FEW_CLUSTERS
from medreview.stats.reports.label_scales import TOGETHER
from medreview.stats.reports.reviewer_labels import Group
from medreview.stats.reports.study_differences import Between, DifferenceFamily

_OF: Final[dict[Between, str]] = {
    "judges": "agreement with {who}, one judge minus another",
    "models_agreement": "agreement of the judges together with {who}, by model",
    "models_support": "support by the judges' verdict, one model minus another",
    "modes": "agreement of the judges together with {who}, blind minus assisted labels",
}
_NAMES: Final = {
    "Cohen's kappa": "kappa",
    "percent agreement": "agree",
    "statement support": "statements",
    "response support": "responses",
}
_ABOUT: Final = (
    "Shares in points of a hundred. p: two-sided; on the same statements McNemar's test for shares, else that of the "
    "interval. Holm: p adjusted for all differences of its table."
)


def difference_parts(families: Sequence[DifferenceFamily]) -> Iterator[Part]:
    """Nothing where nothing can be subtracted."""
    if not families:
        return
    yield Title("Differences, on supported or not")
    yield _ABOUT
    for family in families:
        yield from ("", _family(family))


def _family(family: DifferenceFamily) -> Part:
    who = one_line(family.reviewer or "")
    if family.mode is not None:
        who += f" ({Group(family.mode, family.drawn).title})"
    elif family.drawn is not None:
        who += f" ({'random audit' if family.drawn else 'other queues'})"
    parts: list[Part] = [Heading(_OF[family.between].format(who=who))]
    rows = [_row(one) for one in family.differences]
    names = ("", "of", "difference", "95% interval", "p", "Holm", "n", "resp")
    parts.append(table(names, rows))
    tested = family.differences[0].family
    parts.append(f"{counted(tested, 'difference')} tested: {'; '.join(_tests(family.differences))}")
    if family.omitted:
        parts.append(more_models(family.omitted, "compared"))
    parts += reasons((_named(one), one.estimate) for one in family.differences if one.estimate.low is None)
    fewest = min((one.fewest for one in family.differences if one.estimate.low is not None), default=FEW_CLUSTERS)
    if fewest < FEW_CLUSTERS:
        parts.append(
            f"Too few responses on one side ({fewest}): below {FEW_CLUSTERS} even these intervals can be too narrow."
        )
    return inset(*parts, *family.cautions)


def _row(one: Difference) -> tuple[str, ...]:
    sides = f"{_judge(one.first)} - {_judge(one.second)}"
    counts = numbers(one.estimate.n, one.estimate.clusters)
    return sides, _NAMES.get(one.statistic, one.statistic), *difference_cells(one), *counts


def difference_cells(one: Difference) -> tuple[str, ...]:
    """Value and interval with their signs, those of shares in points of a hundred; p, and p by Holm."""
    p, holm = (p_cell(value, one.at_limit) for value in (one.pvalue, one.adjusted))
    return *cells(one.estimate, "none", signed=True), p, holm


def _judge(name: str) -> str:
    return "jury" if name == TOGETHER else one_line(name) or "not given"


def _named(one: Difference) -> str:
    return f"{_judge(one.first)} - {_judge(one.second)}, {_NAMES.get(one.statistic, one.statistic)}"


def p_cell(value: float | None, at_limit: bool) -> str:
    """A p value in a table, ``<0.001``; ``at_limit``: it is that or less. Empty where there is none."""
    if value is None:
        return ""
    said = p_value(value).removeprefix("p ").replace("below ", "<")
    return f"<{said}" if at_limit and not said.startswith("<") else said


def _tests(differences: Sequence[Difference]) -> list[str]:
    return list(dict.fromkeys(one.test for one in differences if one.pvalue is not None)) or ["none could be"]


def p_by_margin(value: float | None, replicates: int) -> str:
    """The same of a one-sided test against a margin: where no resample is as bad as that, below one of them."""
    return f"<{half_up(1 / replicates, 4)}" if value == 0 else p_cell(value, at_limit=False)
