"""The vectors of passages and statements that an encoder has made for a study: 16-bit numbers, none made twice."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from medreview.text import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_PASSAGES: Final = """SELECT v.start_cp, v.end_cp, v.vector FROM snapshot AS p
    JOIN snapshot AS same ON same.source_id = p.source_id AND same.text_sha256 = p.text_sha256
    JOIN passage_vector AS v ON v.encoder = ? AND v.snapshot_id = same.snapshot_id
    WHERE p.snapshot_id = ?"""

TYPE: Final = "<f2"
"""Half precision: the scalar product of two vectors of length 1 changes by less than 0.001."""


def passages(reader: sqlite3.Connection, encoder: str, snapshot_id: str) -> "dict[Span, Vector]":
    """The vectors of a page's passages by this encoder, also those made when it was fetched before with this text."""
    return {Span(row[0], row[1]): unpacked(row[2]) for row in reader.execute(_PASSAGES, (encoder, snapshot_id))}


def statement(reader: sqlite3.Connection, encoder: str, statement_id: str) -> "Vector | None":
    """A statement's vector by this encoder; ``None`` before there is one."""
    query = "SELECT vector FROM statement_vector WHERE encoder = ? AND statement_id = ?"
    row = reader.execute(query, (encoder, statement_id)).fetchone()
    return unpacked(row[0]) if row else None


def keep_passages(
    connection: sqlite3.Connection, encoder: str, snapshot_id: str, made: "Mapping[Span, Vector]"
) -> None:
    """Store vectors of a page's passages."""
    rows = [(encoder, snapshot_id, span.start, span.end, packed(vector)) for span, vector in made.items()]
    connection.executemany("INSERT OR REPLACE INTO passage_vector VALUES (?, ?, ?, ?, ?)", rows)


def keep_statements(connection: sqlite3.Connection, encoder: str, made: "Iterable[tuple[str, Vector]]") -> None:
    """Store vectors of statements, by their ids."""
    rows = [(encoder, statement_id, packed(vector)) for statement_id, vector in made]
    connection.executemany("INSERT OR REPLACE INTO statement_vector VALUES (?, ?, ?)", rows)


def packed(vector: "Vector") -> bytes:
    """A vector as it is stored."""
    return vector.astype(TYPE).tobytes()


def unpacked(stored: bytes) -> "Vector":
    """A vector as it was stored."""
    import numpy as np

    return np.frombuffer(stored, dtype=TYPE).astype(np.float32)
