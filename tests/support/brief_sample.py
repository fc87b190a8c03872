"""A case of four notes, and a model that writes a good brief of it in stages, and verifies it."""

from collections.abc import Mapping
from typing import Any, Final

from medreview.study import Study
from medreview.units.cases import NewCase, NewNote, add_cases
from tests.support.misbehaving import Asked

HP: Final = (
    "Cough and fever for three days. No allergies known. Takes metformin 500 mg twice daily.\n"
    "Oxygen saturation 88% on room air. Chest X-ray: infiltrate in the left lower lobe.\n"
    "Plan: ceftriaxone 1 g intravenously once daily, oxygen. A nodule of 6 mm was seen; CT in 6 months is advised."
)
WARD: Final = "Day 2. No fever. Rash after the second dose of ceftriaxone; changed to doxycycline 100 mg twice daily."
WALKS: Final = "Physiotherapy: walks 80 m without aid. Recommends breathing exercises at home three times a day."
LAST: Final = "Day 4. Oxygen saturation 95% on room air. Plan: home, doxycycline until 7 January, clinic in two weeks."
CASE: Final = NewCase(
    "pneumonia",
    "Pneumonia",
    "Write the hospital course of the patient with pneumonia.",
    "Pneumonia of the left lower lobe; a rash after ceftriaxone.",
    (
        NewNote("hp", "2031-01-01T22:10", "admission", HP),
        NewNote("progress", "2031-01-02", "ward", WARD),
        NewNote("allied", "2031-01-03", "physiotherapy", WALKS),
        NewNote("progress", "2031-01-04", "ward", LAST),
    ),
)

CAME: Final = "The patient came with cough and fever for three days; the chest X-ray showed an infiltrate on the left."
AIR: Final = "Oxygen saturation rose from 88% on admission to 95% on room air on day 4."
NODULE: Final = "A nodule of 6 mm was seen by chance, and a CT in 6 months is advised."
HOME: Final = "The plan is home with doxycycline until 7 January and the clinic in two weeks."
RASH: Final = "A rash followed the second dose of ceftriaxone, which was changed to doxycycline 100 mg twice daily."
WALKED: Final = "Physiotherapy found the patient walking 80 m without aid and recommends breathing exercises at home."
TAGS: Final = {
    CAME: ["N1"], AIR: ["N1", "N4"], NODULE: ["N1"], HOME: ["N4"], RASH: ["N2"], WALKED: ["N3"],
}  # fmt: skip
QUOTES: Final = {
    CAME: "Cough and fever for three days. … Chest X-ray: infiltrate in the left lower lobe.",
    AIR: "Oxygen saturation 88% on room air. … Oxygen saturation 95% on room air.",
    NODULE: "A nodule of 6 mm was seen; CT in 6 months is advised.",
    HOME: "Plan: home, doxycycline until 7 January, clinic in two weeks.",
    RASH: "Rash after the second dose of ceftriaxone; changed to doxycycline 100 mg twice daily.",
    WALKED: "walks 80 m without aid. Recommends breathing exercises at home three times a day.",
}


def fill(study: Study) -> None:
    """Store the case."""
    study.write(lambda connection: add_cases(connection, [CASE], "test"))


def good(asked: Asked) -> Mapping[str, Any]:
    """A good answer in each stage, by the texts that it is asked with."""
    if "statement" in asked.texts:
        quote = QUOTES.get(asked.texts["statement"], "")
        return {"quote": quote, "reason": "The notes say so.", "label": "supported", "confidence": 0.9}
    if "notes" in asked.texts:
        course = asked.schema["properties"].get("hospital_course")
        return single() if course else {"statements": [_tagged(text) for text in (CAME, AIR, NODULE, HOME)]}
    if "note" in asked.texts:
        before = asked.texts["brief"].splitlines()
        new = RASH if WARD in asked.texts["note"] else WALKED
        kept = [{"number": number, "text": "", "tags": []} for number in range(1, 1 + len(before))]
        return {"statements": [*kept, {"number": 0, **_tagged(new)}]}
    return reorganised()


def single() -> dict[str, Any]:
    """The brief in one call."""
    problems = [{"problem": "Nodule", "statements": [NODULE]}, {"problem": "Rash", "statements": [RASH]}]
    return {"one_line_summary": CAME, "hospital_course": [AIR, WALKED, HOME], "problem_list": problems}


def reorganised() -> dict[str, Any]:
    """The brief in its sections; the statements were numbered 1-6."""

    def placed(number: int) -> dict[str, Any]:
        return {"numbers": [number], "text": "", "tags": []}

    course = [placed(number) for number in (1, 5, 2, 6, 4)]
    problems = [{"problem": "Nodule", "statements": [placed(3)]},
                {"problem": "Rash after ceftriaxone", "statements": [placed(5)]}]  # fmt: skip
    summary = {"numbers": [1], **_tagged(CAME)}
    return {"one_line_summary": summary, "hospital_course": course, "problem_list": problems}


def _tagged(text: str) -> dict[str, Any]:
    return {"text": text, "tags": TAGS[text]}
