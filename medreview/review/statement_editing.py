"""Edits of a statement: cut it in two, join it with the next, exclude it; and edits that conflict after a merge.

The cut stands before a word and is moved by words or clauses (``w b W B``).
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from medreview.errors import UserError
from medreview.review.span_editing import word_spans
from medreview.study.events import NewEvent
from medreview.study.statement_edits import (
    EXCLUDE,
    JOIN,
    NOT_MEDICAL,
    PROMOTE,
    SPLIT,
    Edit,
    MadeStatement,
    all_edits,
    fold,
    made_by,
    payload_of,
)
from medreview.text import Span, joined, lazy_pattern, places_in_text
from medreview.units.statement_view import load_name

KEYS: Final = ("w", "b", "W", "B")
"""Word forward, word back, clause forward, clause back."""

_CLAUSE: Final = lazy_pattern(
    r"(?:[,;:.!?)\]]|\b(?:and|or|but|while|whereas|because|which|although|however))\W*$", re.IGNORECASE
)


@dataclass(frozen=True)
class CutEdit:
    """A cut that is being moved: ``places`` are the words it may stand before, ``at`` is one of them."""

    text: str
    places: tuple[int, ...]
    at: int

    @classmethod
    def of(cls, text: str) -> "CutEdit":
        """The cut to begin with: before the clause that begins nearest to the middle, else before the word there.

        Raises :class:`UserError` for a statement of one word.
        """
        places = tuple(word.start for word in word_spans(text))[1:]
        if not places:
            raise UserError("This statement is one word: there is nothing to cut.")
        cut = cls(text, places, places[0])
        return replace(cut, at=min(cut.clauses or places, key=lambda at: abs(at - len(text) / 2)))

    @property
    def clauses(self) -> tuple[int, ...]:
        """The places where a clause begins: behind a punctuation mark, or at a word that joins two."""
        found = []
        for number, at in enumerate(self.places):
            end = self.places[number + 1] if number + 1 < len(self.places) else len(self.text)
            joins = _CLAUSE.fullmatch(self.text[at:end]) is not None
            if joins or _CLAUSE.search(self.text[:at].rstrip()[-1:]) is not None:
                found.append(at)
        return tuple(found)

    @property
    def parts(self) -> tuple[str, str]:
        """What would stand on both sides."""
        return self.text[: self.at].rstrip(), self.text[self.at :]


def moved_cut(cut: CutEdit, key: str) -> CutEdit:
    """The cut after one of ``KEYS``; unchanged if there is no further place. Raises ``KeyError`` for other keys."""
    if key not in KEYS:
        raise KeyError(key)
    places = cut.clauses if key in "WB" else cut.places
    if key in "wW":
        return replace(cut, at=min((at for at in places if at > cut.at), default=cut.at))
    return replace(cut, at=max((at for at in places if at < cut.at), default=cut.at))


_WORD: Final = re.compile(r"[^\W_]")


def split_event(reader: sqlite3.Connection, statement_id: str, at: int) -> NewEvent:
    """Cut a statement in two before a code point of its text; blanks at the cut belong to neither part.

    Raises :class:`UserError` when the study does not have the statement, and when a part would say nothing.
    """
    row = _standing(reader, statement_id)
    text, parts = row["text"], _parts(row)
    pieces = [_stripped(text, Span(0, at)), _stripped(text, Span(at, len(text)))]
    if not all(_WORD.search(text, *piece) for piece in pieces):
        raise UserError("A cut leaves words on both sides; move it into the statement.")
    response = _response(reader, row)
    made = []
    for piece in pieces:
        ranges = places_in_text(parts, piece)
        made.append(
            MadeStatement.of(row["response_id"], ranges, joined(response, ranges) if ranges else text[slice(*piece)])
        )
    return NewEvent(SPLIT, statement_id, payload_of(row["response_id"], [statement_id], made))


def join_event(reader: sqlite3.Connection, statement_id: str) -> NewEvent:
    """Make one statement of this one and the next of its response; it has several ranges where something is between.

    Raises :class:`UserError` when the study does not have the statement, and when it is the last of its response.
    """
    row = _standing(reader, statement_id)
    units = statements_in_order(reader, row["response_id"])
    following = units[units.index(statement_id) + 1 :]
    if not following:
        raise UserError("This is the last statement of its response: no other follows that it could be joined with.")
    other = _standing(reader, following[0])
    response, places = _response(reader, row), (_parts(row), _parts(other))
    ranges = _union(response, [*places[0], *places[1]]) if all(places) else []
    text = joined(response, ranges) if ranges else f"{row['text']} {other['text']}"
    made = MadeStatement.of(row["response_id"], ranges, text)
    return NewEvent(JOIN, statement_id, payload_of(row["response_id"], [statement_id, following[0]], [made]))


def exclude_event(reader: sqlite3.Connection, statement_id: str) -> NewEvent:
    """Record that a statement is not medical, so that it leaves the study.

    Raises :class:`UserError` when the study does not have it.
    """
    row = _standing(reader, statement_id)
    return NewEvent(EXCLUDE, statement_id, payload_of(row["response_id"], [statement_id], [], reason=NOT_MEDICAL))


def statements_in_order(reader: sqlite3.Connection, response_id: str) -> list[str]:
    """The statements of a response as they are read."""
    query = """SELECT statement_id FROM statement_standing WHERE response_id = ?
               ORDER BY place, "start", ordinal"""
    return [row[0] for row in reader.execute(query, (response_id,))]


def made_of(event: NewEvent) -> list[str]:
    """The statements that an edit makes."""
    return [one.statement_id for one in made_by(event.kind, event.unit, event.payload)]


def _standing(reader: sqlite3.Connection, statement_id: str) -> Any:
    row = reader.execute("SELECT * FROM statement_standing WHERE statement_id = ?", (statement_id,)).fetchone()
    if row is None:
        raise UserError(f"No statement of this study has the id {statement_id!r}; it may have been cut or joined.")
    return row


def _response(reader: sqlite3.Connection, row: sqlite3.Row) -> str:
    found = reader.execute("SELECT text FROM response WHERE response_id = ?", (row["response_id"],)).fetchone()
    return str(found["text"])


def _parts(row: sqlite3.Row) -> list[Span]:
    parts = [Span(*part) for part in json.loads(row["parts"])]
    return parts or ([] if row["start"] is None else [Span(row["start"], row["end"])])


def _stripped(text: str, piece: Span) -> Span:
    body = text[piece.start : piece.end]
    start = piece.start + len(body) - len(body.lstrip())
    return Span(start, max(start, piece.start + len(body.rstrip())))


def _union(text: str, parts: Iterable[Span]) -> Sequence[Span]:
    """The ranges in the order of the text; those that overlap, or have only blanks between them, are one."""
    found: list[Span] = []
    for part in sorted(parts):
        if found and not text[found[-1].end : part.start].strip():
            found[-1] = Span(found[-1].start, max(found[-1].end, part.end))
        else:
            found.append(part)
    return found


_DONE: Final = {SPLIT: "cut in two", JOIN: "joined with the next", EXCLUDE: "excluded", PROMOTE: "made a statement"}


def edit_conflicts(reader: sqlite3.Connection) -> list[str]:
    """A sentence for each edit that was not taken back and does not stand, by response and time."""
    every = all_edits(reader).values()
    return [_sentence(reader, edit, before) for edits in every for edit, before in fold(edits).conflicts]


def _sentence(reader: sqlite3.Connection, edit: Edit, before: Edit | None) -> str:
    name = load_name(reader, edit.replaced[0])
    lost = f"{name}, {_DONE[edit.kind]} by {edit.reviewer}, is not"
    if before is None:
        return f"{lost}: what that was done to was taken back."
    return f"{lost}: {load_name(reader, before.replaced[0])} was {_DONE[before.kind]} by {before.reviewer} first."
