"""The flagged queue is kept in its order: it is that of the study as it is, whatever happened since it was kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.judges.verdicts import refresh
from medreview.review.queue import open_queue
from medreview.review.queue_kinds import KINDS as QUEUES
from medreview.review.queue_kinds import ROWS, shown_in
from medreview.review.session import ReviewSession
from medreview.review.statement_editing import exclude_event
from medreview.study import Study, counts
from medreview.study.events import Recorder

WHO = "kb"
FLAGGED = next(kind for kind in QUEUES if kind.name == "flagged")


def asked_again(study: Study) -> list[tuple[str, int]]:
    """What the rule of the queue gives, with nothing kept."""
    rows = study.reader.execute(
        f"""SELECT s.statement_id, r.ordinal {ROWS} WHERE {FLAGGED.where} AND {shown_in(FLAGGED)}
            ORDER BY {FLAGGED.order}""",
        (WHO, 1),
    )
    return [tuple(row) for row in rows]


def opened(study: Study) -> tuple[list[tuple[str, int]], bool]:
    """The queue as it is opened, and whether it was put in order for that."""
    said: list[str] = []
    study.reader.set_trace_callback(said.append)
    queue = open_queue(study, "flagged", WHO)
    study.reader.set_trace_callback(None)
    return list(zip(queue.units, queue.responses, strict=True)), any("r.ordinal" in statement for statement in said)


def decide(study: Study) -> None:
    session = ReviewSession(study, WHO, open_queue(study, "flagged", WHO))
    session.decide("partial")
    session.leave()


def decide_blind(study: Study) -> None:
    flagged = open_queue(study, "flagged", WHO).units[0]
    session = ReviewSession(study, WHO, open_queue(study, "responses", WHO, blind=True), at=flagged)
    session.decide("partial")
    session.leave()


def exclude(study: Study) -> None:
    event = exclude_event(study.reader, open_queue(study, "flagged", WHO).units[0])
    recorder = Recorder(WHO)
    study.write(lambda connection: recorder.append(connection, event, block="flagged", mode="open"))
    refresh(study)


def judge_again(study: Study) -> None:
    study.write(lambda connection: connection.execute("UPDATE verdict SET priority = 9 - priority WHERE priority > 0"))


@pytest.mark.parametrize("act", [decide, decide_blind, exclude, judge_again])
def test_the_order_is_that_of_the_study_as_it_is(
    study: Study, monkeypatch: pytest.MonkeyPatch, act: Callable[[Study], None]
) -> None:
    monkeypatch.setattr(counts, "_SMALL", 0)
    path: Path = study.path
    study.close()
    with Study.open(path) as first:
        assert opened(first) == (asked_again(first), True)
        assert opened(first) == (asked_again(first), False)
    with Study.open(path) as second:
        assert opened(second) == (asked_again(second), False)
        before = asked_again(second)
        act(second)
        found, again = opened(second)
        assert found == asked_again(second)
        assert again == (act in (exclude, judge_again))
        assert (found == before) == (act is decide)
    with Study.open(path) as third:
        assert opened(third) == (found, False)
