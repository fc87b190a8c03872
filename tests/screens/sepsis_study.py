"""A small study made by hand: three responses, with a long page, a table, hostile text, a dead link, three judges."""

import json
from pathlib import Path
from typing import Any

from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.study.ids import content_id
from tests.support.study_builder import StudyBuilder, build, new_version

SEPSIS = (
    "Sepsis care in adults\n\nRecognise it early\n\n"
    + "Fast breathing, confusion and low blood pressure in a person with an infection are warning signs. "
    "Measure lactate and take cultures before antibiotics if that causes no delay.\n\n"
    + "Initial resuscitation\n\nWhen sepsis has led to shock or to poor perfusion in an adult, begin with fluid: give "
    "30 mL/kg or more of a crystalloid by vein, most of it within the first 3 hours.\n\nLook again often: pulse "
    "pressure, capillary refill, lactate. More fluid only while it helps.\n\n"
    "| Weight | First bolus | Within 3 hours |\n"
    "| 50 kg | 500 mL | 1500 mL |\n| 70 kg | 700 mL | 2100 mL |\n\nVasoactive agents\n\nNorepinephrine comes first. "
    "Aim for a mean arterial pressure of 65 mm Hg. Vasopressin is added when the dose rises; it does not replace "
    "norepinephrine.\n\n"
    + "\n\n".join(f"Section {n}. Further reading on fluid, monitoring and the days that follow." for n in range(60))
)
HOSTILE = (
    "Dosing notes\n\n\x1b]52;c;c3RvbGVu\x07 and \x1b]0;owned\x07 and \x9b31m and \u202egnisod\u202c in [red]bold[/red] "
    "and [/red] and zero\u200bwidth.\n\nMetformin: do not start below an eGFR of 30 mL/min/1.73 m2. Stop it before "
    "contrast when the eGFR is under 30.\n"
)
FEVER = "Fever in children\n\nParacetamol 15 mg/kg every 6 hours, at most 4 doses a day. Do not use aspirin under 16.\n"

RESPONSES: list[dict[str, Any]] = [
    {
        "model": "atlas-2",
        "origin": "forum",
        "question": "Is it safe to give a lot of fluid to my father with sepsis? He also has heart failure.",
        "parts": [
            "Sepsis is a medical emergency.",
            "Patients with septic shock should receive 50 mL/kg of crystalloid in the first 3 hours.",
            "In heart failure the dose is the same.",
            "Norepinephrine is the first choice if blood pressure stays low.",
        ],
        "cites": ["sepsis", "dead"],
    },
    {
        "model": "boreal",
        "origin": "clinic",
        "question": "Can I go on with metformin, eGFR 28? \x1b[31m[red]",
        "parts": [
            "Metformin should not be started below an eGFR of 30 \x1b]0;x\x07 [/red].",
            "It may be continued at any eGFR.",
        ],
        "cites": ["metformin", "scan"],
    },
    {
        "model": "cirrus",
        "origin": "forum",
        "question": "What may my child take for fever?",
        "parts": ["Paracetamol 15 mg/kg every 6 hours is a usual dose.", "Aspirin is best avoided."],
        "cites": [],
    },
]
PAGES: dict[str, tuple[str, str, str, str]] = {
    "sepsis": ("https://who.example/sepsis-care", "Sepsis care", "ok", SEPSIS),
    "dead": ("https://gone.example/heart-failure-fluids", "", "http_error", ""),
    "metformin": ("https://drug.example/metformin\x1b[2J", "Metformin \u202e", "ok", HOSTILE),
    "scan": ("https://old.example/leaflet.pdf", "Leaflet", "pdf_scan", ""),
}
Judged = tuple[int, int, str, str, str | None, float | None, str, str, str]
JUDGED: list[Judged] = [
    # response, statement, page, judge, verdict, confidence, quote status, quote, reason
    (0, 0, "sepsis", "gpt-4o/p3", "partial", 0.55, "none", "", "It says early signs, not that it is an emergency."),
    (0, 1, "sepsis", "gpt-4o/p3", "supported", 0.91, "altered", "give 50 mL/kg or more of a crystalloid by vein", ""),
    (0, 1, "sepsis", "llama/p3", "contradicted", 0.77, "exact", "give 30 mL/kg or more of a crystalloid by vein", "30"),
    (0, 1, "sepsis", "gpt-5/p3", "supported", 0.80, "none", "", "Dose and time are given."),
    (0, 2, "sepsis", "gpt-4o/p3", "not_addressed", 0.70, "none", "", "Heart failure is not mentioned."),
    (0, 3, "sepsis", "gpt-4o/p3", "supported", 0.95, "exact", "Norepinephrine comes first.", ""),
    (1, 0, "metformin", "gpt-4o/p3", "supported", 0.90, "near", "do not start below an eGFR of 30", "\x1b[31mred"),
    (1, 1, "metformin", "gpt-4o/p3", "supported", 0.60, "absent", "may be continued \u202e safely", ""),
]


def make_study(path: Path, **sepsis: Any) -> Study:
    """Make the study at a path and open it for writing; ``sepsis`` are further columns of that page's snapshot."""
    study = Study.create(path, "sepsis-study")
    build(study, lambda rows: _fill(rows, sepsis))
    refresh(study)
    return study


def _fill(rows: StudyBuilder, sepsis: dict[str, Any]) -> None:
    for key, (url, title, state, text) in PAGES.items():
        more = {"text": text, "title": title, "page_state": state, "status": 404 if key == "dead" else 200}
        more |= {"state_evidence": {"dead": "status 404", "scan": "1 image"}.get(key, "")}
        rows.source(key, url)
        rows.snapshot(key, **more | (sepsis if key == "sepsis" else {}))
    for number, told in enumerate(RESPONSES):
        given: dict[str, Any] = {name: told[name] for name in ("model", "origin", "question")}
        text = " ".join(told["parts"])
        rows.response(f"r{number}", text, cites=told["cites"], record_id=f"q{number}", **given)
        for ordinal, part in enumerate(told["parts"]):
            rows.statement(f"r{number}", part, _statement(number, ordinal))
    for response, ordinal, page, judge, verdict, confidence, status, quote, reason in JUDGED:
        run = rows.judge_run(judge, model=judge.split("/")[0], prompt_id="p3")
        place = _located(PAGES[page][3], quote) if status in ("near", "altered") else {}
        rest: dict[str, Any] = {"run": run, "confidence": confidence, "reason": reason, **place}
        rows.judgement(judge, _statement(response, ordinal), f"{page}@1", verdict, quote, status, **rest)
    _evidence(rows)


def _statement(response: int, ordinal: int) -> str:
    return content_id("s", response, ordinal)


def _located(page: str, quote: str) -> dict[str, Any]:
    """Where a quote stands whose 30 mL/kg were altered to 50."""
    start = page.index(quote.replace("50 mL", "30 mL"))
    place: dict[str, Any] = {"quote_start": start, "quote_end": start + len(quote)}
    if "50 mL" in quote:
        at = quote.index("50")
        place["differences"] = json.dumps([{"quote": [at, at + 2], "source": [start + at, start + at + 2]}])
    return place


def _evidence(rows: StudyBuilder) -> None:
    dose = RESPONSES[0]["parts"][1].index("50")
    place = SEPSIS.index("30 mL/kg")
    sentence = [SEPSIS.index("When sepsis"), SEPSIS.index("3 hours.") + 8]
    crystalloid = SEPSIS.index("crystalloid")
    words = [[crystalloid, crystalloid + 11], [SEPSIS.index("first 3"), sentence[1] - 1]]
    clash = {"kind": "number", "statement": [dose, dose + 2], "source": [place, place + 2]}
    for ordinal in range(4):
        clashes = [clash] if ordinal == 1 else []
        rows.evidence(_statement(0, ordinal), "sepsis@1", [sentence], words, clashes)


def change_page(study: Study, page: str, text: str) -> None:
    """A page reads differently from now on."""
    new_version(study, page, text)
