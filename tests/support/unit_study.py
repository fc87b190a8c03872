"""A small study with units of every kind, what belongs to them, and two reviewers' labels of them."""

from sqlite3 import Connection
from typing import Any, Final

from medreview.study import Study
from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.ids import MADE_OF, content_id, unit_id
from medreview.text import Span, sha256
from medreview.units.kind import Gold
from medreview.units.stored import NewOpinion, add_gold, add_opinions
from tests.support.reference_study import check_given_references
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_samples import SAMPLES

ANSWER: Final = "Warfarin needs no monitoring."
QUESTION: Final = "Does warfarin need monitoring?"
WHEN: Final = "2026-01-01T00:00:00+00:00"
RESPONSE_ID: Final = content_id("r", ANSWER)
STATEMENT_ID: Final = content_id("s", RESPONSE_ID, 0, ANSWER)

LABELS: Final = {
    "statement": ("evidence", "contradicted", "not_addressed"),
    "pair": ("evidence", "contradicted", "partial"),
    "response": ("all_supported", "no", "yes"),
    "answer": ("hallucination", "fact", "none"),
    "fact": ("presence", "absent", "present"),
    "statement_list": ("statement_list", "not_contained", "none"),
    "reference": ("reference", "match", "other_work"),
    "qa": ("relevance", "4", "5"),
    "ranking": ("rank", "1>2", "2>1"),
    "suggestion": ("suggestion", "kept", "discarded"),
    "question": ("answerability", "not_answerable", "answerable"),
    "revision": ("revision", "removal_right", "meaning_lost"),
}
"""Kind -> its axis and two labels of it that differ."""


Units = dict[str, str]
"""Kind -> a unit of it."""


def fill(study: Study) -> Units:
    """The material: a response of one statement with one source and its page, a case, units of every kind that files
    bring, right labels, machines' opinions."""
    build(study, _material)
    check_given_references(study, 1)
    for kind, sample in SAMPLES.items():
        if kind not in MADE_OF:
            sample(study)
    units = units_of(study)
    answer = Gold("hallucination", "fact", (("response", Span(9, 28), "fact"),), "It does.", attention=True)
    study.write(lambda c: add_gold(c, [(units["qa"], Gold("relevance", "5")), (units["answer"], answer)], "kb"))
    said = [
        NewOpinion(units["qa"], "one", "relevance", "high", "5", "atlas-2", "rate 1", 0.25, "=1+1", "the INR"),
        NewOpinion(units["revision"], "two", "revision", "unsure", None),
    ]
    study.write(lambda c: add_opinions(c, said, "qa.jsonl"))
    return units


def units_of(study: Study) -> Units:
    """The units that have :data:`LABELS`: the first of each kind."""
    stored = study.reader.execute("SELECT kind, unit_id FROM unit ORDER BY ordinal DESC").fetchall()
    reference = study.reader.execute("SELECT reference_id FROM reference").fetchone()
    return {
        "statement": STATEMENT_ID,
        "pair": unit_id("pair", STATEMENT_ID, "w1"),
        "response": unit_id("response", RESPONSE_ID),
        "answer": unit_id("answer", RESPONSE_ID),
        "statement_list": unit_id("statement_list", RESPONSE_ID),
        "fact": unit_id("fact", RESPONSE_ID, "kf1"),
        "reference": unit_id("reference", *reference),
        **{row["kind"]: row["unit_id"] for row in stored},
    }


def _material(rows: StudyBuilder) -> None:
    rows.source("w1", "https://w.example/inr")
    rows.snapshot("w1", "Warfarin is monitored.", snapshot_id="w1@1")
    rows.response(
        RESPONSE_ID, ANSWER, record_id="a1", model="ember", question=QUESTION, parser="rules 1", imported_at=WHEN
    )
    rows.citation(RESPONSE_ID, "w1")
    rows.statement(RESPONSE_ID, ANSWER, STATEMENT_ID)
    rows.add("key_fact", key_fact_id="kf1", question_sha256=sha256(QUESTION), ordinal=1, category="management",
             added_by="kb", added_at=WHEN, text="It is monitored by the INR.")  # fmt: skip
    came = {"imported_at": WHEN, "imported_from": "k.jsonl"}
    asked = {"question": QUESTION, "question_sha256": sha256(QUESTION)}
    rows.add("clinical_case", case_id="k1", ordinal=1, record_id="c1", title="A clot", reference="", **asked, **came)
    note = "Seen today.\r\nINR 2,5."
    rows.add("case_note", note_id="n1", case_id="k1", ordinal=1, kind="progress", at="2026-01-02", author="ward",
             text_sha256=sha256(note), text=note)  # fmt: skip
    rows.add("reference_answer", text="By the INR.", **asked, **came)


def do(study: Study, who: str, kind: str, unit: str, payload: dict[str, Any] | None = None, **more: Any) -> Receipt:
    """Append one event of a reviewer, blind in a queue unless said otherwise."""
    return study.write(lambda connection: done(connection, who, kind, unit, payload, **more))


def done(
    connection: Connection, who: str, kind: str, unit: str, payload: dict[str, Any] | None = None, **more: Any
) -> Receipt:
    """The same within a transaction."""
    block, mode, pass_no = more.pop("block", "responses"), more.pop("mode", "blind"), more.pop("pass_no", 1)
    event = NewEvent(kind, unit, payload or {}, **more)
    return Recorder(who, pass_no=pass_no).append(connection, event, block=block, mode=mode)


def decide(study: Study, who: str, unit: str, axis: str, label: str, **more: Any) -> Receipt:
    """A blind decision."""
    return study.write(lambda connection: decided(connection, who, unit, axis, label, **more))


def decided(connection: Connection, who: str, unit: str, axis: str, label: str, **more: Any) -> Receipt:
    """The same within a transaction, for who decides much."""
    seen = dict.fromkeys(("judge_verdict", "jury", "own_previous", "other_reviewer"), "no")
    payload = {"axis": axis, "label": label, "exposure": seen, "active_ms": 1500, "keys": 1, "via": "digit"}
    return done(connection, who, "decide", unit, payload | more.pop("said", {}), **more)


def decide_all(study: Study, who: str, which: int) -> None:
    """A label of a reviewer on a unit of each kind: the first or the second of :data:`LABELS`."""
    for kind, unit in units_of(study).items():
        axis, *labels = LABELS[kind]
        decide(study, who, unit, axis, labels[which])
