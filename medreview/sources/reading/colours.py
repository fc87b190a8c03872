"""Letters in the colour of what is behind them, as far as a page itself says both colours."""

import re
from itertools import islice
from typing import Final

from lxml.html import HtmlElement

from medreview.sources.reading.style_rules import HIGHEST, StyleRules

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

Colour = tuple[int, int, int]


def is_unseen_colour(node: HtmlElement, rules: StyleRules) -> bool:
    """Whether the letters of an element have the colour of the nearest background that the page names.

    Where it names none, white letters are taken to be on white, unless a class name of an element around them speaks of
    a background: that may come from a style sheet that was not read.
    """
    style = rules.style_of(node)
    value = style.get("color") or (node.get("color") or "").strip().lower()
    if value == "transparent":
        return True
    colour, alpha = parse_colour(value)
    if colour is None:
        return False
    if alpha < 0.05:
        return True
    for holder in islice(_upwards(node), HIGHEST):
        own = style if holder is node else rules.style_of(holder)
        if holder.get("background") or "url(" in own.get("background", "") or "gradient" in own.get("background", ""):
            return False
        if own.get("background-image", "none") != "none":
            return False
        shade = own.get("background-color") or own.get("background") or (holder.get("bgcolor") or "").strip().lower()
        behind, opacity = parse_colour(shade)
        if behind is not None and opacity > 0.5:
            return all(abs(one - other) <= _NEAR for one, other in zip(colour, behind, strict=True))
        if min(colour) >= _LIGHT and (holder.tag == "button" or _MAY_BE_DARK.search(holder.get("class") or "")):
            return False
    return min(colour) >= _LIGHT


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


def _upwards(node: HtmlElement):  # type: ignore[no-untyped-def]
    yield node
    yield from node.iterancestors()
