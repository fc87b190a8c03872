"""The exported files, columns and rows, of what judges said beyond single pairs of statement and source.

Merged judgements, hallucination findings, key facts and the votes on these.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.files.columns import CODE_POINTS, UTF16, Column, levels_of
from medreview.exchange.files.csv_file import Cell
from medreview.labels import CATEGORY, EVIDENCE, HALLUCINATION, QUOTE_STATUSES
from medreview.study.ids import content_id
from medreview.text import sha256, utf16

_RUN_COLUMNS: Final = (
    Column("judge_run_id", "text", "The run of a judge that gave it."),
    Column("judge", "text", "Name of the judge."),
    Column("model", "text", "Model of the judge."),
    Column("prompt_id", "text", "Its prompt."),
    Column("prompt_sha256", "text", "SHA-256 of the prompt."),
)
_STATUS: Final = Column(
    "quote_status", "text", "How true the quote is to the text; empty or none = no quote.", levels=QUOTE_STATUSES
)
_QUOTE_NO: Final = Column("quote_no", "integer", "Which of its quotes, from 1; empty when it has none.")
_REASON: Final = Column("reason", "text", "The reason as given.")
_ERROR: Final = Column("error", "text", "Why there is no usable answer; empty when there is one.")

MERGED: Final = (
    Column("merged_judgement_id", "text", "The judgement of a statement by all sources of its response together. It "
           "has one row for every place of every quote; without a quote one row."),
    *_RUN_COLUMNS,
    Column("statement_id", "text", "The statement judged."),
    Column("response_id", "text", "The response it is part of."),
    Column("snapshots", "text", "The pages judged, one a line."),
    Column("raw_label", "text", "The judge's own word, as given."),
    Column("verdict", "text", "Its level; empty when it maps to none, or when a quote for it was not found.",
           levels=levels_of(EVIDENCE)),
    Column("supported", "boolean", "Two-way verdict; empty when the judge could not tell or show it."),
    Column("confidence", "number", "As given; empty when none.", unit="0 to 1"),
    _QUOTE_NO,
    _STATUS,
    Column("snapshot_id", "text", "The page in which the quote stands; empty when in none."),
    Column("start_cp", "integer", "Where it starts in the page's text.", unit=CODE_POINTS),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("quote", "text", "The whole quote as given."),
    _REASON,
    _ERROR,
)  # fmt: skip

FINDINGS: Final = (
    Column("finding_id", "text", "What a judge found in a whole response. It has one row for every place of "
           "every span; without a span one row."),
    *_RUN_COLUMNS,
    Column("response_id", "text", "The response."),
    Column("assisted", "boolean", "1: the judge was shown an expert's remarks. Never count it for or against a judge."),
    Column("assisted_by", "text", "The events that it was shown, one a line."),
    Column("found", "boolean", "1: it found a hallucination; empty when it abstained."),
    Column("type", "text", "Of which type; empty when it abstained.", levels=levels_of(HALLUCINATION)),
    _QUOTE_NO,
    _STATUS,
    Column("start_cp", "integer", "Start of the half-open range in the response; empty when the words are not there.",
           unit=CODE_POINTS),
    Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS),
    Column("start_utf16", "integer", "Start for JavaScript and Excel.", unit=UTF16),
    Column("end_utf16", "integer", "End for JavaScript and Excel.", unit=UTF16),
    Column("exact", "text", "The words of the response in that range."),
    Column("quote", "text", "The whole span as the judge gave it."),
    _REASON,
    _ERROR,
)  # fmt: skip

KEY_FACTS: Final = (
    Column("key_fact_id", "text", "What a good response to a question must say."),
    Column("question_id", "text", "The question, as in labels.csv."),
    Column("question_sha256", "text", "SHA-256 of the question's UTF-8 bytes."),
    Column("ordinal", "integer", "Its number among the key facts of the question, from 1."),
    Column("category", "text", "What it is about.", levels=levels_of(CATEGORY)),
    Column("added_by", "text", "Who brought it in."),
    Column("added_at", "time", "When it was brought in.", unit="UTC"),
    Column("suggestion", "text", "The suggested fact that it was made of; empty for one that came as such."),
    Column("in_force", "boolean", "0: what it was made of was discarded or has other words now."),
    Column("text", "text", "The key fact."),
)

KEY_FACT_VOTES: Final = (
    Column("key_fact_vote_id", "text", "One judge on one key fact in one response."),
    *_RUN_COLUMNS,
    Column("key_fact_id", "text", "The key fact."),
    Column("response_id", "text", "The response."),
    Column("task", "text", "What was asked; a response can contain a key fact and contradict it too.",
           levels=("key_fact_presence", "key_fact_contradiction")),
    Column("raw_answer", "text", "The judge's own word, as given."),
    Column("answer", "boolean", "1: contained, contradicted; empty when the judge abstained or its quote for a yes was "
           "not found."),
    _STATUS,
    Column("quote_start", "integer", "Where the quote starts in the response.", unit=CODE_POINTS),
    Column("quote_end", "integer", "Where it ends.", unit=CODE_POINTS),
    Column("quote", "text", "The quote as given."),
    _REASON,
    _ERROR,
)  # fmt: skip


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
