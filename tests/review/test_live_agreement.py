"""The lines of the workbench's figures panel."""

import pytest

from medreview.review.live_agreement import WIDTH, agreement_lines
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.stats.small_study import SmallStudy


@pytest.fixture
def say(study):
    recorder = Recorder("anna")

    def write(unit, label, mode="open", seen="before", block="flagged"):
        payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": seen}}
        study.write(lambda db: recorder.append(db, NewEvent("decide", unit, payload), block=block, mode=mode))

    return write


def test_no_decision_yet_is_a_sentence(study):
    lines = agreement_lines(study, "anna")

    assert lines == ["0 of 4 statements decided, 0 deferred, 4 open", "", lines[-1]]
    assert lines[-1].startswith("No label of yours meets")


def test_blind_and_assisted_stand_apart(study, say):
    say("s2", "supported", mode="blind", seen="no", block="audit")
    say("s3", "partial")
    lines = agreement_lines(study, "anna")
    blind, assisted = (
        lines.index("Blind, random audit (1 of your labels):"),
        lines.index("Assisted, other queues (1 of your labels):"),
    )

    assert lines[blind + 1] == "  four labels: 1 of 1 as the judges, 100.0% (95% CI 20.7% to 100.0%), Wilson"
    assert "0 of 1 as the judges" in lines[assisted + 1]


def test_a_blind_queue_after_the_judges_were_seen_is_assisted(study, say):
    say("s2", "supported", mode="blind", seen="before", block="audit")

    assert "Assisted, random audit (1 of your labels):" in agreement_lines(study, "anna")


def test_what_cannot_be_compared_is_said(study, say):
    say("s1", "supported")
    say("s2", "cannot_judge")
    text = "\n".join(agreement_lines(study, "anna"))

    # Two judges differ on s1.
    assert "no figure: 1 jury tied, 1 reviewer cannot judge" in text


def test_few_labels_are_too_few_and_every_line_fits(study, say):
    for unit in ("s1", "s2", "s3", "s4"):
        say(unit, "not_addressed")
    lines = agreement_lines(study, "anna")

    assert any("Too few labels to lean on" in line for line in lines)
    assert max(len(line) for line in lines if not line.startswith("  medreview ")) <= WIDTH


def test_the_interval_over_responses_comes_first(tmp_path):
    with Study.create(tmp_path / "b.medreview") as study:
        small = SmallStudy(study)
        for name in "abcd":
            small.response(name, 3)
        small.judged("one", "supported", *(f"{name}.{n}" for name in "abcd" for n in (1, 2, 3)))
        small.said("supported", *(f"{name}.{n}" for name in "abc" for n in (1, 2, 3)))
        small.said("partial", "d.1", "d.2", "d.3")
        small.roll_up()
        text = " ".join(" ".join(agreement_lines(study, "anna")).split())

    # Three responses wholly alike, one not at all: 9 of 12, and as independent statements Wilson's 46.8% to 91.1%.
    lead = "four labels: 9 of 12 as the judges, 75.0% (95% CI 4.1% to 99.5%), jackknife over responses."
    assert f"{lead} Statements taken as independent: 46.8% to 91.1%, Wilson" in text


def test_one_response_has_no_interval_over_responses_and_says_so(study, say):
    for unit in ("s1", "s2", "s3"):
        say(unit, "supported")
    text = " ".join(" ".join(agreement_lines(study, "anna")).split())

    assert "1 of 2 as the judges, 50.0% (no interval): One response cannot show how responses differ." in text
