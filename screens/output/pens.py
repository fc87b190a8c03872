"""From one style to the next, in as few bytes as it takes."""

from functools import lru_cache
from typing import Final, NamedTuple

from medreview.screens.output.cells import LINK

_OFF: Final = {"1": "22", "2": "22", "3": "23", "4": "24", "21": "24", "5": "25", "6": "25", "7": "27", "8": "28",
               "9": "29", "51": "54", "52": "54", "53": "55"}  # fmt: skip
"""The SGR code that ends each attribute."""

_SEEN_ON_BLANKS: Final = frozenset(("4", "5", "6", "7", "9", "21", "51", "52", "53"))
"""Attributes that are seen where there is no sign."""

_CACHED: Final = 4096


class _Pen(NamedTuple):
    attributes: tuple[str, ...]
    fore: str
    back: str
    link: str


@lru_cache(_CACHED)
def change(before: str, after: str) -> str:
    """The bytes that take a terminal from one style to another; styles are as in ``Row``."""
    old, new = _pen(before), _pen(after)
    linked = "" if old.link == new.link else new.link or f"{LINK};\x1b\\"
    if old[:3] == new[:3]:
        return linked
    anew = ";".join(("", *new.attributes, *filter(None, (new.fore, new.back))))
    ends = {_OFF[it] for it in old.attributes if it not in new.attributes}
    codes = sorted(ends)
    codes += [it for it in new.attributes if it not in old.attributes or _OFF[it] in ends]
    if new.fore != old.fore:
        codes.append(new.fore or "39")
    if new.back != old.back:
        codes.append(new.back or "49")
    return f"\x1b[{min(';'.join(codes), anew.removesuffix(';'), key=len)}m{linked}"


@lru_cache(_CACHED)
def is_erasing(style: str) -> bool:
    """Whether erased cells look as blanks of this style do, where a terminal erases in the colour of the ground."""
    pen = _pen(style)
    return not pen.link and _SEEN_ON_BLANKS.isdisjoint(pen.attributes)


@lru_cache(_CACHED)
def has_ground(style: str) -> bool:
    """Whether a style has a background colour of its own."""
    return bool(_pen(style).back)


@lru_cache(_CACHED)
def _pen(style: str) -> _Pen:
    codes, begun, link = style.partition(LINK)
    attributes: list[str] = []
    fore = back = ""
    rest = codes.split(";") if codes else []
    while rest:
        code, length = rest[0], 1
        if code in ("38", "48"):
            length = 5 if rest[1] == "2" else 3
        colour = ";".join(rest[:length])
        if code in _OFF:
            attributes.append(code)
        elif code in ("39", "49"):  # the terminal's own colour, which is what there is without
            pass
        elif code.startswith(("4", "10")):
            back = colour
        else:
            fore = colour
        del rest[:length]
    return _Pen(tuple(attributes), fore, back, begun + link)
