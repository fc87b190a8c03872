"""HTML to text, twice: the main text, and the full text, which is everything on the page.

The signs that show the page's state are read here: its title, its headings, its own prose, how it is made. Menus,
footers, banners and lists of other pages are no prose of the page: a page that says "not found" says little else,
however much stands around it.

For the main text trafilatura is asked which part of the page is the text. It drops boxes, closed panels, captions,
notes and headings that stand in that part. So each line of the page (``lines``) carries a mark of characters that no
health page uses into its input. The lines whose marks come back are the text, and those between them are added, but for
what stands in a menu, a footer or another frame (``areas``) and for lists of links. The words themselves are never
trafilatura's.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from medreview.sources.reading.charset import decode
from medreview.sources.reading.concealment import mark_concealed
from medreview.sources.reading.elements import (
    BESIDE,
    CONTENT,
    FRAME,
    LIKELY_FRAME,
    collapse_whitespace,
    longer_than,
    mark_areas,
)
from medreview.sources.reading.lines import Area, Line, Walk, joined, walk
from medreview.sources.reading.markup import (
    body_out_of_head,
    insert_placeholders,
    make_paragraphs,
    normalise_blocks,
    remove_placeholders,
    repeat_spanning_cells,
    show_shadow_trees,
    strip_inline_formatting,
    tables_from_aria_roles,
    unwrap_layout_tables,
    write_out_markup,
)
from medreview.sources.reading.math_text import linearise_formulas, write_out_superscripts
from medreview.sources.reading.page_states import Signs
from medreview.sources.reading.text_structure import Heading, SetApart
from medreview.sources.reading.untrusted_markup import limit_markup

MOST_BLOCKS_FOR_FALLBACK: Final = 5_000
"""Blocks above which trafilatura's own result stands: its fallback, justext, takes quadratic time in short blocks."""

_BLOCKS: Final = ("p", "div", "li", "tr", "td", "th", "dt", "dd", "option", "blockquote", "pre")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LOGGERS: Final = ("trafilatura", "htmldate", "courlan", "justext")
_FIRST_DIGIT: Final = 0x13300  # Egyptian hieroglyphs: printable, and unchanged by Unicode normalisation
_DIGITS: Final = 32
_PLACES: Final = 4
_MARK: Final = re.compile(f"[{chr(_FIRST_DIGIT)}-{chr(_FIRST_DIGIT + _DIGITS - 1)}]{{{_PLACES}}}")
_MOST_LINKED: Final = 0.6
"""The part of a line's characters from which on it is a link to another page, and no text of this one."""
_MOST: Final = 0.5
"""The part of the chosen text from which on an area that holds it is not a frame, whatever its name."""
_NEARLY_ALL: Final = 0.9


def main_lines(root: HtmlElement, walk: Walk) -> list[Line]:
    """The lines of the main text, in the order of the page; none when none was found."""
    lines = walk.lines
    if len(lines) >= _DIGITS**_PLACES or any(_MARK.search(line.text) for line in lines):
        return []
    chosen = _chosen(root, lines)
    if not any(chosen):
        return []
    return [line for line, taken in zip(lines, _filled(lines, walk.areas, chosen), strict=True) if taken]


def mark_boilerplate(walk: Walk) -> list[Line]:
    """All lines of a page, those in its menus, footers and other frames set apart."""
    frames = frames_of(walk, [not is_list_of_links(line) for line in walk.lines])
    for line in walk.lines:
        if line.area >= 0 and frames[line.area] and not line.apart:
            line.apart = (SetApart(line.words, len(line.text), "boilerplate"),)
    return walk.lines


def _chosen(root: HtmlElement, lines: list[Line]) -> list[bool]:
    """Whether trafilatura takes each line for a part of the main text."""
    for number, line in enumerate(lines):
        if line.slot is not None:
            node, is_tail = line.slot
            if is_tail:
                node.tail = f"{_mark(number)} {node.tail}"
            else:
                node.text = f"{_mark(number)} {node.text}"
    back = {_number(found[0]) for found in _MARK.finditer(_extracted(root))}
    chosen: list[bool] = []
    for number, line in enumerate(lines):
        chosen.append(number in back if line.slot is not None else bool(chosen) and chosen[-1])
    return chosen


def _extracted(root: HtmlElement) -> str:
    import trafilatura

    for name in _LOGGERS:
        # Its warnings about malformed pages would otherwise be printed into the middle of a progress bar.
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    blocks = sum(1 for _ in islice(root.iter(*_BLOCKS, *_HEADINGS), MOST_BLOCKS_FOR_FALLBACK + 1))
    try:
        return (
            trafilatura.extract(
                etree.tostring(root, encoding="utf-8", method="html"),
                favor_recall=True,
                include_comments=False,
                include_tables=True,
                fast=blocks > MOST_BLOCKS_FOR_FALLBACK,
            )
            or ""
        )
    except MemoryError:
        raise
    except Exception:
        # A page on which trafilatura fails still has its full text.
        return ""


def _filled(lines: list[Line], areas: list[Area], chosen: list[bool]) -> list[bool]:
    """Which lines are the main text: those chosen but for frames, and what stands among them."""
    weights, total = _weights(lines, areas, chosen)
    frames = frames_of(Walk(lines, areas), chosen)
    beside = areas_within(areas, (BESIDE,), _holding_most(weights, total))
    within = _within(areas, weights, total)
    taken = [
        is_chosen and not (line.area >= 0 and frames[line.area]) for line, is_chosen in zip(lines, chosen, strict=True)
    ]
    places = [number for number, is_taken in enumerate(taken) if is_taken]
    if not places:
        return taken
    first, last = _start(lines, frames, places[0]), places[-1]
    for number, line in enumerate(lines):
        area = line.area
        among = first <= number <= last
        if taken[number] or line.level or not (among or (area >= 0 and within[area])):
            continue
        if area >= 0 and (frames[area] or (beside[area] and not among)):
            continue
        taken[number] = not is_list_of_links(line)
    return _with_headings(lines, taken, frames, first)


def _start(lines: list[Line], frames: list[bool], first: int) -> int:
    """Where the text begins: at the title of the page above the first chosen line, else at the headings just above."""
    for number in range(first, -1, -1):
        if lines[number].level == 1 and not (lines[number].area >= 0 and frames[lines[number].area]):
            return number
    while first and lines[first - 1].level:
        first -= 1
    return first


def _within(areas: list[Area], weights: list[int], total: int) -> list[bool]:
    """For each area whether it stands in the innermost main part that holds nearly all of the chosen text."""
    main = -1
    for number, area in enumerate(areas):
        if area.kind == CONTENT and weights[number] >= _NEARLY_ALL * total:
            main = number
    found: list[bool] = []
    for number, area in enumerate(areas):
        found.append(number == main >= 0 or (area.outer >= 0 and found[area.outer]))
    return found


def frames_of(walk: Walk, text: Sequence[bool]) -> list[bool]:
    """For each area whether it is a frame of the page or stands in one. ``text`` says of each line whether it is taken
    for text: an area that is only named like a frame and holds most of it is not one."""
    weights, total = _weights(walk.lines, walk.areas, text)
    holds_most = _holding_most(weights, total)
    excepted = [most and area.kind != FRAME for most, area in zip(holds_most, walk.areas, strict=True)]
    return areas_within(walk.areas, (FRAME, LIKELY_FRAME), excepted)


def _weights(lines: Sequence[Line], areas: Sequence[Area], counted: Sequence[bool]) -> tuple[list[int], int]:
    """The characters of the counted lines in each area, and of all of them."""
    weights = [0] * len(areas)
    total = 0
    for line, counts in zip(lines, counted, strict=True):
        if counts:
            total += len(line.text)
            if line.area >= 0:
                weights[line.area] += len(line.text)
    for number in range(len(areas) - 1, -1, -1):
        if areas[number].outer >= 0:
            weights[areas[number].outer] += weights[number]
    return weights, total


def _holding_most(weights: Sequence[int], total: int) -> list[bool]:
    return [weight >= _MOST * total > 0 for weight in weights]


def areas_within(areas: Sequence[Area], kinds: Collection[str], excepted: Sequence[bool] = ()) -> list[bool]:
    """For each area whether it is of one of these kinds, or stands in such a one; those ``excepted`` are not."""
    found: list[bool] = []
    for number, area in enumerate(areas):
        is_one = area.kind in kinds and not (excepted and excepted[number])
        found.append(is_one or (area.outer >= 0 and found[area.outer]))
    return found


def is_list_of_links(line: Line) -> bool:
    """Whether most of a line leads to another page."""
    return line.links >= _MOST_LINKED * max(1, len(line.text) - line.words)


def _with_headings(lines: list[Line], taken: list[bool], frames: list[bool], first: int) -> list[bool]:
    """The headings from the beginning of the text on that have something taken below them, too."""
    met = [False] * 8  # by level: something taken stands below, and no heading of that level or a higher one before it
    for number in range(len(lines) - 1, first - 1, -1):
        line = lines[number]
        if not line.level:
            if taken[number]:
                met = [True] * 8
            continue
        in_frame = line.area >= 0 and frames[line.area]
        taken[number] = taken[number] or (met[line.level] and not in_frame)
        for level in range(line.level, 8):
            met[level] = False
    return taken


def _mark(number: int) -> str:
    digits = []
    for _ in range(_PLACES):
        number, digit = divmod(number, _DIGITS)
        digits.append(chr(_FIRST_DIGIT + digit))
    return "".join(digits)


def _number(mark: str) -> int:
    return sum((ord(digit) - _FIRST_DIGIT) * _DIGITS**place for place, digit in enumerate(mark))


_APP_ROOTS: Final = frozenset({"root", "app", "__next", "___gatsby", "application", "react-root", "main-app"})
_ROOT_TAG: Final = re.compile(r"[a-z][a-z0-9]*-(?:root|app)|app-[a-z]+")
_LONGEST_LOADING_TEXT: Final = 40
_MOST_HEADINGS: Final = 3
_LONGEST_TEASER: Final = 300
"""Characters of a line below a heading that leads to another page: its teaser."""
_REFRESH: Final = re.compile(r"\s*(\d{1,3})(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*[\"']?([^\"'\s]{1,500})", re.IGNORECASE)
_AT_ONCE: Final = 10
"""Seconds within which a redirecting page is not a page to read."""
_CLOSED: Final = re.compile(r'"isAccessibleForFree"\s*:\s*"?false', re.IGNORECASE)


def signs_of_tree(root: HtmlElement, markup: str) -> Signs:
    """The signs that the tree shows as it came."""
    headings = (collapse_whitespace(heading.text_content()) for heading in root.iter("h1"))
    return Signs(
        title=collapse_whitespace(root.findtext(".//title") or ""),
        headings=tuple(islice(filter(None, headings), _MOST_HEADINGS)),
        noscript=collapse_whitespace(" ".join(node.text_content() for node in root.iter("noscript"))),
        app_root=_is_app_root(root),
        closed=_CLOSED.search(markup) is not None,
        asks_password=any((node.get("type") or "").lower() == "password" for node in root.iter("input")),
        leads_to=_leads_to(root),
    )


def signs_of_lines(signs: Signs, walk: Walk) -> Signs:
    """The signs with those that the lines of the page show."""
    lines = [line for line in walk.lines if not _is_hidden(line)]
    frames = frames_of(walk, [not is_list_of_links(line) for line in walk.lines])
    beside = areas_within(walk.areas, (BESIDE,))
    prose: list[str] = []
    first = ""
    is_teaser = False
    for line in lines:
        if line.area >= 0 and (frames[line.area] or beside[line.area]):
            continue
        if line.level:
            is_teaser = is_list_of_links(line)
            first = first or (line.text[line.words :] if not is_teaser else "")
        if is_list_of_links(line) and not line.is_row:
            continue
        if not is_teaser or len(line.text) > _LONGEST_TEASER:
            prose.append(line.text)
    headings = signs.headings if not first or first in signs.headings else (*signs.headings, first)
    seen = "\n".join(line.text for line in lines)
    return replace(signs, headings=headings, prose="\n".join(prose), seen=seen)


def _is_hidden(line: Line) -> bool:
    return sum(end - start for start, end, kind in line.apart if kind == "hidden") * 2 > len(line.text) - line.words


def _leads_to(root: HtmlElement) -> str:
    for node in root.iter("meta"):
        if (node.get("http-equiv") or "").lower() == "refresh":
            found = _REFRESH.match(node.get("content") or "")
            if found and int(found[1]) <= _AT_ONCE:
                return found[2]
    return ""


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
