"""The jury of a statement, vote by vote."""

from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.verdicts import refresh
from medreview.review.jurors import Juror, jurors
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.statement_view import load_statement_view
from medreview.screens.judge_rows import judge_bar
from medreview.study.rows import insert


def add(study, judge, supported, error=""):
    def change(connection):
        run = add_run(connection, JudgeRun(judge, "llm"))
        row = {"judgement_id": f"g-{judge}", "judge_run_id": run, "statement_id": "s1", "snapshot_id": "p1"}
        row |= {"raw_label": "", "verdict": None, "supported": supported, "confidence": None, "quote_status": "none"}
        row |= {
            "quote_start": None,
            "quote_end": None,
            "differences": "[]",
            "quote": "",
            "reason": "",
            "raw_output": "",
        }
        insert(connection, "judgement", [row | {"raw_output": "", "error": error}])

    study.write(change)


def test_the_votes_stand_one_by_one(study):
    add(study, "silent", None, "timeout: no answer in time")
    add(study, "coarse", 0)
    refresh(study)
    item = load_statement_view(study.reader, "s1")

    assert jurors(item) == (
        Juror("one", "supported", True),
        Juror("two", "contradicted", False),
        Juror("silent", None, None),
        Juror("coarse", None, False),
    )
    assert (item.verdict.votes_for, item.verdict.votes_other, item.verdict.abstained) == (1, 1, 1)


def test_the_strip_is_on_the_screen(study):
    add(study, "silent", None, "refused: declined")
    refresh(study)
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    session.go(session.queue.units.index("s1"))
    row = "".join(text for text, _ in judge_bar(session, 100)[0])

    assert "jury ✓✗- 1-1, 1 abstained" in row
