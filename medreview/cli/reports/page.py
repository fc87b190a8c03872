"""A report as one HTML file: no script, nothing loaded, to be read, printed and kept.

Cited addresses are text, no links: nobody should come to an address that a model made up by a slip of the hand.
"""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own, write_new
from medreview.cli.output import counted
from medreview.cli.reports.layout import Bars, Check, Heading, Inset, NextStep, Part, Table, Title

_ROW: Final = 22
_LABEL: Final = 200
_WIDTH: Final = 720
_LONGEST_NAME: Final = 26
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #bbb; --good: #1b6e3c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #555; --good: #6fcf97; --bad: #ff8a80; }
}
@media print { :root { --ink: #000; --paper: #fff; --line: #888; --good: #1b6e3c; --bad: #b3261e; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h2 { margin: 2rem 0 .5rem; }
h3 { margin: 1.5rem 0 .25rem; }
p { margin: .25rem 0; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
td.words { min-width: 9rem; }
td.never { white-space: nowrap; }
td.anywhere { overflow-wrap: anywhere; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.allowed { fill: var(--good); }
.other { fill: url(#stripes); stroke: var(--bad); }
.missed { color: var(--bad); font-weight: bold; }
.met { color: var(--good); font-weight: bold; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
"""


def write_page(path: Path, command: str, title: str, parts: Iterable[Part]) -> Path:
    """Write the report of a command. Raises :class:`UserError` for a file in the place that is no earlier one of it."""
    return write_html(path, command, title, map(drawn, parts))


def write_html(path: Path, command: str, title: str, body: Iterable[str], style: str = "") -> Path:
    """The same of a body that is HTML already, its texts escaped; ``style`` is added to that of all pages."""
    with atomic_output(path, _sign(command).encode()) as partial:
        write_new(partial, "".join(_page(command, title, body, style)))
    return path


def check_page(path: Path, command: str) -> None:
    """Raise :class:`UserError` where :func:`write_page` would: before the work, not after it."""
    check_own(path, _sign(command).encode())


def _sign(command: str) -> str:
    return f"<!DOCTYPE html>\n<!-- medreview {command} -->\n"


def _page(command: str, title: str, body: Iterable[str], style: str) -> Iterator[str]:
    yield f'{_sign(command)}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
    yield from body
    yield "</body>\n</html>\n"


def drawn(part: Part) -> str:
    """A part of a report as HTML."""
    match part:
        case Title(text):
            return f"<h2>{escape(text)}</h2>\n"
        case Heading(text):
            return f"<h3>{escape(text)}</h3>\n"
        case Check(sentence, met):
            state, colon, rest = sentence.partition(":")
            return f'<p><span class="{"met" if met else "missed"}">{escape(state)}</span>{colon}{escape(rest)}</p>\n'
        case NextStep(command):
            return f"<p><code>{escape(command)}</code></p>\n"
        case Table():
            return "".join(_table(part))
        case Bars():
            return "".join(_bars(part))
        case Inset(parts):
            return "".join(map(drawn, parts))
    return f"<p>{escape(part)}</p>\n" if part else ""


def _table(table: Table) -> Iterator[str]:
    yield "<table>\n"
    if table.header:
        heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in table.columns)
        yield f"<thead><tr>{heads}</tr></thead>\n"
    yield "<tbody>\n"
    classes = [f"{column.breaks}{' n' if column.right else ''}" for column in table.columns]
    for row in table.rows:
        if any(row[1:]):
            cells = (f'<td class="{how}">{escape(cell)}</td>' for how, cell in zip(classes, row, strict=True))
        else:
            cells = (f'<th scope="rowgroup" colspan="{len(row)}">{escape(cell)}</th>' for cell in row[:1])
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody>\n</table>\n"


def _bars(bars: Bars) -> Iterator[str]:
    most = max(1, *(bar.allowed + bar.other for bar in bars.rows))
    room = _WIDTH - _LABEL - 180
    height = _ROW * len(bars.rows) + 34
    yield (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="bars-title bars-desc">\n<title id="bars-title">Citations of each response</title>\n'
        '<desc id="bars-desc">Stacked bars, the worst first. Full: allowed. Striped: not allowed. The table below has '
        "the same numbers.</desc>\n"
        '<defs><pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="3" height="6" fill="var(--bad)"/></pattern></defs>\n'
        f'<rect class="allowed" x="{_LABEL}" y="4" width="14" height="14"/>'
        f'<text x="{_LABEL + 20}" y="16">allowed</text>'
        f'<rect class="other" x="{_LABEL + 100}" y="4" width="14" height="14"/>'
        f'<text x="{_LABEL + 120}" y="16">not allowed; full width: {counted(most, "source")}</text>\n'
    )
    for place, bar in enumerate(bars.rows):
        y, good, bad = 28 + place * _ROW, room * bar.allowed / most, room * bar.other / most
        name = bar.name if len(bar.name) <= _LONGEST_NAME else bar.name[: _LONGEST_NAME - 1] + "…"
        yield f'<text x="{_LABEL - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
        if good:
            yield f'<rect class="allowed" x="{_LABEL}" y="{y}" width="{good:.1f}" height="16"/>'
        if bad:
            yield f'<rect class="other" x="{_LABEL + good:.1f}" y="{y}" width="{bad:.1f}" height="16"/>'
        yield f'<text x="{_LABEL + good + bad + 6:.1f}" y="{y + 13}">{escape(bar.words)}</text>\n'
    yield "</svg>\n"
