"""HTML to text, twice: the main text (``main_content``), and the full text, which is everything on the page."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.sources.reading.areas import mark_areas
from medreview.sources.reading.charset import decode
from medreview.sources.reading.concealment import mark_concealed
from medreview.sources.reading.control_placeholders import insert_placeholders, remove_placeholders
from medreview.sources.reading.formulas import linearise_formulas
from medreview.sources.reading.lines import Line, joined, walk
from medreview.sources.reading.main_content import main_lines, mark_boilerplate
from medreview.sources.reading.markup import (
    body_out_of_head,
    make_paragraphs,
    normalise_blocks,
    show_shadow_trees,
    strip_inline_formatting,
    write_out_markup,
)
from medreview.sources.reading.markup_limits import limit_markup
from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import Signs
from medreview.sources.reading.set_apart import SetApart
from medreview.sources.reading.signs import signs_of_lines, signs_of_tree
from medreview.sources.reading.superscripts import write_out_superscripts
from medreview.sources.reading.tables import repeat_spanning_cells, tables_from_aria_roles, unwrap_layout_tables

LARGEST_FOR_MAIN: Final = 4_000_000
MOST_ELEMENTS_FOR_MAIN: Final = 50_000
MOST_TABLES_FOR_MAIN: Final = 2_000
MOST_INLINE_CHILDREN_FOR_MAIN: Final = 3_000
"""Sizes above which only the full text is extracted: trafilatura takes quadratic time in some of them."""
_FRAMES: Final = re.compile(r"</?(?:noframes|frameset|frame)\b[^<>]{0,2000}>", re.IGNORECASE)
_LINES: Final = ("p", "li", "tr", "td", "th", "a", "b", "i", "span", "pre", "blockquote", "h1", "h2", "h3", "h4")
# Characters that the parser accepts, while lxml refuses to set a text that contains them.
_NOT_IN_TREES: Final = {0x0C: " ", 0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its outline, and what of it is set apart."""

    text: str = ""
    outline: tuple[Heading, ...] = ()
    set_apart: tuple[SetApart, ...] = ()


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Texts of a page, and the signs by which its state is classified.

    ``main`` is empty when no main text was found. ``damage`` is a sentence when a part could not be parsed, else
    ``""``.
    """

    title: str = ""
    main: Text = field(default_factory=Text)
    full: Text = field(default_factory=Text)
    signs: Signs = field(default_factory=Signs)
    damage: str = ""


def read_html(body: bytes, content_type: str = "") -> HtmlText:
    """The texts of an HTML body. Never raises, whatever the body; takes 10 ms for most pages, a few seconds for the
    worst ones known."""
    markup = _FRAMES.sub(" ", decode(body, content_type))
    root, damage = _parsed(markup)
    if root is None:
        return HtmlText(damage=damage)
    restore = remove_placeholders if insert_placeholders(root) else str
    signs = signs_of_tree(root, markup)
    may_have_main = len(markup) <= LARGEST_FOR_MAIN and _is_small_enough(root)
    _make_readable(root)
    if may_have_main:
        make_paragraphs(root)
        strip_inline_formatting(root)
    has_main = may_have_main and all(len(node) <= MOST_INLINE_CHILDREN_FOR_MAIN for node in root.iter(*_LINES))
    walked = walk(root)
    main = _text(main_lines(root, walked), restore) if has_main else Text()
    signs = signs_of_lines(signs, walked)
    return HtmlText(
        title=restore(signs.title or next(iter(signs.headings), "")),
        main=main,
        full=_text(mark_boilerplate(walked), restore),
        signs=signs,
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
    text = _text(walk(root).lines, restore)
    return text.text, text.outline, damage


def _text(lines: Iterable[Line], restore: Callable[[str], str]) -> Text:
    text, outline, apart = joined(lines)
    return Text(restore(text), outline, apart)


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
    body_out_of_head(root)
    show_shadow_trees(root)
    mark_areas(root)
    mark_concealed(root)
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


def _captions_to_paragraphs(root: HtmlElement) -> None:
    """Turn captions into paragraphs: trafilatura drops those of figures and takes those of tables for a row."""
    for caption in list(root.iter("caption")):
        table = caption.getparent()
        if table is not None and table.tag == "table" and table.getparent() is not None:
            caption.tag = "p"
            table.addprevious(caption)
    for node in list(root.iter("figure", "figcaption")):
        node.tag = "div" if node.tag == "figure" else "p"
