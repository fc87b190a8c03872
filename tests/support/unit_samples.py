"""A small study for each kind of unit, with machines' opinions in it: what every kind is tested on."""

from collections.abc import Callable
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Final

from medreview.import_files import import_file
from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.judges.verdicts import refresh
from medreview.progress import SILENT
from medreview.study import Study
from medreview.units.cases import NewCase, NewNote, add_cases
from tests.support.answer_study import answer_units, find
from tests.support.reference_study import fill_references
from tests.support.study_builder import StudyBuilder, build

PAGE: Final = (
    "Norepinephrine is the first-choice vasopressor in septic shock. Aim for a mean arterial pressure of 65 mm Hg."
)
ANSWER: Final = "Norepinephrine comes first in septic shock. The target is 85 mm Hg."


def two_responses(study: Study) -> None:
    """Two answers with two statements each, two pages, two judges who differ."""

    def fill(rows: StudyBuilder) -> None:
        for source, text in (("u1", PAGE), ("u2", "Vasopressors are discussed elsewhere on this page.")):
            rows.page(source, text, f"https://{source}.example/", snapshot_id=f"p{source}")
        for name in ("r1", "r2"):
            rows.response(name, ANSWER, question=f"Which vasopressor comes first, {name}?", model="atlas-2")
            for place, text in enumerate(("Norepinephrine comes first in septic shock.", "The target is 85 mm Hg.")):
                rows.statement(name, text, f"{name}.{place}")
            for source in ("u1", "u2"):
                rows.citation(name, source)
        for judge in ("one", "two"):
            rows.judgement(judge, "r1.0", "pu1", "supported", "first-choice vasopressor", "exact")
            rows.judgement(judge, "r1.1", "pu1", "contradicted" if judge == "one" else "partial", "65 mm Hg", "exact")
            rows.judgement(judge, "r2.0", "pu1", "supported", "first-choice vasopressor", "exact")
            rows.judgement(judge, "r2.1", "pu1", "not_addressed", "", "none")

    build(study, fill)
    refresh(study)


def imported(file: str) -> Callable[[Study], None]:
    """What comes in from a file of the sample data."""

    def fill(study: Study) -> None:
        import_file(study, Path(str(files("medreview.sample_data") / file)), {}, SILENT)

    return fill


def answers(study: Study) -> None:
    """Answers with gold from the sample data, and two judges' findings in the first of them."""
    imported("answers_with_gold.jsonl")(study)
    first = answer_units(study)[0]
    find(study, "one", first, "fact", "does not reach the baby", "Take it with food")
    find(study, "two", first, "none")


def key_facts_of_a_case(study: Study) -> None:
    """A case with a note, two key facts, two responses to it, two judges who differ."""
    question = "Write the course of the woman with heart failure."
    case = NewCase("c1", "Heart failure", question, ANSWER, (NewNote("hp", "2031-01-01", "ward", PAGE),))
    study.write(lambda connection: add_cases(connection, [case], "cases.jsonl"))
    facts = [Fact("Ibuprofen set off the decompensation.", "diagnosis"), Fact("An X-ray is due.", "follow_up")]
    for model in ("atlas-2", "boreal"):
        text = f"{ANSWER} Ibuprofen was the trigger, says {len(model)}."
        build(study, lambda rows, text=text, model=model: rows.response(model, text, question=question, model=model))
    add_facts(study, question, facts, "kb")

    def votes(rows: StudyBuilder) -> None:
        found = rows.connection.execute("SELECT key_fact_id FROM key_fact ORDER BY ordinal").fetchall()
        for place, (judge, task) in enumerate(product(("one", "two"), ("presence", "contradiction"))):
            run = rows.judge_run(judge, "llm", prompt_id=f"key_fact_{task}")
            yes = place == 0
            vote = {"judge_run_id": run, "key_fact_id": found[0][0], "response_id": "atlas-2", "answer": int(yes)}
            vote |= {"task": f"key_fact_{task}", "raw_answer": "yes" if yes else "no", "raw_output": "", "error": ""}
            vote |= {"quote": "Norepinephrine" if yes else "", "quote_status": "exact" if yes else "none"}
            vote |= {"quote_start": 0 if yes else None, "quote_end": 14 if yes else None, "reason": "It says so."}
            rows.add("key_fact_vote", key_fact_vote_id=f"v{place}", **vote)

    build(study, votes)


SAMPLES: Final[dict[str, Callable[[Study], None]]] = {
    "pair": two_responses,
    "response": two_responses,
    "statement_list": two_responses,
    "reference": fill_references,
    "qa": imported("qa_items.jsonl"),
    "question": imported("question_checks.jsonl"),
    "revision": imported("revisions.jsonl"),
    "answer": answers,
    "suggestion": imported("cases.jsonl"),
    "fact": key_facts_of_a_case,
    "ranking": imported("rankings.jsonl"),
}
"""How to fill a new study with units of each kind."""
