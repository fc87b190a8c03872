"""An answer as a whole: is anything in it hallucinated, of which type, and where? (MedHalu sections 2.3 and 3.1)

``ANSWER_TABLES``: the answers with their correct ones, and the spans in them, as an export has them.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from medreview.labels import HALLUCINATION
from medreview.statements.own_citations import numbering
from medreview.study.ids import ids_of, unit_id
from medreview.text import utf16
from medreview.units.cited_source import load_sources
from medreview.units.documents import source_document
from medreview.units.findings import Finding, alone, findings_of
from medreview.units.kind import (
    Cell,
    Document,
    Headline,
    Machines,
    Opinion,
    Part,
    Passage,
    Rating,
    Table,
    UnitKind,
    UnitView,
)
from medreview.units.statement_view import response_name
from medreview.units.stored import CORRECT_ANSWER, common, correct_answers_are, load_reference, opinions_on

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


TARGET: Final = "response"
"""The key of the answer's own text, and the target of spans in it."""


class Answer(UnitKind):
    """``answer:RESPONSE_ID``: every valid response, whatever its statements are."""

    name = "answer"
    title = "answers"
    noun = "answer"
    about = "Is anything in the answer wrong or made up, of which type, and where?"
    headline = Headline("without a hallucination", {"hallucination": ("none",)})
    axis = "hallucination"
    levels = HALLUCINATION
    entry = "spans"
    tables = ANSWER_TABLES
    rows = """SELECT 'answer:' || response_id AS unit, ordinal AS cluster, 1 AS ordinal, question AS text,
       model, origin, record_id
FROM response AS r WHERE invalid = ''"""

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question; the answer, the correct answer if it may stand beside it, and what is cited."""
        row = _response(reader, unit)
        name = response_name(row["ordinal"])
        sources = load_sources(reader, row["response_id"], numbering(reader, row["response_id"]))
        correct = _correct(reader, row["question"]) if correct_answers_are(reader) == "shown" else ()
        return UnitView(
            unit=unit,
            kind=self.name,
            name=name,
            group=name,
            text=row["text"],
            text_sha256=row["text_sha256"],
            parts=(Part("asked", row["question"], main=True),),
            documents=(
                Document(TARGET, f"answer {name}", row["text"]),
                *correct,
                *(source_document(reader, source, f"source:{source.source_id}") for source in sources),
            ),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=row["response_id"],
        )

    def afterwards(self, reader: sqlite3.Connection, unit: str) -> tuple[Document, ...]:
        """The correct answer, unless it was there from the start."""
        return _correct(reader, _response(reader, unit)["question"]) if correct_answers_are(reader) == "after" else ()

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """What judges found in the answer, and what models said of it elsewhere; the type that most of them name.

        What a judge found with an expert's remarks is told beside its own word and is no vote.
        """
        findings = findings_of(reader, ids_of(unit)[0])
        said = tuple(_opinion(reader, one, findings) for one in findings)
        found = common((*said, *opinions_on(reader, unit, self.axis, TARGET)), self.axis)
        types = dict.fromkeys(one.words for one in alone(findings) if one.type not in (None, "none"))
        badges = " · ".join(f"finding: {name}" for name in types)
        return Machines(found.opinions, found.level, found.words, badges)

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        return ids_of(unit)[0]

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """The type that each judge found by itself, and the stored labels of machines."""
        rows = reader.execute(
            """SELECT f.response_id, f.judge, f.type FROM finding_current AS f JOIN response AS r USING (response_id)
               WHERE NOT f.assisted AND f.type IS NOT NULL
               UNION ALL
               SELECT r.response_id, o.judge, o.label FROM response AS r JOIN opinion AS o
               ON o.unit = 'answer:' || r.response_id
               WHERE o.axis = 'hallucination' AND o.label IS NOT NULL
               ORDER BY 1, 2"""
        )
        for response_id, judge, level in rows:
            yield Rating(unit_id(self.name, response_id), response_id, self.axis, judge, True, "", level)


def _response(reader: sqlite3.Connection, unit: str) -> sqlite3.Row:
    row: sqlite3.Row | None = reader.execute(
        "SELECT * FROM response WHERE response_id = ? AND invalid = ''", ids_of(unit)
    ).fetchone()
    if row is None:
        raise KeyError(unit)
    return row


def _correct(reader: sqlite3.Connection, question: str) -> tuple[Document, ...]:
    text = load_reference(reader, question)
    return (Document(CORRECT_ANSWER, "correct answer", text),) if text else ()


def _opinion(reader: sqlite3.Connection, one: Finding, beside: Iterable[Finding]) -> Opinion:
    said = one.words
    if one.assisted:
        before = next((other.words for other in alone(beside) if other.judge == one.judge), "not asked")
        said = f"before: {before}; after {_whose(reader, one)} remarks: {one.words}"
    return Opinion(
        opinion_id=one.finding_id,
        judge=one.judge,
        model=one.model,
        prompt=one.prompt_id,
        said=said,
        label=None if one.assisted else one.type,
        reason=one.reason,
        passages=tuple(
            Passage(TARGET, span.quote, span.status, () if one.assisted else span.places) for span in one.spans
        ),
        counts=not one.assisted and one.type is not None,
    )


def _whose(reader: sqlite3.Connection, one: Finding) -> str:
    marks = ", ".join("?" * len(one.assisted_by))
    names = reader.execute(f"SELECT DISTINCT reviewer FROM event WHERE event_id IN ({marks})", one.assisted_by)
    said = ", ".join(sorted(row[0] for row in names))
    return f"{said}'s" if said else "an expert's"
