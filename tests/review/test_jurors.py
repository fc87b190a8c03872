"""The jury of a statement, vote by vote."""

from medreview.judges.verdicts import refresh
from medreview.review.judge_words import jurors
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.screens.judge_rows import judge_bar
from medreview.units.statement_view import load_statement_view
from tests.support.study_builder import build


def add(study, judge, supported, error=""):
    def change(rows):
        run = rows.judge_run(judge, "llm", model="")
        rows.judgement(judge, "s1", "p1", "unsure", run=run, supported=supported, confidence=None, error=error)

    build(study, change)


def test_the_votes_stand_one_by_one(study):
    add(study, "silent", None, "timeout: no answer in time")
    add(study, "coarse", 0)
    refresh(study)
    item = load_statement_view(study.reader, "s1")

    assert [(judge, word.verdict, word.supported) for judge, word in jurors(item).items()] == [
        ("one", "supported", True),
        ("two", "contradicted", False),
        ("silent", None, None),
        ("coarse", None, False),
    ]
    assert (item.verdict.votes_for, item.verdict.votes_other, item.verdict.abstained) == (1, 1, 1)


def test_the_strip_is_on_the_screen(study):
    add(study, "silent", None, "refused: declined")
    refresh(study)
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    session.go(session.queue.units.index("s1"))
    row = "".join(text for text, _ in judge_bar(session, 100, "")[0])

    assert "judges TIE ✓1 ✗1 -1 · no a" in row


def test_the_rules_say_what_the_open_page_does_not_have_and_nothing_where_it_is_blind(study):
    def change(rows):
        for page in ("p1", "p2"):
            rows.judgement("offline", "s1", page, "unsure")
        rows.evidence("s1", "p2", lacking="[[5, 7], [17, 28]]")

    build(study, change)
    refresh(study)
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb", filter="mL/kg"))
    assert session.card.rules == "rules (words only): not on this page: 50, crystalloid; unsure [1] [2]"
    session.turn_source(1)
    assert session.card.rules == "rules (words only): unsure [1] [2]"
    blind = ReviewSession(study, "anna", open_queue(study, "responses", "anna", filter="mL/kg", blind=True))
    assert blind.card.rules == ""
