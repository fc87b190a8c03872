"""What became of the sources that responses cite, as far as it is known: reached or not, existing or not."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from medreview.citations.scoring import KIND_NAMES
from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import Part, Title, cells, inset, numbers, table
from medreview.sources.lookups.reach import MEANING, STATES
from medreview.stats.citations.report import CitationReport
from medreview.stats.formulas.estimate import Estimate

ALLOWED_WORDS: Final = {"allowed": "allowed by the list", "by_format": "by format", "not_allowed": "not allowed"}
_NAMED: Final = 10
"""Identifiers that do not exist, named one by one."""


def reach_parts(report: CitationReport) -> Iterator[Part]:
    """How many of the sources are there, by whether they are allowed; nothing when it is not known of any."""
    if not report.reach_from:
        return
    how = "Asked" if report.reach_from == "network" else "As the pages were fetched"
    days = sorted({reach.at[:10] for reach in report.reach.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}" if days else "never"
    yield Title(f"Is something there? {how} {when}")
    counts: dict[str, Counter[str]] = {verdict: Counter() for verdict in ALLOWED_WORDS}
    for citation in (citation for response in report.responses for citation in response.score.sources):
        reach = report.reach.get(citation.source)
        counts[citation.verdict]["not asked" if reach is None else reach.state] += 1
    states = [state for state in (*STATES, "not asked") if any(found[state] for found in counts.values())]
    rows = ((ALLOWED_WORDS[key], *numbers(*map(found.__getitem__, states))) for key, found in counts.items() if found)
    yield inset(table(("citations", *states), rows))
    figure = report.all.figures.reached
    if figure.value is not None:
        value, interval = cells(figure, "")
        told = f"95% interval {interval}" if interval else figure.reason
        yield inset(f"{value} reached ({told}): {share_of(figure, 'citation')} asked for")
    yield from (inset(f"{state} = {MEANING[state]}") for state in STATES if state in states)
    yield from map(inset, _existence(report))


def _existence(report: CitationReport) -> Iterator[str]:
    """What is known of the identifiers: those that exist, and by name those that do not."""
    cited = [(response, c) for response in report.responses for c in response.score.sources if c.kind != "url"]
    if not cited:
        return
    known = [(response, c, report.reach[c.source].exists) for response, c in cited if c.source in report.reach]
    missing = [(response, c) for response, c, there in known if there is False]
    there = sum(it is True for _, _, it in known)
    yield (
        f"identifiers: {there:,} of {len(cited):,} exist, {len(missing):,} do not, "
        f"{len(cited) - there - len(missing):,} not known"
    )
    for response, citation in missing[:_NAMED]:
        name = one_line(response.name)
        yield f"  does not exist: {KIND_NAMES[citation.kind]} {one_line(citation.value)} ({name})"
    if len(missing) > _NAMED:
        yield f"  and {len(missing) - _NAMED:,} more"


def share_of(figure: Estimate, unit: str) -> str:
    """``4 of 5 responses``; the share of a figure counted back."""
    count = "" if figure.value is None else f"{round(figure.value * figure.n):,} of "
    return count + counted(figure.n, unit)
