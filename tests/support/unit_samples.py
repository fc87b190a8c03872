"""A small study for each kind of unit, with machines' opinions in it: what every kind is tested on."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Final

from medreview.import_files import import_file
from medreview.judges.verdicts import refresh
from medreview.progress import SILENT
from medreview.study import Study
from tests.support.answer_study import answer_units, find
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
            rows.response(name, ANSWER, question="Which vasopressor comes first?", model="atlas-2")
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


SAMPLES: Final[dict[str, Callable[[Study], None]]] = {
    "pair": two_responses,
    "response": two_responses,
    "qa": imported("qa_items.jsonl"),
    "question": imported("question_checks.jsonl"),
    "revision": imported("revisions.jsonl"),
    "answer": answers,
}
"""How to fill a new study with units of each kind."""
