"""What a reviewer decided and noted, listed and searched."""

import sqlite3
from datetime import UTC, datetime

from medreview.review.history import History
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.repeat_annotation import set_second_pass
from medreview.review.resuming import queue_with
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from tests.support.unit_samples import SAMPLES


def said(study: Study, query: str = "", listed: str = "decisions") -> list[tuple[str, str]]:
    found = History(study.reader, "kb", "notes" if listed == "notes" else "decisions", query)
    return [(found.act(place).name, found.act(place).said) for place in range(len(found))]


def decide_some(study: Study) -> None:
    session = open_session(study, "kb", open_queue(study, "responses", "kb"))
    session.decide("contradicted")
    session.note("Check the dose again.")
    session.next()
    session.decide("supported")
    session.decide("partial")
    session.next()
    session.defer()
    session.undo()
    session.next()
    session.defer()
    session.leave()


def test_what_stands_is_listed_newest_first_with_where_what_and_when(study: Study) -> None:
    decide_some(study)
    assert said(study) == [
        ("R02 S1", "deferred"),
        ("R01 S2", "partial"),
        ("R01 S2", "supported"),
        ("R01 S1", "contradicted"),
    ]
    found = History(study.reader, "kb")
    assert [found.act(place).replaced for place in range(4)] == [False, False, True, False]
    newest = found.act(0)
    assert (newest.unit, newest.queue, newest.blind, newest.pass_no) == ("s4", "by response", False, 1)
    assert newest.text == "Children need other doses."
    assert abs((datetime.now(UTC) - newest.when).total_seconds()) < 600
    assert not len(History(study.reader, "other"))


def test_it_is_narrowed_by_label_name_text_and_day(study: Study) -> None:
    decide_some(study)
    day = History(study.reader, "kb").act(0).when.astimezone(UTC).strftime("%Y-%m-%d")
    assert said(study, "partial") == [("R01 S2", "partial")]
    assert said(study, "r01 s2 supp") == [("R01 S2", "supported")]
    assert said(study, "CRYSTALLOID") == [("R01 S1", "contradicted")]
    assert len(said(study, day)) == 4
    assert not said(study, "no such words")
    assert said(study, "dose", "notes") == [("R01 S1", "Check the dose again.")]
    assert not said(study, "fluid", "notes")


def test_only_the_newest_note_of_a_unit_is_listed_and_none_that_was_emptied(study: Study) -> None:
    session = open_session(study, "kb", open_queue(study, "responses", "kb"))
    for text in ("one", "two"):
        session.note(text)
    assert said(study, listed="notes") == [("R01 S1", "two")]
    session.note("")
    assert not said(study, listed="notes")


def test_units_of_every_kind_are_in_it_with_the_words_of_their_labels(study: Study) -> None:
    SAMPLES["qa"](study)
    session = open_session(study, "kb", open_queue(study, "qa", "kb"))
    session.decide("5")
    assert said(study, "highly") == [(session.name, "highly relevant")]
    pairs = open_session(study, "kb", open_queue(study, "pairs", "kb"))
    pairs.decide("contradicted")
    assert said(study, "crystalloid contra") == [(pairs.name, "contradicted")]
    assert queue_with(study, "kb", session.unit)[0] == "qa"


def test_what_waits_in_the_second_pass_is_left_out_until_it_is_decided_again(study: Study) -> None:
    decide_some(study)
    set_second_pass(study, "kb", share=1.0, after_days=0)
    assert said(study) == [("R02 S1", "deferred")]
    assert not said(study, "contradicted")
    assert not said(study, listed="notes")
    assert History(study.reader, "kb").withheld == 2
    again = open_session(study, "kb", open_queue(study, "second", "kb"))
    again.decide("supported")
    assert {(act.unit, act.pass_no) for act in map(History(study.reader, "kb").act, range(2))} >= {(again.unit, 2)}
    assert queue_with(study, "kb", again.unit, pass_no=2)[0] == "second"


def test_a_long_record_is_read_page_by_page(study: Study) -> None:
    def many(connection: sqlite3.Connection) -> None:
        recorder = Recorder("kb")
        for number in range(700):
            event = NewEvent("decide", f"s{number % 4 + 1}", {"axis": "evidence", "label": "supported"})
            recorder.append(connection, event, block="responses", mode="open")

    study.write(many)
    queries: list[str] = []
    study.reader.set_trace_callback(queries.append)
    found = History(study.reader, "kb")
    assert len(found) == 700
    before = len(queries)
    first = [found.act(place).event_id for place in range(20)]
    assert sum("json_each" in query for query in queries[before:]) == 1
    assert first == sorted(first, reverse=True)
    assert found.act(699).event_id < first[-1]
    study.reader.set_trace_callback(None)
