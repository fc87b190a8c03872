"""A study with a statement that its page contradicts; a valid revision of it, a removal, and a judge's word on it."""

from medreview import pipeline
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

PAGE = (
    "When sepsis has led to shock in an adult, give 30 mL/kg or more of a crystalloid by vein within the first 3 hours."
    " Look again often. When blood pressure stays low, norepinephrine is the first choice."
)
ORIGINAL = "Patients with septic shock should receive 50 mL/kg of crystalloid in the first 3 hours."
QUOTE = "give 30 mL/kg or more of a crystalloid by vein within the first 3 hours"
GOOD = {
    "quote": QUOTE,
    "action": "revise",
    "text": "Patients with septic shock should receive 30 mL/kg or more of crystalloid in the first 3 hours.",
    "changed": "The amount is that of the source.",
}
REMOVAL = {"quote": "", "action": "remove", "text": "", "changed": "The source says nothing on it."}
SUPPORTS = {"quote": QUOTE, "reason": "The same amount.", "label": "supported", "confidence": 0.8}
"""What a judge says of the revision."""


def fill(study: Study) -> None:
    """Two statements, and pages: one contradicts the first statement, one speaks of something else, one is gone."""

    def rows(add: StudyBuilder) -> None:
        add.page("guide", PAGE)
        add.page("other", "Norepinephrine was first made in a laboratory.")
        add.page("broken", "", page_state="http_error", status=404)
        add.response("r1", f"{ORIGINAL} Look again often.", cites=["broken", "guide", "other"],
                     statements=[ORIGINAL, "Look again often."])  # fmt: skip
        for judge in ("one", "two"):
            add.judgement(judge, "r1.1", "guide@1", "contradicted", QUOTE)
            add.judgement(judge, "r1.1", "other@1", "not_addressed")
            add.judgement(judge, "r1.2", "guide@1", "supported", "Look again often.")

    build(study, rows)
    pipeline.roll_up(study)
