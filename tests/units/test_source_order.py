"""A response and its sources: their order and names, the judges' roll-up, and the words around a place."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.api.material import read_statements
from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.units.documents import ExcerptPiece, excerpt
from medreview.units.kind import Machines, TextMark
from medreview.units.statement_view import StatementView, load_statement_view
from medreview.units.whole_response import WholeResponse
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


KIND = WholeResponse()


@pytest.fixture
def rolled_up(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "t.medreview", "t") as made:
        build(made, _two_statements)
        refresh(made)
        yield made


def _two_statements(rows: StudyBuilder) -> None:
    rows.page("a", "Warfarin is monitored by the INR.")
    rows.source("never")
    text = "Warfarin is monitored by the INR. Vitamin K reverses it."
    statements = ("Warfarin is monitored by the INR.", "Vitamin K reverses it.")
    rows.response("r1", text, statements=statements, cites=("never", "a"), question="And warfarin?")
    rows.own_number("r1", 7, "a")
    rows.response("r2", "Rest.", statements=("Rest.",), cites=("a",))
    rows.response("r3", "None.")


def judged(rolled_up: Study, *labels: tuple[str, str, str]) -> None:
    """Labels (judge, statement, label) on the one page."""

    def add(rows: StudyBuilder) -> None:
        for judge, statement, label in labels:
            rows.judgement(judge, statement, "a@1", label)

    build(rolled_up, add)
    refresh(rolled_up)


def test_the_statements_are_listed_before_the_sources_which_bear_the_responses_own_numbers(rolled_up: Study) -> None:
    assert [row["unit"] for row in rolled_up.reader.execute(KIND.rows)] == ["response:r1", "response:r2"]
    shown = KIND.load(rolled_up.reader, "response:r1")
    assert [(one.key, one.title) for one in shown.documents] == [
        ("statements", "statements"),
        ("source:never", "[a] never.example"),
        ("source:a", "[7] a.example"),
    ]
    assert shown.documents[0].text == "S1  Warfarin is monitored by the INR.\n\nS2  Vitamin K reverses it."
    assert (shown.documents[1].text, shown.documents[1].state) == ("", "not fetched")
    with pytest.raises(KeyError):
        KIND.load(rolled_up.reader, "response:r9")


def test_the_roll_up_says_which_statements_fail_and_where_they_are(rolled_up: Study) -> None:
    before = KIND.load(rolled_up.reader, "response:r1")
    assert KIND.machines(rolled_up.reader, "response:r1").words == ""
    judged(rolled_up, ("one", "r1.1", "supported"), ("one", "r1.2", "not_addressed"))
    found = KIND.machines(rolled_up.reader, "response:r1")
    assert (found.level, found.words) == ("no", "roll-up: 1 of 2 statements supported")
    assert [(one.judge, one.said, one.reason) for one in found.opinions] == [
        ("S2", "not addressed", "Vitamin K reverses it.")
    ]
    assert found.marks == (("statements", TextMark(39, 65, "clash")), ("response", TextMark(34, 56, "clash")))
    assert before.documents[0].text[39:65] == "S2  Vitamin K reverses it."
    assert KIND.load(rolled_up.reader, "response:r1") == before


def test_every_roll_up_is_a_rating_and_the_offline_rules_are_named_as_what_they_are(rolled_up: Study) -> None:
    judged(rolled_up, ("one", "r1.1", "supported"), ("offline", "r2.1", "supported"))
    assert next(iter(KIND.machine_ratings(rolled_up.reader)))[1:] == (
        "r2", "all_supported", "offline (words only)", True, "", "yes",
    )  # fmt: skip
    assert KIND.machines(rolled_up.reader, "response:r2").level is None
    judged(rolled_up, ("one", "r1.2", "supported"))
    assert [(one.cluster, one.rater, one.value) for one in KIND.machine_ratings(rolled_up.reader)] == [
        ("r1", "judges", "yes"),
        ("r2", "offline (words only)", "yes"),
    ]


def test_an_invalid_response_is_one_of_them_and_says_what_it_is(rolled_up: Study) -> None:
    build(
        rolled_up,
        lambda rows: rows.response("r4", "It beg", invalid="incomplete", parser=None, question="And heparin?"),
    )
    assert [row["unit"] for row in rolled_up.reader.execute(KIND.rows)][-1] == "response:r4"
    shown = KIND.load(rolled_up.reader, "response:r4")
    assert [(part.label, part.text) for part in shown.parts] == [
        ("asked", "And heparin?"),
        ("invalid", "incomplete: the model's answer broke off, or cannot be used as one"),
    ]
    assert shown.beside.text == "It beg"
    assert KIND.machines(rolled_up.reader, "response:r4") == Machines()


TEXT = "one two three four five six seven eight nine ten"


def test_a_place_stands_between_whole_words_and_what_is_left_out_is_known():
    start = TEXT.index("five")
    pieces, goes_on = excerpt(TEXT, [(start, start + 4)], around=6)
    assert pieces == [ExcerptPiece("four ", gap=True), ExcerptPiece("five", marked=True), ExcerptPiece(" six")]
    assert goes_on


def test_places_that_are_near_stand_in_one_piece_and_overlapping_ones_are_one():
    assert excerpt(TEXT, [(4, 7), (0, 3), (2, 3)], around=100) == (
        [ExcerptPiece("one", marked=True), ExcerptPiece(" "), ExcerptPiece("two", marked=True), ExcerptPiece(TEXT[7:])],
        False,
    )
    pieces, _ = excerpt(TEXT, [(0, 6), (4, 13)], around=0)
    assert [piece.text for piece in pieces if piece.marked] == [TEXT[:13]]
    assert excerpt(TEXT, []) == ([], False)


@given(st.text("ab \n", max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_every_marked_word_is_there_and_nothing_twice(text, places):
    spans = [(start, end) for start, end in places if start < end <= len(text)]
    pieces, goes_on = excerpt(text, spans, around=5)
    marked = {place for start, end in spans for place in range(start, end)}
    assert sum(len(piece.text) for piece in pieces if piece.marked) == len(marked)
    assert sum(len(piece.text) for piece in pieces) <= len(text)
    if not any(piece.gap for piece in pieces) and not goes_on and spans:
        assert "".join(piece.text for piece in pieces) == text
