"""HTML to text, twice: the main text by trafilatura, and the full text by ``full_text``."""

import logging
import re
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.sources.reading.charset import decode
from medreview.sources.reading.control_placeholders import insert_placeholders, remove_placeholders
from medreview.sources.reading.formulas import linearise_formulas
from medreview.sources.reading.full_text import collapse_whitespace, full_text, longer_than
from medreview.sources.reading.heading_marks import extract_headings, mark_headings
from medreview.sources.reading.markup import (
    make_paragraphs,
    normalise_blocks,
    strip_inline_formatting,
    write_out_markup,
)
from medreview.sources.reading.markup_limits import limit_markup
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.superscripts import write_out_superscripts
from medreview.sources.reading.tables import repeat_spanning_cells, tables_from_aria_roles, unwrap_layout_tables
from medreview.text import normalise_newlines

LARGEST_FOR_MAIN: Final = 4_000_000
MOST_ELEMENTS_FOR_MAIN: Final = 50_000
MOST_TABLES_FOR_MAIN: Final = 2_000
MOST_INLINE_CHILDREN_FOR_MAIN: Final = 3_000
"""Sizes above which only the full text is extracted: trafilatura takes quadratic time in some of them."""
MOST_BLOCKS_FOR_FALLBACK: Final = 5_000
"""Blocks above which trafilatura's own result stands: its fallback, justext, takes quadratic time in short blocks."""

_ROW_RULE: Final = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_APP_ROOTS: Final = frozenset({"root", "app", "__next", "___gatsby", "application", "react-root", "main-app"})
_ROOT_TAG: Final = re.compile(r"[a-z][a-z0-9]*-(?:root|app)|app-[a-z]+")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LINES: Final = ("p", "li", "tr", "td", "th", "a", "b", "i", "span", "pre", "blockquote", "h1", "h2", "h3", "h4")
# Characters that the parser accepts, while lxml refuses to set a text that contains them.
_NOT_IN_TREES: Final = {0x0C: " ", 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}
_LONGEST_LOADING_TEXT: Final = 40
_BLOCKS: Final = ("p", "div", "li", "tr", "td", "th", "dt", "dd", "option", "blockquote", "pre", *_HEADINGS)
_LOGGERS: Final = ("trafilatura", "htmldate", "courlan", "justext")


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Texts of a page with their outlines, and the signs by which its state is classified.

    ``main`` is ``""`` when no main text was found. ``headline`` is the title and the first-level headings, one a line.
    ``noscript`` is the text for browsers without scripts. ``app_root``: the page is the empty container of a
    single-page application. ``closed``: its metadata (schema.org ``isAccessibleForFree``) says that it is not free to
    read. ``damage`` is a sentence when a part could not be parsed, else ``""``.
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
    """The texts of an HTML body. Never raises, whatever the body; takes 10 ms for most pages, a few seconds for the
    worst ones known."""
    markup = decode(body, content_type)
    root, damage = _parsed(markup)
    if root is None:
        return HtmlText("", "", (), "", (), "", "", False, False, damage)
    restore = remove_placeholders if insert_placeholders(root) else str
    title = collapse_whitespace(root.findtext(".//title") or "")
    headings = [collapse_whitespace(heading.text_content()) for heading in root.iter("h1")]
    noscript = collapse_whitespace(" ".join(node.text_content() for node in root.iter("noscript")))
    app_root = _is_app_root(root)
    may_have_main = len(markup) <= LARGEST_FOR_MAIN and _is_small_enough(root)
    _make_readable(root)
    if may_have_main:
        make_paragraphs(root)
        strip_inline_formatting(root)
    outlined = extract_headings if mark_headings(root) else _without_outline
    has_main = may_have_main and all(len(node) <= MOST_INLINE_CHILDREN_FOR_MAIN for node in root.iter(*_LINES))
    main, main_outline = outlined(restore(normalise_newlines(_main_text(root)))) if has_main else ("", ())
    full, full_outline = outlined(restore(normalise_newlines(full_text(root))))
    if main and full_outline and not main_outline:
        # On pages without a marked main part trafilatura collects paragraphs, lists and tables, and skips headings.
        for heading in list(root.iter(*_HEADINGS)):
            heading.tag = "p"
        again, again_outline = outlined(restore(normalise_newlines(_main_text(root))))
        main, main_outline = (again, again_outline) if again_outline else (main, main_outline)
    return HtmlText(
        title=restore(title or next((heading for heading in headings if heading), "")),
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


def read_fragment(markup: str) -> tuple[str, tuple[Heading, ...], str]:
    """The full text of an HTML fragment, by the same rules as that of a page, its outline, and a sentence about what
    of it was not read, or ``""``."""
    root, damage = _parsed(markup)
    if root is None:
        return "", (), ""
    restore = remove_placeholders if insert_placeholders(root) else str
    _make_readable(root)
    outlined = extract_headings if mark_headings(root) else _without_outline
    return (*outlined(restore(normalise_newlines(full_text(root)))), damage)


def _without_outline(text: str) -> tuple[str, tuple[Heading, ...]]:
    return text, ()


def _parsed(markup: str) -> tuple[HtmlElement | None, str]:
    """The tree, or ``None``, and a sentence about what could not be parsed, or ``""``."""
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=False)
    markup, cut = limit_markup(markup)
    try:
        root = document_fromstring(markup.translate(_NOT_IN_TREES).encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        _out_of_memory(parser)
        return None, "The page holds no readable HTML."
    _out_of_memory(parser)
    limits = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if limits:
        depth = any("depth" in message for message in limits)
        return root, f"The page {'is nested too deeply' if depth else 'has too long a text'} to be read whole."
    return root, cut


def _out_of_memory(parser: HTMLParser) -> None:
    """Raise :class:`MemoryError` where a parser got no more memory: it says so in its log only, and stops."""
    if any(entry.type_name == "ERR_NO_MEMORY" for entry in parser.error_log):
        raise MemoryError


def _make_readable(root: HtmlElement) -> None:
    """Turn into text or plainer markup whatever plain text would lose of the markup."""
    _show_hidden_panels(root)
    _captions_to_paragraphs(root)
    tables_from_aria_roles(root)
    unwrap_layout_tables(root)
    write_out_markup(root)
    write_out_superscripts(root)
    linearise_formulas(root)
    repeat_spanning_cells(root)
    normalise_blocks(root)


def main_extractor() -> str:
    """Name and version of the extractor of the main text, as stored with each snapshot."""
    return f"trafilatura {version('trafilatura')}"


def _is_small_enough(root: HtmlElement) -> bool:
    elements = sum(1 for _ in islice(root.iter(), MOST_ELEMENTS_FOR_MAIN + 1))
    tables = sum(1 for _ in islice(root.iter("table"), MOST_TABLES_FOR_MAIN + 1))
    return elements <= MOST_ELEMENTS_FOR_MAIN and tables <= MOST_TABLES_FOR_MAIN


def _main_text(root: HtmlElement) -> str:
    import trafilatura

    for name in _LOGGERS:
        # Its warnings about malformed pages would otherwise be printed into the middle of a progress bar.
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    blocks = sum(1 for _ in islice(root.iter(*_BLOCKS), MOST_BLOCKS_FOR_FALLBACK + 1))
    try:
        text = trafilatura.extract(
            etree.tostring(root, encoding="utf-8", method="html"),
            favor_recall=True,
            include_comments=False,
            include_tables=True,
            fast=blocks > MOST_BLOCKS_FOR_FALLBACK,
        )
    except MemoryError:
        raise
    except Exception:
        # A page on which trafilatura fails still has its full text.
        return ""
    lines = [line.rstrip() for line in (text or "").split("\n")]
    return "\n".join(line for line in lines if not _ROW_RULE.fullmatch(line)).strip("\n")


def _show_hidden_panels(root: HtmlElement) -> None:
    """Show the collapsed panels of tabs: a reader can open them, and trafilatura drops hidden elements."""
    for node in root.iter("*"):
        if node.get("role") == "tabpanel":
            for name in ("hidden", "aria-hidden", "style"):
                node.attrib.pop(name, None)


def _captions_to_paragraphs(root: HtmlElement) -> None:
    """Turn captions into paragraphs: trafilatura drops those of figures and takes those of tables for a row."""
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            caption.tag = "p"
            table.addprevious(caption)
    for node in list(root.iter("figure", "figcaption")):
        node.tag = "div" if node.tag == "figure" else "p"


def _is_app_root(root: HtmlElement) -> bool:
    """Whether the page is the empty container of a single-page application: an element with one of the usual names,
    with no more text in it than "Loading"."""
    if next(root.iter("script"), None) is None:
        return False
    for node in root.iter("*"):
        is_named = node.tag in ("div", "main", "section") and (node.get("id") or "").lower() in _APP_ROOTS
        if (is_named or _ROOT_TAG.fullmatch(node.tag)) and not longer_than(node, _LONGEST_LOADING_TEXT):
            return True
    return False
