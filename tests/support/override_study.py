"""A study in which a reviewer labels most statements otherwise than a judge, with reasons and a note."""

from typing import Any, Final

from medreview.judges.verdicts import refresh
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.study_builder import StudyBuilder, build

WHO: Final = "kb"
PAGE: Final = "Adults start metformin at 500 mg twice daily. It may be continued down to an eGFR of 30."
SAID: Final = (
    ("Metformin is started at 850 mg twice daily.", "contradicted", "number"),
    ("Metformin must always be stopped at an eGFR of 30.", "partial", "stronger"),
    ("Children start metformin at 500 mg twice daily.", "not_addressed", "population"),
    ("Metformin is started at 500 mg once daily.", "contradicted", "number"),
    ("Metformin is never stopped above an eGFR of 30.", "partial", "stronger"),
    ("Metformin is started at 500 mg twice daily.", "supported", ""),
)
"""Statements ``r1.1`` to ``r1.6``, each with the reviewer's label and reason; the judge supports all of them."""
BECAUSE: Final = "The page speaks of it."
NOTE: Final = "The label names twice daily."
DOSES: Final[dict[str, Any]] = {
    "statements": [1, 4],
    "title": "Doses and how often they are taken",
    "about": "The judge takes another dose than 500 mg, or another interval, for the same.",
}
STRENGTH: Final[dict[str, Any]] = {
    "statements": [2, 5],
    "title": "Certainty that the source lacks",
    "about": "Statements say always or never where the source says that it may be so.",
}
THEMES: Final = {"themes": [DOSES, STRENGTH]}


def fill(study: Study, who: str = WHO) -> None:
    """All of it: five labels of six differ from the judge's."""

    def rows(add: StudyBuilder) -> None:
        add.page("metformin", PAGE)
        add.response(
            "r1", " ".join(text for text, *_ in SAID), cites=["metformin"], statements=[one[0] for one in SAID]
        )
        for number, _ in enumerate(SAID, 1):
            add.judgement("juror", f"r1.{number}", "metformin@1", "supported", PAGE[:44], reason=BECAUSE)

    build(study, rows)
    refresh(study)
    for number, (_, label, reason) in enumerate(SAID, 1):
        says(study, f"r1.{number}", label, reason, who)
    do(study, "note", "r1.4", {"text": NOTE}, who)


def says(study: Study, statement: str, label: str, reason: str = "", who: str = WHO) -> None:
    """A label, in place of the one before, and the reason for it."""
    decision = decide_in_script(study, who, statement, label).event_id
    if reason:
        do(study, "reason", statement, {"code": reason, "decision": decision}, who)


def do(study: Study, kind: str, statement: str, payload: dict[str, Any], who: str = WHO) -> None:
    """Any other act."""
    recorder = Recorder(who)
    study.write(
        lambda connection: recorder.append(
            connection, NewEvent(kind, statement, payload), block="responses", mode="open"
        )
    )
