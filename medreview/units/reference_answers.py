"""Correct answers to questions, and when a reviewer may read them."""

import sqlite3
from datetime import UTC, datetime
from typing import Final, Literal, get_args

from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256

WhenShown = Literal["after", "shown"]
"""When the correct answer stands beside an answer. ``after``: once the answer is decided and the machines may be seen.
``shown``: from the start."""

CORRECT_ANSWER: Final = "correct_answer"
"""The key of the document that it is."""

_KEY: Final = "correct_answer"


def correct_answers_are(reader: sqlite3.Connection) -> WhenShown:
    """The study's rule; ``after`` until another is set: the correct answer is nearly the right label."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    told = row[0] if row else None
    return next((when for when in get_args(WhenShown) if when == told), "after")


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
