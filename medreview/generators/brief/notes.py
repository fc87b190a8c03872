"""The notes of a case as a brief is written from them: each with the tag that names it in a statement."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from medreview.text import Span
from medreview.units.cases import NOTE_KINDS


@dataclass(frozen=True, slots=True)
class TaggedNote:
    """A note and its tag: ``N3`` is the third of its case in the order of dates. ``at``: its date, or ``""``."""

    tag: str
    note_id: str
    kind: str
    at: str
    author: str
    text: str

    @property
    def number(self) -> int:
        """Its place among the notes, from 1: the number by which the finished brief cites it."""
        return int(self.tag[1:])

    @property
    def name(self) -> str:
        """Kind, date and author in words: ``progress note 2031-03-03 09:10 internal medicine``."""
        return " ".join(part for part in (NOTE_KINDS[self.kind], self.at.replace("T", " "), self.author) if part)


def notes_of(reader: sqlite3.Connection, case_id: str) -> tuple[TaggedNote, ...]:
    """The notes of a case in the order of their dates."""
    rows = reader.execute(
        'SELECT ordinal, note_id, kind, "at", author, text FROM case_note WHERE case_id = ? ORDER BY ordinal',
        (case_id,),
    )
    return tuple(
        TaggedNote(f"N{row['ordinal']}", row["note_id"], row["kind"], row["at"], row["author"], row["text"])
        for row in rows
    )


def opening(notes: Sequence[TaggedNote]) -> tuple[TaggedNote, ...]:
    """The notes that a draft is made from, in order: the H&P and the last progress note (MedAgentBrief, step i).

    Where there is no H&P the first note stands for it, and where there is no progress note the last one.
    """
    first = next((note for note in notes if note.kind == "hp"), notes[0])
    last = next((note for note in reversed(notes) if note.kind == "progress"), notes[-1])
    return tuple(note for note in notes if note in (first, last))


def printed(notes: Sequence[TaggedNote]) -> str:
    """Notes one after the other as a prompt has them, each under a line with its tag, kind, date and author."""
    return joined(notes)[0]


def joined(notes: Sequence[TaggedNote]) -> tuple[str, tuple[Span, ...]]:
    """:func:`printed`, and the range of each note's own text in it."""
    text = ""
    places = []
    for note in notes:
        text += f"{chr(10) * 2 if text else ''}=== {note.tag}: {note.name} ===\n"
        places.append(Span(len(text), len(text) + len(note.text)))
        text += note.text
    return text, tuple(places)
