"""A question made from a text: does the text answer it, and can it be understood without the text? (SourceCheckup)"""

import sqlite3
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from medreview.labels import ANSWERABILITY
from medreview.units.documents import about
from medreview.units.kind import CardPart, Document, Headline, Machines, UnitKind, UnitView
from medreview.units.stored import (
    GROUPED_ROWS,
    StoredUnit,
    content_column,
    content_table,
    kept_for_afterwards,
    load_unit,
    opinions_beside,
)

_NO_TEXT: Final = "No text came with this question: whether it can be answered from one cannot be said."


_COLUMNS: Final = (
    content_column("question", "text", "The question."),
    content_column("reference_answer", "text", "The answer that the text is said to give.", itemgetter("answer")),
    content_column("quote", "text", "The words of the text that are said to hold it."),
    content_column("passage_id", "text", "The passage that it was made from; empty when none came with it.",
                   itemgetter("passage")),
    content_column("url", "text", "The page that it was made from."),
    content_column("snapshot_id", "text", "That page as it was then, where a model of the study made the question.",
                   lambda content: content.get("snapshot")),
    content_column("quote_start_cp", "integer", "Where the quote starts in that page or passage, where it was found.",
                   lambda content: content.get("quote_start")),
    content_column("quote_end_cp", "integer", "Where it ends.", lambda content: content.get("quote_end")),
)  # fmt: skip


class QuestionKind(UnitKind):
    """``question:ID``. The quote that its writer gives for the answer is shown once it is decided."""

    name = "question"
    title = "question checks"
    noun = "question"
    about = "Does the text answer it? Is it clear without the text?"
    headline = Headline("answerable", {"answerability": ("answerable",)})
    axis = "answerability"
    levels = ANSWERABILITY
    rows = GROUPED_ROWS.format("question")
    tables = (content_table("question", "questions.csv", _COLUMNS),)

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, the reference answer unless it would tell of answers, the text that it was made from."""
        stored = load_unit(reader, unit)
        hidden = kept_for_afterwards(reader, stored.text)
        text = _text(reader, stored, stored.text if hidden else stored.content["answer"] or stored.text)
        name, parts = f"C{stored.ordinal}", _parts(stored.content, hidden=hidden)
        if text is None:
            return stored.view(name, parts, (), missing=_NO_TEXT)
        return stored.view(name, parts, (text,), group=text.title)

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """Stored opinions, and the quote of who wrote the question."""
        stored = load_unit(reader, unit)
        text = _text(reader, stored, "")
        return opinions_beside(reader, stored, self.axis, text, stored.content["quote"] if text else "")

    def fits(self, view: UnitView, label: str) -> str:
        """Without a text nobody can say whether it answers the question."""
        if view.documents or label == "not_self_contained":
            return ""
        return f"{_NO_TEXT} Put it off, or press 3 when the question is not self-contained."


def _text(reader: sqlite3.Connection, stored: StoredUnit, words: str) -> Document | None:
    content = stored.content
    return about(reader, content["passage"], content["url"], words, content.get("snapshot", ""))


def _parts(content: Mapping[str, Any], *, hidden: bool) -> Iterator[CardPart]:
    yield CardPart("question", content["question"], main=True)
    answer = content["answer"]
    if hidden and answer:
        yield CardPart("answer", "hidden: it would tell what is wrong in the answers to this question", tone="dim")
    else:
        yield CardPart("answer", answer or "none was given", main=True, tone="title" if answer else "dim")
