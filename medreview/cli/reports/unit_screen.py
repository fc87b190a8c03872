"""One kind of unit on one screen of 80 x 24: what leads, a line for each rater, who agrees with whom, what next."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import provenance_lines
from medreview.cli.reports.facts import next_parts
from medreview.cli.reports.layout import NextStep, Part, cells, numbers, table, value_cell
from medreview.cli.reports.stats_screen import unit_step, unit_table
from medreview.cli.reports.terminal import height, printed
from medreview.next_step import command
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.reports.provenance import Provenance
from medreview.stats.units.kind_labels import UnitHeadline
from medreview.stats.units.rater_agreement import CONSENSUS, GOLD, UnitAgreement
from medreview.stats.units.unit_figures import ScaleFigures

FACT: Final = "fact"
_FEWEST: Final = 3
"""Raters below which no line is given up for more room."""
_DIGITS: Final = 2
_SHORT: Final = {GOLD: "right label", CONSENSUS: "majority"}


class _Beside(NamedTuple):
    """Raters beside each other, on a line."""

    name: str
    agreement: Sequence[Estimate]
    n: int
    clusters: int | None


def unit_screen(headline: UnitHeadline, scale: ScaleFigures | None, origin: Provenance, study: Path) -> str:
    """As many raters and comparisons as there is room for; ``--full`` has all. ``scale``: raters beside each other."""
    beside = list(_beside(scale)) if scale else []
    raters, pairs = len(headline.raters), len(beside)
    tries = [(raters, most) for most in range(pairs, min(1, pairs) - 1, -1)]
    tries += [(most, 1) for most in range(raters - 1, _FEWEST - 1, -1)]
    text = ""
    for place, (most, shown) in enumerate(tries):
        parts = _parts(headline, scale, beside, most, shown, origin, study)
        text = printed(part for part in parts if part != "" or not place)
        if text.count("\n") < height():  # a row for what is typed next
            break
    return text


def _parts(
    headline: UnitHeadline,
    scale: ScaleFigures | None,
    beside: Sequence[_Beside],
    raters: int,
    shown: int,
    origin: Provenance,
    study: Path,
) -> Iterator[Part]:
    yield f"{headline.labelled:,} of {counted(headline.units, headline.noun, headline.title)} labelled"
    yield ""
    if headline.raters:
        yield from unit_table(headline, raters)
    else:
        yield "No person and no machine has said anything yet."
    if scale is not None and beside:
        yield from ("", _beside_table(beside[:shown], scale, headline.cluster))
        if len(beside) > shown:
            yield f"and {counted(len(beside) - shown, 'more comparison')}"
    yield from _next(headline, study)
    yield from provenance_lines(origin)
    yield "Every two raters, tables, types and systems:"
    yield NextStep(command("stats", study, "--unit", headline.kind, "--full"))


def _beside(scale: ScaleFigures) -> Iterator[_Beside]:
    """Reviewers together; then everybody beside the right labels, machines beside the majority and each reviewer.

    Each two of several reviewers come last. Of two who share blind and final labels the blind ones stand here.
    """
    pairs: dict[tuple[str, str], UnitAgreement] = {}
    for one in scale.between:
        pairs.setdefault((one.first, one.second), one)
    several = len(pairs) > 1
    if several:
        for many in scale.together[:1]:
            name = f"{len(many.reviewers)} reviewers, {many.which}"
            yield _Beside(name, many.agreement, many.items, many.agreement[0].clusters)
    majority = [one for found in scale.consensus for one in found.machines] if several else []
    two, each_two = ((), pairs.values()) if several else (pairs.values(), ())
    right = sorted(scale.gold, key=lambda one: bool(one.which))  # machines first
    for one in (*two, *right, *majority, *scale.machines, *each_two):
        if one.n:
            which = f", {one.which}" if one.which else ""
            first = _SHORT.get(one.first, one_line(one.first))
            yield _Beside(f"{first}, {one_line(one.second)}{which}", one.agreement, one.n, one.clusters)


def _beside_table(beside: Sequence[_Beside], scale: ScaleFigures, cluster: str) -> Part:
    rows = []
    for one in beside:
        agreed, chance, ac1 = (_named(one.agreement, *names) for names in _COLUMNS)
        told = (value_cell(agreed, ""), *cells(chance, "none", _DIGITS), value_cell(ac1, "", _DIGITS))
        rows.append((one.name, *told, *numbers(one.n, one.clusters if one.clusters != one.n else None)))
    title = f"Beside each other: {scale.title}{' (weighted)' if scale.ordered else ''}"
    clusters = f"{cluster}s"
    return table((title, "agree", "kappa", "95% interval", "AC1", "n", clusters), rows, if_any=(clusters,))


_COLUMNS: Final = (
    ("percent agreement", "mean pairwise agreement"), ("Cohen's kappa", "Fleiss' kappa"), ("Gwet's AC",),
)  # fmt: skip


def _named(figures: Iterable[Estimate], *names: str) -> Estimate:
    return next(figure for figure in figures if figure.name.startswith(names))


def _next(headline: UnitHeadline, study: Path) -> Iterator[Part]:
    if headline.kind == FACT and not headline.raters:
        yield from next_parts(headline.units, study, asked=False)
        return
    sentence, step = unit_step([headline], study)
    if not headline.units:
        sentence, step = "Bring some in.", NextStep(command("import", study, "FILE"))
    yield from ("", f"What next? {sentence}", step)
