"""A report as one HTML file: nothing loaded, to be read, printed and kept; its style, its script, and its parts.

Everything that is not markup of ours is escaped here, whatever it is.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Final

from medreview.atomic_output import atomic_output, check_own, write_new
from medreview.cli.output import counted
from medreview.cli.reports.layout import Bars, Check, Heading, Inset, NextStep, Part, Table, Title
from medreview.cli.reports.page_parts import (
    Cell,
    Details,
    Fields,
    Grid,
    Line,
    Listing,
    PagePart,
    Passage,
    Plot,
    Run,
    Section,
)
from medreview.cli.reports.plots import Drawing, stacked_bars
from medreview.errors import UserError

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #c8c8c8; --soft: #595959; --link: #0b4f9e;
  --good: #1b6e3c; --bad: #b3261e; --yes: #d7eedd; --yes-ink: #12492a; --no: #f6dad7; --no-ink: #7a1712;
  --mark: #fff1a8; --mark-ink: #1a1a1a; --clash: #ffd0c8; --plot-0: #0b5394; --plot-1: #a64d00; --plot-2: #38761d;
  --plot-3: #741b47; --plot-4: #555555; --plot-5: #00707a; --plot-6: #7a5c00; --plot-7: #4b2e83; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #4d4d4d; --soft: #b0b0b0; --link: #8ab8ff; --good: #6fcf97;
    --bad: #ff8a80; --yes: #17402a; --yes-ink: #c9f2d8; --no: #56211d; --no-ink: #ffd9d5; --mark: #5a4a00;
    --mark-ink: #fff6d0; --clash: #6b241c; --plot-0: #7db8f0; --plot-1: #f2a65a; --plot-2: #8fd07a; --plot-3: #e39ac0;
    --plot-4: #b8b8b8; --plot-5: #5fcbd6; --plot-6: #d9bd57; --plot-7: #b9a3f0; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--ink); padding-bottom: .2rem; }
h3 { margin: 1.75rem 0 .25rem; }
h4, h5, h6 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .35rem 0; overflow-wrap: anywhere; }
nav ul { columns: 16rem; padding-left: 1.2rem; }
.scroll { overflow-x: auto; max-width: 100%; margin: .75rem 0; }
table { border-collapse: collapse; }
caption.aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
tbody th { font-weight: inherit; }
tbody th[scope=rowgroup] { font-weight: bold; }
td.words, th.words { min-width: 9rem; }
td.never, th.never { white-space: nowrap; }
td.anywhere, th.anywhere { overflow-wrap: anywhere; min-width: 7rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: inherit; text-decoration: underline dotted; text-underline-offset: .2em; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
figure { display: inline-block; width: min-content; max-width: 100%; margin: .5rem 2rem 1rem 0; vertical-align: top; }
figcaption { color: var(--soft); font-size: .9rem; }
figure details { border: 0; padding: 0; }
.plot svg { height: auto; width: auto; max-width: none; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
details { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .75rem; margin: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary h3 { display: inline; font-size: 1.1rem; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; border-left: 3px solid var(--line); padding-left: .75rem; }
mark { background: var(--mark); color: var(--mark-ink); }
mark.clash { background: var(--clash); color: inherit; text-decoration: underline; }
sup { font-size: .7em; padding: 0 .15em; line-height: 1; }
.muted { color: var(--soft); }
code { overflow-wrap: anywhere; }
.missed { color: var(--bad); font-weight: bold; }
.met { color: var(--good); font-weight: bold; }
.votes td, .votes th { padding: .15rem .4rem; text-align: center; }
.votes th { font-weight: normal; vertical-align: bottom; max-width: 9rem; overflow-wrap: anywhere; }
.votes tbody th { text-align: left; min-width: 14rem; max-width: 28rem; }
.votes .yes { background: var(--yes); color: var(--yes-ink); }
.votes .no { background: var(--no); color: var(--no-ink); }
.votes .together { font-weight: bold; border-left: 2px solid var(--ink); border-right: 2px solid var(--ink); }
.votes .tie { outline: 2px solid var(--ink); outline-offset: -2px; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
@media (max-width: 34rem) {
  body { margin: 1rem auto; padding: 0 .75rem; }
  dl { display: block; }
  dd { margin: 0 0 .4rem; }
  figure { display: block; width: auto; margin: 1rem 0; }
  .plot svg { max-width: 31rem; }
}
@page { margin: 16mm 14mm; }
@media print {
  body { font-size: 10pt; line-height: 1.35; max-width: none; margin: 0; padding: 0; }
  nav, .skip { display: none; }
  section + section { break-before: auto; }
  .scroll { overflow: visible; }
  figure { display: block; width: auto; }
  .plot svg { max-width: 100%; }
  table { font-size: 9pt; }
  td.never, th.never { white-space: normal; }
  h2, h3, h4, h5, h6, summary { break-after: avoid; }
  figure, .case { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  mark, .yes, .no { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


SCRIPT: Final = """
"use strict";
{
  const number = (text) => {
    const found = /^[<>]?\\s*(-?[\\d,]*\\.?\\d+)\\s*(%|$|[\\s(])/.exec(text);
    return found ? Number(found[1].replaceAll(",", "")) : NaN;
  };
  const words = (row, place) => row.cells[place].textContent.trim();
  const order = (one, other) => {
    if (!one || !other) return one ? -1 : other ? 1 : 0;
    const [a, b] = [number(one), number(other)];
    if (isNaN(a) !== isNaN(b)) return isNaN(a) ? 1 : -1;
    return isNaN(a) ? one.localeCompare(other, "en", { numeric: true }) : a - b;
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, place) => {
      if (head.tagName !== "TH") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => {
          const [one, other] = [words(a, place), words(b, place)];
          return (down && one && other ? -1 : 1) * order(one, other);
        });
        table.tBodies[0].append(...rows);
      });
    });
  }
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.open = true;
      folded.push(part);
    }
  });
  addEventListener("afterprint", () => {
    for (const part of folded.splice(0)) part.open = false;
  });
  const unfold = () => {
    const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = at; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (at) at.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
}
"""
"""Numbers are told by how a cell begins, so that ``83.3%`` and ``1,204`` sort as numbers; empty cells come last."""


_LOWEST: Final = 6


class PageDrawer:
    """Draws the parts of one page, one after the other: it counts plots, so that each has its own ids, and knows under
    which heading it is, so that none is skipped and each table has a caption."""

    def __init__(self) -> None:
        self._plots = 0
        self._level = 2
        self._titled = False
        self._caption = ""

    def section(self, section: Section) -> Iterator[str]:
        """A section with its heading; those in it are one level below."""
        anchor = escape(section.anchor)
        yield f'<section id="{anchor}" aria-labelledby="{anchor}-h">\n'
        yield f'<h2 id="{anchor}-h">{escape(section.title)}</h2>\n'
        self._level, self._titled, self._caption = 3, False, section.title
        yield from self.parts(section.parts)
        self._level = 2
        yield "</section>\n"

    def parts(self, parts: Iterable[PagePart]) -> Iterator[str]:
        """Any parts, beneath each other."""
        for part in parts:
            yield from self.part(part)

    def part(self, part: PagePart) -> Iterator[str]:
        """One part."""
        match part:
            case str():
                yield f"<p>{escape(part)}</p>\n" if part else ""
            case Title(text):
                self._titled = True
                yield self._heading(self._level, text)
            case Heading(text):
                yield self._heading(self._level + self._titled, text)
            case Check(sentence, met):
                state, colon, rest = sentence.partition(":")
                yield f'<p><span class="{"met" if met else "missed"}">{escape(state)}</span>{colon}{escape(rest)}</p>\n'
            case NextStep(command):
                yield f"<p><code>{escape(command)}</code></p>\n"
            case Table():
                yield from self._table(part)
            case Grid():
                yield from self._grid(part)
            case Bars():
                yield from self._plot(Plot(bars_plot(part)))
            case Plot():
                yield from self._plot(part)
            case Inset(inner):
                yield from self.parts(inner)
            case Line(runs):
                yield f"<p>{_runs(runs)}</p>\n"
            case Passage(runs):
                yield f'<p class="text">{_runs(runs)}</p>\n'
            case Listing():
                yield from self._listing(part)
            case Fields(rows):
                yield "<dl>\n"
                yield from (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>\n" for name, value in rows)
                yield "</dl>\n"
            case Details():
                if part.heading:
                    self._titled = True
                head = self._heading(self._level, part.summary).strip() if part.heading else escape(part.summary)
                yield f"<details{_id(part.anchor)}>\n<summary>{head}</summary>\n"
                yield from self.parts(part.parts)
                yield "</details>\n"

    def _heading(self, level: int, text: str) -> str:
        self._caption = text
        at = min(level, _LOWEST)
        return f"<h{at}>{escape(text)}</h{at}>\n"

    def _plot(self, plot: Plot) -> Iterator[str]:
        """The picture, and folded below it the table of its numbers, where no other table has them."""
        self._plots += 1
        drawing, title = plot.drawing, escape(plot.drawing.title)
        where = f"The numbers stand in the table {f'“{plot.tabled}”.' if plot.tabled else 'that is folded below it.'}"
        label = escape(f"Plot: {drawing.title}", quote=True)
        yield f'<figure><div class="scroll plot" tabindex="0" role="group" aria-label="{label}">'
        yield drawing.inline(f"plot-{self._plots}", where)
        yield f"</div>\n<figcaption>{title}</figcaption>\n"
        if not plot.tabled:
            before, self._caption = self._caption, drawing.title
            yield "<details><summary>Numbers</summary>\n"
            yield from self._table(drawing.numbers)
            yield "</details>\n"
            self._caption = before
        yield "</figure>\n"

    def _frame(self, caption: str, kind: str) -> str:
        label = escape(f"Table: {caption}", quote=True)
        return (
            f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
            f'<table{kind}>\n<caption class="aside">{escape(caption)}</caption>\n'
        )

    def _table(self, table: Table) -> Iterator[str]:
        grouped = any(not row[0] or not any(row[1:]) for row in table.rows)  # a row belongs to the one above it
        sortable = " data-sortable" if table.header and not grouped and len(table.rows) > 1 else ""
        yield self._frame(self._caption, sortable)
        if table.header:
            heads = "".join(_head(column.name, "n" if column.right else "") for column in table.columns)
            yield f"<thead><tr>{heads}</tr></thead>\n"
        yield "<tbody>\n"
        classes = [f"{column.breaks}{' n' if column.right else ''}" for column in table.columns]
        for row in table.rows:
            if any(row[1:]):
                first = f'<th scope="row" class="{classes[0]}">{escape(row[0])}</th>' if row[0] else "<td></td>"
                rest = zip(classes[1:], row[1:], strict=True)
                cells = first + "".join(f'<td class="{how}">{escape(cell)}</td>' for how, cell in rest)
            else:
                cells = f'<th scope="rowgroup" colspan="{len(row)}">{escape(row[0])}</th>'
            yield f"<tr>{cells}</tr>\n"
        yield "</tbody>\n</table></div>\n"

    def _grid(self, grid: Grid) -> Iterator[str]:
        yield self._frame(grid.caption, ' class="votes" data-sortable')
        yield f"<thead><tr>{''.join(_head(name) for name in grid.columns)}</tr></thead>\n<tbody>\n"
        for row in grid.rows:
            cells = _cell(row[0], "th", ' scope="row"') + "".join(map(_cell, row[1:]))
            yield f"<tr>{cells}</tr>\n"
        yield "</tbody>\n</table></div>\n"

    def _listing(self, items: Listing) -> Iterator[str]:
        yield "<ul>\n"
        for place, parts in enumerate(items.items):
            yield f"<li{_id(items.anchors[place] if items.anchors else '')}>"
            for part in parts:
                yield _runs(part.runs) if isinstance(part, Line) else "".join(self.part(part))
            yield "</li>\n"
        yield "</ul>\n"


def bars_plot(bars: Bars) -> Drawing:
    """What each response cites, as a plot."""
    most = max(1, *(bar.allowed + bar.other for bar in bars.rows))
    return stacked_bars(
        "Citations of each response",
        ("allowed", f"not allowed; full width: {counted(most, 'source')}"),
        [(bar.name, bar.allowed, bar.other, bar.words) for bar in bars.rows],
    )


def _head(name: str, kind: str = "") -> str:
    if not name:  # a column of names: an empty heading says nothing to who hears the table
        return '<td class="corner"></td>'
    return f'<th scope="col"{f" class={kind!r}" if kind else ""}>{escape(name)}</th>'


def _cell(cell: Cell, tag: str = "td", more: str = "") -> str:
    tones = f' class="{" ".join(cell.tone)}"' if cell.tone else ""
    return f"<{tag}{more}{tones}>{_linked(escape(cell.text), cell.to)}</{tag}>"


def _runs(runs: Iterable[Run]) -> str:
    return "".join(map(_run, runs))


def _run(run: Run) -> str:
    note = f"<sup>{escape(run.note)}</sup>" if run.note else ""
    text = _linked(escape(run.text), run.to)
    match run.tone:
        case "":
            return text + note
        case "strong":
            return f"<strong>{text}</strong>{note}"
        case "quote" | "clash":
            kind = ' class="clash"' if run.tone == "clash" else ""
            return f"<mark{kind}>{text}{note}</mark>"
    return f'<span class="{run.tone}">{text}{note}</span>'


def _linked(text: str, to: str) -> str:
    return f'<a href="#{escape(to, quote=True)}">{text}</a>' if to else text


def _id(anchor: str) -> str:
    return f' id="{escape(anchor, quote=True)}"' if anchor else ""


_ENDINGS: Final = ("", ".html", ".htm")
_HASH: Final = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
)


def write_page(path: Path, command: str, title: str, parts: Iterable[Part]) -> Path:
    """Write the report of a command. Raises :class:`UserError` for a file in the place that is no earlier one of it."""
    return write_html(path, command, title, PageDrawer().parts(parts))


def write_html(
    path: Path, command: str, title: str, body: Iterable[str], style: str = "", contents: Iterable[tuple[str, str]] = ()
) -> Path:
    """The same of a body that is HTML already, its texts escaped; ``style`` is added to that of all pages.

    ``contents``: anchors and titles of its sections, for a table of contents.
    """
    with atomic_output(path, _sign(command).encode()) as partial:
        write_new(partial, "".join(_page(command, title, body, style, contents)))
    return path


def check_page(path: Path, command: str) -> None:
    """Raise :class:`UserError` where :func:`write_page` would, and for a name that is no page's: before the work."""
    if path.suffix.lower() not in _ENDINGS:
        raise UserError(
            f"{path} would hold a page of HTML; name it {path.with_suffix('.html')}. A browser prints it as a PDF, and "
            "word processors open it."
        )
    check_own(path, _sign(command).encode())


def _sign(command: str) -> str:
    return f"<!DOCTYPE html>\n<!-- medreview {command} -->\n"


def _page(
    command: str, title: str, body: Iterable[str], style: str, contents: Iterable[tuple[str, str]]
) -> Iterator[str]:
    yield f'{_sign(command)}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
    yield '<a class="skip" href="#content">Skip to the report</a>\n'
    yield f"<header>\n<h1>{escape(title)}</h1>\n</header>\n"
    links = [f'<li><a href="#{escape(to)}">{escape(name)}</a></li>\n' for to, name in contents]
    if links:
        yield f'<nav aria-label="Contents">\n<ul>\n{"".join(links)}</ul>\n</nav>\n'
    yield '<main id="content" tabindex="-1">\n'
    yield from body
    yield f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
