"""Letters in the colour of what is behind them, as far as a page itself says both colours."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from lxml.html import HtmlElement

from medreview.sources.reading.style_rules import HIGHEST, Style, StyleRules

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
