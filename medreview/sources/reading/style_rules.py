"""What style sheets and attributes say of an element: its rules, and whether its text is seen on what is behind it."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from lxml.html import HtmlElement

LONGEST: Final = 500_000
"""Characters of style sheets that are read."""
MOST_RULES: Final = 5_000
"""Rules that are kept, and how many of them are tried on one element."""
MOST_TRIED: Final = 200
HIGHEST: Final = 40
"""Ancestors among which the left parts of a selector are looked for."""

PROPERTIES: Final = frozenset(
    {"display", "visibility", "opacity", "position", "left", "right", "top", "bottom", "text-indent", "font-size"}
    | {"clip", "clip-path", "width", "height", "max-width", "max-height", "overflow", "color", "background"}
    | {"background-color", "background-image", "transform", "margin-left", "margin-top", "content-visibility"}
)
"""Properties by which a page hides a text."""

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SHOWN_MEDIA: Final = re.compile(r"@media\s+(?:all|screen)\s*\Z", re.IGNORECASE)
_BRACE: Final = re.compile(r"[{};]")
_SELECTOR: Final = re.compile(r"[\w.#\s>-]{1,200}\Z")
_PART: Final = re.compile(r"([.#]?)(-?[A-Za-z_][\w-]*)")

Style = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Compound:
    """One step of a selector: ``div.panel#first``; ``is_child``: the step to its left is its parent."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    is_child: bool

    def fits(self, node: HtmlElement) -> bool:
        return (
            (not self.tag or node.tag == self.tag)
            and (not self.ids or node.get("id") in self.ids)
            and (not self.classes or self.classes <= set((node.get("class") or "").split()))
        )


@dataclass(frozen=True, slots=True)
class _Rule:
    weight: tuple[int, int, int, int]
    steps: tuple[_Compound, ...]
    style: Style


@dataclass(slots=True)
class StyleRules:
    """The rules of one page, by the id, class or tag of the element that they are for."""

    _by_key: dict[str, list[_Rule]] = field(default_factory=dict)

    @property
    def tags(self) -> Set[str]:
        """The tags that have rules, among classes and ids."""
        return self._by_key.keys()

    def style_of(self, node: HtmlElement) -> Style:
        """What holds for an element by the rules and by its own ``style``: property to value, in lower case."""
        found: list[_Rule] = []
        if self._by_key:
            keys = [str(node.tag), *(f".{name}" for name in (node.get("class") or "").split()[:20])]
            if name := node.get("id"):
                keys.append(f"#{name}")
            tried = (rule for key in keys for rule in self._by_key.get(key, ())[:MOST_TRIED])
            found = [rule for rule in tried if _fits(rule.steps, node)]
        style: Style = {}
        for rule in sorted(found, key=lambda rule: rule.weight):
            style |= rule.style
        return style | declarations(node.get("style") or "")


def style_rules(root: HtmlElement) -> StyleRules:
    """The rules of all ``<style>`` elements of a page."""
    text = "\n".join(node.text or "" for node in root.iter("style"))[:LONGEST]
    by_key: dict[str, list[_Rule]] = {}
    for order, (selectors, style) in enumerate(_rules(_COMMENT.sub(" ", text))):
        if order == MOST_RULES:
            break
        for selector in selectors.split(",")[:50]:
            steps = _steps(selector.strip())
            if not steps:
                continue
            weight = (
                sum(len(step.ids) for step in steps),
                sum(len(step.classes) for step in steps),
                sum(bool(step.tag) for step in steps),
                order,
            )
            last = steps[-1]
            key = next(iter([*(f"#{name}" for name in last.ids), *(f".{name}" for name in last.classes)]), last.tag)
            by_key.setdefault(key, []).append(_Rule(weight, steps, style))
    return StyleRules(by_key)


def declarations(text: str) -> Style:
    """The declarations of a ``style`` attribute or a rule, of :data:`PROPERTIES` only."""
    style: Style = {}
    if ":" not in text:
        return style
    for part in text[:4_000].split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and name in PROPERTIES:
            style[name] = value.replace("!important", "").strip().lower()
    return style


def _rules(text: str) -> Iterator[tuple[str, Style]]:
    """Selectors and declarations of each rule that holds on a screen."""
    at = depth = skipped = 0
    head = ""
    for brace in _BRACE.finditer(text):
        piece = text[at : brace.start()].strip()
        if brace[0] == "{":
            at = brace.end()
            depth += 1
            if skipped:
                continue
            if piece.startswith("@") and not _SHOWN_MEDIA.match(piece):
                skipped = depth
            else:
                head = piece
        elif brace[0] == "}":
            at = brace.end()
            if not skipped and head and not head.startswith("@"):
                style = declarations(piece)
                if style:
                    yield head, style
                head = ""
            if skipped == depth:
                skipped = 0
            depth = max(0, depth - 1)
        elif not depth:
            at = brace.end()  # @import ...;


def _steps(selector: str) -> tuple[_Compound, ...]:
    """The steps of a selector, the outermost first; none for a selector of another kind."""
    if not _SELECTOR.match(selector):
        return ()
    steps: list[_Compound] = []
    is_child = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            is_child = True
            continue
        parts = _PART.findall(word)
        if "".join(sign + name for sign, name in parts) != word:
            return ()
        named: dict[str, list[str]] = {"": [], ".": [], "#": []}
        for sign, name in parts:
            named[sign].append(name)
        tag = named[""][0].lower() if named[""] else ""
        steps.append(_Compound(tag, frozenset(named["#"]), frozenset(named["."]), is_child))
        is_child = False
    return tuple(steps)


def _fits(steps: tuple[_Compound, ...], node: HtmlElement) -> bool:
    """Whether a selector is for an element; the nearest fitting ancestor is taken for each step."""
    if not steps[-1].fits(node):
        return False
    holder = node.getparent()
    needs_parent = steps[-1].is_child
    left = HIGHEST
    for step in reversed(steps[:-1]):
        while True:
            if holder is None or left == 0:
                return False
            left -= 1
            fits = step.fits(holder)
            holder = holder.getparent()
            if fits:
                break
            if needs_parent:
                return False
        needs_parent = step.is_child
    return True


_NEAR: Final = 20
"""The largest difference in red, green and blue of two colours that nobody tells apart."""
_LIGHT: Final = 245
_NAMES: Final = {
    "white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255), "red": (255, 0, 0), "yellow": (255, 255, 0),
    "blue": (0, 0, 255), "green": (0, 128, 0), "lime": (0, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "silver": (192, 192, 192), "navy": (0, 0, 128), "maroon": (128, 0, 0), "teal": (0, 128, 128),
}  # fmt: skip
_HEX: Final = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b")
_RGB: Final = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+%?))?\s*\)")
_MAY_BE_DARK: Final = re.compile(
    r"\bbg\b|\bbg-|-bg\b|background|dark|hero|banner|cover|btn|button|primary|inverse|overlay|header|footer|badge|label",
    re.IGNORECASE,
)

_MOST_REMEMBERED: Final = 20_000

Colour = tuple[int, int, int]


class _Behind(NamedTuple):
    """The colour behind some letters, if the page names it; ``may_be_other``: it may be one that it does not name."""

    colour: Colour | None = None
    may_be_other: bool = False


class Colours:
    """Which letters of one page have the colour of what is behind them; remembers what is behind each element."""

    def __init__(self, rules: StyleRules) -> None:
        self._rules = rules
        self._behind: dict[HtmlElement, _Behind] = {}

    def is_unseen(self, node: HtmlElement, style: Style) -> bool:
        """Whether the letters of an element have the colour of the nearest background that the page names.

        Where it names none, white letters are taken to be on white, unless a class name of an element around them
        speaks of a background: that may come from a style sheet that was not read.
        """
        value = style.get("color") or (node.get("color") or "").strip().lower()
        if value == "transparent":
            return True
        colour, alpha = parse_colour(value)
        if colour is None:
            return False
        if alpha < 0.05:
            return True
        behind = self._behind_of(node)
        if behind.colour is not None:
            return all(abs(one - other) <= _NEAR for one, other in zip(colour, behind.colour, strict=True))
        return min(colour) >= _LIGHT and not behind.may_be_other

    def _behind_of(self, node: HtmlElement) -> _Behind:
        way: list[HtmlElement] = []
        found = _Behind()
        for holder in islice(_upwards(node), HIGHEST):
            known = self._behind.get(holder)
            if known is None:
                known = self._own(holder)
                if known is None:
                    way.append(holder)
                    continue
            found = known
            break
        if len(self._behind) + len(way) > _MOST_REMEMBERED:
            self._behind.clear()
        for holder in way[1:] if way and way[0] is node else way:
            self._behind[holder] = found
        return found

    def _own(self, holder: HtmlElement) -> _Behind | None:
        """What an element itself says of what is behind its letters; ``None`` when it says nothing."""
        style = self._rules.style_of(holder)
        ground = style.get("background", "")
        if holder.get("background") or "url(" in ground or "gradient" in ground:
            return _Behind(None, True)
        if style.get("background-image", "none") != "none":
            return _Behind(None, True)
        shade = style.get("background-color") or ground or (holder.get("bgcolor") or "").strip().lower()
        behind, opacity = parse_colour(shade)
        if behind is not None and opacity > 0.5:
            return _Behind(behind)
        if holder.tag == "button" or _MAY_BE_DARK.search(holder.get("class") or ""):
            return _Behind(None, True)
        return None


def parse_colour(value: str) -> tuple[Colour | None, float]:
    """Red, green, blue and the opacity of a colour; ``None`` for what names none that is known."""
    if found := _HEX.search(value):
        digits = found[1] if len(found[1]) > 4 else "".join(2 * digit for digit in found[1])
        red, green, blue = (int(digits[place : place + 2], 16) for place in (0, 2, 4))
        return (red, green, blue), int(digits[6:8], 16) / 255 if len(digits) == 8 else 1
    if found := _RGB.search(value):
        alpha = found[4] or "1"
        opacity = float(alpha[:-1]) / 100 if alpha.endswith("%") else float(alpha if alpha.count(".") < 2 else "1")
        return (int(found[1]), int(found[2]), int(found[3])), opacity
    return next(((_NAMES[word], 1.0) for word in value.split() if word in _NAMES), (None, 1.0))


def _upwards(node: HtmlElement) -> Iterator[HtmlElement]:
    yield node
    yield from node.iterancestors()
