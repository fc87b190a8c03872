"""What an export has of answers beside their labels: the answers with their correct ones, and the spans in them."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from medreview.text import utf16
from medreview.units.kind import Cell, Table

_ANSWERS: Final = """
SELECT 'answer:' || r.response_id, r.response_id, r.record_id, r.origin, r.model, r.question, r.text, c.text
FROM response AS r LEFT JOIN reference_answer AS c ON c.question = r.question
WHERE r.invalid = '' ORDER BY r.ordinal"""

_SPANS: Final = """
SELECT s.event_id, s.unit, s.reviewer, s.pass, s.payload, r.text FROM response AS r
CROSS JOIN span_live AS s ON s.unit = 'answer:' || r.response_id
ORDER BY r.ordinal, s.reviewer, s.pass, s.event_id"""


def answer_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of answers.csv."""
    return (tuple(row) for row in reader.execute(_ANSWERS))


def answer_span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of answer_spans.csv: spans that stand."""
    for *first, payload, answer in reader.execute(_SPANS):
        said = json.loads(payload)
        text = answer if said["target"] == "response" else None
        yield (
            *first, said["label"], said["target"], said["start"], said["end"], utf16(text, said["start"]),
            utf16(text, said["end"]), said["exact"], said.get("reason"), said.get("with"), said.get("from_finding"),
            said.get("from_span"),
        )  # fmt: skip


ANSWER_TABLES: Final = (
    Table(
        "answers.csv",
        (
            ("unit_id", "text", "The answer as a unit of review."),
            ("response_id", "text", "The response that it is."),
            ("record_id", "text", "Its id in the file it came from."),
            ("origin", "text", "Where the question came from: data set, forum, ..."),
            ("response_model", "text", "The model that wrote it."),
            ("question", "text", "The question."),
            ("answer_text", "text", "The answer."),
            ("correct_answer", "text", "The correct answer to the question; empty when none is known."),
        ),
        answer_rows,
    ),
    Table(
        "answer_spans.csv",
        (
            ("span_id", "text", "The event that marked the span."),
            ("unit_id", "text", "The answer that it was marked for."),
            ("reviewer_id", "text", "Who marked it."),
            ("pass_no", "integer", "In which pass."),
            ("type", "text", "The type of hallucination: fact, input, context, other."),
            ("target", "text", "The text it lies in: response, or the key of another document."),
            ("start_cp", "integer", "Start of the half-open range, in code points."),
            ("end_cp", "integer", "End of the half-open range, in code points."),
            ("start_utf16", "integer", "Start for JavaScript and Excel; empty outside the answer."),
            ("end_utf16", "integer", "End for JavaScript and Excel; empty outside the answer."),
            ("exact", "text", "The marked words."),
            ("reason", "text", "Why, in the reviewer's words; empty when none was given."),
            (
                "with_span",
                "text",
                "Of a context-conflict: the span of the first place; empty for that one.",
            ),
            ("from_finding", "text", "The judge's finding it was taken over from; empty when it was marked by hand."),
            ("from_span", "integer", "Which span of that finding."),
        ),
        answer_span_rows,
    ),
)
