"""The report on citations as text for a terminal or a file, 80 columns or wider: its parts, one below the other."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType

from medreview.citations.scoring import KIND_NAMES
from medreview.cli.output import counted, one_line
from medreview.cli.reports.citation_bars import bars, marks_for
from medreview.cli.reports.citation_fields import concordance, latency
from medreview.cli.reports.citation_figures import all_figures, by_model
from medreview.cli.reports.citation_sources import each_citation, other_domains, reach
from medreview.cli.reports.console import printed
from medreview.cli.reports.tables import inset, title
from medreview.exchange.imports.rows import BadRecord
from medreview.stats.citations.report import CitationReport

_BY_FORMAT: Final = (
    "By format: a DOI, PMID, PMCID or NCT number that looks right counts as allowed; an invented one does too. "
    "--reach asks whether each exists."
)


def render(report: CitationReport, name: str, bad: Sequence[BadRecord], *, ascii_only: bool = False) -> str:
    """The whole report. Styled when standard output is a terminal; never wider than it (80 when it is none)."""
    text = printed(_report(report, name, bad, ascii_only))
    encoding = "ascii" if ascii_only else sys.stdout.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)


def _report(report: CitationReport, name: str, bad: Sequence[BadRecord], ascii_only: bool) -> Iterator[RenderableType]:
    yield from _head(report, name, bad)
    yield ""
    yield title("Criteria")
    yield from (inset(criterion.sentence) for criterion in report.criteria)
    yield ""
    yield title("Figures")
    yield from map(inset, all_figures(report.all.figures))
    yield from by_model(report)
    yield ""
    if len(report.responses) == 1:
        yield title("Each citation")
        yield from map(inset, each_citation(report.responses[0]))
    else:
        yield title("Each response")
        yield from map(inset, bars(report.worst, marks_for(sys.stdout.encoding, ascii_only)))
        yield from other_domains(report)
    yield from reach(report)
    yield from concordance(report)
    yield from latency(report)
    yield ""
    if any(response.score.count("by_format") for response in report.responses) and not report.reach_from:
        yield _BY_FORMAT
    draws = report.resampling
    yield (
        "Intervals: Wilson for shares of responses; all others by percentile bootstrap over responses, "
        f"{draws.replicates:,} replicates, seed {draws.seed}."
    )


def _head(report: CitationReport, name: str, bad: Sequence[BadRecord]) -> Iterator[str]:
    """What was looked at, and by which list."""
    allow, figures = report.allow, report.all.figures
    places = f" at {counted(report.mentions, 'place')}" if report.mentions > figures.citations else ""
    responses, citations = counted(figures.responses, "response"), counted(figures.citations, "citation")
    yield f"{one_line(name)}: {responses}, {citations}{places}"
    kinds = ", ".join(KIND_NAMES[kind] for kind in KIND_NAMES if kind in allow.identifiers)
    yield f"allow-list: {one_line(allow.name)}, {counted(len(allow), 'entry', 'entries')}"
    yield f"taken by format: {kinds or 'nothing'}"
    unusable = sum(len(response.score.unusable) for response in report.responses)
    if unusable:
        yield f"{counted(unusable, 'entry', 'entries')} in the lists of citations beside the texts hold none"
    if bad:
        yield f"{counted(len(bad), 'record')} of the file left out"
