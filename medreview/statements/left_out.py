"""Parts of responses that are not statements, listed with place and reason; a reviewer can make one a statement."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from medreview.errors import UserError
from medreview.progress import SILENT, Progress
from medreview.study import Study
from medreview.study.events import NewEvent
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.statement_edits import PROMOTE, statement_id_of
from medreview.text import Span, with_line_ends

if TYPE_CHECKING:
    from medreview.statements.split import Parsed

_WAITING: Final = "FROM response WHERE parser IS NOT NULL AND left_out_by IS NULL"
_BATCH: Final = 500
_WORD: Final = re.compile(r"[^\W\d_]{2}|[^\W\d_a-z]")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of a response that is no statement: ``response[start:end] == text``; ``reason`` is one of
    ``medreview.labels.LEFT_OUT_REASONS``."""

    left_out_id: str
    response_id: str
    record_id: str
    start: int
    end: int
    text: str
    reason: str


_COLUMNS: Final = """SELECT l.left_out_id, l.response_id, r.record_id, l."start", l."end", l.reason
FROM left_out AS l JOIN response AS r USING (response_id)"""
_TEXT: Final = "SELECT text FROM response WHERE response_id = ?"


def left_out(reader: sqlite3.Connection, response_id: str | None = None) -> Iterator[LeftOut]:
    """What is left out of one response, or of all, in their order."""
    where = "" if response_id is None else "WHERE l.response_id = ?"
    rows = reader.execute(
        f'{_COLUMNS} {where} ORDER BY r.ordinal, l."start"', () if response_id is None else (response_id,)
    )
    return _with_texts(reader, rows)


def _with_texts(reader: sqlite3.Connection, rows: Iterable[sqlite3.Row]) -> Iterator[LeftOut]:
    """The parts of rows, those of one response in turn. SQLite counts from the start of a text for each part of it."""
    whose, text = None, ""
    for part, response_id, record_id, start, end, reason in rows:
        if response_id != whose:
            whose, text = response_id, reader.execute(_TEXT, (response_id,)).fetchone()[0]
        yield LeftOut(part, response_id, record_id, start, end, text[start:end], reason)


def rows_of(response_id: str, parsed: "Parsed") -> Iterator[dict[str, Any]]:
    """The rows of what a split left out."""
    return (_row(response_id, Span(part.start, part.end), part.reason) for part in parsed.dropped)


def is_listed(reader: sqlite3.Connection) -> bool:
    """Whether it is known of every response that is split what is left out of it."""
    return reader.execute(f"SELECT 1 {_WAITING} LIMIT 1").fetchone() is None


def list_left_out(study: Study, progress: Progress = SILENT) -> None:
    """List what is left out of responses for which nothing has done so: an earlier version split them, or a judge, or
    their statements came with them.

    These are the parts of a new split that no statement holds. Where a statement has no place in the response, nothing
    can be said, and nothing is listed. In transactions of 500 responses.
    """
    waiting = study.reader.execute(f"SELECT count(*) {_WAITING}").fetchone()[0]
    if not waiting:
        return
    progress.begin("left out", waiting)
    while rows := study.reader.execute(f"SELECT response_id, text {_WAITING} LIMIT ?", (_BATCH,)).fetchall():
        found = [
            row for response_id, text in rows for row in _unheld(response_id, text, _places(study.reader, response_id))
        ]
        study.write(lambda connection, rows=rows, found=found: _store(connection, rows, found))  # type: ignore[misc]
        progress.step(len(rows))


def promotion(reader: sqlite3.Connection, left_out_id: str) -> NewEvent:
    """The event that makes a statement of what was left out; its marks and citations at the edges stay outside.

    Raises :class:`UserError` when there is no such part.
    """
    from medreview.citations import extract
    from medreview.statements.marks import CitationIndex, trim

    part = next(_with_texts(reader, reader.execute(f"{_COLUMNS} WHERE l.left_out_id = ?", (left_out_id,))), None)
    if part is None:
        raise UserError(f"Nothing that is left out has the id {left_out_id!r}; `parse --left-out` lists them.")
    text = reader.execute(_TEXT, (part.response_id,)).fetchone()[0]
    lines = with_line_ends(text)
    whole = Span(part.start, part.end)
    trimmed = trim(lines, whole, CitationIndex(lines, extract(text)))
    span = trimmed if trimmed and _WORD.search(text, *trimmed) else whole  # of "1. https://..." the number is left
    exact = text[span.start : span.end]
    payload = {
        "response": part.response_id,
        "start": span.start,
        "end": span.end,
        "text": exact,
        "reason": part.reason,
        "left_out": list(whole),
    }
    return NewEvent(PROMOTE, statement_id_of(part.response_id, span.start, exact), payload)


def _row(response_id: str, place: Span, reason: str) -> dict[str, Any]:
    return {
        "left_out_id": content_id("l", response_id, *place),
        "response_id": response_id,
        "start": place.start,
        "end": place.end,
        "reason": reason,
    }


def _places(reader: sqlite3.Connection, response_id: str) -> list[Span] | None:
    """The places of the statements of a response, in order; ``None`` when one has none."""
    rows = reader.execute(
        'SELECT place."start", place."end" FROM statement_place AS place WHERE response_id = ?', (response_id,)
    ).fetchall()
    if any(row["start"] is None for row in rows):
        return None
    return sorted(Span(*row) for row in rows)


def _unheld(response_id: str, text: str, held: Sequence[Span] | None) -> Iterator[dict[str, Any]]:
    from medreview.statements.split import split  # its rules take long to load, and a screen only reads what they found

    if held is None:
        return
    parsed = split(text)
    fresh = [(Span(part.start, part.end), str(part.reason)) for part in parsed.dropped]
    fresh += [(place, "other_parser") for statement in parsed.statements for place in statement.places]
    seen: set[int] = set()
    for place, reason in sorted(fresh):
        for rest in _without(place, held):
            span = _stripped(text, rest)
            if span and span.start not in seen and _WORD.search(text, *span):
                seen.add(span.start)
                yield _row(response_id, span, reason)


def _without(place: Span, held: Sequence[Span]) -> Iterator[Span]:
    """The parts of a place that no statement holds."""
    at = place.start
    for span in held:
        if span.overlap(Span(at, place.end)):
            yield Span(at, max(at, span.start))
            at = span.end
    yield Span(at, max(at, place.end))


def _stripped(text: str, span: Span) -> Span:
    body = text[span.start : span.end]
    start = span.start + len(body) - len(body.lstrip())
    return Span(start, max(start, span.start + len(body.rstrip())))


def _store(connection: sqlite3.Connection, responses: Sequence[sqlite3.Row], found: Sequence[dict[str, Any]]) -> None:
    from medreview.statements.split import PARSER

    insert(connection, "left_out", found)
    connection.executemany(
        "UPDATE response SET left_out_by = ? WHERE response_id = ?", [(PARSER, row["response_id"]) for row in responses]
    )
