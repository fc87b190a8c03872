"""Of the report on citations: the sources themselves, where they point, and whether something is there."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from medreview.citations.scoring import KIND_NAMES
from medreview.cli.output import counted, one_line
from medreview.cli.reports.citation_figures import share_of
from medreview.cli.reports.tables import columns, inset, title
from medreview.sources.lookups.reach import MEANING, STATES
from medreview.stats.citations.report import CitationReport, ScoredResponse
from medreview.stats.formulas.estimate import Estimate, percent

_NAMED: Final = 10
"""Domains and identifiers named one by one."""
_LISTED: Final = 40
"""Citations of a single response listed one by one."""
_VERDICTS: Final = (("allowed", "allowed by the list"), ("by_format", "by format"), ("not_allowed", "not allowed"))


def each_citation(response: ScoredResponse) -> Iterator[str]:
    """The citations of the only response, one by one."""
    if not response.score.citations:
        yield "no citation"
    for citation in response.score.citations[:_LISTED]:
        because = citation.entry or citation.why or "by format"
        verdict = "not allowed" if citation.verdict == "not_allowed" else "allowed"
        again = ", named before" if citation.repeat else ""
        yield f"{verdict} ({because}{again}): {KIND_NAMES[citation.kind]} {one_line(citation.value)}"
    if len(response.score.citations) > _LISTED:
        yield f"and {counted(len(response.score.citations) - _LISTED, 'more place')}"


def other_domains(report: CitationReport) -> Iterator[RenderableType]:
    """Where the URLs point that are not allowed: what to look at, or to add to a list of one's own."""
    found = Counter(
        citation.domain
        for response in report.responses
        for citation in response.score.sources
        if citation.kind == "url" and citation.verdict == "not_allowed"
    )
    if not found:
        return
    yield ""
    yield title("Domains not on the list, by URLs")
    table = columns("", "URLs", header=False)
    for host, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_NAMED]:
        table.add_row(one_line(host), f"{count:,}")
    yield inset(table)
    if len(found) > _NAMED:
        yield inset(f"and {counted(len(found) - _NAMED, 'more domain')}")


def reach(report: CitationReport) -> Iterator[RenderableType]:
    """How many of the sources are there, by whether they are allowed; nothing when it is not known of any."""
    if not report.reach_from:
        return
    now = report.reach_from == "network"
    days = sorted({reach.at[:10] for reach in report.reach.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}" if days else "never"
    yield ""
    yield title(f"Is something there? {'Asked' if now else 'As the pages were fetched'} {when}")
    pairs = [(c.verdict, report.reach.get(c.source)) for r in report.responses for c in r.score.sources]
    counts: Counter[tuple[str, str]] = Counter(
        (verdict, "not asked" if reach is None else reach.state) for verdict, reach in pairs
    )
    states = [state for state in (*STATES, "not asked") if any(column == state for _, column in counts)]
    table = columns("citations", *states)
    for verdict, words in _VERDICTS:
        if any(row == verdict for row, _ in counts):
            table.add_row(words, *(f"{counts[verdict, state]:,}" for state in states))
    yield inset(table)
    figure = report.all.figures.reached
    if figure.value is not None:
        yield inset(f"{_reached(figure)}: {share_of(figure, 'citation')} asked for")
    yield from (inset(f"{state} = {MEANING[state]}") for state in STATES if state in states)
    yield from map(inset, _existence(report))


def _reached(figure: Estimate) -> str:
    value = percent(figure.value or 0)
    if figure.low is None or figure.high is None:
        return f"{value} reached ({figure.reason})"
    return f"{value} reached (95% interval {percent(figure.low)} to {percent(figure.high)})"


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
