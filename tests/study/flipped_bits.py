"""Bits of what a study stores, flipped one at a time: does `check`, or opening the study, find each of them?

Half of the flips are made in the file's bytes, where the cells of its b-trees are, half by another program in a value
of a row, past the triggers, some in the header. A flip after which every table reads as before, and SQLite finds its
own structure whole, did not change a stored value.
"""

import random
import shutil
import sqlite3
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.commands import in_process


class Flip(NamedTuple):
    """One bit: of which table, and how to flip it in a file."""

    table: str
    make: Callable[[Path], None]


class Cell(NamedTuple):
    """A run of bytes of the file that holds a part of a b-tree's cell."""

    tree: str
    start: int
    length: int


def cells(path: Path) -> list[Cell]:
    """Where the cells of all tables and indexes are in a file, as the file format of SQLite says."""
    data = path.read_bytes()
    (size,) = struct.unpack_from(">H", data, 16)
    size = 65536 if size == 1 else size
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        roots = connection.execute("SELECT tbl_name, rootpage FROM sqlite_schema WHERE rootpage").fetchall()
    found: list[Cell] = []
    for name, root in [("sqlite_schema", 1), *roots]:
        _tree(data, size, name, root, found)
    return found


def _tree(data: bytes, size: int, name: str, root: int, found: list[Cell]) -> None:
    waiting = [root]
    while waiting:
        number = waiting.pop()
        base = (number - 1) * size
        head = base + (100 if number == 1 else 0)
        kind, count = data[head], struct.unpack_from(">H", data, head + 3)[0]
        inner = kind in (2, 5)
        if inner:
            waiting.append(struct.unpack_from(">I", data, head + 8)[0])
        for place in range(count):
            at = base + struct.unpack_from(">H", data, head + (12 if inner else 8) + 2 * place)[0]
            if inner:
                waiting.append(struct.unpack_from(">I", data, at)[0])
            found += _cell(data, size, name, kind, at)


def _cell(data: bytes, size: int, name: str, kind: int, start: int) -> Iterator[Cell]:
    at = start + (4 if kind in (2, 5) else 0)
    if kind == 5:  # of a table, inside: a page number and a row number
        _, at = _varint(data, at)
        yield Cell(name, start, at - start)
        return
    payload, at = _varint(data, at)
    if kind == 13:
        _, at = _varint(data, at)
    most = size - 35 if kind == 13 else (size - 12) * 64 // 255 - 23
    least = (size - 12) * 32 // 255 - 23
    local = payload if payload <= most else least + (payload - least) % (size - 4)
    local = local if payload <= most or local <= most else least
    over = payload > most
    yield Cell(name, start, at + local - start + (4 if over else 0))
    following = struct.unpack_from(">I", data, at + local)[0] if over else 0
    left = payload - local
    while following and left > 0:
        page = (following - 1) * size
        here = min(left, size - 4)
        yield Cell(name, page, 4 + here)
        left -= here
        following = struct.unpack_from(">I", data, page)[0]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(9):
        byte = data[at + place]
        if place == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    raise AssertionError


def in_bytes(path: Path, luck: random.Random, count: int) -> Iterator[Flip]:
    """Flips in the file: a table, then a cell of it or of its indexes, then a bit: small tables get their share."""
    of_table: dict[str, list[Cell]] = {}
    for cell in cells(path):
        of_table.setdefault(cell.tree, []).append(cell)
    for _ in range(count):
        table = luck.choice(sorted(of_table))
        cell = luck.choice(of_table[table])
        yield Flip(table, _flipping(cell.start + luck.randrange(cell.length), 1 << luck.randrange(8)))


def _flipping(at: int, bit: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ bit]))

    return make


def in_header(path: Path, luck: random.Random, count: int) -> Iterator[Flip]:
    """Flips in the first hundred bytes, which hold no value of a study but say how to read it."""
    for _ in range(count):
        yield Flip("(header)", _flipping(luck.randrange(100), 1 << luck.randrange(8)))


def in_values(path: Path, luck: random.Random, count: int) -> Iterator[Flip]:
    """Flips by another program: one bit of one value of one row."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        columns = {
            table: [
                (name, kind) for name, kind, hidden in connection.execute(
                    "SELECT name, type, hidden FROM pragma_table_xinfo(?)", (table,)) if not hidden
            ]
            for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            if connection.execute(f"SELECT 1 FROM {table}").fetchone()
        }  # fmt: skip
        for _ in range(count):
            table = luck.choice(sorted(columns))
            column, kind = luck.choice(columns[table])
            (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            yield Flip(
                table, _changing(table, f'"{column}"', kind, luck.randrange(rows), luck.random(), luck.randrange(8))
            )


def _changing(table: str, column: str, kind: str, row: int, where: float, bit: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for pragma in ("foreign_keys = OFF", "ignore_check_constraints = ON", "synchronous = OFF"):
                connection.execute(f"PRAGMA {pragma}")
            keys = [name for name, place in connection.execute(
                "SELECT name, pk FROM pragma_table_xinfo(?)", (table,)) if place]  # fmt: skip
            found = connection.execute(
                f"SELECT CAST({column} AS BLOB), typeof({column}), {', '.join(keys)} FROM {table} LIMIT 1 OFFSET ?",
                (row,),
            ).fetchone()
            value, stored, *key = found
            new = _flipped(value, stored, kind, where, bit)
            connection.execute("BEGIN")
            triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            given = "CAST(? AS TEXT)" if kind == "TEXT" and new is not None else "?"
            same = " AND ".join(f"{name} IS ?" for name in keys)
            connection.execute(f"UPDATE OR REPLACE {table} SET {column} = {given} WHERE {same}", (new, *key))
            for _, sql in triggers:
                connection.execute(sql)
            connection.execute("COMMIT")

    return make


def _flipped(value: bytes | None, stored: str, kind: str, where: float, bit: int) -> bytes | int | float | None:
    """The value with one bit changed: an empty one gets a byte, NULL a value of its column's type."""
    if stored == "integer":
        return int(value or b"0") ^ 1 << bit
    if stored == "real":
        packed = bytearray(struct.pack(">d", float(value or b"0")))
        packed[1 + int(where * 7)] ^= 1 << bit  # not the exponent alone: what comes out is a number
        return float(struct.unpack(">d", packed)[0])
    if value is None:
        return {"INTEGER": bit, "REAL": where}.get(kind, b"x")
    changed = bytearray(value or b"\0")
    changed[int(where * len(changed))] ^= 1 << bit
    return bytes(changed)


def logical(path: Path) -> object:
    """Every row of every table and the schema, as far as they can be read, and what SQLite says of its structure."""
    told: list[Any] = []
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        try:
            schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()
            told.append(schema)
            told.append(connection.execute("PRAGMA integrity_check").fetchall())
            for kind, name, _, _ in schema:
                if kind == b"table":
                    told.append(sorted(map(repr, connection.execute(f'SELECT * FROM "{name.decode()}"'))))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            told.append(str(error))
    return told


def outcome(path: Path, whole: object) -> str:
    """What came of a flip; an error that the program does not answer ends the bench."""
    code = in_process(["check", str(path)], path.parent, {}).returncode
    if code:
        return {1: "seen by check", 2: "seen at opening"}[code]
    return "not a stored value" if logical(path) == whole else "unseen"


def trial(study: Path, flips: Iterator[Flip], folder: Path) -> dict[str, Counter[str]]:
    """Make each flip in a copy of its own: table -> outcome -> number."""
    counts: dict[str, Counter[str]] = {}
    whole = logical(study)
    for number, flip in enumerate(flips):
        path = folder / f"{number}.medreview"
        shutil.copy(study, path)
        flip.make(path)
        counts.setdefault(flip.table, Counter())[outcome(path, whole)] += 1
        for leftover in folder.glob(f"{path.name}*"):
            leftover.unlink()
    return counts


def settled(path: Path) -> Path:
    """The file alone, without a write-ahead log: whatever is in it is in its pages."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path
