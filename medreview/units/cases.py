"""Clinical cases: what models were asked to write about, the text that a human wrote, and the notes in order of dates.

A case is tied to the responses that answer its question, and to their key facts, by the hash of that question. So no
two cases of a study have the same one.
"""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.unit_table import fact_content
from medreview.text import sha256
from medreview.units.kind import Document
from medreview.units.stored import NewUnit, now

NOTE_KINDS: Final = {"hp": "H&P", "progress": "progress note", "allied": "allied health note", "other": "note"}
"""The kinds of notes, and what the screen calls them."""


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note of a case; ``at``: its date in ISO 8601, or ``""``."""

    kind: str
    at: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case to be stored, its notes in the order of their dates."""

    record_id: str
    title: str
    question: str
    reference: str
    notes: tuple[NewNote, ...]

    @property
    def case_id(self) -> str:
        """Its id: the same content has the same one in every study."""
        notes = [[note.kind, note.at, note.author, note.text] for note in self.notes]
        return content_id("c", self.question, self.title, self.reference, json.dumps(notes, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Case:
    """A case as it is stored; ``notes`` as documents."""

    case_id: str
    ordinal: int
    record_id: str
    title: str
    question: str
    reference: str
    notes: tuple[Document, ...]

    @property
    def name(self) -> str:
        """What the screen calls it."""
        return f"C{self.ordinal:02d}"

    @property
    def documents(self) -> tuple[Document, ...]:
        """The reference text, if it has one, and the notes."""
        written = (Document("reference", "reference text", self.reference),) if self.reference else ()
        return (*written, *self.notes)


def add_cases(connection: sqlite3.Connection, cases: Iterable[NewCase], imported_from: str) -> int:
    """Store cases after the last one, inside the caller's transaction; how many are new."""
    added = 0
    for case in cases:
        last = connection.execute("SELECT max(ordinal) FROM clinical_case").fetchone()[0]
        row = {
            "case_id": case.case_id,
            "ordinal": 1 + (last or 0),
            "record_id": case.record_id,
            "title": case.title,
            "question": case.question,
            "question_sha256": sha256(case.question),
            "reference": case.reference,
            "imported_at": now(),
            "imported_from": imported_from,
        }
        if not insert(connection, "clinical_case", [row]):
            continue
        added += 1
        insert(
            connection,
            "case_note",
            (
                {
                    "note_id": content_id("n", case.case_id, number),
                    "case_id": case.case_id,
                    "ordinal": number,
                    "kind": note.kind,
                    "at": note.at,
                    "author": note.author,
                    "text_sha256": sha256(note.text),
                    "text": note.text,
                }
                for number, note in enumerate(case.notes, 1)
            ),
        )
    return added


def suggested(case: "NewCase | Case", fact: str, category: str, quote: str, model: str) -> NewUnit:
    """A suggested key fact of a case as a unit; ``model`` is who suggested it, ``""`` when that is not known."""
    return NewUnit(
        "suggestion",
        fact,
        fact_content(case.case_id, fact, category, quote),
        case.record_id,
        model=model,
        belongs_to=case.case_id,
        made_by={"model": model} if model else {},
    )


def asked_for(record_id: str) -> str:
    """What is asked about a case that comes without a question of its own."""
    return f"Write the hospital course of the case {record_id}."


def question_about(reader: sqlite3.Connection, name: str) -> str | None:
    """What is asked about the case with an id, its own or that of its record; ``None`` when the study has no such case.

    Raises ``ValueError`` when cases with several questions have the id.
    """
    rows = reader.execute("SELECT question FROM clinical_case WHERE ?1 IN (record_id, case_id)", (name,)).fetchall()
    if len(rows) > 1:
        raise ValueError(f"names the case {name!r}, and {len(rows)} cases of the study have that id")
    return str(rows[0]["question"]) if rows else None


def case_of(reader: sqlite3.Connection, case_id: str) -> Case | None:
    """A case by its id; ``None`` when the study does not have it."""
    return _case(reader, "case_id = ?", case_id)


def case_of_question(reader: sqlite3.Connection, question_sha256: str) -> Case | None:
    """The case that a question is about; ``None`` when it is about none."""
    return _case(reader, "question_sha256 = ?", question_sha256)


def _case(reader: sqlite3.Connection, condition: str, value: str) -> Case | None:
    row = reader.execute(f"SELECT * FROM clinical_case WHERE {condition} ORDER BY ordinal", (value,)).fetchone()
    if row is None:
        return None
    notes = reader.execute("SELECT * FROM case_note WHERE case_id = ? ORDER BY ordinal", (row["case_id"],))
    return Case(
        case_id=row["case_id"],
        ordinal=row["ordinal"],
        record_id=row["record_id"],
        title=row["title"],
        question=row["question"],
        reference=row["reference"],
        notes=tuple(
            Document(
                f"note:{note['note_id']}",
                " ".join(
                    part for part in (NOTE_KINDS[note["kind"]], note["at"].replace("T", " "), note["author"]) if part
                ),
                note["text"],
            )
            for note in notes
        ),
    )
