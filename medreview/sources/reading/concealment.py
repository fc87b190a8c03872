"""Which elements of a page are closed panels, what opens them, and which hold what no reader sees.

Closed (``hidden``, ``display:none``, ``visibility:hidden``, no height, ``<details>``, ``<dialog>``, the class names of
usual kits) is *collapsed* where something visible opens it (a tab, a button, a heading), else *hidden*. Hidden in any
case: off the screen, clipped away, without size, with letters of no size or in the colour of what is behind them, and
the words that are for screen readers only. It is noted on each element.

Styles are those of the element and of the page's own ``<style>`` elements, as far as they say what is shown, and in
which colours. Selectors of tags, classes and ids are read. No other file is asked for, so that what an outer style
sheet hides is not known. Rules for print and for other media are left out, and so are selectors with attributes, states
or siblings.
"""

import re
from itertools import islice
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from medreview.sources.reading.elements import DROPPED, HEADINGS, longer_than
from medreview.sources.reading.style_rules import Colours, Style, StyleRules, style_rules

_NAMES_OF_TARGETS: Final = ("aria-controls", "popovertarget", "commandfor", "for")
_PANEL: Final = re.compile(
    r"accordion|collaps|expand|toggle|\btabs?\b|[-_]tabs?\b|\btabs?[-_]|panel|drawer|faq|question|answer|disclos|spoiler|"
    r"fold|read-?more|show-?more|\bacc\b|\bqa\b",
    re.IGNORECASE,
)
OPEN_NAMES: Final = frozenset(
    {"active", "show", "shown", "in", "open", "is-open", "is-active", "expanded", "current", "selected"}
)
"""Class names by which the open panel of a set differs from the closed ones."""
_TURNED: Final = re.compile(r"carousel|swiper|slider|slick|splide", re.IGNORECASE)
_BUTTON_ROLES: Final = frozenset({"button", "tab", "switch", "menuitem"})
_EMPTY_TARGETS: Final = ("", "#", "javascript:")
_MOST_SIBLINGS: Final = 30
_MOST_INSIDE: Final = 15
_LARGEST_SET: Final = 500
_LONGEST_HEAD: Final = 300
"""Characters; a longer text is not a control or heading of a panel."""


class PanelControls:
    """The controls of one page, looked for once."""

    def __init__(self, root: HtmlElement) -> None:
        self._targets: set[str] = set()
        self._by_id: dict[str, HtmlElement] = {}
        self._has_tabs = False
        self._set: tuple[HtmlElement | None, list[tuple[str, set[str]]]] = (None, [])
        self._last: tuple[HtmlElement | None, bool] = (None, False)
        self.say_what_is_closed = False
        """Whether any control on the page says of itself that its panel is closed."""
        for node in root.iter("*"):
            if not node.attrib:
                continue
            if name := node.get("id"):
                self._by_id.setdefault(name, node)
            if node.get("hidden") is not None:
                continue
            self.say_what_is_closed |= node.get("aria-expanded") == "false"
            self._has_tabs |= node.get("role") == "tab"
            for name, value in node.attrib.items():
                if name in _NAMES_OF_TARGETS:
                    self._targets.update(value.split()[:20])
                elif value.startswith("#") and (name == "href" or name.startswith("data-")) and _is_seen(node):
                    self._targets.add(value[1:])

    def opens(self, panel: HtmlElement) -> bool:
        """Whether something that a reader sees opens a panel."""
        if panel.get("id") in self._targets and panel.get("id"):
            return True
        if panel.get("role") == "tabpanel" and self._has_tabs:
            return True
        label = self._by_id.get((panel.get("aria-labelledby") or "").split(" ")[0])
        if label is not None and (_is_control(label) or label.tag in HEADINGS):
            return True
        holder = panel.getparent()
        if holder is not None and (holder.get("tabindex") is not None or holder.get("onclick") is not None):
            return holder.tag not in ("body", "html")
        if _TURNED.search(names(panel)) or (holder is not None and _TURNED.search(names(holder))):
            return True
        if self._stands_before(panel) or self._is_one_of_a_set(panel):
            return True
        # The panel may stand alone in a wrapper, which follows the control.
        return (
            holder is not None and panel.getprevious() is None and holder.tag == "div" and self._stands_before(holder)
        )

    def _is_one_of_a_set(self, panel: HtmlElement) -> bool:
        """Whether a panel beside this one has the same class names, and one more that says that it is open."""
        own = set((panel.get("class") or "").split())
        holder = panel.getparent()
        if not own or holder is None:
            return False
        if self._set[0] is not holder:
            kin = ((one.tag, set((one.get("class") or "").split())) for one in islice(holder, _LARGEST_SET))
            self._set = holder, [one for one in kin if not OPEN_NAMES.isdisjoint(one[1])][:_MOST_SIBLINGS]
        return any(
            tag == panel.tag and own < other and not OPEN_NAMES.isdisjoint(other - own) for tag, other in self._set[1]
        )

    def _stands_before(self, panel: HtmlElement) -> bool:
        """Whether a control stands before a panel, or a heading where the names say that it is one of a panel."""
        found = self._looked_for(panel)
        self._last = panel, found
        return found

    def _looked_for(self, panel: HtmlElement) -> bool:
        own = set((panel.get("class") or "").split())
        for before in islice(panel.itersiblings(preceding=True), _MOST_SIBLINGS):
            if not isinstance(before.tag, str) or before.tag in ("script", "style", "br", "hr"):
                continue
            if before.tag == panel.tag and own and own & set((before.get("class") or "").split()):
                if before is self._last[0]:
                    return self._last[1]
                continue  # another panel of the same set
            if longer_than(before, _LONGEST_HEAD):
                return False
            parts = list(islice(before.iter("*"), _MOST_INSIDE))
            if any(map(_is_control, parts)):
                return True
            holder = panel.getparent()
            if any(_PANEL.search(names(one)) for one in (panel, holder) if one is not None):
                return next(filter(str.strip, before.itertext()), None) is not None
            return _PANEL.search(names(before)) is not None
        return False


def closed_by_control(panel: HtmlElement) -> bool:
    """Whether the control before a panel says that it is closed (``aria-expanded="false"``)."""
    before = panel.getprevious()
    if before is None or not isinstance(before.tag, str) or longer_than(before, _LONGEST_HEAD):
        return False
    if not any(_PANEL.search(names(one)) for one in (panel, before, panel.getparent()) if one is not None):
        return False
    return any(
        one.get("aria-expanded") == "false" and _is_of(one, panel, before)
        for one in islice(before.iter("*"), _MOST_INSIDE)
    )


def _is_of(control: HtmlElement, panel: HtmlElement, before: HtmlElement) -> bool:
    """Whether a control within the element before a panel is the panel's: it names the panel, or names none and is the
    last text there. Else that element is a whole closed part, and what follows it stands open."""
    places = (control.get(name) or "" for name in ("data-target", "data-bs-target", "href"))
    if named := control.get("aria-controls") or next((one[1:] for one in places if len(one) > 1 and one[0] == "#"), ""):
        return bool(named == panel.get("id"))
    if not _is_seen(control):
        return True
    at: HtmlElement | None = control
    while at is not None and at is not before:
        if (at.tail or "").strip() or any(longer_than(one, 0) for one in islice(at.itersiblings(), _MOST_INSIDE)):
            return False
        at = at.getparent()
    return True


def names(node: HtmlElement) -> str:
    """Class and id of an element."""
    return f"{(node.get('class') or '')[:300]} {(node.get('id') or '')[:100]}"


def _is_control(node: HtmlElement) -> bool:
    if node.tag in ("button", "summary", "label") or node.get("role") in _BUTTON_ROLES:
        return True
    if any(node.get(name) is not None for name in ("aria-expanded", "onclick", "data-toggle", "data-bs-toggle")):
        return True
    if node.tag == "a":
        target = (node.get("href") or "").strip()
        return target.startswith("#") or target.rstrip(";").replace("void(0)", "") in _EMPTY_TARGETS
    return bool(node.get("tabindex") == "0")


def _is_seen(node: HtmlElement) -> bool:
    """Whether a control shows something: a text, a picture, a name."""
    if node.get("aria-label") or node.get("title"):
        return True
    return any(part.strip() for part in islice(node.itertext(), 20)) or next(node.iter("img", "svg"), None) is not None


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
    """A length in pixels, about; ``None`` without one."""
    found = _NUMBER.match(value[:30]) if value else None
    return float(found[1]) * _PIXELS.get(found[2] or "", 1) if found else None
