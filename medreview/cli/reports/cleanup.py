"""What became of unsupported statements, as tables beside the figures of SourceCleanup."""

from collections.abc import Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Heading, Part, Table, Title, cells, inset, numbers, reasons, table
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.reports.cleanup_report import PAPER, CleanupFigures

_LEGEND: Final = (
    "supported: of the revised ones, those that are supported now by this judge or reviewer; together: of all, those "
    "that were removed or are supported now; paper: SourceCleanup's"
)


def cleanup_parts(figures: Sequence[CleanupFigures]) -> Iterator[Part]:
    """A table for each model that revised statements; nothing without any."""
    if figures:
        yield Title("Unsupported statements, revised or removed")
    for one in figures:
        rows = [(_named("removed", ""), one.removed, "removed")]
        for rater in one.raters:
            rows.append((_named("supported", rater.by), rater.supported, "supported"))
            rows.append((_named("together", rater.by), rater.together, "together"))
            if rater.removal_right:
                rows.append((_named("rightly removed", rater.by), rater.removal_right, ""))
        head = Heading(f"{one_line(one.model) or 'no model named'}: {counted(one.statements, 'statement')}")
        yield inset(head, _table(rows), _LEGEND, *reasons((name, figure) for name, figure, _ in rows))


def _named(share: str, by: str) -> str:
    return f"{share}: {one_line(by)}" if by else share


def _table(rows: Sequence[tuple[str, Estimate, str]]) -> Table:
    return table(
        ("", "share", "95% interval", "n", "left", "paper"),
        (
            (name, *cells(figure, "not given"), *numbers(figure.n, figure.dropped), _paper(paper))
            for name, figure, paper in rows
        ),
    )


def _paper(name: str) -> str:
    if not name:
        return ""
    k, n = PAPER[name]
    return f"{k}/{n} = {percent(k / n)}"
