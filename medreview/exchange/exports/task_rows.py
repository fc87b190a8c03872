"""The files of an export on what judges said beyond single pairs of statement and source.

Merged judgements, hallucination findings, key facts and the votes on these.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

from medreview.exchange.exports.missing_words import no_level_of_one, no_word_of_one
from medreview.exchange.files.columns import (
    CODE_POINTS,
    UTF16,
    Cell,
    Column,
    ExportFile,
    cells,
    cells_of,
    levels_of,
    selected,
)
from medreview.labels import CATEGORY, EVIDENCE, HALLUCINATION, QUOTE_DOUBTS, QUOTE_STATUSES
from medreview.study.ids import content_id
from medreview.text import sha256, utf16

_RUN_COLUMNS: Final = (
    Column("judge_run_id", "text", "The run of a judge that gave it.", sql="run.judge_run_id"),
    Column("judge", "text", "Name of the judge.", sql="run.judge"),
    Column("model", "text", "Model of the judge.", sql="run.model"),
    Column("prompt_id", "text", "Its prompt.", sql="run.prompt_id"),
    Column("prompt_sha256", "text", "SHA-256 of the prompt.", sql="run.prompt_sha256"),
)
_STATUS: Final = Column(
    "quote_status", "text", "How true the quote is to the text; empty or none = no quote.", levels=QUOTE_STATUSES
)
_STATUS_OF_QUOTE: Final = replace(_STATUS, made=lambda one: one.said.get("status"))
_QUOTE_NO: Final = Column("quote_no", "integer", "Which of its quotes, from 1; empty when it has none.",
                          made=lambda one: one.number)  # fmt: skip
_REASON: Final = Column("reason", "text", "The reason as given.")
_ERROR: Final = Column("error", "text", "Why there is no usable answer; empty when there is one.")


def _lines(name: str) -> Callable[[Any], Cell]:
    """What a stored list holds, one a line."""
    return lambda one: "\n".join(json.loads(getattr(one, name)))


_MERGED: Final = (
    Column("merged_judgement_id", "text", "The judgement of a statement by all sources of its response together. It "
           "has one row for every place of every quote; without a quote one row."),
    *_RUN_COLUMNS,
    Column("statement_id", "text", "The statement judged.", sql="s.statement_id"),
    Column("response_id", "text", "The response it is part of.", sql="s.response_id"),
    Column("snapshots", "text", "The pages judged, one a line.", sql="m.snapshots", made=_lines("snapshots")),
    Column("raw_label", "text", "The judge's own word, as given."),
    Column("verdict", "text", "Its level; empty without one, which verdict_missing says why.",
           levels=levels_of(EVIDENCE)),
    replace(no_level_of_one(vars), name="verdict_missing"),
    Column("supported", "boolean", "Two-way verdict; empty without one, which supported_missing says why."),
    replace(no_word_of_one(vars), name="supported_missing"),
    Column("confidence", "number", "As given; empty when none.", unit="0 to 1"),
    Column("quote_doubt", "text", "What speaks against its quotes together as a proof, or against the answer; empty "
           "when it was not looked at.", levels=QUOTE_DOUBTS, sql="m.quote_doubt"),
    Column("opposes", "boolean", "1: the judge says that a page says the opposite; empty when it was not asked."),
    Column("missing", "text", "The part of the statement that no page states, by the judge."),
    Column("missing_at", "text", "JSON [[start, end], ...]: where that stands in the statement; [] = not in its words, "
           "or nothing is missing.", unit=CODE_POINTS),
    _QUOTE_NO,
    _STATUS_OF_QUOTE,
    Column("snapshot_id", "text", "The page in which the quote stands; empty when in none.",
           made=lambda one: one.said.get("snapshot")),
    Column("start_cp", "integer", "Where it starts in the page's text.", unit=CODE_POINTS,
           made=lambda one: one.start),
    Column("end_cp", "integer", "Where it ends.", unit=CODE_POINTS, made=lambda one: one.end),
    Column("quote", "text", "The whole quote as given.", made=lambda one: one.said.get("quote")),
    Column("quote_opposes", "boolean", "1: it is quoted against the statement.",
           made=lambda one: one.said.get("opposes")),
    _REASON,
    _ERROR,
)  # fmt: skip

_FINDINGS: Final = (
    Column("finding_id", "text", "What a judge found in a whole response. It has one row for every place of "
           "every span; without a span one row."),
    *_RUN_COLUMNS,
    Column("response_id", "text", "The response.", sql="r.response_id"),
    Column("assisted", "boolean", "1: the judge was shown an expert's remarks. Never count it for or against a judge."),
    Column("assisted_by", "text", "The events that it was shown, one a line.", sql="f.assisted_by",
           made=_lines("assisted_by")),
    Column("found", "boolean", "1: it found a hallucination; empty when it abstained."),
    Column("type", "text", "Of which type; empty when it abstained.", levels=levels_of(HALLUCINATION)),
    _QUOTE_NO,
    _STATUS_OF_QUOTE,
    Column("start_cp", "integer", "Start of the half-open range in the response; empty when the words are not there.",
           unit=CODE_POINTS, made=lambda one: one.start),
    Column("end_cp", "integer", "End of the half-open range.", unit=CODE_POINTS, made=lambda one: one.end),
    Column("start_utf16", "integer", "Start for JavaScript and Excel.", unit=UTF16,
           made=lambda one: utf16(one.text, one.start)),
    Column("end_utf16", "integer", "End for JavaScript and Excel.", unit=UTF16,
           made=lambda one: utf16(one.text, one.end)),
    Column("exact", "text", "The words of the response in that range.",
           made=lambda one: None if one.start is None or one.end is None else one.text[one.start : one.end]),
    Column("quote", "text", "The whole span as the judge gave it.", made=lambda one: one.said.get("quote")),
    _REASON,
    _ERROR,
)  # fmt: skip


def _merged_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    return _by_place(_MERGED, reader, "quotes", """m.quotes
        FROM merged_judgement AS m JOIN judge_run AS run USING (judge_run_id) JOIN statement AS s USING (statement_id)
        JOIN response AS r USING (response_id) ORDER BY r.ordinal, s.ordinal, m.judge_run_id""")  # fmt: skip


def _finding_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    return _by_place(_FINDINGS, reader, "spans", """f.spans, r.text
        FROM hallucination_finding AS f JOIN judge_run AS run USING (judge_run_id)
        JOIN response AS r USING (response_id) ORDER BY r.ordinal, f.judge_run_id""")  # fmt: skip


def _by_place(
    columns: Sequence[Column], reader: sqlite3.Connection, quotes: str, query: str
) -> Iterator[Sequence[Cell]]:
    """A row for every place of every quote of a judgement.

    A quote that was not found has no range; a judgement without a quote has one row, without a number.
    """
    made = cells_of(columns)
    for row in reader.execute(f"{selected(columns)}, {query}"):
        for number, said in enumerate(json.loads(row[quotes]) or [{}], 1):
            for start, end in said.get("spans") or [(None, None)]:
                one = SimpleNamespace(**dict(row), said=said, number=number if said else None, start=start, end=end)
                yield made(one)


MERGED: Final = ExportFile(
    "merged.csv",
    _MERGED,
    _merged_rows,
    "Judgements of a statement by all sources of its response together: a row for each place of each quote.",
)
FINDINGS: Final = ExportFile(
    "hallucination_findings.csv",
    _FINDINGS,
    _finding_rows,
    "What judges found in whole responses: a row for each place of each span.",
)

_KEY_FACTS: Final = (
    Column("key_fact_id", "text", "What a good response to a question must say.", sql="k.key_fact_id"),
    Column("question_id", "text", "The question, as in labels.csv.",
           made=lambda fact: fact.questions.get(fact.question_sha256)),
    Column("question_sha256", "text", "SHA-256 of the question's UTF-8 bytes.", sql="k.question_sha256"),
    Column("ordinal", "integer", "Its number among the key facts of the question, from 1.", sql="k.ordinal"),
    Column("category", "text", "What it is about.", levels=levels_of(CATEGORY),
           sql="coalesce(f.category, k.category)"),
    Column("added_by", "text", "Who added it.", sql="k.added_by"),
    Column("added_at", "time", "When it was added.", unit="UTC", sql="k.added_at"),
    Column("suggestion", "text", "The suggested fact that it was made of; empty for one that came as such.",
           sql="k.suggestion"),
    Column("in_force", "boolean", "0: what it was made of was discarded or has other words now.",
           sql="f.key_fact_id IS NOT NULL"),
    Column("text", "text", "The key fact.", sql="k.text"),
)  # fmt: skip


def _key_fact_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    questions = reader.execute("SELECT DISTINCT question FROM response")
    ids = {sha256(row["question"]): content_id("q", row["question"]) for row in questions}
    query = f"""{selected(_KEY_FACTS)} FROM key_fact AS k LEFT JOIN key_fact_in_force AS f USING (key_fact_id)
        ORDER BY k.question_sha256, k.ordinal"""
    for row in reader.execute(query):
        yield cells(_KEY_FACTS, SimpleNamespace(**dict(row), questions=ids))


KEY_FACTS: Final = ExportFile(
    "key_facts.csv",
    _KEY_FACTS,
    _key_fact_rows,
    "What a good response to a question must say.",
    key=("key_fact_id",),
    leads={"question_sha256": ""},
    named_by="text",
)
KEY_FACT_VOTES: Final = ExportFile(
    "key_fact_votes.csv",
    (
        Column("key_fact_vote_id", "text", "One judge on one key fact in one response."),
        *_RUN_COLUMNS,
        Column("key_fact_id", "text", "The key fact.", sql="v.key_fact_id"),
        Column("response_id", "text", "The response.", sql="v.response_id"),
        Column("task", "text", "What was asked; a response can contain a key fact and contradict it too.",
               levels=("key_fact_presence", "key_fact_contradiction")),
        Column("raw_answer", "text", "The judge's own word, as given."),
        Column("answer", "boolean", "1: contained, contradicted; empty without an answer, which answer_missing says "
               "why."),
        Column("answer_missing", "text", "Why answer is empty: failed = there is no usable answer (error); unproven = "
               "its quote for a yes was not found; unsure = the judge could not tell. Empty where it is not.",
               levels=("failed", "unproven", "unsure"), sql="""CASE WHEN v.answer IS NOT NULL THEN NULL
                   WHEN v.error <> '' THEN 'failed' WHEN v.raw_answer = 'yes' THEN 'unproven' ELSE 'unsure' END"""),
        _STATUS,
        Column("quote_start", "integer", "Where the quote starts in the response.", unit=CODE_POINTS),
        Column("quote_end", "integer", "Where it ends.", unit=CODE_POINTS),
        Column("quote", "text", "The quote as given."),
        _REASON,
        _ERROR,
    ),
    """FROM key_fact_vote AS v JOIN judge_run AS run USING (judge_run_id) JOIN response AS r USING (response_id)
       JOIN key_fact AS f USING (key_fact_id) ORDER BY r.ordinal, f.ordinal, v.task, v.judge_run_id""",
    "What each judge said of each key fact in each response.",
    key=("key_fact_vote_id",),
)  # fmt: skip

FILES: Final = (MERGED, FINDINGS, KEY_FACTS, KEY_FACT_VOTES)
"""Every file of what judges said beyond pairs."""
