"""The numbers and bullets of lists in a Word document, counted as Word counts them (``numbering.xml``)."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.exchange.documents.zip_parts import attribute

_PLACE: Final = re.compile(r"%([1-9])")
_BULLETS: Final = frozenset({"bullet", "none"})
_ROMAN: Final = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_DEEPEST: Final = 9


@dataclass(slots=True)
class _Level:
    format: str = "decimal"
    text: str = ""
    start: int = 1


@dataclass(slots=True)
class _List:
    """A list: the definition that it shares its count with, and the levels that it begins anew."""

    definition: str
    restarts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The lists of a document, and how far each has counted; ``root`` is that of ``numbering.xml``, or ``None``."""

    def __init__(self, root: Any) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int]] = {}
        self._begun: set[str] = set()
        for definition in root.iter("abstractNum") if root is not None else ():
            for level in definition.iter("lvl"):
                self._levels[attribute(definition, "abstractNumId"), _number(attribute(level, "ilvl"))] = _Level(
                    attribute(level.find("numFmt"), "val") or "decimal",
                    attribute(level.find("lvlText"), "val"),
                    _number(attribute(level.find("start"), "val") or "1"),
                )
        for one in root.iter("num") if root is not None else ():
            restarts = {
                _number(attribute(override, "ilvl")): _number(attribute(override.find("startOverride"), "val"))
                for override in one.iter("lvlOverride")
                if override.find("startOverride") is not None
            }
            self._lists[attribute(one, "numId")] = _List(attribute(one.find("abstractNumId"), "val"), restarts)

    def label(self, list_id: str, depth: int) -> str:
        """The label of the next item of a list at a depth (0 the outermost): ``-`` for a bullet, ``2.``, ``b)``.

        ``""`` for a paragraph that is in no list.
        """
        if list_id in ("", "0") or list_id not in self._lists or depth >= _DEEPEST:
            return ""
        one = self._lists[list_id]
        level = self._levels.get((one.definition, depth), _Level("bullet"))
        if level.format in _BULLETS:
            return "-" if level.format == "bullet" else ""
        counts = self._counts.setdefault(one.definition, [])
        if list_id not in self._begun:
            self._begun.add(list_id)
            for at in one.restarts:
                del counts[at:]
        del counts[depth + 1 :]
        while len(counts) <= depth:
            at = len(counts)
            start = one.restarts.get(at, self._levels.get((one.definition, at), _Level()).start)
            counts.append(start - (at == depth))
        counts[depth] += 1

        def shown(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            count = counts[at] if at < len(counts) else 1
            return _written(count, self._levels.get((one.definition, at), level).format)

        return _PLACE.sub(shown, level.text).strip() or f"{counts[depth]}."


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _written(count: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and count > 0:
        letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 % 20 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < 400:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (count // value)
            count %= value
        return roman if form == "lowerRoman" else roman.upper()
    return f"{count:02d}" if form == "decimalZero" else str(count)
