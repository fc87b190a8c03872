"""Units that came as such: rows of the table ``unit``, with passages, gold labels, correct answers and opinions.

Written once and never changed. ``opinion`` has what machines say of units for which judges have no table of their own;
:func:`content_table` is what an export has of these units.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final, Literal, get_args

from medreview.exchange.files.columns import Cell, Column, ExportFile, Type, cells_of
from medreview.labels import FALSE_QUOTES, label_words
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.unit_table import content_unit_id, dumped, insert_unit
from medreview.text import Span, sha256
from medreview.units.kind import CardPart, Document, DocumentPassage, Gold, Machines, Opinion, UnitView

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

    def view(self, name: str, parts: Iterable[CardPart], documents: Iterable[Document], **more: Any) -> UnitView:
        """It as a reviewer is shown it; ``more``: further fields of the view."""
        return UnitView(
            unit=self.unit,
            kind=self.kind,
            name=name,
            group=more.pop("group", ""),
            text=self.text,
            text_sha256=self.content_sha256,
            parts=tuple(parts),
            documents=tuple(documents),
            model=more.pop("model", self.model),
            origin=self.origin,
            record_id=self.record_id,
            **more,
        )


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


WhenShown = Literal["after", "shown"]
"""When the correct answer stands beside an answer. ``after``: once the answer is decided and the machines may be seen.
``shown``: from the start."""

_KEY: Final = "correct_answer"


def correct_answers_are(reader: sqlite3.Connection) -> WhenShown:
    """The study's rule; ``after`` until another is set: the correct answer is nearly the right label."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    rule = row[0] if row else None
    return next((when for when in get_args(WhenShown) if when == rule), "after")


def show_correct_answers(study: Study, when: WhenShown) -> None:
    """Set the rule of a study, for everybody who reviews in it."""
    study.write(lambda connection: connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (_KEY, when)))


def add_reference(connection: sqlite3.Connection, question: str, text: str, imported_from: str) -> None:
    """Store the correct answer to a question, inside the caller's transaction; one that is there stays."""
    row = {
        "question_sha256": sha256(question),
        "question": question,
        "text": text,
        "imported_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "imported_from": imported_from,
    }
    insert(connection, "reference_answer", [row])


def load_reference(reader: sqlite3.Connection, question: str) -> str:
    """The correct answer to a question, ``""`` where none is known."""
    row = reader.execute("SELECT text FROM reference_answer WHERE question_sha256 = ?", (sha256(question),)).fetchone()
    return str(row[0]) if row else ""


def kept_for_afterwards(reader: sqlite3.Connection, question: str) -> bool:
    """Whether nobody is to read the correct answer to a question beside the question: answers to it are reviewed, for
    which it is nearly the right label, and the study does not show it from the start."""
    return correct_answers_are(reader) == "after" and bool(load_reference(reader, question))


def stored_opinions(reader: sqlite3.Connection, unit: str, axis: str, quoted: str = "passage") -> Machines:
    """The opinions on a unit, and what most judges say; ``quoted``: the document that their quotations are of."""
    return common(opinions_on(reader, unit, axis, quoted), axis)


def opinions_on(reader: sqlite3.Connection, unit: str, axis: str, quoted: str) -> tuple[Opinion, ...]:
    """The stored opinions on a unit."""
    rows = reader.execute(
        "SELECT * FROM opinion WHERE unit = ? AND axis = ? ORDER BY given_at, judge, opinion_id", (unit, axis)
    )
    return tuple(
        Opinion(
            opinion_id=row["opinion_id"],
            judge=row["judge"],
            model=row["model"],
            prompt=row["prompt_id"],
            said=label_words(axis, row["label"]) if row["label"] else row["raw_label"],
            label=row["label"],
            confidence=row["confidence"],
            reason=row["reason"],
            passages=(DocumentPassage(quoted, row["quote"], ""),) if row["quote"] else (),
            counts=row["label"] is not None,
        )
        for row in rows
    )


def common(found: tuple[Opinion, ...], axis: str) -> Machines:
    """Opinions with the label of most judges, none when they are even."""
    voting = [one for one in found if one.counts]
    tally = Counter(one.label for one in voting if one.label).most_common()
    even = len(tally) > 1 and tally[0][1] == tally[1][1]
    level = tally[0][0] if tally and not even else None
    voted = ", ".join(f"{label_words(axis, label)} {count}" for label, count in tally) if len(voting) > 1 else ""
    return Machines(found, level, f"judges {voted}" if voted else "")


def located(machines: Machines, *documents: Document | None) -> Machines:
    """The same opinions, each quotation with its status and its places in the document that it is of."""
    from medreview.evidence.grounding import QuoteIndex, ground

    texts = {document.key: QuoteIndex(document.text) for document in documents if document}

    def place(passage: DocumentPassage) -> DocumentPassage:
        if passage.spans or passage.key not in texts:
            return passage
        found = ground(passage.quote, texts[passage.key])
        return passage._replace(status=found.status, spans=found.spans)

    opinions = tuple(one._replace(passages=tuple(map(place, one.passages))) for one in machines.opinions)
    false = (passage.status for one in opinions for passage in one.passages if passage.status in FALSE_QUOTES)
    return machines._replace(opinions=opinions, badges=" · ".join(f"quote {status}" for status in dict.fromkeys(false)))


def opinions_beside(
    reader: sqlite3.Connection, stored: StoredUnit, axis: str, text: Document | None, quote: str, said: str = "quotes",
    reason: str = "",
) -> Machines:  # fmt: skip
    """The opinions on a unit that was made from a text, then what its writer quoted from it, which is no vote; each
    quotation with its places in the text. Without a quote and a reason the writer says nothing."""
    key = text.key if text else "passage"
    found = stored_opinions(reader, stored.unit, axis, key)
    if quote or reason:
        passages = (DocumentPassage(key, quote, ""),) if quote else ()
        writer = Opinion("generator", stored.model or "the file", "", "", said, None, None, reason, passages, False)
        found = found._replace(opinions=(*found.opinions, writer))
    return located(found, text)


_COMMON: Final = (
    Column("unit_id", "text", "The unit.", made=lambda stored: stored.unit),
    Column("record_id", "text", "Its id in the file that it came in."),
    Column("origin", "text", "Where it comes from: a stratum."),
    Column("model", "text", "Which model wrote it; empty when nobody said."),
)


def content_table(kind: str, file: str, own: Sequence[Column]) -> ExportFile:
    """The table of a kind: what all units have, then columns of its ``own``, made of the stored unit."""
    columns = (*_COMMON, *own)

    made = cells_of(columns)

    def rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
        query = "SELECT unit_id FROM unit WHERE kind = ? ORDER BY ordinal"
        for (unit,) in reader.execute(query, (kind,)).fetchall():
            yield made(load_unit(reader, unit))

    return ExportFile(file, columns, rows)


def content_column(
    name: str, type: Type, meaning: str, made: Callable[[Mapping[str, Any]], Cell] | None = None
) -> Column:
    """A column of such a table, made of the unit's content; by default the value of its name there."""
    return Column(name, type, meaning, made=lambda stored: (made or itemgetter(name))(stored.content))
