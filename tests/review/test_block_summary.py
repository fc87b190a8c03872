"""The end of a block: what is counted, and that the judges' figures wait until they are shown."""

from functools import partial

from medreview.review.gold import set_gold
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.sitting_report import block_summary, summary_lines
from medreview.study import Study
from medreview.units.kind import Gold
from medreview.units.registry import words_on

JUDGES = {"s1": "contradicted", "s2": "supported"}


def agrees(unit: str, label: str) -> bool | None:
    return JUDGES[unit] == label if unit in JUDGES else None


def test_pace_gold_and_after_the_judges_are_shown_the_agreement_and_what_was_changed(study: Study) -> None:
    set_gold(study, "s1", Gold("evidence", "contradicted", (), "The page says 30 mL/kg.", True), "lead")
    set_gold(study, "s2", Gold("evidence", "supported"), "lead")
    queue = open_queue(study, "responses", "kb", blind=True)
    session = ReviewSession(study, "kb", queue)
    for unit in queue.units:
        session.go(queue.units.index(unit))
        session.clock.touch()
        if unit == "s4":
            session.defer()
        else:
            session.decide("supported")

    summary = block_summary(study.reader, "kb", queue.units)
    assert (summary.decided, summary.deferred, summary.open) == (3, 1, 0)
    assert (summary.median_keys, summary.agreement, summary.changed) == (1, None, None)
    lines = summary_lines(summary, str.upper, partial(words_on, study.reader))
    assert lines[0] == "3 decided, 1 put off"
    assert "1 key (medians)" in lines[1]
    assert lines[2:] == [
        "gold items: 1 of 2 right",
        "ATTENTION CHECK FAILED: S1",
        "  S1: you said supported; right is contradicted",
        "  The page says 30 mL/kg.",
    ]

    session.show_judges()
    session.go(queue.units.index("s1"))
    session.keep_or_change("contradicted")
    summary = block_summary(study.reader, "kb", queue.units, agrees=agrees)
    assert (summary.agreement.same, summary.agreement.n, summary.agreement.without) == (1, 2, 1)
    assert summary.changed == 1
    assert summary_lines(summary, str, partial(words_on, study.reader))[-2:] == [
        "as the judges: 1 of 2; no common label of theirs on 1",
        "changed after they were shown: 1",
    ]
    assert block_summary(study.reader, "anna", queue.units).open == 4
