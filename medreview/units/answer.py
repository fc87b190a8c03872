"""An answer as a whole: is anything in it hallucinated, of which type, and where? (MedHalu sections 2.3 and 3.1)

``_TABLES``: the answers with their correct ones, and the spans in them, as an export has them.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells, selected
from medreview.labels import HALLUCINATION
from medreview.statements.own_citations import numbering
from medreview.study.ids import ids_of, unit_id
from medreview.text import utf16
from medreview.units.cited_source import load_sources
from medreview.units.documents import source_document
from medreview.units.findings import Finding, alone, findings_of
from medreview.units.kind import (
    CORRECT_ANSWER,
    CardPart,
    Document,
    DocumentPassage,
    Headline,
    Machines,
    Opinion,
    Rating,
    UnitKind,
    UnitView,
)
from medreview.units.statement_view import response_name
from medreview.units.stored import common, correct_answers_are, load_reference, opinions_on

TARGET: Final = "response"
"""The key of the answer's own text, and the target of spans in it."""


def _said(name: str) -> Callable[[Any], Cell]:
    return lambda span: span.said.get(name)


_SPANS: Final = (
    Column("span_id", "text", "The event that marked the span.", sql="s.event_id"),
    Column("unit_id", "text", "The answer that it was marked for.", sql="s.unit"),
    Column("reviewer_id", "text", "Who marked it.", sql="s.reviewer"),
    Column("pass_no", "integer", "In which pass.", sql="s.pass"),
    Column("type", "text", "The type of hallucination: fact, input, context, other.", made=_said("label")),
    Column("target", "text", "The text it lies in: response, or the key of another document.", made=_said("target")),
    Column("start_cp", "integer", "Start of the half-open range, in code points.", made=_said("start")),
    Column("end_cp", "integer", "End of the half-open range, in code points.", made=_said("end")),
    Column("start_utf16", "integer", "Start for JavaScript and Excel; empty outside the answer.",
           made=lambda span: utf16(span.text, span.said["start"])),
    Column("end_utf16", "integer", "End for JavaScript and Excel; empty outside the answer.",
           made=lambda span: utf16(span.text, span.said["end"])),
    Column("exact", "text", "The marked words.", made=_said("exact")),
    Column("reason", "text", "Why, in the reviewer's words; empty when none was given.", made=_said("reason")),
    Column("with_span", "text", "Of a context-conflict: the span of the first place; empty for that one.",
           made=_said("with")),
    Column("from_finding", "text", "The judge's finding it was taken over from; empty when it was marked by hand.",
           made=_said("from_finding")),
    Column("from_span", "integer", "Which span of that finding.", made=_said("from_span")),
)  # fmt: skip


def _span_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The spans that stand."""
    query = f"""{selected(_SPANS)}, s.payload, r.text FROM response AS r
        CROSS JOIN span_live AS s ON s.unit = 'answer:' || r.response_id
        ORDER BY r.ordinal, s.reviewer, s.pass, s.event_id"""
    for row in reader.execute(query):
        said = json.loads(row["payload"])
        text = row["text"] if said["target"] == TARGET else None
        yield cells(_SPANS, SimpleNamespace(**{**dict(row), "text": text}, said=said))


_TABLES: Final = (
    ExportFile(
        "answers.csv",
        (
            Column("unit_id", "text", "The answer as a unit of review.", sql="'answer:' || r.response_id"),
            Column("response_id", "text", "The response that it is."),
            Column("record_id", "text", "Its id in the file it came from."),
            Column("origin", "text", "Where the question came from: data set, forum, ..."),
            Column("response_model", "text", "The model that wrote it.", sql="r.model"),
            Column("question", "text", "The question.", sql="r.question"),
            Column("answer_text", "text", "The answer.", sql="r.text"),
            Column("correct_answer", "text", "The correct answer to the question; empty when none is known.",
                   sql="c.text"),
        ),
        """FROM response AS r LEFT JOIN reference_answer AS c ON c.question = r.question
           WHERE r.invalid = '' ORDER BY r.ordinal""",
    ),
    ExportFile("answer_spans.csv", _SPANS, _span_rows),
)  # fmt: skip


class AnswerKind(UnitKind):
    """``answer:RESPONSE_ID``: every valid response, whatever its statements are."""

    name = "answer"
    title = "answers"
    noun = "answer"
    about = "Is anything in the answer wrong or made up, of which type, and where?"
    headline = Headline("without a hallucination", {"hallucination": ("none",)})
    axis = "hallucination"
    levels = HALLUCINATION
    entry = "spans"
    tables = _TABLES
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
            parts=(CardPart("asked", row["question"], main=True),),
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

        A judge's finding with an expert's remarks is shown beside its own and is no vote.
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
            DocumentPassage(TARGET, span.quote, span.status, () if one.assisted else span.places) for span in one.spans
        ),
        counts=not one.assisted and one.type is not None,
    )


def _whose(reader: sqlite3.Connection, one: Finding) -> str:
    marks = ", ".join("?" * len(one.assisted_by))
    names = reader.execute(f"SELECT DISTINCT reviewer FROM event WHERE event_id IN ({marks})", one.assisted_by)
    said = ", ".join(sorted(row[0] for row in names))
    return f"{said}'s" if said else "an expert's"
