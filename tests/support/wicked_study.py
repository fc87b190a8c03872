"""Labels, notes and spans in a study, beside an answer that tries everything against who reads a report of it."""

from typing import Any

from medreview import pipeline
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.text import Span
from medreview.units.findings import span_payload
from tests.support.study_builder import StudyBuilder, build

SCRIPT = "<script>window.acted = 1</script>"
WICKED = (
    f"{SCRIPT}</script></style></textarea></title></svg><img src=x onerror='window.acted=2'>"
    '<svg onload=window.acted=3><a href="javascript:window.acted=4">go</a> [go](javascript:alert(1)) '
    "\"' onmouseover='window.acted=5 ${7*7} $\\frac{a}{b}$ |cell| `code` \u202egnp \x1b]0;t\x07 \u2066x\u2069"
)
"""Markup, ends of elements that a page might hold it in, links, an attribute's end, a formula, Markdown, controls."""
PAGE = f"Give 30 mL/kg of a crystalloid within 3 hours. {WICKED} Look again often."
QUOTE = "Give 30 mL/kg of a crystalloid within 3 hours."
REVIEWER = f"kb {WICKED}"
LABELS = ("supported", "supported", "supported", "partial", "contradicted", "not_addressed")


def add_wicked(study: Study) -> str:
    """An answer whose every word is from a bad hand, judged by two judges of that kind; its first statement."""

    def rows(add: StudyBuilder) -> str:
        add.page("wicked", PAGE, "https://wicked.example/<script>", title=WICKED)
        text = f"Give 50 mL/kg {WICKED}. Look again often."
        add.response("rw", text, cites=["wicked"], statements=[f"Give 50 mL/kg {WICKED}.", "Look again often."],
                     model=WICKED, origin=WICKED, question=f"How much? {WICKED}")  # fmt: skip
        for judge in ("one", f"two {WICKED}"):
            add.judgement(judge, "rw.1", "wicked@1", "supported", QUOTE, reason=f"Because {WICKED}")
            add.judgement(judge, "rw.2", "wicked@1", "supported", f"absent {WICKED}", status="absent")
        return "rw.1"

    first = build(study, rows)
    pipeline.roll_up(study)
    return first


def decide_some(study: Study, reviewer: str = REVIEWER, every: int = 3) -> None:
    """The wicked answer, and one of ``every`` so many statements of the rest, labelled in turn; a reason, a note, a
    flag and a span on the wicked one."""
    first = add_wicked(study)
    rest = [row[0] for row in study.reader.execute("SELECT statement_id FROM statement ORDER BY rowid")]
    for place, statement in enumerate(one for one in rest[::every] if not one.startswith("rw.")):
        decide_in_script(study, reviewer, statement, LABELS[place % len(LABELS)])
    decision = decide_in_script(study, reviewer, first, "contradicted").event_id
    text = study.reader.execute("SELECT text FROM response WHERE response_id = 'rw'").fetchone()[0]
    acts: list[tuple[str, dict[str, Any]]] = [
        ("reason", {"code": "number", "decision": decision}),
        ("note", {"text": f"30, not 50 {WICKED}"}),
        ("flag", {"flag": "dispute", "on": True}),
        ("span_add", span_payload("hallucination", "fact", "response", text, Span(5, 40), reason=WICKED)),
        ("span_add", span_payload("hallucination", "other", "response", text, Span(20, 60))),
    ]
    recorder = Recorder(reviewer)
    for kind, payload in acts:
        event = NewEvent(kind, first, payload)
        study.write(lambda connection, event=event: recorder.append(connection, event, block="script", mode="open"))
