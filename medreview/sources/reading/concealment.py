"""Which elements of a page are closed panels, and which hold what no reader sees; noted on each element.

Closed (``hidden``, ``display:none``, ``visibility:hidden``, no height, ``<details>``, ``<dialog>``, the class names of
usual kits) is *collapsed* where something visible opens it, else *hidden*. Hidden in any case: off the screen, clipped
away, without size, with letters of no size or in the colour of what is behind them, and the words that are for screen
readers only. Styles are those of the element and of the page's own style sheets (``style_rules``).
"""

import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.colours import Colours
from medreview.sources.reading.elements import DROPPED
from medreview.sources.reading.panel_controls import OPEN_NAMES, PanelControls, closed_by_control
from medreview.sources.reading.style_rules import Style, StyleRules, style_rules

APART: Final = "data-set-apart"
"""The attribute in which it is noted; a page's own is removed."""

_CLOSED_NAMES: Final = frozenset(
    {"hidden", "hide", "d-none", "is-hidden", "display-none", "visually-removed", "u-hidden"}
)
_SHOWN_AT_A_SIZE: Final = re.compile(
    r"(?:^|\s)(?:d-\w+-(?:block|flex|inline|grid|table)|\w+:(?:block|flex|inline|grid)|visible-\w+)", re.IGNORECASE
)
_FOR_SCREEN_READERS: Final = re.compile(
    r"(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-text|-only)?|element-invisible|off-?screen|"
    r"hidden-visually|a11y-hidden|assistive-text|show-for-sr)(?:$|[\s_-])",
    re.IGNORECASE,
)
_FADES_IN: Final = re.compile(r"\b(?:aos|wow|elementor-invisible|animate\w*|fade-?in|reveal)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|em|rem|ex|pt|%|vw|vh|cm|in)?")
_PIXELS: Final = {"em": 16, "rem": 16, "ex": 8, "pt": 1.3, "vw": 10, "vh": 8, "cm": 38, "in": 96, "%": 10}
_FAR: Final = 400
"""Pixels; what is further off the edge than this is not seen."""
_CLIPPED: Final = re.compile(
    r"rect\(\s*(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?[\s,]+(?:0|1)(?:px)?\s*\)"
    r"|inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*(?:,\s*0(?:px|%)?\s+0(?:px|%)?\s*)*\)"
)
_NO_SCALE: Final = re.compile(r"scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]")
_MOVED: Final = re.compile(r"translate\w*\(\s*(-?\d+)(?:px|%|vw)?")
_SUMMARY: Final = "summary"


def mark_concealed(root: HtmlElement) -> None:
    """Note on each element that is closed or not seen which of both it is, and let closed panels be read, in place."""
    rules = style_rules(root)
    controls = PanelControls(root)
    colours = Colours(rules)
    etree.strip_attributes(root, APART)
    for node in list(root.iter("details")):
        _unfold(node)
    for section in root.iterfind(".//amp-accordion/section"):
        for panel in section[1:2] if section.get("expanded") is None else ():
            panel.set(APART, "collapsed")
    steps = etree.iterwalk(root, events=("start",))
    for _, node in steps:
        if not isinstance(node.tag, str):
            continue
        if node.tag in DROPPED:
            steps.skip_subtree()
            continue
        kind = _kind(node, rules, controls, colours)
        if kind == "hidden":
            node.set(APART, kind)
            steps.skip_subtree()
        elif kind:
            node.set(APART, kind)
            _show(node)


def _kind(node: HtmlElement, rules: StyleRules, controls: PanelControls, colours: Colours) -> str:
    if node.tag in ("html", "body", "summary", "math"):
        return ""
    if not node.attrib and node.tag not in rules.tags and node.tag != "dialog" and not controls.say_what_is_closed:
        return ""
    style = rules.style_of(node)
    names = node.get("class") or ""
    if _is_unseen(node, style, names, colours):
        return "" if next(node.iter("math"), None) is not None else "hidden"
    if _is_closed(node, style, names):
        return "collapsed" if controls.opens(node) else "hidden"
    is_said_closed = controls.say_what_is_closed and closed_by_control(node)
    if "mw-collapsed" in names.split():
        return "collapsed"  # the script of MediaWiki makes the control of such a part
    if node.get("aria-hidden") == "true" or is_said_closed or _is_closed_by_kit(names):
        return "collapsed" if _may_be_panel(node) and controls.opens(node) else ""
    return ""


def _is_closed(node: HtmlElement, style: Style, names: str) -> bool:
    """Whether an element is not displayed, by a way in which scripts open and close."""
    if node.get("hidden") is not None or (node.tag == "dialog" and node.get("open") is None):
        return True
    if not _CLOSED_NAMES.isdisjoint(names.split()) and not _SHOWN_AT_A_SIZE.search(names):
        return True
    if not style:
        return False
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    if style.get("content-visibility") == "hidden" or style.get("max-height") in ("0", "0px"):
        return True
    if _is_zero(style.get("opacity")) and not _FADES_IN.search(names):
        return True
    return _is_zero(style.get("height")) and "hidden" in style.get("overflow", "")


def _is_unseen(node: HtmlElement, style: Style, names: str, colours: Colours) -> bool:
    """Whether no reader ever sees an element, although it is displayed."""
    if names and _FOR_SCREEN_READERS.search(names):
        return True
    if (node.tag == "font" or "color" in style) and colours.is_unseen(node, style):
        return True
    if not style:
        return False
    letters = _pixels(style.get("font-size"))
    if letters is not None and letters < 2:
        return True
    if (_pixels(style.get("text-indent")) or 0) <= -_FAR or (_pixels(style.get("margin-left")) or 0) <= -_FAR:
        return True
    if style.get("position") in ("absolute", "fixed"):
        places = [_pixels(style.get(side)) or 0 for side in ("left", "right", "top", "bottom")]
        if min(places) <= -_FAR or max(places) >= 20 * _FAR:
            return True
        if _CLIPPED.search(style.get("clip", "")):
            return True
    if _CLIPPED.search(style.get("clip-path", "")):
        return True
    small = [_pixels(style.get(name)) for name in ("width", "height", "max-width")]
    if "hidden" in style.get("overflow", "") and any(size is not None and size <= 1 for size in small):
        return not _is_zero(style.get("height")) or _is_zero(style.get("width"))
    moved = _MOVED.search(style.get("transform", ""))
    return bool(_NO_SCALE.search(style.get("transform", "")) or (moved and abs(int(moved[1][:6])) >= _FAR))


def _is_closed_by_kit(names: str) -> bool:
    """Whether the class names are those of a closed panel in a usual kit of such parts."""
    of_node = set(names.split())
    return bool(of_node & {"collapse", "tab-pane"}) and not of_node & OPEN_NAMES


def _may_be_panel(node: HtmlElement) -> bool:
    return node.tag in ("div", "section", "ul", "ol", "dl", "dd", "p", "article", "aside", "table", "li", "main")


def _show(panel: HtmlElement) -> None:
    """Take away by what a closed panel is closed: the extractor of the main text drops what is not displayed."""
    for name in ("hidden", "aria-hidden", "style", "class"):
        panel.attrib.pop(name, None)
    if panel.tag == "dialog":
        panel.tag = "div"


def _unfold(details: HtmlElement) -> None:
    """Make a block of ``<details>``, and of what stands below its summary a closed panel if it is closed."""
    is_open = details.get("open") is not None
    details.tag = "div"
    summary = next(details.iterchildren(_SUMMARY), None)
    panel = etree.Element("div")
    if not is_open:
        panel.set(APART, "collapsed")
    panel.text, details.text = details.text, None
    if summary is not None:
        panel.text = f"{panel.text or ''}{summary.tail or ''}"
        summary.tail = None
    for child in list(details):
        if child is not summary:
            panel.append(child)
    details.append(panel)
    if summary is not None:
        summary.tag = (
            "p" if not len(summary) or all(not isinstance(c.tag, str) or c.tag in _INLINE for c in summary) else "div"
        )


_INLINE: Final = frozenset({"span", "b", "strong", "i", "em", "a", "sup", "sub", "svg", "img", "small", "mark", "abbr"})


def _is_zero(value: str | None) -> bool:
    found = _NUMBER.match(value) if value else None
    return bool(found) and found is not None and abs(float(found[1])) <= 0.01


def _pixels(value: str | None) -> float | None:
    """A length in pixels, about; ``None`` when it is none."""
    found = _NUMBER.match(value[:30]) if value else None
    return float(found[1]) * _PIXELS.get(found[2] or "", 1) if found else None
