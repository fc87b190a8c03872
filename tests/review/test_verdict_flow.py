"""What follows a verdict is the session's to say: three faces obey it, the third of which is this test."""

import io

import pytest

from medreview.cli.plain import review_plain
from medreview.errors import UserError
from medreview.judges.verdicts import refresh
from medreview.review.decision import FollowUp
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

KEEP, REASON = FollowUp.KEEP_OR_CHANGE, FollowUp.REASON


def sit(study: Study, unit: str, *, blind: bool) -> ReviewSession:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", blind=blind), reveal="each")
    session.go(list(session.queue.units).index(unit))
    return session


def headless(
    session: ReviewSession, verdict: str, change: str | None = None, reason: str | None = None
) -> list[FollowUp]:
    """A face that knows nothing but the session's answers; what it was told to ask."""
    asked: list[FollowUp] = []
    step = session.decide(verdict)
    while step is not FollowUp.ADVANCE:
        asked.append(step)
        step = session.keep_or_change(change) if step is KEEP else session.reason(reason)
    return asked


def kinds(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT kind FROM event WHERE kind <> 'shown' ORDER BY event_id")
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("blind", "verdict", "change", "asked", "written"),
    [
        (False, "supported", None, [], ["decide"]),
        (False, "partial", None, [REASON], ["decide", "reason"]),
        (True, "supported", None, [], ["decide", "reveal"]),
        (True, "partial", None, [KEEP, REASON], ["decide", "reveal", "reason"]),
        (True, "partial", "partial", [KEEP, REASON], ["decide", "reveal", "reason"]),
        (True, "partial", "supported", [KEEP], ["decide", "reveal", "revise"]),
        (True, "partial", "contradicted", [KEEP, REASON], ["decide", "reveal", "revise", "reason"]),
    ],
)
def test_the_session_says_what_is_asked(
    study: Study, blind: bool, verdict: str, change: str | None, asked: list[FollowUp], written: list[str]
) -> None:
    session = sit(study, "s2", blind=blind)  # both judges: supported

    assert headless(session, verdict, change, "number") == asked
    assert kinds(study) == written


@pytest.mark.parametrize("blind", [False, True])
def test_nobody_is_asked_why_not_by_the_offline_rules(study: Study, blind: bool) -> None:
    def fill(rows: StudyBuilder) -> None:
        rows.connection.execute("DELETE FROM verdict")
        rows.connection.execute("DELETE FROM judgement WHERE statement_id = 's2'")
        for unit in ("s2", "s3"):
            rows.judgement("offline", unit, "p1", "supported")

    build(study, fill)
    refresh(study)
    session = sit(study, "s2", blind=blind)

    assert headless(session, "contradicted") == []  # the rules alone say supported
    assert headless(session, "supported") == []
    assert "you and the judges" not in session.receipt
    assert headless(sit(study, "s3", blind=blind), "contradicted") == [*[KEEP] * blind, REASON]  # a judge spoke too


def test_judges_that_are_seen_already_are_not_revealed_again(study: Study) -> None:
    session = sit(study, "s2", blind=True)
    headless(session, "partial")

    assert headless(session, "contradicted", reason="number") == [REASON]
    session.undo()
    session.undo()
    session.undo()
    assert not session.shows_judges
    assert headless(session, "contradicted") == [KEEP, REASON]


def test_one_may_come_back_to_keep_or_change_as_long_as_one_differs(study: Study) -> None:
    with pytest.raises(UserError, match="Nothing is hidden"):
        sit(study, "s2", blind=False).look_again()
    session = sit(study, "s2", blind=True)
    with pytest.raises(UserError, match="hidden until you decide"):
        session.look_again()
    session.decide("partial")
    assert session.look_again() is KEEP
    assert session.keep_or_change("supported") is FollowUp.ADVANCE
    with pytest.raises(UserError, match="are shown"):
        session.look_again()


def plain(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *lines: str
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    review_plain(session)
    return capsys.readouterr().out


def test_line_prompts_ask_to_keep_or_change_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = sit(study, "s2", blind=True)
    place = session.position

    said = plain(session, monkeypatch, capsys, "3", "", "x")  # kept, with a reason
    session.go(place)
    again = plain(session, monkeypatch, capsys, "2", "q")  # the judges are known by now: a revision, and why

    assert said.count("Enter keeps your verdict") == 1
    assert said.count("Why not “") == 1
    assert "Enter keeps your verdict" not in again
    assert again.count("Why not “") == 1
    assert kinds(study) == ["decide", "reveal", "reason", "revise", "reason"]


def test_a_digit_corrects_the_verdict_where_line_prompts_ask_why(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = sit(study, "s2", blind=False)

    said = plain(session, monkeypatch, capsys, "3", "z", "4", "n it is about another drug", "q")

    assert "That is not one of the keys." in said
    assert "S2 → not addressed, not contradicted" in said
    assert kinds(study) == ["decide", "retract", "decide", "note"]
    assert study.reader.execute("SELECT label FROM decision_first").fetchall()[0][0] == "not_addressed"


def test_line_prompts_keep_with_the_same_digit_and_come_back_with_r(
    study: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = sit(study, "s2", blind=True)
    place = session.position

    plain(session, monkeypatch, capsys, "3", "3", "")  # the same verdict keeps: nothing is written
    session.go(place)
    said = plain(session, monkeypatch, capsys, "r", "1")

    assert said.count("Enter keeps your verdict") == 1
    assert "saved" in said
    assert kinds(study) == ["decide", "reveal", "revise"]
    assert session.label_of("s2") == "supported"
