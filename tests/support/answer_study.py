"""Answers with planted hallucinations, a judge's findings on them, and the file that they come from."""

import json
from pathlib import Path
from typing import Any

from medreview import pipeline
from medreview.import_files import Imported
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.study_builder import StudyBuilder, build

ASKED = "Can I take ibuprofen in the last weeks of pregnancy?"
CORRECT = "No. Ibuprofen and other NSAIDs should not be taken from week 20 of pregnancy unless a doctor advises it."
FACT = "Yes, ibuprofen is safe in the third trimester. Take it with food."
CONTEXT = "Do not take ibuprofen after week 28. Paracetamol can be used. You may take ibuprofen in week 35."
RIGHT = "No, it should be avoided then. Ask about paracetamol instead."
RECORDS: list[dict[str, Any]] = [
    {"id": "a1", "answer": FACT, "hallucination_type": "fact-conflicting", "dataset": "HealthQA", "model": "atlas-2",
     "hallucinated_spans": ["ibuprofen is safe in the third trimester"], "reason": "It can close the ductus."},
    {"id": "a2", "answer": CONTEXT, "hallucination_type": "Context-conflict", "dataset": "HealthQA", "model": "atlas-2",
     "hallucinated_spans": ["Do not take ibuprofen after week 28", {"text": "You may take ibuprofen in week 35"},
                            "take it in week 40"],
     "annotations": [{"annotator": "p7", "group": "layperson", "type": "yes", "spans": ["week 28"]},
                     {"annotator": "dr2", "group": "expert", "type": "context", "reason": "28 against 35"}]},
    {"id": "a3", "answer": RIGHT, "hallucination_type": "none", "dataset": "LiveQA", "model": "boreal",
     "attention": True},
]  # fmt: skip


def write_answers(path: Path, records: list[dict[str, Any]] = RECORDS) -> Path:
    lines = [{"question": ASKED, "correct_answer": CORRECT, **record} for record in records]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def bring_answers(study: Study, folder: Path, records: list[dict[str, Any]] = RECORDS) -> Imported:
    return pipeline.bring_in(study, write_answers(folder / "medhalu.jsonl", records), {})


def answer_units(study: Study) -> list[str]:
    """The answers, in the order of the file."""
    return [row["unit"] for row in study.reader.execute(f"{KINDS['answer'].rows} ORDER BY cluster")]


def find(
    study: Study,
    judge: str,
    unit: str,
    found: str,
    *quotes: str,
    assisted_by: tuple[str, ...] = (),
    prompt: str = "p/1",
    reasons_only: bool = False,
) -> str:  # fmt: skip
    """A judge's finding on an answer: a type, and the passages where it is; ``assisted_by``: events it was shown."""

    def rows(rows: StudyBuilder) -> str:
        response_id = unit.partition(":")[2]
        query = "SELECT text FROM response WHERE response_id = ?"
        text = rows.connection.execute(query, (response_id,)).fetchone()[0]
        spans = [
            {"quote": quote, "status": "exact", "spans": [[text.index(quote), text.index(quote) + len(quote)]]}
            if quote in text
            else {"quote": quote, "status": "absent", "spans": []}
            for quote in quotes
        ]
        params = {"params": {"remarks": {"reviewers": [], "reasons_only": True}}} if reasons_only else {}
        run = rows.judge_run(judge, "llm", prompt_id=f"{prompt}{' assisted' if assisted_by else ''}", **params)
        finding_id = f"h-{judge}-{prompt}-{response_id}-{bool(assisted_by)}"
        rows.add(
            "hallucination_finding", finding_id=finding_id, judge_run_id=run, response_id=response_id,
            assisted=int(bool(assisted_by)), assisted_by=json.dumps(assisted_by),
            found=None if not found else int(found != "none"), type=found or None, spans=json.dumps(spans),
            reason="Because.", raw_output="", error="" if found else "unparsable: nothing",
        )  # fmt: skip
        return finding_id

    return build(study, rows)
