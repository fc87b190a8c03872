"""The report on citations, described once: bounded as text for a terminal, with every figure and row as a page.

With what became of the sources that responses cite: reached or not, existing or not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from medreview.citations.allow_list import KIND_NAMES, ScoredCitation
from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.estimates import more_models, over_units, provenance_lines
from medreview.cli.reports.layout import (
    Bar,
    Bars,
    Cell,
    Check,
    Part,
    ReportTable,
    Title,
    cells,
    inset,
    reasons,
    table,
)
from medreview.cli.reports.page import check_page, write_page
from medreview.cli.reports.references import identified_parts
from medreview.exchange.imports.file_rows import BadRecord
from medreview.sources.reach import MEANING, STATES
from medreview.stats.citation_kpis import NO_CITATION, CitationFigures, CitationGroup, CitationReport, ScoredResponse
from medreview.stats.formulas.estimate import FEW_CLUSTERS, Estimate, half_up, percent
from medreview.stats.formulas.latency import Latency
from medreview.text import in_words

ALLOWED_WORDS: Final = {"allowed": "allowed by the list", "by_format": "by format", "not_allowed": "not allowed"}
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
    rows = ((ALLOWED_WORDS[key], *map(found.__getitem__, states)) for key, found in counts.items() if found)
    yield inset(table(("citations", *states), rows))
    figure = report.all.figures.reached
    if figure.value is not None:
        value, interval = cells(figure, missing="")
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


MOST_BARS: Final = 100
"""Bars on a page; a terminal shows 20."""
MOST_ROWS: Final = 2_000
"""Responses in the table of a page, and citations in theirs; the CSV files have all."""

_COMMAND: Final = "citations"
_DIGITS: Final = 2
"""Of means and seconds."""
_BARS: Final = 20
_NAMED: Final = 10
"""Domains and clashes named one by one."""
_LISTED: Final = 40
"""Citations of a single response listed one by one."""
_FIGURES: Final = {
    "with_citation": "response", "mean_citations": "", "mean_allowed": "", "pooled_allowed": "citation",
    "mean_allowed_urls": "", "pooled_allowed_urls": "URL",
}  # fmt: skip
"""The figures, and what each is a share of; without, it is a mean of responses."""
_COMPARED: Final = ("with_citation", "mean_citations", "pooled_allowed", "pooled_allowed_urls")
"""Figures that a terminal shows of each model."""
_BY_FORMAT: Final = (
    "By format: a DOI, PMID, PMCID or NCT number that looks right counts as allowed; an invented one does too. "
    "--reach asks whether each exists."
)
_NOT_TRUTH: Final = (
    "Shared words are not truth: a response that says the opposite in the same words scores high. A clash is an "
    "amount, unit, negation or direction that the reference excludes, found by rules; look at it yourself."
)


def write_html(report: CitationReport, name: str, path: Path, bad: Sequence[BadRecord] = ()) -> Path:
    """Write the report as a page; ``name`` says what was looked at.

    Raises :class:`UserError` for another file in the place.
    """
    return write_page(path, _COMMAND, f"Citations in {one_line(name)}", report_parts(report, name, bad, full=True))


def check_html(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_html` would: before the work, not after it."""
    check_page(path, _COMMAND)


def report_parts(report: CitationReport, name: str, bad: Sequence[BadRecord], *, full: bool) -> Iterator[Part]:
    """The report's parts; ``full``: with every figure, response and citation."""
    yield from _head(report, name, bad)
    yield Title("Criteria")
    yield from (inset(Check(criterion.sentence, criterion.met is True)) for criterion in report.criteria)
    yield Title("Figures")
    yield inset(*_figures(report.all, full))
    yield from _by_model(report, full)
    if full or len(report.responses) > 1:
        yield Title("Each response")
        yield inset(*_bars(report.worst, MOST_BARS if full else _BARS))
        if full:
            yield from _first(len(report.responses), "response", _response_table(report.worst[:MOST_ROWS]))
        yield from _other_domains(report)
    else:
        yield Title("Each citation")
        yield inset(*_each_citation(report.responses[0]))
    yield from reach_parts(report)
    yield from identified_parts(report.references, by_model=full)
    yield from _similarity(report)
    yield from _latency(report)
    if full:
        rows = [(response, citation) for response in report.worst for citation in response.score.citations]
        yield Title("Each citation")
        yield from _first(len(rows), "citation", _citation_table(report, rows[:MOST_ROWS]))
    yield ""
    if any(response.score.count("by_format") for response in report.responses) and not report.reach_from:
        yield _BY_FORMAT
    latencies = ", order statistics for latency" if report.all.latency else ""
    clusters = f"{report.resampling.cluster}s"
    apart = "" if report.resampling.cluster == "response" else " to one question each"
    yield (
        f"Intervals: Wilson for shares of responses{apart}{latencies}; all others over {clusters}, "
        f"{over_units(report.resampling)}."
    )
    if report.provenance is not None:
        yield from provenance_lines(report.provenance)


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
    if report.invalid:
        yield f"{counted(report.invalid, 'invalid response')}, without a citation in every figure"
    if unusable:
        yield f"{counted(unusable, 'entry', 'entries')} in the lists of citations beside the texts hold none"
    if bad:
        yield f"{counted(len(bad), 'record')} of the file left out"


class _FigureRow(NamedTuple):
    """A figure in a table; ``of``: what it is of, such as ``4 of 5 responses``."""

    name: str
    figure: Estimate
    of: str
    digits: int | None = None


def _figure_rows(found: CitationFigures) -> Iterator[_FigureRow]:
    for key, unit in _FIGURES.items():
        figure: Estimate = getattr(found, key)
        of = share_of(figure, unit) if unit else counted(figure.n, "response")
        yield _FigureRow(figure.name, figure, of, _DIGITS if figure.scale == "amount" else None)
    for kind, figure in found.kinds.items():
        if figure.value:
            yield _FigureRow(f"kind: {KIND_NAMES[kind]}", figure, share_of(figure, "citation"))


def _similarity_rows(group: CitationGroup) -> Iterator[_FigureRow]:
    if group.concordance is not None:
        cosine, clashing = group.concordance.cosine, group.concordance.with_clash
        yield _FigureRow("shared words (TF-IDF cosine)", cosine, counted(cosine.n, "response"))
        yield _FigureRow("responses with a clash", clashing, share_of(clashing, "response"))


def _all_rows(group: CitationGroup) -> Iterator[_FigureRow]:
    """Also the figures that have a section of their own."""
    yield from _figure_rows(group.figures)
    reached, existing = group.figures.reached, group.figures.existing
    if reached.n:
        yield _FigureRow("reached", reached, f"{share_of(reached, 'citation')} asked for")
    if existing.n:
        yield _FigureRow("identifiers that exist", existing, f"{share_of(existing, 'identifier')} known")
    yield from _similarity_rows(group)
    if group.latency is not None:
        for name, figure in (("median", group.latency.median), ("95th percentile", group.latency.p95)):
            yield _FigureRow(f"latency in seconds, {name}", figure, counted(figure.n, "response"), _DIGITS)


def _figure_table(rows: Iterable[_FigureRow | str], full: bool = False) -> ReportTable:
    """The figures beneath each other; a text alone is a heading among them.

    ``full``: with what a terminal has no room for beside a figure.
    """

    def written(row: _FigureRow | str) -> tuple[Cell, ...]:
        if isinstance(row, str):
            return (row,)
        figure = row.figure
        left = f"{counted(figure.dropped, 'response')} left out." if figure.dropped else ""
        more = (figure.clusters, " ".join(filter(None, (figure.reason, *figure.notes, left)))) if full else ()
        return row.name, *cells(figure, row.digits), row.of, *more

    names = ("", "value", "95% interval", "of", *(("responses", "note") if full else ()))
    return table(names, map(written, rows), long=("note",))


def _figures(group: CitationGroup, full: bool) -> Iterator[Part]:
    """The figures on all responses, and what they mean."""
    found = group.figures
    yield _figure_table(_all_rows(group) if full else _figure_rows(found), full)
    left = [
        f"{counted(figure.dropped, 'response')} without {what} left out"
        for figure, what in ((found.mean_allowed, "a citation"), (found.mean_allowed_urls, "a URL"))
        if figure.dropped
    ]
    yield "citations: a source that a response names twice counts once."
    yield "allowed: a URL on the list, or an identifier taken by its format."
    yield "mean of responses: the share in each, then the mean" + (f"; {', '.join(left)}." if left else ".")
    yield "pooled: all citations together, so that long lists weigh more."
    if not full:
        named = {figure.name: figure for figure in (getattr(found, key) for key in _FIGURES)}
        yield from reasons(named.items())
        few = [figure for figure in named.values() if figure.notes]
        if few:
            yield from min(few, key=lambda figure: figure.clusters or 0).notes


def _by_model(report: CitationReport, full: bool) -> Iterator[Part]:
    """The models beneath each other, figure by figure; with ``full`` all figures, else the most telling."""
    if not report.by_model:
        return
    yield Title("By model")
    found = {model: {row.name: row for row in _all_rows(group)} for model, group in report.by_model.items()}
    every = [row.name for row in _all_rows(report.all)]
    telling = [getattr(report.all.figures, key).name for key in _COMPARED]
    rows: list[_FigureRow | str] = []
    for name in every if full else telling:
        of_each = ((model, named[name]) for model, named in found.items() if name in named)
        rows += [name, *(row._replace(name=f"  {given(model)}") for model, row in of_each)]
    yield inset(_figure_table(rows, full))
    if min(group.figures.responses for group in report.by_model.values()) < FEW_CLUSTERS:
        yield inset(f"With fewer than {FEW_CLUSTERS} responses even these intervals can be too narrow.")
    if report.models_omitted:
        yield inset(f"{more_models(report.models_omitted, 'shown')}.")


def _bars(worst: Sequence[ScoredResponse], most: int) -> Iterator[Part]:
    """A bar for each of the first responses, and how many more there are."""
    if not any(response.counts.n_total for response in worst):
        yield NO_CITATION
        return
    yield Bars(tuple(map(_bar, worst[:most])))
    if rest := worst[most:]:
        empty = sum(response.counts.n_total == 0 for response in rest)
        fine = sum(response.counts.n_total == response.counts.n_allowed > 0 for response in rest)
        what = [f"{count:,} {words}" for count, words in (
            (len(rest) - empty - fine, "with something not allowed"), (empty, "without a citation"),
            (fine, "with all allowed"),
        ) if count]  # fmt: skip
        yield f"and {counted(len(rest), 'more response')}: {', '.join(what)} (--csv and --json have all)"


def _bar(response: ScoredResponse) -> Bar:
    counts, by_format = response.counts, response.score.count("by_format")
    known = f", {by_format:,} by format" if by_format else ""
    words = f"{counts.n_allowed:,} of {counts.n_total:,} allowed{known}" if counts.n_total else _none(response)
    return Bar(one_line(response.name), counts.n_allowed, counts.n_total - counts.n_allowed, words)


def _none(response: ScoredResponse) -> str:
    """Of a response that names no source."""
    return f"invalid: {response.answer.invalid}" if response.answer.invalid else "no citation"


def _response_table(responses: Iterable[ScoredResponse]) -> ReportTable:
    names = ("response", "model", "citations", "places", "URLs", "allowed", "by format", "% allowed", "% of URLs")

    def row(response: ScoredResponse) -> tuple[Cell, ...]:
        counts, score = response.counts, response.score
        whole = (counts.n_total, score.mentions, counts.n_url, counts.n_allowed, score.count("by_format"))
        shares = ((counts.n_allowed, counts.n_total), (counts.n_allowed_urls, counts.n_url))
        return (
            one_line(response.name), one_line(response.answer.model), *whole,
            *(percent(k / n) if n else "undefined" for k, n in shares),
        )  # fmt: skip

    return table(names, map(row, responses), long=names[:2])


def _citation_table(report: CitationReport, rows: Iterable[tuple[ScoredResponse, ScoredCitation]]) -> ReportTable:
    names = ("response", "characters", "kind", "value", "verdict", "because of", "there?")

    def row(response: ScoredResponse, citation: ScoredCitation) -> tuple[Cell, ...]:
        place = "listed" if citation.start is None else f"{citation.start}-{citation.end}"
        kind = KIND_NAMES[citation.kind] + (" (again)" if citation.repeat else "")
        verdict, because = in_words(citation.verdict), one_line(citation.entry) or citation.why or "its format"
        reach = report.reach.get(citation.source)
        there = "not asked" if reach is None else reach.state + ("; does not exist" if reach.exists is False else "")
        return one_line(response.name), place, kind, one_line(citation.value), verdict, because, there

    width = len(names) if report.reach_from else len(names) - 1
    return table(names[:width], (row(*found)[:width] for found in rows), long=(names[0], *names[2:]))


def _first(number: int, unit: str, rows: ReportTable) -> Iterator[Part]:
    """The first rows of a table of ``number`` of them, and how many are left."""
    yield rows
    if left := number - len(rows.rows):
        yield f"{counted(left, f'more {unit}')} {'is' if left == 1 else 'are'} in the CSV and JSON only."


def _each_citation(response: ScoredResponse) -> Iterator[str]:
    """The citations of the only response, one by one."""
    if not response.score.citations:
        yield _none(response)
    for citation in response.score.citations[:_LISTED]:
        because = one_line(citation.entry) or citation.why or "by format"
        verdict = "not allowed" if citation.verdict == "not_allowed" else "allowed"
        again = ", named before" if citation.repeat else ""
        yield f"{verdict} ({because}{again}): {KIND_NAMES[citation.kind]} {one_line(citation.value)}"
    if len(response.score.citations) > _LISTED:
        yield f"and {counted(len(response.score.citations) - _LISTED, 'more place')}"


def _other_domains(report: CitationReport) -> Iterator[Part]:
    """Where the URLs point that are not allowed: what to look at, or to add to a list of one's own."""
    cited = (citation for response in report.responses for citation in response.score.sources)
    found = Counter(c.domain for c in cited if c.kind == "url" and c.verdict == "not_allowed")
    if found:
        yield Title("Domains not on the list, by URLs")
        most = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_NAMED]
        yield inset(table(("", "URLs"), ((one_line(host), count) for host, count in most), header=False))
    if len(found) > _NAMED:
        yield inset(f"and {counted(len(found) - _NAMED, 'more domain')}")


def _similarity(report: CitationReport) -> Iterator[Part]:
    """The responses beside their references; nothing without references."""
    found = report.all.concordance
    if found is None:
        return
    n = sum(response.concordance is not None for response in report.responses)
    yield Title(f"Beside the reference: {n:,} of {counted(len(report.responses), 'response')} have one")
    yield inset(_figure_table(_similarity_rows(report.all)), *reasons([("shared words", found.cosine)]))
    clashes = [(r.name, clash) for r in report.responses if r.concordance for clash in r.concordance.clashes]
    for name, clash in clashes[:_NAMED]:
        yield inset(f"{one_line(name)}: {one_line(clash.sentence)} ({clash.kind})")
    if len(clashes) > _NAMED:
        yield inset(f"and {counted(len(clashes) - _NAMED, 'more clash', 'more clashes')}")
    yield inset(_NOT_TRUTH)


def _latency(report: CitationReport) -> Iterator[Part]:
    """How long the responses took, all and those of each model; nothing when no record says."""
    found = report.all.latency
    if found is None:
        return
    left = f", {found.missing:,} without" if found.missing else ""
    yield Title(f"Latency in seconds: {counted(found.n, 'response')}{left}")
    groups = [("all", found), *((given(model), group.latency) for model, group in report.by_model.items())]

    def row(name: str, told: Latency) -> tuple[Cell, ...]:
        values = (told.least, told.median.value, told.p90, told.p95.value, told.p99, told.most)
        return name, told.n, *("-" if value is None else half_up(value, _DIGITS) for value in values)

    names = ("", "n", "min", "median", "p90", "p95", "p99", "max")
    yield inset(table(names, (row(name, told) for name, told in groups if told is not None)))
    for name, figure in (("median", found.median), ("p95", found.p95)):
        _, interval = cells(figure, _DIGITS, missing="")
        yield inset(f"{name}, 95% interval: {interval}" if interval else f"{name}: {figure.reason}")
    yield inset("Percentiles by linear interpolation (type 7); intervals from the ordered values themselves.")
