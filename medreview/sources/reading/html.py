"""HTML to text, twice: the main text by trafilatura, and everything by the walker."""

import logging
import re
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.sources.reading.attribute_limit import without_stuffed_tags
from medreview.sources.reading.charset import decode
from medreview.sources.reading.control_placeholders import put_in, taken_out
from medreview.sources.reading.formulas import write_out_formulas
from medreview.sources.reading.full_text import folded, full_text, longer_than
from medreview.sources.reading.heading_marks import headings_taken_out, mark_headings
from medreview.sources.reading.markup import make_paragraphs, plain_blocks, without_formatting, write_out_marks
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.superscripts import write_out_superscripts
from medreview.sources.reading.tables import free_layout_tables, make_tables_of_roles, repeat_spanning_cells
from medreview.text import fold_newlines

LARGEST_FOR_MAIN: Final = 4_000_000
MOST_ELEMENTS_FOR_MAIN: Final = 50_000
MOST_TABLES_FOR_MAIN: Final = 2_000
MOST_IN_A_LINE_FOR_MAIN: Final = 3_000
"""Sizes above which only the full text is made: trafilatura's time grows with the square of some of them."""

_ROW_RULE: Final = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_APP_ROOTS: Final = frozenset({"root", "app", "__next", "___gatsby", "application", "react-root", "main-app"})
_ROOT_TAG: Final = re.compile(r"[a-z][a-z0-9]*-(?:root|app)|app-[a-z]+")
_LINES: Final = ("p", "li", "tr", "td", "th", "a", "b", "i", "span", "pre", "blockquote", "h1", "h2", "h3", "h4")
# Characters that the parser lets in and lxml would not take back in a text.
_NOT_IN_TREES: Final = {0x0C: " ", 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
_LOADING: Final = 40
_LOGGERS: Final = ("trafilatura", "htmldate", "courlan", "justext")


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Texts of a page with their outlines, and what its state is told from.

    ``main`` is ``""`` when no main text was found. ``headline`` is title and first-level headings. ``noscript``
    is what the page says to a browser without scripts. ``app_root``: the page is an empty frame for a script to fill.
    ``closed``: its metadata says that it is not free to read. ``damage`` is a sentence when a part could not be read.
    """

    title: str
    main: str
    main_outline: tuple[Heading, ...]
    full: str
    full_outline: tuple[Heading, ...]
    headline: str
    noscript: str
    app_root: bool
    closed: bool
    damage: str


def read_html(body: bytes, content_type: str = "") -> HtmlText:
    """The texts of an HTML body. Never raises for what a page may hold; takes 10 ms for most pages, a few
    seconds for the worst ones known."""
    markup = decode(body, content_type)
    root, damage = _parsed(markup)
    if root is None:
        return HtmlText("", "", (), "", (), "", "", False, False, damage)
    back = taken_out if put_in(root) else str
    title = folded(root.findtext(".//title") or "")
    headings = [folded(heading.text_content()) for heading in root.iter("h1")]
    noscript = folded(" ".join(node.text_content() for node in root.iter("noscript")))
    app_root = _is_app_root(root)
    is_modest = len(markup) <= LARGEST_FOR_MAIN and _is_modest(root)
    _make_readable(root)
    if is_modest:
        make_paragraphs(root)
        without_formatting(root)
    outlined = headings_taken_out if mark_headings(root) else _without_outline
    has_main = is_modest and all(len(node) <= MOST_IN_A_LINE_FOR_MAIN for node in root.iter(*_LINES))
    main, main_outline = outlined(back(fold_newlines(_main_text(root)))) if has_main else ("", ())
    full, full_outline = outlined(back(fold_newlines(full_text(root))))
    if main and full_outline and not main_outline:
        # On pages without a marked main part trafilatura gathers paragraphs, lists and tables, and leaves out headings.
        for heading in list(root.iter("h1", "h2", "h3", "h4", "h5", "h6")):
            heading.tag = "p"
        again, again_outline = outlined(back(fold_newlines(_main_text(root))))
        main, main_outline = (again, again_outline) if again_outline else (main, main_outline)
    return HtmlText(
        title=back(title or next((heading for heading in headings if heading), "")),
        main=main,
        main_outline=main_outline,
        full=full,
        full_outline=full_outline,
        headline="\n".join(text for text in [title, *headings[:3]] if text),
        noscript=noscript,
        app_root=app_root,
        closed=bool(re.search(r'"isAccessibleForFree"\s*:\s*"?false', markup, re.IGNORECASE)),
        damage=damage,
    )


def read_fragment(markup: str) -> tuple[str, tuple[Heading, ...]]:
    """The text of a piece of HTML, whole, by the same rules as that of a page, and its outline."""
    root, _ = _parsed(markup)
    if root is None:
        return "", ()
    back = taken_out if put_in(root) else str
    _make_readable(root)
    outlined = headings_taken_out if mark_headings(root) else _without_outline
    return outlined(back(fold_newlines(full_text(root))))


def _without_outline(text: str) -> tuple[str, tuple[Heading, ...]]:
    return text, ()


def _parsed(markup: str) -> tuple[HtmlElement | None, str]:
    """The tree, or ``None``, and a sentence about what could not be read."""
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = document_fromstring(
            without_stuffed_tags(markup).translate(_NOT_IN_TREES).encode("utf-8", "replace"), parser=parser
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return None, "The page holds no readable HTML."
    limits = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if limits:
        depth = any("depth" in message for message in limits)
        return root, f"The page {'is nested too deeply' if depth else 'has too long a text'} to be read whole."
    return root, ""


def _make_readable(root: HtmlElement) -> None:
    """Write into the tree what its markup says and plain text would lose."""
    _open_panels(root)
    _free_captions(root)
    make_tables_of_roles(root)
    free_layout_tables(root)
    write_out_marks(root)
    write_out_superscripts(root)
    write_out_formulas(root)
    repeat_spanning_cells(root)
    plain_blocks(root)


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


def _open_panels(root: HtmlElement) -> None:
    """Show the panels of tabs that are folded away: a reader can open them, and trafilatura drops what is hidden."""
    for node in root.iter("*"):
        if node.get("role") == "tabpanel":
            for name in ("hidden", "aria-hidden", "style"):
                node.attrib.pop(name, None)


def _free_captions(root: HtmlElement) -> None:
    """Captions become paragraphs: trafilatura drops those of figures and takes those of tables for a row."""
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            caption.tag = "p"
            table.addprevious(caption)
    for node in list(root.iter("figure", "figcaption")):
        node.tag = "div" if node.tag == "figure" else "p"


def _is_app_root(root: HtmlElement) -> bool:
    """Whether the page is a frame that scripts are to fill: an element with one of the usual names, with no more in it
    than "Loading"."""
    if next(root.iter("script"), None) is None:
        return False
    for node in root.iter("*"):
        is_named = node.tag in ("div", "main", "section") and (node.get("id") or "").lower() in _APP_ROOTS
        if (is_named or _ROOT_TAG.fullmatch(node.tag)) and not longer_than(node, _LOADING):
            return True
    return False
