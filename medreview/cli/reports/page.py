"""A report as one HTML file: nothing loaded, to be read, printed and kept; its style, its script, and its parts.

Everything that is not markup of ours is escaped here, whatever it is.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from medreview.atomic_output import Outputs, atomic_output, check_own, write_new
from medreview.cli.output import counted
from medreview.cli.reports.layout import Bars, Check, Inset, NextStep, Part, ReportTable, TableHeading, Title
from medreview.cli.reports.page_parts import (
    Details,
    FieldList,
    Grid,
    GridCell,
    Listing,
    PagePart,
    Plot,
    QuotedText,
    ReportSection,
    Run,
    TextLine,
)
from medreview.cli.reports.plots import Drawing, stacked_bars
from medreview.errors import UserError

STYLE: Final = "\n" + files(__package__).joinpath("page.css").read_text(encoding="utf-8")
SCRIPT: Final = "\n" + files(__package__).joinpath("page.js").read_text(encoding="utf-8")
"""Numbers are recognised by a cell's start, so ``83.3%`` and ``1,204`` sort as numbers; empty cells come last."""
_LOWEST: Final = 6


class PageDrawer:
    """Draws the parts of one page, one after the other: it counts plots, so that each has its own ids, and knows under
    which heading it is, so that none is skipped and each table has a caption."""

    def __init__(self) -> None:
        self._plots = 0
        self._level = 2
        self._titled = False
        self._caption = ""

    def section(self, section: ReportSection) -> Iterator[str]:
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
            case TableHeading(text):
                yield self._heading(self._level + self._titled, text)
            case Check(sentence, met):
                state, colon, rest = sentence.partition(":")
                yield f'<p><span class="{"met" if met else "missed"}">{escape(state)}</span>{colon}{escape(rest)}</p>\n'
            case NextStep(command):
                yield f"<p><code>{escape(command)}</code></p>\n"
            case ReportTable():
                yield from self._table(part)
            case Grid():
                yield from self._grid(part)
            case Bars():
                yield from self._plot(Plot(bars_plot(part)))
            case Plot():
                yield from self._plot(part)
            case Inset(inner):
                yield from self.parts(inner)
            case TextLine(runs):
                yield f"<p>{_runs(runs)}</p>\n"
            case QuotedText(runs):
                yield f'<p class="text">{_runs(runs)}</p>\n'
            case Listing():
                yield from self._listing(part)
            case FieldList(rows):
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

    def _table(self, table: ReportTable) -> Iterator[str]:
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
        kind = "votes glance" if grid.kind == "glance" else grid.kind
        yield self._frame(grid.caption, f' class="{kind}"{"" if grid.kind == "checklist" else " data-sortable"}')
        yield f"<thead><tr>{''.join(_head(name) for name in grid.columns)}</tr></thead>\n<tbody>\n"
        for row in grid.rows:
            name = _cell(row[0], "th", ' scope="row"') if row[0].text else "<td></td>"
            cells = name + "".join(map(_cell, row[1:]))
            yield f"<tr>{cells}</tr>\n"
        yield "</tbody>\n</table></div>\n"

    def _listing(self, items: Listing) -> Iterator[str]:
        yield "<ul>\n"
        for place, parts in enumerate(items.items):
            yield f"<li{_id(items.anchors[place] if items.anchors else '')}>"
            yield " ".join(
                _runs(part.runs) if isinstance(part, TextLine) else "".join(self.part(part)) for part in parts
            )
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


def _cell(cell: GridCell, tag: str = "td", more: str = "") -> str:
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
    """Write the report of a command. Raises :class:`UserError` if the file there is not an earlier report of it."""
    return write_html(path, command, title, PageDrawer().parts(parts))


def write_html(
    path: Path, command: str, title: str, body: Iterable[str], style: str = "",
    contents: Iterable[tuple[str, str]] = (), among: Outputs | None = None,
) -> Path:  # fmt: skip
    """The same of a body that is HTML already, its texts escaped; ``style`` is added to that of all pages.

    ``contents``: anchors and titles of its sections, for a table of contents. ``among``: files with which it takes its
    place, all of them or none.
    """
    sign = _sign(command).encode()
    with among.file(path, sign) if among else atomic_output(path, sign) as partial:
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
