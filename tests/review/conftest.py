"""A study of two responses, three sources and two judges, small enough to know by heart."""

import pytest

from medreview.judges.verdicts import refresh
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

PAGE = (
    "Initial resuscitation\n\nWhen sepsis has led to shock, give 30 mL/kg or more of a crystalloid by vein.\n"
    "Norepinephrine comes first."
)
ANSWERS = {
    "r1": ("Is a lot of fluid safe?", "Give 50 mL/kg of crystalloid. Norepinephrine comes first. Call for help."),
    "r2": ("And in children?", "Children need other doses."),
}
STATEMENTS = [
    ("s1", "r1", "Give 50 mL/kg of crystalloid."),
    ("s2", "r1", "Norepinephrine comes first."),
    ("s3", "r1", "Call for help."),
    ("s4", "r2", "Children need other doses."),
]
SOURCES = {"u1": PAGE, "u2": "Fluids are discussed elsewhere on this page, at some length.", "u3": ""}
JUDGEMENTS = [
    ("one", "s1", "p1", "supported", "give 50 mL/kg or more of a crystalloid", "altered"),
    ("two", "s1", "p1", "contradicted", "give 30 mL/kg or more of a crystalloid by vein", "exact"),
    ("one", "s2", "p1", "supported", "Norepinephrine comes first.", "exact"),
    ("two", "s2", "p1", "supported", "Norepinephrine comes first.", "exact"),
    ("one", "s3", "p1", "not_addressed", "", "none"),
]


def at(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


@pytest.fixture
def study(study: Study) -> Study:
    build(study, _fill)
    refresh(study)
    return study


def _fill(rows: StudyBuilder) -> None:
    for response_id, (question, text) in ANSWERS.items():
        rows.response(response_id, text, question=question)
    for statement_id, response_id, text in STATEMENTS:
        rows.statement(response_id, text, statement_id)
    for number, (source_id, text) in enumerate(SOURCES.items(), 1):
        state = "ok" if text else "timeout"
        rows.page(source_id, text, f"https://page{number}.example/", snapshot_id=f"p{number}", page_state=state)
        rows.citation("r1", source_id)
    for judge, statement_id, snapshot_id, label, quote, status in JUDGEMENTS:
        rows.judgement(judge, statement_id, snapshot_id, label, quote, status)
    clash = {"kind": "number", "statement": at(STATEMENTS[0][2], "50"), "source": at(PAGE, "30")}
    passage = at(PAGE, "give 30 mL/kg or more of a crystalloid by vein.")
    rows.evidence("s1", "p1", [passage], [at(PAGE, "crystalloid")], [clash], unsupported=0.8)
