"""What on a page opens a closed panel: the tab, the button or the heading by which a reader gets to its text."""

import re
from itertools import islice
from typing import Final

from lxml.html import HtmlElement

from medreview.sources.reading.elements import HEADINGS, longer_than

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
"""Characters; what is longer is no control or heading of the panel after it."""


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
