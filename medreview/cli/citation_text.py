"""The report on citations as text for a terminal or a file, 80 columns or wider."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from medreview.citations.reach import MEANING, STATES
from medreview.citations.scoring import KIND_NAMES
from medreview.cli.citation_bars import bars, marks_for
from medreview.cli.output import counted
from medreview.exchange.rows import BadRecord
from medreview.stats.bootstrap import FEW_CLUSTERS as FEW
from medreview.stats.citation_kpis import CitationFigures
from medreview.stats.citation_report import CitationReport, ScoredResponse
from medreview.stats.figure import Figure, half_up, percent
from medreview.stats.latency import Latency
from medreview.visible import visible

_NAMED: Final = 10
"""Domains, identifiers and clashes named one by one."""
_LISTED: Final = 40
"""Citations of a single response listed one by one."""
_BY_FORMAT: Final = (
    "By format: a DOI, PMID, PMCID or NCT number that looks right counts as allowed; an invented one does too. "
    "--reach asks whether each exists."
)
_NOT_TRUTH: Final = (
    "Shared words are not truth: a response that says the opposite in the same words scores high. A clash is an "
    "amount, unit, negation or direction that the reference excludes, found by rules; look at it yourself."
)
_VERDICTS: Final = (("allowed", "allowed by the list"), ("by_format", "by format"), ("not_allowed", "not allowed"))


def render(report: CitationReport, name: str, bad: Sequence[BadRecord], *, ascii_only: bool = False) -> str:
    """The whole report. Styled when standard output is a terminal; never wider than it (80 when it is none)."""
    terminal, written = Console(), StringIO()
    console = Console(
        file=written,
        force_terminal=terminal.is_terminal,
        width=terminal.width if terminal.is_terminal else 80,
        color_system="auto" if terminal.is_terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for part in _report(report, name, bad, ascii_only):
        console.print(part)
    lines = (line.rstrip() for line in written.getvalue().splitlines())
    text = "\n".join(lines).rstrip("\n") + "\n"
    encoding = "ascii" if ascii_only else sys.stdout.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)


def _report(report: CitationReport, name: str, bad: Sequence[BadRecord], ascii_only: bool) -> Iterator[RenderableType]:
    allow, figures = report.allow, report.all.figures
    places = f" at {counted(report.mentions, 'place')}" if report.mentions > figures.citations else ""
    yield Text(
        f"{_out(name)}: {counted(figures.responses, 'response')}, {counted(figures.citations, 'citation')}{places}"
    )
    kinds = ", ".join(KIND_NAMES[kind] for kind in KIND_NAMES if kind in allow.identifiers)
    yield Text(f"allow-list: {_out(allow.name)}, {counted(len(allow), 'entry', 'entries')}")
    yield Text(f"taken by format: {kinds or 'nothing'}")
    unusable = sum(len(response.score.unusable) for response in report.responses)
    if unusable:
        yield Text(f"{counted(unusable, 'entry', 'entries')} in the lists of citations beside the texts hold none")
    if bad:
        yield Text(f"{counted(len(bad), 'record')} of the file left out")
    yield ""
    yield _title("Criteria")
    yield from (_inset(Text(criterion.sentence)) for criterion in report.criteria)
    yield ""
    yield _title("Figures")
    yield _inset(_group(figures))
    yield from map(_inset, _meanings(figures))
    yield from map(_inset, _sentences(figures))
    yield from _models(report)
    yield ""
    if len(report.responses) == 1:
        yield _title("Each citation")
        yield from map(_inset, _citations(report.responses[0]))
    else:
        yield _title("Each response")
        yield from map(_inset, bars(report.worst, marks_for(sys.stdout.encoding, ascii_only)))
        yield from _other_domains(report)
    yield from _reach(report)
    yield from _concordance(report)
    yield from _latency(report)
    draws = report.resampling
    notes = [
        "Intervals: Wilson for shares of responses; all others by percentile bootstrap over responses, "
        f"{draws.replicates:,} replicates, seed {draws.seed}."
    ]
    if any(response.score.count("by_format") for response in report.responses) and not report.reach_from:
        notes.insert(0, _BY_FORMAT)
    yield ""
    yield from map(Text, notes)


def _group(found: CitationFigures) -> RenderableType:
    table = _table("", "value", "95% interval", "of")
    for figure, n in (
        (found.with_citation, _of(found.with_citation, "response")),
        (found.mean_citations, counted(found.mean_citations.n, "response")),
        (found.mean_allowed, counted(found.mean_allowed.n, "response")),
        (found.pooled_allowed, _of(found.pooled_allowed, "citation")),
        (found.mean_allowed_urls, counted(found.mean_allowed_urls.n, "response")),
        (found.pooled_allowed_urls, _of(found.pooled_allowed_urls, "URL")),
    ):
        _row(table, figure, figure.name, n)
    for kind, figure in found.kinds.items():
        if figure.value:
            _row(table, figure, f"kind: {KIND_NAMES[kind]}", _of(figure, "citation"))
    return table


def _meanings(found: CitationFigures) -> Iterator[Text]:
    """What each line of the figures says, in one line."""
    left = [
        f"{counted(figure.dropped, 'response')} without {what} left out"
        for figure, what in ((found.mean_allowed, "a citation"), (found.mean_allowed_urls, "a URL"))
        if figure.dropped
    ]
    yield Text("citations: a source that a response names twice counts once.")
    yield Text("allowed: a URL on the list, or an identifier taken by its format.")
    yield Text("mean of responses: the share in each, then the mean" + (f"; {', '.join(left)}." if left else "."))
    yield Text("pooled: all citations together, so that long lists weigh more.")


def _models(report: CitationReport) -> Iterator[RenderableType]:
    """The models beneath each other, figure by figure; the other figures of each are in the JSON and HTML."""
    if not report.by_model:
        return
    yield ""
    yield _title("By model")
    table = _table("", "value", "95% interval", "of")
    for kind, unit in (
        ("with_citation", "response"), ("mean_citations", ""), ("pooled_allowed", "citation"),
        ("pooled_allowed_urls", "URL"),
    ):  # fmt: skip
        found = {model: getattr(group.figures, kind) for model, group in report.by_model.items()}
        table.add_row(Text(next(iter(found.values())).name))
        for model, figure in found.items():
            n = _of(figure, unit) if unit else counted(figure.n, "response")
            _row(table, figure, f"  {_out(model) or '(not given)'}", n)
    yield _inset(table)
    if min(group.figures.responses for group in report.by_model.values()) < FEW:
        yield _inset(Text(f"With fewer than {FEW} responses even these intervals are too narrow."))
    if report.models_omitted:
        yield _inset(Text(f"{counted(report.models_omitted, 'smaller model')} not shown."))


def _citations(response: ScoredResponse) -> Iterator[Text]:
    """The citations of the only response, one by one."""
    if not response.score.citations:
        yield Text("no citation")
    for citation in response.score.citations[:_LISTED]:
        because = citation.entry or citation.why or "by format"
        verdict = "not allowed" if citation.verdict == "not_allowed" else "allowed"
        again = ", named before" if citation.repeat else ""
        yield Text(f"{verdict} ({because}{again}): {KIND_NAMES[citation.kind]} {_out(citation.value)}")
    if len(response.score.citations) > _LISTED:
        yield Text(f"and {counted(len(response.score.citations) - _LISTED, 'more place')}")


def _other_domains(report: CitationReport) -> Iterator[RenderableType]:
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
    yield _title("Domains not on the list, by URLs")
    table = _table("", "")
    table.show_header = False
    for host, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_NAMED]:
        table.add_row(Text(_out(host)), f"{count:,}")
    yield _inset(table)
    if len(found) > _NAMED:
        yield _inset(Text(f"and {counted(len(found) - _NAMED, 'more domain')}"))


def _row(table: Table, figure: Figure, name: str, n: str) -> None:
    number = half_up if figure.name == "citations per response" else percent
    places = 2 if number is half_up else 1
    value = "undefined" if figure.value is None else number(figure.value, places)
    interval = "" if figure.value is None else "none"
    if figure.low is not None and figure.high is not None:
        interval = f"{number(figure.low, places)} to {number(figure.high, places)}"
    table.add_row(Text(name), value, interval, n)


def _of(figure: Figure, unit: str) -> str:
    """``4 of 5 responses``; the share of a figure counted back."""
    if figure.value is None:
        return counted(figure.n, unit)
    return f"{round((figure.value or 0) * figure.n):,} of {counted(figure.n, unit)}"


def _sentences(figures: CitationFigures) -> list[Text]:
    """Why a value or an interval is missing, and that the responses are few; each once."""
    all_ = (
        figures.with_citation, figures.mean_citations, figures.mean_allowed, figures.pooled_allowed,
        figures.mean_allowed_urls, figures.pooled_allowed_urls,
    )  # fmt: skip
    reasons: dict[str, list[str]] = {}
    for figure in all_:
        if figure.reason:
            reasons.setdefault(figure.reason, []).append(figure.name)
    told = [f"{'; '.join(names)}: {reason}" for reason, names in reasons.items()]
    few = [figure for figure in all_ if figure.notes]
    if few:
        told += min(few, key=lambda figure: figure.clusters or 0).notes
    return [Text(sentence) for sentence in told]


def _reach(report: CitationReport) -> Iterator[RenderableType]:
    if not report.reach_from:
        return
    now = report.reach_from == "network"
    days = sorted({reach.at[:10] for reach in report.reach.values()})
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}" if days else "never"
    yield ""
    yield _title(f"Is something there? {'Asked' if now else 'As the pages were fetched'} {when}")
    pairs = [(c.verdict, report.reach.get(c.source)) for r in report.responses for c in r.score.sources]
    cells: Counter[tuple[str, str]] = Counter(
        (verdict, "not asked" if reach is None else reach.state) for verdict, reach in pairs
    )
    states = [state for state in (*STATES, "not asked") if any(column == state for _, column in cells)]
    table = _table("citations", *states)
    for verdict, words in _VERDICTS:
        if any(row == verdict for row, _ in cells):
            table.add_row(Text(words), *(Text(f"{cells[verdict, state]:,}") for state in states))
    yield _inset(table)
    figure = report.all.figures.reached
    if figure.value is not None:
        yield _inset(Text(f"{_phrase(figure)}: {_of(figure, 'citation')} asked for"))
    yield from (_inset(Text(f"{state} = {MEANING[state]}")) for state in STATES if state in states)
    yield from map(_inset, _existence(report))


def _existence(report: CitationReport) -> Iterator[Text]:
    """What is known of the identifiers: those that exist, and by name those that do not."""
    cited = [(response, c) for response in report.responses for c in response.score.sources if c.kind != "url"]
    if not cited:
        return
    known = [(response, c, report.reach[c.source].exists) for response, c in cited if c.source in report.reach]
    missing = [(response, c) for response, c, there in known if there is False]
    there = sum(it is True for _, _, it in known)
    yield Text(
        f"identifiers: {there:,} of {len(cited):,} exist, {len(missing):,} do not, "
        f"{len(cited) - there - len(missing):,} not known"
    )
    for response, citation in missing[:_NAMED]:
        yield Text(f"  does not exist: {KIND_NAMES[citation.kind]} {_out(citation.value)} ({_out(response.name)})")
    if len(missing) > _NAMED:
        yield Text(f"  and {len(missing) - _NAMED:,} more")


def _concordance(report: CitationReport) -> Iterator[RenderableType]:
    found = report.all.concordance
    if found is None:
        return
    n = sum(response.concordance is not None for response in report.responses)
    yield ""
    yield _title(f"Beside the reference: {n:,} of {counted(len(report.responses), 'response')} have one")
    table = _table("", "value", "95% interval", "of")
    cosine = found.cosine
    interval = (
        "none" if cosine.low is None or cosine.high is None else f"{half_up(cosine.low)} to {half_up(cosine.high)}"
    )
    value = "undefined" if cosine.value is None else half_up(cosine.value)
    table.add_row("shared words (TF-IDF cosine)", value, interval, counted(cosine.n, "response"))
    _row(table, found.with_clash, "responses with a clash", _of(found.with_clash, "response"))
    yield _inset(table)
    yield from (_inset(Text(f"shared words: {cosine.reason}")) for _ in range(1) if cosine.reason)
    clashes = [(r.name, clash) for r in report.responses if r.concordance for clash in r.concordance.clashes]
    for name, clash in clashes[:_NAMED]:
        yield _inset(Text(f"{_out(name)}: {_out(clash.sentence)} ({clash.kind})"))
    if len(clashes) > _NAMED:
        yield _inset(Text(f"and {counted(len(clashes) - _NAMED, 'more clash', 'more clashes')}"))
    yield _inset(Text(_NOT_TRUTH))


def _latency(report: CitationReport) -> Iterator[RenderableType]:
    found = report.all.latency
    if found is None:
        return
    left = f", {found.missing:,} without" if found.missing else ""
    yield ""
    yield _title(f"Latency in seconds: {counted(found.n, 'response')}{left}")
    table = _table("", "n", "min", "median", "p90", "p95", "p99", "max")
    models = [(_out(model) or "(not given)", group.latency) for model, group in report.by_model.items()]
    for name, group in (("all", found), *models):
        if group is not None:
            told = (group.least, group.median.value, group.p90, group.p95.value, group.p99, group.most)
            table.add_row(name, f"{group.n:,}", *("-" if value is None else half_up(value, 2) for value in told))
    yield _inset(table)
    yield from map(_inset, _latency_intervals(found))


def _latency_intervals(found: Latency) -> Iterator[Text]:
    for name, figure in (("median", found.median), ("p95", found.p95)):
        if figure.low is not None and figure.high is not None:
            yield Text(f"{name}, 95% interval: {half_up(figure.low, 2)} to {half_up(figure.high, 2)}")
        else:
            yield Text(f"{name}: {figure.reason}")
    yield Text("Percentiles by linear interpolation (type 7); intervals from the ordered values themselves.")


def _phrase(figure: Figure) -> str:
    value = percent(figure.value or 0)
    if figure.low is None or figure.high is None:
        return f"{value} reached ({figure.reason})"
    return f"{value} reached (95% interval {percent(figure.low)} to {percent(figure.high)})"


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False)
    for place, name in enumerate(names):
        words = name in ("95% interval", "of") or place == 0
        table.add_column(Text(name), justify="left" if words else "right", no_wrap=place > 0)
    return table


def _inset(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))


def _title(text: str) -> Text:
    return Text(text, style="bold underline")


def _out(text: str) -> str:
    """A text from outside on one line of this report."""
    return visible(" ".join(text.split()))
