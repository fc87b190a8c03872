"""Spreadsheets: the sheet that holds the answers, its header below titles, its rows; and Excel workbooks (.xlsx).

Numbers and days are those that a reader sees, and links of cells are kept. A formula gives the value that was stored
with it. Macros and what lies in other files are never read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from medreview.exchange.documents.result import RefusedError, markdown_link
from medreview.exchange.documents.zip_parts import Parts, attribute
from medreview.exchange.imports.field_mapping import LIKE, RESPONSE, normalise_column
from medreview.exchange.imports.file_rows import BadRecord, NamedRow

MOST_SHEETS: Final = 200
MOST_CELLS: Final = 2_000_000
"""Cells of one sheet that are read."""
MOST_COLUMNS: Final = 1_024
_HEADER_IN: Final = 50
"""Rows with a text among which the header is looked for."""
_LONGEST_NAME: Final = 80
_NEARLY_ALL: Final = 0.7
"""The part of the columns in use that a header names."""
_MOST_NAMED: Final = 12
_LABEL_WORDS: Final = 12
"""Words of a cell with a link from which on it is a text, and its address stands after it."""


@dataclass(slots=True)
class Sheet:
    """A sheet: its rows by their numbers, each a list of cells from the first column on; ``more``: it was cut.

    ``name`` is what a sentence calls it: ``sheet 'Answers'``.
    """

    name: str
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    hidden: bool = False
    more: bool = False


def rows_of(sheets: Iterable[Sheet]) -> tuple[tuple[NamedRow | BadRecord, ...], tuple[str, ...]]:
    """The records of the sheet with the answers, and how they were found. Raises :class:`RefusedError` without any."""
    found = [(sheet, header) for sheet in sheets if (header := _header(sheet)) is not None]
    if not found:
        raise RefusedError("has no sheet with a row of column names and rows below it")
    best = max(found, key=lambda one: (_rank(_names(one)), not one[0].hidden))
    sheet, header = best
    number, names = sheet.rows[header][0], _names(best)
    notes = [f"{sheet.name[:80]}, columns named in row {number}"]
    others = [one.name[:80] for one, _ in found if one is not sheet]
    if others:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        notes.append(f"not read: {', '.join(others[:_MOST_NAMED])}{more}; save one as a file of its own to import it")
    if sheet.more:
        notes.append(f"only the first {MOST_CELLS:,} cells of the sheet were read")
    return tuple(_records(sheet.rows[header + 1 :], names)), tuple(notes)


def holds_answers(sheet: Sheet) -> bool:
    """Whether a sheet has a column that is named as that of the answer, with rows below it."""
    header = _header(sheet)
    return header is not None and _rank(sheet.rows[header][1]) > 1


def with_link(text: str, address: str) -> str:
    """The text of a cell that leads to an address."""
    if len(text.split()) > _LABEL_WORDS or "\n" in text.strip():
        return f"{text} {address}"
    return markdown_link(text, address)


def _header(sheet: Sheet) -> int | None:
    """The place of the row that names the columns; ``None`` for a sheet without one, or with nothing below it.

    It is the first with a column for the answer; without any, the first that fills most of the columns in use.
    """
    first = [at for at, (_, cells) in enumerate(sheet.rows) if any(map(str.strip, cells))][:_HEADER_IN]
    possible = [at for at in first[:-1] if _may_name(sheet.rows[at][1])]
    if not possible:
        return None
    used = max(sum(bool(cell.strip()) for cell in sheet.rows[at][1]) for at in first)
    wide = [at for at in possible if sum(bool(cell.strip()) for cell in sheet.rows[at][1]) >= _NEARLY_ALL * used]
    named = [at for at in possible if _rank([normalise_column(cell) for cell in sheet.rows[at][1]]) > 1 and at in wide]
    return next(iter(named or wide or possible), None)


def _may_name(cells: Sequence[str]) -> bool:
    names = [cell.strip() for cell in cells if cell.strip()]
    texts = all(len(name) <= _LONGEST_NAME and not re.fullmatch(r"[\d.,:%/-]+", name) for name in names)
    return texts and len(set(names)) == len(names)


def _rank(names: Iterable[str]) -> int:
    """How surely columns are those of answers: 2 with one named so, 1 with one that is named like it."""
    columns = {normalise_column(name) for name in names}
    return 2 if columns.intersection(RESPONSE) else int(any(LIKE["response"].search(name) for name in columns))


def _names(found: tuple[Sheet, int]) -> list[str]:
    """The columns' names; one without a name has its letter, the second of two that are alike a number."""
    sheet, header = found
    cells = sheet.rows[header][1]
    width = max((len(row) for _, row in sheet.rows[header:]), default=0)
    names: list[str] = []
    times: Counter[str] = Counter()
    for at in range(width):
        name = " ".join((cells[at] if at < len(cells) else "").split()) or letters(at)
        times[normalise_column(name)] += 1
        count = times[normalise_column(name)]
        names.append(f"{name} ({count})" if count > 1 else name)
    return names


def _records(rows: Iterable[tuple[int, list[str]]], names: Sequence[str]) -> Iterator[NamedRow]:
    filled: set[int] = set()
    kept = []
    for number, cells in rows:
        if any(map(str.strip, cells)):
            kept.append((number, cells))
            filled |= {at for at, cell in enumerate(cells) if cell.strip()}
    used = [at for at in range(len(names)) if at in filled or len(names[at]) > 3 or names[at] != letters(at)]
    for number, cells in kept:
        yield NamedRow(number, {names[at]: cells[at].strip() if at < len(cells) else "" for at in used})


def letters(column: int) -> str:
    """The letters of a column from 0: A, B, ... AA."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


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
