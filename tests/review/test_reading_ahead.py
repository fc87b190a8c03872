"""What was read ahead of the next unit is not read again when the reviewer comes there, unless it may be otherwise."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.judges.verdicts import refresh
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.sitting import OF_UNIT
from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.unit_samples import SAMPLES, two_responses

QUEUES = {kind: KINDS[kind].queue_name for kind in SAMPLES} | {"statement": "responses"}
"""Kind -> a queue of it."""


def shown(sitting: ReviewSession) -> tuple[object, ...]:
    return (
        *(sitting.unit, sitting.name, sitting.own, sitting.mode, sitting.shows_judges, sitting.judges_say),
        *(sitting.judge_words, sitting.reads, sitting.text_key, sitting.snapshot, sitting.source_text()),
        *(sitting.source_places(), sitting.source_highlights(), sitting.beside_text(), sitting.beside_marks()),
        *(sitting.draft, sitting.hidden_until, sitting.others_notes),
    )


def sit(study: Study, queue: str = "responses") -> ReviewSession:
    """A sitting that writes what was seen when it is left, as one does that is gone through quickly."""
    return open_session(study, "kb", open_queue(study, queue, "kb"), later=lambda _seconds, _act: None)


def statements_of(sitting: ReviewSession, act: Callable[[], object]) -> list[str]:
    """The SQL of an act but what asks whether anything was written."""
    told: list[str] = []
    sitting.study.reader.set_trace_callback(told.append)
    act()
    sitting.study.reader.set_trace_callback(None)
    return [sql for sql in told if sql != "PRAGMA data_version"]


@pytest.mark.parametrize("kind", QUEUES)
def test_a_unit_that_was_read_ahead_is_shown_as_one_that_was_not(kind: str, tmp_path: Path) -> None:
    with Study.create(tmp_path / "a.medreview") as study:
        SAMPLES.get(kind, two_responses)(study)
        refresh(study)
        looked, plain = sit(study, QUEUES[kind]), sit(study, QUEUES[kind])
        for sitting in (looked, plain):
            sitting.go(0)
        for place in range(len(looked.queue.units)):
            assert shown(looked) == shown(plain)
            there = looked.ahead()
            assert (there is None) == (place + 1 == len(looked.queue.units))
            if there is not None:
                told = {name for name, value in vars(there).items() if vars(looked).get(name) is not value}
                assert told - {"position", "_ahead"} <= set(OF_UNIT)
                assert looked.next()
                assert plain.next()
                assert looked.own is there.own


def test_going_where_it_was_looked_reads_nothing_again(study: Study) -> None:
    sitting = sit(study)
    assert statements_of(sitting, sitting.next) != []
    sitting.ahead()
    assert statements_of(sitting, sitting.next) == []
    assert statements_of(sitting, lambda: (sitting.source_highlights(), sitting.beside_marks())) == []


def test_what_was_written_meanwhile_is_read(study: Study) -> None:
    sitting, other = sit(study), sit(study)
    sitting.ahead()
    other.next()
    other.decide("contradicted")
    sitting.next()
    assert (sitting.unit, sitting.own.label) == (other.unit, "contradicted")


def test_what_another_connection_wrote_meanwhile_is_read(study: Study) -> None:
    sitting = sit(study)
    sitting.ahead()
    study.write(
        lambda connection: connection.execute("UPDATE statement SET text = 'Another.' WHERE statement_id = 's2'")
    )
    sitting.next()
    assert sitting.item is not None
    assert sitting.unit == "s2"
    assert "Another." in sitting.item.text


@pytest.mark.parametrize(
    "go",
    [lambda one: one.go(3), ReviewSession.previous, lambda one: one.set_filter("children")],
    ids=["far", "back", "filter"],
)
def test_another_unit_than_was_looked_at_is_read(study: Study, go: Callable[[ReviewSession], object]) -> None:
    looked, plain = sit(study), sit(study)
    for sitting in (looked, plain):
        sitting.next()
    looked.ahead()
    for sitting in (looked, plain):
        go(sitting)
    assert shown(looked) == shown(plain)
