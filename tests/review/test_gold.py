"""Gold items: what counts as right, that a told answer cannot be mended, and what a file of them may say."""

import json
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.labels import same_label
from medreview.review.gold import import_gold, remove_gold, set_gold, tell
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.study.check import check
from medreview.text import Span
from medreview.units.kind import Gold
from medreview.units.label_comparisons import gold_items, gold_results, told_results

WHO = "kb"


def add(study: Study, unit: str, label: str, axis: str = "evidence", **more: Any) -> None:
    set_gold(study, unit, Gold(axis, label, **more), "lead")


def results(study: Study) -> dict[str, tuple[str, bool]]:
    return {one.unit: (one.label, one.right) for one in gold_results(study.reader, WHO)}


def test_what_is_decided_is_right_or_wrong_and_what_waits_is_neither(study: Study) -> None:
    add(study, "s1", "contradicted", why="30 mL/kg")
    add(study, "s1", "fact", "hallucination", spans=(("response", Span(5, 13), "fact"),))
    add(study, "s2", "supported", attention=True)
    add(study, "s3", "not_addressed")
    session = ReviewSession(study, WHO, open_queue(study, "responses", WHO))
    session.decide("supported")
    session.decide_also("hallucination", "fact")
    session.add_span("response", session.default_span("response"))
    session.next()
    session.decide("supported")
    session.next()
    session.defer()

    found = gold_results(study.reader, WHO)
    assert [(one.unit, one.gold.axis, one.label, one.right, one.marked) for one in found] == [
        ("s1", "evidence", "supported", False, 0),
        ("s1", "hallucination", "fact", True, 1),
        ("s2", "evidence", "supported", True, 0),
    ]
    assert gold_results(study.reader, "anna") == []
    assert [one.unit for one in gold_results(study.reader, WHO, units=["s2"])] == ["s2"]


def test_what_was_told_counts_as_it_was_given_whatever_is_changed_after(study: Study) -> None:
    add(study, "s1", "contradicted")
    session = ReviewSession(study, WHO, open_queue(study, "responses", WHO, blind=True))
    session.go(session.queue.units.index("s1"))
    session.decide("supported")
    session.decide("partial")
    assert results(study) == {"s1": ("partial", False)}
    assert told_results(study.reader, WHO) == []  # its block is open
    assert [one.right for one in tell(study, WHO, ["s1", "s2"])] == [False]
    session.decide("contradicted")

    assert results(study) == {"s1": ("partial", False)}
    assert [one.label for one in told_results(study.reader, WHO)] == ["partial"]
    tell(study, WHO, ["s1"])
    assert len(study.reader.execute("SELECT 1 FROM event WHERE kind = 'gold_told'").fetchall()) == 1
    assert check(study.reader) == []


def test_gold_makes_no_difference_to_what_is_read_before_a_decision(study: Study) -> None:
    """Nothing that a sitting loads depends on it: same queues, entries, marks and counts."""

    def seen() -> list[object]:
        found: list[object] = []
        for queue in ("responses", "flagged", "audit"):
            session = ReviewSession(study, WHO, open_queue(study, queue, WHO))
            found += [session.queue.units, session.counts]
            for place in range(len(session.queue.units)):
                session.go(place)
                found += [session.item, session.own, session.listed(place), session.source_highlights()]
        return found

    seen()  # draws the audit, and tells what the judges say
    without = seen()
    add(study, "s1", "contradicted", attention=True, why="secret")
    add(study, "s4", "supported")
    assert seen() == without


def test_a_file_names_units_by_id_by_name_and_by_words_and_its_bad_records_are_named(
    study: Study, tmp_path: Path
) -> None:
    records = [
        {"unit": "s1", "label": "contradicted", "why": "30", "attention": "yes"},
        {"unit": "R02 S1", "label": "supported"},
        {"response": "r1", "statement": "Norepinephrine  comes first.", "label": "supported"},
        {"response": "r1", "statement": "3", "axis": "hallucination", "label": "none"},
        {"unit": "s1", "axis": "hallucination", "label": "fact",
         "spans": [{"exact": "50 mL/kg", "label": "fact"}]},
        {"unit": "s9", "label": "supported"},
        {"unit": "s2", "label": "true"},
        {"unit": "s2", "axis": "truth", "label": "true"},
        {"unit": "s2", "label": "partial", "attention": "perhaps"},
        {"unit": "s2", "axis": "hallucination", "label": "fact", "spans": [{"exact": "never", "label": "fact"}]},
        {"label": "partial"},
    ]  # fmt: skip
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))

    done = import_gold(study, path, "lead")
    assert (done.added, done.known) == (5, 0)
    assert [one.line for one in done.bad] == [6, 7, 8, 9, 10, 11]
    assert "has the label 'true'" in done.bad[1].reason
    items = {(one.unit, one.gold.axis): one.gold for one in gold_items(study.reader)}
    assert items[("s1", "evidence")] == Gold("evidence", "contradicted", (), "30", True)
    assert items[("s1", "hallucination")].spans == (("response", Span(5, 13), "fact"),)
    assert ("s4", "evidence") in items
    assert ("s3", "hallucination") in items
    assert import_gold(study, path, "lead").known == 5


def test_another_label_for_a_gold_item_is_refused_until_it_is_removed(study: Study) -> None:
    add(study, "s1", "contradicted")
    with pytest.raises(UserError, match="already"):
        add(study, "s1", "partial")
    with pytest.raises(UserError, match="has the label 'fine'"):
        add(study, "s2", "fine")
    assert remove_gold(study, "s1") == 1
    add(study, "s1", "partial")
    assert check(study.reader) == []


def test_orders_are_the_same_when_they_place_every_output_alike() -> None:
    assert same_label("rank", "2>1=4>3", "2>4=1>3")
    assert not same_label("rank", "2>1>4>3", "2>1=4>3")
