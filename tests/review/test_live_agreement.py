"""The figures that move while one decides. That they are those of a fresh count is walked in
``test_two_reviewers_walk``."""

import pytest

from medreview import pipeline
from medreview.review.live_agreement import GroupView, LiveFigures
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, Group, Scale
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.stats.small_study import SmallStudy

DRAWN, CHOSEN = Group("blind", True), Group("assisted", False)


@pytest.fixture
def say(study):
    recorder = Recorder("anna")

    def write(unit, label, mode="open", seen="before", block="flagged", **more):
        payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": seen}, **more}
        event = NewEvent("decide", unit, payload)
        return study.write(lambda db: recorder.append(db, event, block=block, mode=mode)).event_id

    return write


@pytest.fixture
def small(empty_study):
    return SmallStudy(empty_study)


def view(study: Study, group: Group = CHOSEN, scale: Scale = LEVELS) -> GroupView:
    return LiveFigures(study.reader, "anna").view(group, scale)


def test_without_a_decision_there_is_no_group_and_no_figure(study):
    assert LiveFigures(study.reader, "anna").groups == ()
    assert view(study).agreement.reason == "There is nothing that both labelled."
    assert view(study).cautions == ()


def test_blind_and_assisted_stand_apart(study, say):
    say("s2", "supported", mode="blind", seen="no", block="audit")
    say("s3", "partial")
    figures = LiveFigures(study.reader, "anna")

    assert figures.groups == (DRAWN, CHOSEN)
    blind, assisted = figures.view(DRAWN, LEVELS), figures.view(CHOSEN, LEVELS)
    assert (blind.agreement.value, blind.agreement.n, blind.agreement.method) == (1.0, 1, "Wilson")
    assert assisted.agreement.value == 0.0
    assert assisted.table[1] == (0, 0, 0, 1)
    assert figures.in_cell(CHOSEN, LEVELS, None, "partial", "not_addressed") == ["s3"]


def test_a_blind_queue_after_the_judges_were_seen_is_assisted(study, say):
    say("s2", "supported", mode="blind", seen="before", block="audit")

    assert LiveFigures(study.reader, "anna").groups == (Group("assisted", True),)


def test_what_cannot_be_compared_is_said(study, say):
    say("s1", "supported")  # two judges differ on it
    say("s2", "cannot_judge")
    found = view(study)

    assert found.labels == 2
    assert found.left_out == (("jury tied", 1), ("reviewer cannot judge", 1))
    assert (found.agreement.value, found.kappa.value, found.ac1.value) == (None, None, None)


def test_a_decision_its_undo_and_another_verdict_of_the_judges_move_the_figures(study, say):
    figures = LiveFigures(study.reader, "anna")
    first = say("s2", "supported")
    figures.take_in()
    assert figures.view(CHOSEN, BINARY).agreement.value == 1.0

    retract = NewEvent("retract", "s2", undoes_event=first)
    study.write(lambda db: Recorder("anna").append(db, retract, block="flagged", mode="open"))
    figures.take_in()
    assert figures.groups == ()

    say("s1", "supported")
    figures.take_in()
    assert figures.view(CHOSEN, LEVELS).left_out == (("jury tied", 1),)
    pipeline.set_tie_rule(study, "not_supported")
    figures.take_in()
    assert figures.view(CHOSEN, LEVELS).left_out == ()
    assert figures.view(CHOSEN, LEVELS).table[0] == (0, 0, 1, 0)


def test_each_judge_has_a_table_of_its_own(study, say):
    say("s1", "supported")
    figures = LiveFigures(study.reader, "anna")
    one, two = figures.judges
    say("s2", "supported")
    assert figures.view(CHOSEN, LEVELS, one).agreement.n == 1
    figures.take_in()

    assert figures.view(CHOSEN, LEVELS, one).agreement.value == 1.0
    assert figures.view(CHOSEN, LEVELS, two).table[0] == (1, 0, 1, 0)
    assert figures.in_cell(CHOSEN, LEVELS, two, "supported", "contradicted") == ["s1"]


def test_chosen_labels_come_with_a_caution(study, say):
    for unit in ("s1", "s2", "s3", "s4"):
        say(unit, "not_addressed")

    assert view(study).cautions == (
        "These statements were chosen, not drawn at random: agreement on them says nothing on other statements.",
    )


def test_the_interval_is_the_one_over_responses(tmp_path):
    with Study.create(tmp_path / "b.medreview") as study:
        small = SmallStudy(study)
        for name in "abcd":
            small.response(name, 3)
        small.judged("one", "supported", *(f"{name}.{n}" for name in "abcd" for n in (1, 2, 3)))
        small.said("supported", *(f"{name}.{n}" for name in "abc" for n in (1, 2, 3)))
        small.said("partial", "d.1", "d.2", "d.3")
        small.roll_up()
        found = view(study).agreement

    # Three responses wholly alike, one not at all: 9 of 12.
    assert (found.value, found.method, found.clusters) == (0.75, "jackknife over responses", 4)
    assert (found.low, found.high) == (pytest.approx(0.022, abs=5e-4), pytest.approx(0.998, abs=5e-4))


def test_one_response_has_no_interval_over_responses_and_says_so(study, say):
    for unit in ("s1", "s2", "s3"):
        say(unit, "supported")
    found = view(study).agreement

    assert (found.value, found.low) == (0.5, None)
    assert found.reason == "One response cannot show how responses differ."


def test_labels_through_a_filter_are_of_the_draw_once_nothing_of_it_waits(small):
    small.response("a", 3)
    small.judged("one", "supported", "a.1", "a.2", "a.3")
    small.roll_up()
    small.study.write(
        lambda db: db.executemany(
            "INSERT INTO audit_frame (statement_id, number, stratum, rate) VALUES (?, 0.1, 'all', 0.5)",
            [("a.1",), ("a.2",)],
        )
    )
    figures = LiveFigures(small.study.reader, "anna")
    small.said("supported", "a.1", mode="blind", block="audit", filter="response=R01")
    figures.take_in()
    assert figures.groups == (Group("blind", False),)
    small.said("supported", "a.2", mode="blind", block="audit")
    figures.take_in()

    assert figures.groups == (DRAWN,)
    assert figures.view(DRAWN, LEVELS).agreement.n == 2


def test_the_word_of_the_offline_judge_comes_with_what_it_is(small):
    small.response("a", 2)
    small.judge("a.1 a.2", offline="SS", one="S-")
    small.roll_up()
    small.said("supported", "a.1", "a.2")
    figures = LiveFigures(small.study.reader, "anna")
    first = {judge.title if judge else "": figures.view(CHOSEN, LEVELS, judge).cautions[0] for judge in figures.columns}

    triage = "triage by rules, not a verdict."
    assert first[""] == f"On 1 of 2 statements only the offline judge spoke: {triage}"
    assert first["offline (words only)"] == f"The offline judge goes by words: {triage}"
    assert first["one"].startswith("These statements were chosen")
