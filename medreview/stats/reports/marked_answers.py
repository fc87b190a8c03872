"""Answers with the hallucinations that reviewers marked in them."""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from medreview.study.span_faults import RESPONSE, response_of
from medreview.units.findings import Finding, alone, findings_of
from medreview.units.statement_view import response_name

_SPANS: Final = """SELECT unit, reviewer, payload FROM span_live
WHERE pass = 1 AND axis = 'hallucination' AND json_extract(payload, '$.target') = ? ORDER BY event_id"""
_ANSWERS: Final = "SELECT * FROM response WHERE response_id IN (SELECT value FROM json_each(?)) ORDER BY ordinal"


@dataclass(frozen=True)
class MarkedSpan:
    """A place in an answer that a reviewer marked, with its type (a level of the axis) and reason."""

    start: int
    end: int
    type: str
    reviewer: str
    reason: str


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer, the places marked in it, and what judges found in it by themselves."""

    response_id: str
    name: str
    model: str
    question: str
    text: str
    spans: tuple[MarkedSpan, ...]
    findings: tuple[Finding, ...]


def marked_answers(
    reader: sqlite3.Connection, reviewers: Collection[str], only: Collection[str] | None = None
) -> tuple[MarkedAnswer, ...]:
    """Each answer in which one of the reviewers marked something in the first pass.

    ``only``: spans on these statements, and those on whole answers.
    """
    found: dict[str, list[MarkedSpan]] = {}
    for row in reader.execute(_SPANS, (RESPONSE,)):
        if row["reviewer"] in reviewers and (only is None or ":" in row["unit"] or row["unit"] in only):
            said = json.loads(row["payload"])
            span = MarkedSpan(said["start"], said["end"], said["label"], row["reviewer"], said.get("reason") or "")
            found.setdefault(response_of(reader, row["unit"]), []).append(span)
    return tuple(
        MarkedAnswer(
            response_id=row["response_id"],
            name=response_name(row["ordinal"]),
            model=row["model"],
            question=row["question"],
            text=row["text"],
            spans=tuple(sorted(found[row["response_id"]], key=lambda span: (span.start, span.end))),
            findings=alone(findings_of(reader, row["response_id"])),
        )
        for row in reader.execute(_ANSWERS, (json.dumps(sorted(found)),))
    )
