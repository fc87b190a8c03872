"""A run of a generator as it is stored: one input with a product after an invalid attempt, one that came to nothing."""

import sqlite3

from medreview.study.rows import insert

AT = "2026-11-22T10:00:00+00:00"
RUN = {
    "run_id": "g1", "ordinal": 1, "generator": "questions", "model_name": "writer", "model": "atlas-2", "host": "h",
    "judge": "", "prompts": '{"question_generation/1": "ab"}', "params": '{"temperature": 0.7}',
    "options": '{"seed": 7, "types": ["list", "short"]}', "started_at": AT,
}  # fmt: skip
ITEM = {"run_id": "g1", "item_id": "i1"}
ATTEMPT = {**ITEM, "stage": "question", "at_utc": AT}
CALL = {
    "judge": "writer", "model": "atlas-2", "host": "h", "task": "question_generation", "prompt_sha256": "ab",
    "at_utc": AT, "status": "ok", "rung": "plain", "tries": 1, "prompt_tokens": 90, "completion_tokens": 30,
    "latency_ms": 1500, "cost": 0.25, "error": "",
}  # fmt: skip
PASSAGES = {
    "passage_run_id": "r1", "at_utc": AT, "entities": "tagger --fast", "vectors": "e at h", "alike": 0.5, "keep": 0.6,
    "density": 0.125, "variance": 0.05, "entropy": 1.5,
}  # fmt: skip
PARAGRAPH = {
    "passage_run_id": "r1", "source": "chapter.md", "text_sha256": "cd", "start_cp": 0, "end_cp": 80,
    "passage_id": "p1", "beginning": "=Warfarin,", "tokens": 15, "sentences": 2, "density": 0.25, "variance": 0.0,
    "entropy": 0.6931471805599453, "codes": "",
}  # fmt: skip
UNMEASURED = {"passage_id": "p2", "start_cp": 82, "end_cp": 9000, "density": None, "variance": None, "entropy": None}


def add_passages(connection: sqlite3.Connection) -> None:
    """A choice of passages: of two paragraphs one is kept, one left out unmeasured."""
    insert(connection, "passage_run", [PASSAGES])
    insert(connection, "passage_feature", [PARAGRAPH, {**PARAGRAPH, **UNMEASURED, "codes": "few_sentences too_long"}])


def add_generation(connection: sqlite3.Connection) -> None:
    """The rows of one run, ``g1``, with what two answers of the model cost."""
    insert(connection, "generation_run", [RUN])
    insert(connection, "generation", [
        {**ITEM, "round": 1, "name": "P3", "code": "", "report": '{"kept": [1, 2]}', "finished_at": AT},
        {**ITEM, "item_id": "i2", "round": 1, "name": "P4", "code": "invalid", "report": "{}", "finished_at": AT},
    ])  # fmt: skip
    insert(connection, "generation_attempt", [
        {**ATTEMPT, "number": 1, "cache_key": "k1", "status": "invalid", "codes": '["deixis", "too_long"]'},
        {**ATTEMPT, "number": 2, "cache_key": "k2", "status": "ok", "codes": "[]"},
    ])  # fmt: skip
    insert(connection, "generation_product", [{**ITEM, "kind": "passage", "made": "p1"}])
    insert(connection, "generation_dropped", [{**ITEM, "ordinal": 1, "code": "duplicate", "what": "=1+1, it says"}])
    insert(connection, "llm_call", [{**CALL, "cache_key": key, "raw_output": f'{{"a": "{key}"}}'}
                                    for key in ("k1", "k2")])  # fmt: skip
