"""What a real review session writes comes out in the columns, and goes back in."""

import csv
from collections.abc import Callable
from pathlib import Path

from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study.check import check
from tests.exchange.example_study import ExampleStudy


def test_a_session_out_and_in(
    example: ExampleStudy, new_example: Callable[[str], ExampleStudy], tmp_path: Path
) -> None:
    queue = open_queue(example.study, "responses", "ada", blind=True)
    session = ReviewSession(example.study, "ada", queue, reveal="each")
    session.go(queue.units.index(example.units[0]))
    session.decide("partial")
    session.decide("contradicted")
    session.reason("number")
    session.decide_also("hallucination", "fact")
    session.add_span("response", session.default_span("response"))
    session.note("=dose, “halved”")
    session.flag("dispute")
    session.go(queue.units.index(example.units[1]))
    session.decide("supported")
    session.undo()
    session.defer()
    session.leave()
    export(example.study, tmp_path / "one")
    with (tmp_path / "one" / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["unit_id"]: row for row in csv.DictReader(file)}
    row = rows[example.units[0]]
    assert (row["verdict_first"], row["verdict_final"], row["changed_after_reveal"]) == ("partial", "contradicted", "1")
    assert (row["reason_code"], row["halluc_type"], row["note"]) == ("number", "fact", "=dose, “halved”")
    assert (row["flag_dispute"], row["n_spans"], row["mode"], row["stale"]) == ("1", "1", "blind", "0")
    assert (row["exposure_judge_verdict"], row["queue_name"], row["reviewer_id"]) == ("after", "responses", "ada")
    assert row["wall_ms"].isdigit()
    undone = rows[example.units[1]]
    assert (undone["verdict_first"], undone["verdict_final"], undone["deferred_times"]) == ("", "", "1")
    assert (tmp_path / "one" / "event_values.csv").read_text().count("\n") == 1
    fresh = new_example("fresh")
    import_export(fresh.study, tmp_path / "one")
    fresh.units = example.units
    fresh.machine()
    export(fresh.study, tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    assert check(fresh.study.reader) == []
