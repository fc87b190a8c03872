"""Units that came as such: rows of the table ``unit``, with what belongs to them, written once and never changed."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.unit_rows import content_unit_id, dumped, insert_unit
from medreview.text import Span, sha256
from medreview.units.view import Gold

ROWS: Final = """SELECT unit_id AS unit, ordinal AS cluster, ordinal, text, model, origin, record_id
FROM unit WHERE kind = '{}'"""
"""``UnitKind.rows`` of a kind whose units stand alone in lists; its name goes into the braces."""

GROUPED_ROWS: Final = """SELECT u.unit_id AS unit, iif(u.belongs_to = '', u.ordinal, (
    SELECT min(o.ordinal) FROM unit AS o WHERE o.belongs_to = u.belongs_to AND o.belongs_to <> '' AND +o.kind = u.kind
)) AS cluster, u.ordinal, u.text, u.model, u.origin, u.record_id
FROM unit AS u WHERE u.kind = '{}'"""
"""The same of a kind whose units stand together with those that belong to the same passage, case or response.

Without the plus SQLite looks for the smallest ordinal among all units of the kind, for each of them.
"""


def content_value(name: str) -> str:
    """SQL over the rows of a kind (as ``s``): one of the values that its units have in their content."""
    return f"(SELECT json_extract(u.content, '$.{name}') FROM unit AS u WHERE u.unit_id = s.unit)"


@dataclass(frozen=True, slots=True)
class NewUnit:
    """A unit to be stored. ``content`` is what its kind makes a view of; what is decided about is all in it.

    ``text``: what lists show and a filter finds. ``belongs_to``: a case, passage, snapshot or
    response id, ``""`` for none.
    ``made_by``: model, prompt and run of what generated it; empty when it was given.
    """

    kind: str
    text: str
    content: Mapping[str, Any]
    record_id: str = ""
    origin: str = ""
    model: str = ""
    belongs_to: str = ""
    made_by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """Its id: the same content has the same one in every study."""
        return content_unit_id(self.kind, self.belongs_to, self.content)


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A text that units are about; the same text is one passage."""

    text: str
    title: str = ""
    url: str = ""

    @property
    def passage_id(self) -> str:
        """Its id."""
        return content_id("g", self.text)


@dataclass(frozen=True, slots=True)
class NewOpinion:
    """What a machine says of a unit; ``label``: the level that its raw label is on the axis, or ``None``."""

    unit: str
    judge: str
    axis: str
    raw_label: str
    label: str | None
    model: str = ""
    prompt_id: str = ""
    confidence: float | None = None
    reason: str = ""
    quote: str = ""

    @property
    def opinion_id(self) -> str:
        """Its id: the same words of the same judge on the same unit are one opinion."""
        return content_id(
            "o", self.unit, self.judge, self.prompt_id, self.axis, self.raw_label, self.reason, self.quote
        )


@dataclass(frozen=True, slots=True)
class StoredUnit:
    """A unit as it is stored."""

    unit: str
    kind: str
    ordinal: int
    record_id: str
    origin: str
    model: str
    belongs_to: str
    text: str
    content: Mapping[str, Any]
    content_sha256: str
    made_by: Mapping[str, Any]


def dumped_spans(spans: Iterable[tuple[str, Span, str]]) -> str:
    """The JSON text of spans: (key of the document, range, type)."""
    return json.dumps([{"target": target, "start": start, "end": end, "label": label}
                       for target, (start, end), label in spans])  # fmt: skip


def read_spans(stored: str) -> tuple[tuple[str, Span, str], ...]:
    """The spans of such a text."""
    return tuple((span["target"], Span(span["start"], span["end"]), span["label"]) for span in json.loads(stored))


def load_unit(reader: sqlite3.Connection, unit: str) -> StoredUnit:
    """Read one; raises ``KeyError`` when the study does not have it."""
    row = reader.execute("SELECT * FROM unit WHERE unit_id = ?", (unit,)).fetchone()
    if row is None:
        raise KeyError(unit)
    return StoredUnit(
        unit=row["unit_id"],
        kind=row["kind"],
        ordinal=row["ordinal"],
        record_id=row["record_id"],
        origin=row["origin"],
        model=row["model"],
        belongs_to=row["belongs_to"],
        text=row["text"],
        content=json.loads(row["content"]),
        content_sha256=row["content_sha256"],
        made_by=json.loads(row["made_by"]),
    )


def load_passage(reader: sqlite3.Connection, passage_id: str) -> NewPassage | None:
    """A passage; ``None`` when the study does not have it."""
    row = reader.execute("SELECT text, title, url FROM passage WHERE passage_id = ?", (passage_id,)).fetchone()
    return NewPassage(*row) if row else None


def load_gold(reader: sqlite3.Connection, unit: str, axis: str) -> Gold | None:
    """The right label of a unit on an axis, if it is known."""
    row = reader.execute("SELECT * FROM gold WHERE unit = ? AND axis = ?", (unit, axis)).fetchone()
    if row is None:
        return None
    return Gold(axis, row["label"], read_spans(row["spans"]), row["why"], bool(row["attention"]))


def add_units(connection: sqlite3.Connection, units: Sequence[NewUnit], imported_from: str) -> int:
    """Store units after the last of their kind, inside the caller's transaction; how many of them are new."""
    return sum(
        insert_unit(
            connection, one.kind, one.belongs_to, one.content,
            record_id=one.record_id, origin=one.origin, model=one.model, text=one.text, made_by=dumped(one.made_by),
            imported_at=now(), imported_from=imported_from,
        )
        for one in units
    )  # fmt: skip


def add_passages(connection: sqlite3.Connection, passages: Iterable[NewPassage], imported_from: str) -> int:
    """Store passages; how many of them are new."""
    rows = (
        {
            "passage_id": passage.passage_id,
            "title": passage.title,
            "url": passage.url,
            "imported_at": now(),
            "imported_from": imported_from,
            "text_sha256": sha256(passage.text),
            "text": passage.text,
        }
        for passage in passages
    )
    return insert(connection, "passage", rows)


def add_gold(connection: sqlite3.Connection, gold: Iterable[tuple[str, Gold]], added_by: str) -> int:
    """Store the right labels of units; what is known of a unit and axis already stays. How many are new."""
    rows = (
        {
            "unit": unit,
            "axis": one.axis,
            "label": one.label,
            "spans": dumped_spans(one.spans),
            "why": one.why,
            "attention": int(one.attention),
            "added_by": added_by,
            "added_at": now(),
        }
        for unit, one in gold
    )
    return insert(connection, "gold", rows)


def add_opinions(connection: sqlite3.Connection, opinions: Iterable[NewOpinion], imported_from: str) -> int:
    """Store what machines say of units; how many opinions are new."""
    given_at = now()
    rows = (
        {
            "opinion_id": one.opinion_id,
            "unit": one.unit,
            "judge": one.judge,
            "model": one.model,
            "prompt_id": one.prompt_id,
            "axis": one.axis,
            "raw_label": one.raw_label,
            "label": one.label,
            "confidence": one.confidence,
            "reason": one.reason,
            "quote": one.quote,
            "given_at": given_at,
            "imported_from": imported_from,
        }
        for one in opinions
    )
    return insert(connection, "opinion", rows)


def now() -> str:
    """The time as tables hold it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
