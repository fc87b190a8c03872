"""Excel workbooks (.xlsx) as sheets of texts: numbers and days as a reader sees them, links of cells kept.

A formula gives the value that was stored with it. Macros and what lies in other files are never read.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from medreview.exchange.documents.result import RefusedError
from medreview.exchange.documents.sheets import MOST_CELLS, MOST_COLUMNS, MOST_SHEETS, Sheet, with_link
from medreview.exchange.documents.zip_parts import Parts, attribute

_PLACE: Final = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_LINKED: Final = re.compile(r'\s*HYPERLINK\(\s*"([^"]{1,2000})"(?:\s*[,;]\s*"([^"]{0,500})")?', re.IGNORECASE)
_LITERAL: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DAYS: Final = frozenset({14, 15, 16, 17, 22, *range(27, 32), *range(50, 59)})
_TIMES: Final = frozenset({18, 19, 20, 21, 45, 46, 47})
_BUILT_IN: Final = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%"}
"""Formats that no workbook writes out (ECMA-376, part 1, 18.8.30)."""
_DECIMALS: Final = re.compile(r"0\.(0+)")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LAST_DAY: Final = 2_958_466


class _Look(NamedTuple):
    """How a cell shows a number: as a day, a time of day, in percent, with so many decimals (``None``: as many as it
    has)."""

    day: bool = False
    time: bool = False
    percent: bool = False
    decimals: int | None = None


def read_workbook(parts: Parts) -> Iterator[Sheet]:
    """The sheets in their order. Raises :class:`RefusedError` for a workbook with more than are read."""
    book = parts.xml("xl/workbook.xml")
    listed = list(book.iter("sheet"))
    if len(listed) > MOST_SHEETS:
        raise RefusedError(f"has {len(listed):,} sheets, more than the {MOST_SHEETS} that are read")
    targets = parts.targets("xl/workbook.xml")
    from_1904 = attribute(book.find("workbookPr"), "date1904") in ("1", "true")
    shared = [_text(one) for one in _of(parts.xml("xl/sharedStrings.xml"), "si")]
    looks = _looks(parts.xml("xl/styles.xml"))
    for one in listed:
        part = targets.get(attribute(one, "id"), "")
        root = parts.xml(part) if part.startswith("xl/worksheets/") else None
        if root is None:
            continue
        sheet = Sheet(f"sheet {attribute(one, 'name')!r}", hidden=attribute(one, "state") in ("hidden", "veryHidden"))
        _fill(sheet, root, shared, looks, _links(root, parts.addresses(part)), from_1904)
        yield sheet


def _of(root: Any, tag: str) -> Iterator[Any]:
    return root.iter(tag) if root is not None else iter(())


def _links(root: Any, addresses: Mapping[str, str]) -> dict[str, str]:
    """The addresses of cells by their places: A1."""
    found = {}
    for one in root.iter("hyperlink"):
        if (address := addresses.get(attribute(one, "id"), "")) and _PLACE.fullmatch(place := attribute(one, "ref")):
            found[place] = address
    return found


def _fill(
    sheet: Sheet, root: Any, shared: list[str], looks: list[_Look], links: Mapping[str, str], from_1904: bool
) -> None:
    read = number = 0
    for row in root.iter("row"):
        said = attribute(row, "r")
        number = int(said) if said.isdecimal() and len(said) < 8 else number + 1
        cells: list[str] = []
        for cell in row.iter("c"):
            place = _PLACE.fullmatch(attribute(cell, "r"))
            at = _column(place[1]) if place else len(cells)
            if at >= MOST_COLUMNS or at < len(cells):
                continue
            read += 1 + at - len(cells)
            if read > MOST_CELLS:
                sheet.more = True
                return
            cells += [""] * (at - len(cells))
            text = _value(cell, shared, looks, from_1904)
            formula = _LINKED.match(cell.findtext("f") or "")
            address = links.get(place[0], "") if place else ""
            if formula:
                address, text = address or formula[1], text or formula[2] or formula[1]
            cells.append(with_link(text, address) if address and text else text)
        sheet.rows.append((number, cells))


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _text(node: Any) -> str:
    """A text of several runs, without the readings that stand above Japanese words."""
    found = "".join(one.text or "" for one in node.iter("t") if one.getparent().tag != "rPh")
    return _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), found) if "_x" in found else found


def _value(cell: Any, shared: list[str], looks: list[_Look], from_1904: bool) -> str:
    kind = attribute(cell, "t")
    value = (cell.findtext("v") or "").strip() if kind != "str" else cell.findtext("v") or ""
    if kind == "inlineStr":
        return _text(cell)
    if kind == "s":
        return shared[int(value)] if value.isdecimal() and len(value) < 9 and int(value) < len(shared) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(value, value)
    if kind in ("str", "e", "d") or not value:
        return value
    style = attribute(cell, "s")
    look = looks[int(style)] if style.isdecimal() and len(style) < 6 and int(style) < len(looks) else _Look()
    return _shown(value, look, from_1904)


def _shown(value: str, look: _Look, from_1904: bool) -> str:
    """A number as the sheet shows it; a day as 2024-05-31."""
    try:
        number = float(value)
    except ValueError:
        return value
    if (look.day or look.time) and 0 <= number < _LAST_DAY:
        start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if number >= 61 else 31)
        moment = start + timedelta(seconds=round(number * 86_400))
        if look.time and not look.day:
            return moment.strftime("%H:%M:%S").removesuffix(":00") if number < 1 else f"{number * 24:.2f} h"
        return moment.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")
    if look.percent:
        return f"{number * 100:.{look.decimals or 0}f}%"
    if look.decimals is not None and abs(number) < 1e15:
        return f"{number:.{look.decimals}f}"
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.15g}"


def _looks(root: Any) -> list[_Look]:
    """The looks of the cell styles, in their order."""
    if root is None:
        return []
    codes = {attribute(one, "numFmtId"): attribute(one, "formatCode") for one in root.iter("numFmt")}
    return [_look(attribute(one, "numFmtId"), codes) for one in _of(root.find("cellXfs"), "xf")]


def _look(name: str, codes: Mapping[str, str]) -> _Look:
    known = int(name) if name.isdecimal() and len(name) < 6 else 0
    if name not in codes and (known in _DAYS or known in _TIMES):
        return _Look(day=known in _DAYS, time=known in _TIMES or known == 22)
    code = _LITERAL.sub("", codes.get(name) or _BUILT_IN.get(known, "")).split(";")[0].lower()
    if "general" in code or not code:
        return _Look()
    day, time = re.search(r"[dy]|mmm", code) is not None, re.search(r"[hs]", code) is not None
    if day or time:
        return _Look(day=day, time=time)
    if "e+" in code or "e-" in code or "/" in code or "?" in code:
        return _Look()
    decimals = _DECIMALS.search(code)
    whole = "0" in code or "#" in code
    return _Look(
        percent="%" in code, decimals=len(decimals[1]) if decimals else 0 if whole and "#." not in code else None
    )
