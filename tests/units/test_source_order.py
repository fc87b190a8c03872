"""Which source stands first beside a statement, and what sources are called."""

import pytest

from medreview.api.material import read_statements
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.units.statement_view import StatementView, load_statement_view
from tests.support.study_builder import StudyBuilder, build, new_version


@pytest.fixture
def study(tmp_path):
    with Study.create(tmp_path / "t.medreview", "t") as made:
        build(made, _material)
        refresh(made)
        yield made


def _material(rows: StudyBuilder) -> None:
    for name, text in (
        ("a", "Rest helps."),
        ("b", "Take 5 mg."),
        ("c", "Take 50 mg daily."),
        ("d", "Take 5 mg daily."),
    ):
        rows.page(name, text)
    rows.source("never")
    rows.snapshot(rows.source("dead"), "", page_state="http_error", status=404)
    rows.response(
        "r1", "One. Two. Three.", statements=("One.", "Two.", "Three."), cites=("dead", "a", "b", "c", "d", "never")
    )
    for number, source in enumerate(("a", "b", "b", "c", "dead", "never"), 1):
        rows.own_number("r1", number, source)
    for statement in ("r1.1", "r1.2", "r1.3"):
        for source, doubt in (("a", 0.9), ("b", 0.4), ("c", 0.6), ("d", 0.1)):
            rows.evidence(statement, f"{source}@1", unsupported=doubt)
    for number, source in ((4, "c"), (3, "b"), (5, "dead"), (9, None)):
        rows.marker("r1.1", source, number)
    rows.marker("r1.2", "dead", 5)
    rows.response("r2", "Four.", statements=("Four.",), cites=("never", "a"))
    rows.response("r3", "Five.", statements=("Five.",))


def view(study: Study, statement_id: str) -> StatementView:
    return load_statement_view(study.reader, statement_id)


def order(study: Study, statement_id: str) -> str:
    return " ".join(f"{it.source_id}{'*' if it.cited else ''}" for it in view(study, statement_id).sources)


def sit(study: Study, queue: str, *, blind: bool | None = None) -> ReviewSession:
    return ReviewSession(study, "anna", open_queue(study, queue, "anna", blind=blind))


def shown(session: ReviewSession, statement_id: str) -> str:
    session.go(list(session.queue.units).index(statement_id))
    assert session.source is not None
    return session.source.source_id


def test_what_the_statement_cites_comes_first_then_the_best_evidence_then_the_order_of_the_response(study):
    assert order(study, "r1.1") == "b* c* dead* d a never"
    assert order(study, "r1.2") == "dead* d b c a never"
    assert order(study, "r1.3") == "d b c a dead never"
    assert order(study, "r2.1") == "a never"
    assert order(study, "r3.1") == ""


def test_what_opens_can_be_read_if_anything_can(study):
    opening = {unit: view(study, unit).opening_source for unit in ("r1.1", "r1.2", "r1.3", "r2.1", "r3.1")}
    assert {unit: source and source.source_id for unit, source in opening.items()} == {
        "r1.1": "b", "r1.2": "d", "r1.3": "d", "r2.1": "a", "r3.1": None,
    }  # fmt: skip


def test_sources_are_called_by_the_answers_own_numbers_the_one_the_statement_uses_first(study):
    assert [it.name for it in view(study, "r1.1").sources] == ["3=2", "4", "5", "a", "1", "6"]
    assert [it.bracketed for it in view(study, "r1.3").sources] == ["[a]", "[2]=[3]", "[4]", "[1]", "[5]", "[6]"]
    assert [(it.name, it.place, it.numbers) for it in view(study, "r2.1").sources] == [("2", 2, ()), ("1", 1, ())]


def test_one_entry_with_two_sources_is_two_sources(study):
    build(study, lambda rows: rows.own_number("r1", 4, "d"))
    assert [it.name for it in view(study, "r1.1").sources] == ["3=2", "4a", "5", "4b", "1", "6"]


def test_many_numbers_of_one_page_are_named_in_short(study):
    for number in (7, 8, 12):
        build(study, lambda rows, number=number: rows.own_number("r1", number, "c"))
    names = {it.source_id: (it.name, it.bracketed) for it in view(study, "r1.1").sources}
    assert names["c"] == ("4=7=8=…", "[4]=[7]=[8]=…")


def test_one_goes_through_the_statements_own_citations_before_the_others(study):
    session = sit(study, "responses")
    seen = [shown(session, "r1.1")]
    for _ in range(6):
        session.turn_source(1)
        seen.append(session.source.source_id)
    session.turn_source(-1)
    assert " ".join(seen) == "b c dead d a never b"
    assert session.source.source_id == "never"


def test_a_false_quote_pulls_its_page_forward_only_in_the_queue_that_is_about_it(study):
    def judged(rows: StudyBuilder) -> None:
        rows.judgement("juror", "r1.1", "b@1", "supported", "Take 5 mg.")
        rows.judgement("juror", "r1.1", "a@1", "supported", "Rest cures.", "absent")

    build(study, judged)
    refresh(study)

    assert shown(sit(study, "flagged"), "r1.1") == "a"
    for queue, blind in (("responses", False), ("responses", True)):
        assert shown(sit(study, queue, blind=blind), "r1.1") == "b"
    assert view(study, "r1.1").verdict.snapshot_id == "a@1"


def test_the_flagged_queue_opens_what_contradicts_and_what_conflicts(study):
    def judged(rows: StudyBuilder) -> None:
        rows.judgement("juror", "r1.1", "c@1", "contradicted")
        rows.judgement("juror", "r1.1", "b@1", "not_addressed")
        rows.judgement("juror", "r1.3", "d@1", "supported", "Take 5 mg daily.")
        rows.judgement("juror", "r1.3", "c@1", "contradicted")

    build(study, judged)
    refresh(study)

    assert shown(sit(study, "flagged"), "r1.1") == "c"
    assert shown(sit(study, "flagged"), "r1.3") == "c"
    assert shown(sit(study, "responses"), "r1.3") == "d"


def test_numbers_that_differ_are_those_of_the_page_that_opens(study):
    def clashing(rows: StudyBuilder) -> None:
        clash = [{"kind": "number", "statement": [0, 1], "source": [0, 1]}]
        rows.connection.execute("DELETE FROM evidence WHERE statement_id IN ('r1.1', 'r1.3')")
        for statement, page in (("r1.1", "b@1"), ("r1.3", "a@1")):
            rows.evidence(statement, page, clashes=clash, unsupported=0.4)
        rows.evidence("r1.3", "d@1", unsupported=0.1)

    build(study, clashing)
    refresh(study)

    badges = {unit: view(study, unit).verdict for unit in ("r1.1", "r1.3")}
    assert ("numbers differ" in badges["r1.1"].badges, badges["r1.1"].snapshot_id) == (True, "b@1")
    assert ("numbers differ" in badges["r1.3"].badges, badges["r1.3"].snapshot_id) == (False, None)


def test_the_stale_queue_opens_the_page_that_has_changed(study):
    session = sit(study, "responses")
    shown(session, "r1.1")
    session.turn_source(1)
    session.decide("supported")
    new_version(study, "c", "Take 55 mg daily.")
    refresh(study)

    assert shown(sit(study, "stale"), "r1.1") == "c"
    assert shown(sit(study, "responses"), "r1.1") == "b"


def test_passages_stand_in_the_order_of_the_screen(study):
    build(study, lambda rows: rows.connection.execute("UPDATE evidence SET highlights = '[[0, 4]]'"))
    (statement,) = read_statements(study.reader, ["r1.1"])
    assert [passage.source_id for passage in statement.passages] == ["b", "c", "d", "a"]
