"""The rows of the exported files that hold what judges said beyond single pairs of statement and source."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.files.event_payload import Cell
from medreview.study.ids import content_id
from medreview.text import sha256, utf16

_RUN: Final = "run.judge, run.model, run.prompt_id, run.prompt_sha256"

_MERGED: Final = f"""
SELECT m.merged_judgement_id, m.judge_run_id, {_RUN}, m.statement_id, s.response_id, m.snapshots, m.raw_label,
       m.verdict, m.supported, m.confidence, m.quotes, m.reason, m.error
FROM merged_judgement AS m JOIN judge_run AS run USING (judge_run_id) JOIN statement AS s USING (statement_id)
JOIN response AS r USING (response_id)
ORDER BY r.ordinal, s.ordinal, m.judge_run_id"""

_FINDINGS: Final = f"""
SELECT f.finding_id, f.judge_run_id, {_RUN}, f.response_id, f.assisted, f.assisted_by, f.found, f.type, f.spans,
       f.reason, f.error, r.text
FROM hallucination_finding AS f JOIN judge_run AS run USING (judge_run_id) JOIN response AS r USING (response_id)
ORDER BY r.ordinal, f.judge_run_id"""

_FACTS: Final = """
SELECT k.key_fact_id, k.question_sha256, k.ordinal, coalesce(f.category, k.category), k.added_by, k.added_at,
       k.suggestion, f.key_fact_id IS NOT NULL, k.text
FROM key_fact AS k LEFT JOIN key_fact_in_force AS f USING (key_fact_id) ORDER BY k.question_sha256, k.ordinal"""

_VOTES: Final = f"""
SELECT v.key_fact_vote_id, v.judge_run_id, {_RUN}, v.key_fact_id, v.response_id, v.task, v.raw_answer, v.answer,
       v.quote_status, v.quote_start, v.quote_end, v.quote, v.reason, v.error
FROM key_fact_vote AS v JOIN judge_run AS run USING (judge_run_id) JOIN response AS r USING (response_id)
JOIN key_fact AS f USING (key_fact_id)
ORDER BY r.ordinal, f.ordinal, v.task, v.judge_run_id"""


def merged_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of merged.csv: a judgement has one for every place of its quotes, or one without a quote."""
    for row in reader.execute(_MERGED):
        *first, snapshots, raw_label, verdict, supported, confidence, quotes, reason, error = row
        told = (*first, _lines(snapshots), raw_label, verdict, supported, confidence)
        for number, quote, start, end in _places(json.loads(quotes)):
            page = quote.get("snapshot")
            yield (*told, number, quote.get("status"), page, start, end, quote.get("quote"), reason, error)


def finding_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of hallucination_findings.csv: a finding has one for every place of its spans, or one without a span."""
    for row in reader.execute(_FINDINGS):
        *first, assisted_by, found, kind, spans, reason, error, text = row
        for number, span, start, end in _places(json.loads(spans)):
            exact = None if start is None or end is None else text[start:end]
            yield (
                *first, _lines(assisted_by), found, kind, number, span.get("status"), start, end,
                utf16(text, start), utf16(text, end), exact, span.get("quote"), reason, error,
            )  # fmt: skip


def key_fact_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of key_facts.csv, by question."""
    questions = reader.execute("SELECT DISTINCT question FROM response")
    ids = {sha256(row["question"]): content_id("q", row["question"]) for row in questions}
    for row in reader.execute(_FACTS):
        yield row[0], ids.get(row["question_sha256"]), *tuple(row)[1:]


def key_fact_vote_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows of key_fact_votes.csv."""
    return (tuple(row) for row in reader.execute(_VOTES))


def _places(
    quotes: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[int | None, Mapping[str, Any], int | None, int | None]]:
    """Number, quote and range of every place; a quote that was not found has no range, no quote at all no number."""
    if not quotes:
        yield None, {}, None, None
    for number, quote in enumerate(quotes, 1):
        for start, end in quote["spans"] or [(None, None)]:
            yield number, quote, start, end


def _lines(listed: str) -> str:
    return "\n".join(json.loads(listed))
