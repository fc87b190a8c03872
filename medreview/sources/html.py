"""HTML to text, twice: the main text by trafilatura, and everything by the walker."""

import logging
import re
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.sources.charset import decode
from medreview.sources.stand_ins import put_in, taken_out
from medreview.sources.walker import folded, full_text, is_data_table, one_line

LARGEST_FOR_MAIN: Final = 4_000_000
MOST_ELEMENTS_FOR_MAIN: Final = 50_000
MOST_TABLES_FOR_MAIN: Final = 2_000
"""Sizes above which only the full text is made: trafilatura's time grows with the square of some of them."""

_SUPERSCRIPT: Final = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_POWER: Final = re.compile(r"[+\-\u2212]?\d{1,3}[+\-\u2212]?|[+\-\u2212]")
_REFERENCE: Final = re.compile(r"(refs?|cite|citation|reference|footnote|fn|bibr?)([-_\d]|$)", re.IGNORECASE)
_ROW_RULE: Final = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_COPIED_CELL: Final = 300
_COPIED_CELLS: Final = 5_000
_TALLEST_CELL: Final = 60
_WIDEST_CELL: Final = 20
_APP_ROOTS: Final = frozenset({"root", "app", "__next", "___gatsby", "application", "react-root", "main-app"})
_LOGGERS: Final = ("trafilatura", "htmldate", "courlan", "justext")


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Texts of a page and what its state is told from.

    ``main`` is ``""`` when no main text was found. ``headline`` is title and first-level headings. ``noscript``
    is what the page says to a browser without scripts. ``app_root``: the page is an empty frame for a script to fill.
    ``closed``: its metadata says that it is not free to read. ``damage`` is a sentence when a part could not be read.
    """

    title: str
    main: str
    full: str
    headline: str
    noscript: str
    app_root: bool
    closed: bool
    damage: str


def read_html(body: bytes, content_type: str = "") -> HtmlText:
    """The texts of an HTML body. Never raises for what a page may hold; takes 10 ms for most pages, a few
    seconds for the worst ones known."""
    markup = decode(body, content_type)
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return HtmlText("", "", "", "", "", False, False, "The page holds no readable HTML.")
    damage = ""
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        damage = "The page is nested too deeply to be read whole."
    back = taken_out if put_in(root) else str
    _free_captions(root)
    _write_out_superscripts(root)
    _repeat_tall_cells(root)
    title = folded(root.findtext(".//title") or "")
    headings = [folded(heading.text_content()) for heading in root.iter("h1")]
    return HtmlText(
        title=back(title or next((heading for heading in headings if heading), "")),
        main=back(_main_text(root)) if len(markup) <= LARGEST_FOR_MAIN and _is_modest(root) else "",
        full=back(full_text(root)),
        headline="\n".join(text for text in [title, *headings[:3]] if text),
        noscript=folded(" ".join(node.text_content() for node in root.iter("noscript"))),
        app_root=_is_app_root(root),
        closed=bool(re.search(r'"isAccessibleForFree"\s*:\s*"?false', markup, re.IGNORECASE)),
        damage=damage,
    )


def main_extractor() -> str:
    """Name and version of what makes the main text."""
    return f"trafilatura {version('trafilatura')}"


def _is_modest(root: HtmlElement) -> bool:
    elements = sum(1 for _ in islice(root.iter(), MOST_ELEMENTS_FOR_MAIN + 1))
    tables = sum(1 for _ in islice(root.iter("table"), MOST_TABLES_FOR_MAIN + 1))
    return elements <= MOST_ELEMENTS_FOR_MAIN and tables <= MOST_TABLES_FOR_MAIN


def _main_text(root: HtmlElement) -> str:
    import trafilatura

    for name in _LOGGERS:
        # Its complaints about odd pages would otherwise be printed into the middle of a progress bar.
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    try:
        text = trafilatura.extract(
            etree.tostring(root, encoding="utf-8", method="html"),
            favor_recall=True,
            include_comments=False,
            include_tables=True,
        )
    except Exception:
        # A page that trafilatura stumbles over still has its full text.
        return ""
    lines = [line.rstrip() for line in (text or "").split("\n")]
    return "\n".join(line for line in lines if not _ROW_RULE.fullmatch(line)).strip("\n")


def _free_captions(root: HtmlElement) -> None:
    """Captions become paragraphs: trafilatura drops those of figures and takes those of tables for a row."""
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            caption.tail = None
            caption.tag = "p"
            table.addprevious(caption)
    for node in list(root.iter("figure", "figcaption")):
        node.tag = "div" if node.tag == "figure" else "p"


def _write_out_superscripts(root: HtmlElement) -> None:
    """Raised figures become superscript characters or ``[n]``: as plain text 10<sup>9</sup> would be read as 109."""
    for node in list(root.iter("sup")):
        raw = node.text_content()
        text = folded(raw)
        before = _text_before(node).rstrip("\u200b")
        if not text or text.startswith(("[", "(")):
            continue
        if _is_reference(node) or (re.fullmatch(r"\d{1,3}([,\u2013\-\s]+\d{1,3})*", text) and _after_sentence(before)):
            text = f"[{text}]"
        elif _POWER.fullmatch(text):
            text = text.translate(_SUPERSCRIPT)
        elif re.fullmatch(r"\d{1,3}([,\u2013-]\s*\d{1,3})+", text):
            text = f"[{text}]"
        else:
            continue
        for child in list(node):
            node.remove(child)
        node.text = text


def _after_sentence(before: str) -> bool:
    return before.rstrip().endswith((".", ",", ";", ":", ")", "\u201d", '"'))


def _is_reference(node: HtmlElement) -> bool:
    marked = [node, *node.iter("a")]
    if any((link.get("href") or "").startswith("#") for link in marked[1:]):
        return True
    return any(_REFERENCE.match(name) for part in marked for name in (part.get("class") or "").split())


def _text_before(node: HtmlElement) -> str:
    previous = node.getprevious()
    if previous is not None:
        return str(previous.tail or previous.text_content())
    parent = node.getparent()
    return str(parent.text or "") if parent is not None else ""


def _repeat_tall_cells(root: HtmlElement) -> None:
    """Write a cell that spans rows into each of them, so that every row can be read on its own."""
    for cell in root.iter("td", "th"):
        for name, most in (("rowspan", _TALLEST_CELL), ("colspan", _WIDEST_CELL)):
            # No table of a reader is so large; trafilatura would write out a million columns.
            if cell.get(name) and not 1 <= _number(cell.get(name)) <= most:
                del cell.attrib[name]
    copies = 0
    for table in root.iter("table"):
        if not any(cell.get("rowspan") for cell in table.iter("td", "th")) or not is_data_table(table):
            continue
        open_cells: dict[int, tuple[int, str]] = {}
        for row in table.iter("tr"):
            column = 0
            cells = list(row.iterchildren("td", "th"))
            still_open: dict[int, tuple[int, str]] = {}
            position = 0
            while position < len(cells) or column in open_cells:
                if column in open_cells:
                    left, text = open_cells[column]
                    if copies < _COPIED_CELLS:
                        copy = etree.SubElement(row, "td")
                        copy.text = text
                        if position < len(cells):
                            cells[position].addprevious(copy)
                        copies += 1
                    if left > 1:
                        still_open[column] = (left - 1, text)
                    column += 1
                    continue
                cell = cells[position]
                position += 1
                rows, columns = _number(cell.get("rowspan", "1")), _number(cell.get("colspan", "1"))
                text = one_line(cell)
                if rows > 1 and len(text) <= _COPIED_CELL:
                    still_open[column] = (rows - 1, text)
                    del cell.attrib["rowspan"]
                column += columns
            open_cells = still_open


def _number(text: str | None) -> int:
    """A span attribute as a number; 0 when it is none."""
    return int(text) if text and len(text) <= 4 and text.isascii() and text.isdecimal() else 0


def _is_app_root(root: HtmlElement) -> bool:
    """Whether the page is a frame that scripts are to fill: an empty element with one of the usual names."""
    for node in root.iter("div", "main", "section"):
        if (node.get("id") or "").lower() in _APP_ROOTS and not folded(node.text_content()):
            return any(True for _ in root.iter("script"))
    return False
