"""A study of two responses, three sources and two judges, small enough to know by heart."""

import json
import zlib

import pytest

from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.study.rows import insert
from medreview.text import sha256

PAGE = (
    "Initial resuscitation\n\nWhen sepsis has led to shock, give 30 mL/kg or more of a crystalloid by vein.\n"
    "Norepinephrine comes first."
)
ANSWERS = {
    "r1": ("Is a lot of fluid safe?", "Give 50 mL/kg of crystalloid. Norepinephrine comes first. Call for help."),
    "r2": ("And in children?", "Children need other doses."),
}
STATEMENTS = [
    ("s1", "r1", 1, "Give 50 mL/kg of crystalloid."),
    ("s2", "r1", 2, "Norepinephrine comes first."),
    ("s3", "r1", 3, "Call for help."),
    ("s4", "r2", 1, "Children need other doses."),
]
SOURCES = {"u1": PAGE, "u2": "Fluids are discussed elsewhere on this page, at some length.", "u3": ""}
JUDGEMENTS = [
    ("one", "s1", "p1", "supported", "give 50 mL/kg or more of a crystalloid", "altered"),
    ("two", "s1", "p1", "contradicted", "give 30 mL/kg or more of a crystalloid by vein", "exact"),
    ("one", "s2", "p1", "supported", "Norepinephrine comes first.", "exact"),
    ("two", "s2", "p1", "supported", "Norepinephrine comes first.", "exact"),
    ("one", "s3", "p1", "not_addressed", "", "none"),
]


def at(text, part):
    start = text.index(part)
    return [start, start + len(part)]


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "a.medreview") as opened:
        opened.write(_fill)
        refresh(opened)
        yield opened


def _fill(connection):
    for ordinal, (response_id, (question, text)) in enumerate(ANSWERS.items(), 1):
        row = {"response_id": response_id, "ordinal": ordinal, "record_id": "", "model": "atlas-2", "origin": "forum"}
        row |= {"imported_at": "", "imported_from": "", "cited": 1, "parser": "x", "text_sha256": sha256(text)}
        insert(connection, "response", [row | {"question": question, "text": text}])
    for statement_id, response_id, ordinal, text in STATEMENTS:
        start, end = at(ANSWERS[response_id][1], text)
        row = {"statement_id": statement_id, "response_id": response_id, "ordinal": ordinal, "start": start, "end": end}
        insert(connection, "statement", [row | {"text_sha256": sha256(text), "text": text}])
    for number, (source_id, text) in enumerate(SOURCES.items(), 1):
        url = f"https://page{number}.example/"
        row = {"source_id": source_id, "key": f"url:{url}", "kind": "url", "value": url, "url": url}
        insert(connection, "source", [row | {"domain": f"page{number}.example"}])
        state, body = ("ok", text.encode()) if text else ("timeout", b"")
        row = {"snapshot_id": f"p{number}", "source_id": source_id, "version": 1, "fetched_at": "2026-10-09T08:00:00Z"}
        row |= {"page_state": state, "state_evidence": "", "status": 200, "content_type": "text/html", "chain": "[]"}
        row |= {"final_url": url, "title": "", "extractor": "x", "raw_size": len(body), "raw_sha256": sha256(body)}
        row |= {"text_sha256": sha256(text), "text": text, "full_text": "", "body": zlib.compress(body)}
        insert(connection, "snapshot", [row])
        connection.execute("UPDATE source SET current_snapshot = ? WHERE source_id = ?", (f"p{number}", source_id))
        cited = {"response_id": "r1", "ordinal": number, "source_id": source_id, "kind": "url", "value": url}
        insert(connection, "citation", [cited | {"start": None, "end": None}])
    for judge, statement_id, snapshot_id, label, quote, status in JUDGEMENTS:
        run = add_run(connection, JudgeRun(judge, "recorded", f"{judge}-model"))
        span = at(PAGE, quote) if status == "exact" else [None, None]
        row = {"judgement_id": f"g-{judge}-{statement_id}", "judge_run_id": run, "statement_id": statement_id}
        row |= {"snapshot_id": snapshot_id, "raw_label": label, "verdict": label, "supported": label == "supported"}
        row |= {"confidence": 0.9, "quote_status": status, "quote_start": span[0], "quote_end": span[1]}
        row |= {"differences": "[]", "quote": quote, "reason": "", "raw_output": "", "error": ""}
        insert(connection, "judgement", [row])
    clash = {"kind": "number", "statement": at(STATEMENTS[0][3], "50"), "source": at(PAGE, "30")}
    row = {"statement_id": "s1", "snapshot_id": "p1", "engine": "x", "unsupported": 0.8}
    row |= {"highlights": json.dumps([at(PAGE, "give 30 mL/kg or more of a crystalloid by vein.")])}
    row |= {"lexical": json.dumps([at(PAGE, "crystalloid")]), "clashes": json.dumps([clash])}
    insert(connection, "evidence", [row])
