"""The report on citations as one HTML file: no script, nothing loaded, to be read, printed and kept.

Everything from outside is shown by ``visible`` and escaped. Cited addresses are text, no links: nobody should come to
an address that a model made up by a slip of the hand.
"""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from medreview.citations.scoring import KIND_NAMES
from medreview.exchange.files.atomic_output import atomic_output, check_own, write_private
from medreview.sources.lookups.reach import MEANING, STATES
from medreview.stats.citations.kpis import CitationFigures, Criterion
from medreview.stats.citations.report import CitationGroup, CitationReport, ScoredResponse
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.visible import visible

SIGN: Final = "<!DOCTYPE html>\n<!-- medreview citations -->\n"
MOST_BARS: Final = 100
MOST_ROWS: Final = 2_000
"""Responses in the table, and citations in theirs; the CSV files have all."""

_ROW: Final = 22
_LABEL: Final = 200
_WIDTH: Final = 720
_MEANINGS: Final = (
    "Allowed: a URL on the list, or an identifier taken by its format. Mean of responses: the share in each response, "
    "then the mean; responses without any are left out. Pooled: all citations together, so that long lists weigh more. "
    "Shared words with a reference are not truth: the opposite in the same words scores high. A clash is found by "
    "rules; look at it yourself."
)
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #bbb; --good: #1b6e3c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #555; --good: #6fcf97; --bad: #ff8a80; }
}
@media print { :root { --ink: #000; --paper: #fff; --line: #888; --good: #1b6e3c; --bad: #b3261e; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.long { overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.allowed { fill: var(--good); }
.other { fill: url(#stripes); stroke: var(--bad); }
.missed { color: var(--bad); font-weight: bold; }
.met { color: var(--good); font-weight: bold; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
"""


def write_html(report: CitationReport, name: str, path: Path) -> Path:
    """Write the report; ``name`` says what was looked at. Raises :class:`UserError` for another file in the place."""
    with atomic_output(path, SIGN.encode()) as partial:
        write_private(partial, "".join(_page(report, name)))
    return path


def check_html(path: Path) -> None:
    """Raise :class:`UserError` where :func:`write_html` would: before the work, not after it."""
    check_own(path, SIGN.encode())


def _page(report: CitationReport, name: str) -> Iterator[str]:
    figures = report.all.figures
    yield f'{SIGN}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>Citations in {_text(name)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>Citations in {_text(name)}</h1>\n"
    kinds = ", ".join(KIND_NAMES[kind] for kind in KIND_NAMES if kind in report.allow.identifiers) or "none"
    yield (
        f"<p>{figures.responses:,} responses, {figures.citations:,} citations; a source that a response names twice "
        f"counts once ({report.mentions:,} places). Allow-list: {_text(report.allow.name)}, {len(report.allow):,} "
        f"entries. Kinds taken by their format alone: {_text(kinds)}. That says that an identifier looks right, not "
        "that it exists.</p>\n"
    )
    yield "<h2>Criteria</h2>\n<ul>\n"
    yield from map(_criterion, report.criteria)
    yield f"</ul>\n<h2>Figures</h2>\n<p>{_text(_MEANINGS)}</p>\n"
    yield from _figures("All responses", report.all)
    for model, group in report.by_model.items():
        yield from _figures(f"Model {model or '(not given)'}", group)
    yield from _reach(report)
    yield from _bars(report.worst)
    yield from _responses(report)
    yield from _citations(report)
    draws = report.resampling
    yield (
        "<p>Intervals are 95% intervals: Wilson for responses with a citation and with a clash, order statistics for "
        f"latency, else percentile bootstrap over responses, {draws.replicates:,} replicates, seed {draws.seed}.</p>\n"
        "</body>\n</html>\n"
    )


def _criterion(criterion: Criterion) -> str:
    state, _, rest = criterion.sentence.partition(":")
    return f'<li><span class="{"met" if criterion.met else "missed"}">{state}</span>:{_text(rest)}</li>\n'


def _figures(title: str, group: CitationGroup) -> Iterator[str]:
    yield f"<h3>{_text(title)}</h3>\n"
    yield _head("figure", "value", "95% interval", "n", "responses", "left out", "note")
    for name, figure in _named(group.figures):
        yield _figure(name, figure)
    if group.concordance is not None:
        yield _figure("shared words with the reference (TF-IDF cosine), mean", group.concordance.cosine)
        yield _figure("responses with a clash with the reference", group.concordance.with_clash)
    told = group.latency
    if told is not None:
        yield _figure("latency in seconds, median", told.median)
        yield _figure("latency in seconds, 95th percentile", told.p95)
    yield "</tbody>\n</table>\n"
    if told is not None:
        others = (("min", told.least), ("p90", told.p90), ("p99", told.p99), ("max", told.most))
        words = ", ".join(f"{name} {half_up(value, 2)}" for name, value in others if value is not None)
        yield f"<p>Latency of {told.n:,} responses in seconds: {words} (percentiles of type 7).</p>\n"


def _named(found: CitationFigures) -> Iterator[tuple[str, Estimate]]:
    for figure in (
        found.with_citation, found.mean_citations, found.mean_allowed, found.pooled_allowed, found.mean_allowed_urls,
        found.pooled_allowed_urls,
    ):  # fmt: skip
        yield figure.name, figure
    for kind, figure in found.kinds.items():
        if figure.value:
            yield f"of all citations, {KIND_NAMES[kind]}", figure
    if found.reached.n:
        yield "reached, of those asked for", found.reached
    if found.existing.n:
        yield "identifiers that exist, of those known", found.existing


def _figure(name: str, figure: Estimate) -> str:
    plain = any(word in name for word in ("per response", "cosine", "seconds"))

    def number(value: float) -> str:
        return half_up(value, 3 if "cosine" in name else 2) if plain else percent(value)

    value = "undefined" if figure.value is None else number(figure.value)
    ends = figure.low, figure.high
    interval = f"{number(ends[0])} to {number(ends[1])}" if ends[0] is not None and ends[1] is not None else "none"
    note = " ".join(filter(None, (figure.reason, *figure.notes)))
    clusters = "" if figure.clusters is None else f"{figure.clusters:,}"
    cells = (value, interval, f"{figure.n:,}", clusters, f"{figure.dropped:,}")
    return f"<tr><td>{_text(name)}</td>{''.join(map(_number_cell, cells))}<td>{_text(note)}</td></tr>\n"


def _reach(report: CitationReport) -> Iterator[str]:
    if not report.reach_from:
        return
    how = "asked now" if report.reach_from == "network" else "as the pages of the study were fetched"
    pairs = [report.reach.get(c.source) for r in report.responses for c in r.score.sources]
    yield f"<h2>Is something there?</h2>\n<p>Each source of each response, {how}.</p>\n"
    yield _head("state", "citations", "meaning")
    for state in STATES:
        count = sum(reach is not None and reach.state == state for reach in pairs)
        yield f"<tr><td>{state}</td>{_number_cell(f'{count:,}')}<td>{_text(MEANING[state])}</td></tr>\n"
    yield f"<tr><td>not asked</td>{_number_cell(f'{pairs.count(None):,}')}<td></td></tr>\n</tbody>\n</table>\n"


def _bars(worst: Sequence[ScoredResponse]) -> Iterator[str]:
    shown = worst[:MOST_BARS]
    most = max((response.counts.n_total for response in shown), default=0)
    yield "<h2>Each response</h2>\n"
    if not most:
        yield "<p>No response has a citation.</p>\n"
        return
    room = _WIDTH - _LABEL - 130
    height = _ROW * len(shown) + 34
    of = f"the {len(shown):,} of {len(worst):,} with most that is not allowed" if len(shown) < len(worst) else "all"
    yield (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="bars-title bars-desc">\n<title id="bars-title">Citations of each response</title>\n'
        f'<desc id="bars-desc">Stacked bars, {of}. Full: allowed. Striped: not allowed. The table below has the same '
        "numbers.</desc>\n"
        '<defs><pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="3" height="6" fill="var(--bad)"/></pattern></defs>\n'
        f'<rect class="allowed" x="{_LABEL}" y="4" width="14" height="14"/>'
        f'<text x="{_LABEL + 20}" y="16">allowed</text>'
        f'<rect class="other" x="{_LABEL + 100}" y="4" width="14" height="14"/>'
        f'<text x="{_LABEL + 120}" y="16">not allowed; full width: {most:,} sources</text>\n'
    )
    for place, response in enumerate(shown):
        counts, y = response.counts, 28 + place * _ROW
        good, bad = (room * n / most for n in (counts.n_allowed, counts.n_total - counts.n_allowed))
        yield f'<text x="{_LABEL - 8}" y="{y + 13}" text-anchor="end">{_text(_short(response.name))}</text>'
        if good:
            yield f'<rect class="allowed" x="{_LABEL}" y="{y}" width="{good:.1f}" height="16"/>'
        if bad:
            yield f'<rect class="other" x="{_LABEL + good:.1f}" y="{y}" width="{bad:.1f}" height="16"/>'
        said = f"{counts.n_allowed:,} of {counts.n_total:,} allowed" if counts.n_total else "no citation"
        yield f'<text x="{_LABEL + good + bad + 6:.1f}" y="{y + 13}">{said}</text>\n'
    yield "</svg>\n"


def _responses(report: CitationReport) -> Iterator[str]:
    yield _head(
        "response", "model", "citations", "places", "URLs", "allowed", "by format", "% allowed", "% of URLs"
    )  # fmt: skip
    for response in report.worst[:MOST_ROWS]:
        counts = response.counts
        shares = (
            percent(k / n) if n else "undefined"
            for k, n in ((counts.n_allowed, counts.n_total), (counts.n_allowed_urls, counts.n_url))
        )
        whole = (counts.n_total, response.score.mentions, counts.n_url, counts.n_allowed)
        cells = (*(f"{n:,}" for n in (*whole, response.score.count("by_format"))), *shares)
        yield f'<tr><td class="long">{_text(response.name)}</td><td class="long">{_text(response.answer.model)}</td>'
        yield f"{''.join(map(_number_cell, cells))}</tr>\n"
    yield "</tbody>\n</table>\n"
    yield _more(len(report.responses), "responses")


def _citations(report: CitationReport) -> Iterator[str]:
    rows = [(response, citation) for response in report.worst for citation in response.score.citations]
    yield "<h2>Each citation</h2>\n"
    there = ("there?",) if report.reach_from else ()
    yield _head("response", "characters", "kind", "value", "verdict", "because of", *there)
    for response, citation in rows[:MOST_ROWS]:
        place = "listed" if citation.start is None else f"{citation.start}-{citation.end}"
        because = citation.entry or citation.why or "its format"
        again = " (again)" if citation.repeat else ""
        kind = KIND_NAMES[citation.kind] + again
        yield f'<tr><td class="long">{_text(response.name)}</td>{_number_cell(place)}<td>{kind}</td>'
        yield f'<td class="long">{_text(citation.value)}</td><td>{citation.verdict.replace("_", " ")}</td>'
        yield f"<td>{_text(because)}</td>"
        if report.reach_from:
            reach = report.reach.get(citation.source)
            absent = "; does not exist" if reach is not None and reach.exists is False else ""
            yield f"<td>{'not asked' if reach is None else reach.state}{absent}</td>"
        yield "</tr>\n"
    yield "</tbody>\n</table>\n"
    yield _more(len(rows), "citations")


def _more(number: int, what: str) -> str:
    left = number - MOST_ROWS
    return f"<p>{left:,} more {what} are in the CSV and JSON only.</p>\n" if left > 0 else ""


def _head(*names: str) -> str:
    """The beginning of a table, up to its first row."""
    cells = "".join(f'<th scope="col">{_text(name)}</th>' for name in names)
    return f"<table>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n"


def _number_cell(text: str) -> str:
    return f'<td class="n">{_text(text)}</td>'


def _short(name: str) -> str:
    return name if len(name) <= 26 else name[:25] + "…"


def _text(text: str) -> str:
    return escape(visible(text))
