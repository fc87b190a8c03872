"""Labels that are worked out once for a whole export are those of the study's own view."""

from medreview.exchange.exports.labels_once import labels_once
from tests.exchange.example_study import ExampleStudy

EVERY = "SELECT * FROM {} ORDER BY unit, reviewer, pass, axis"


def test_the_rows_are_those_of_the_view_as_long_as_they_are_held(example: ExampleStudy) -> None:
    example.decide("partial", 0)
    example.decide("supported", 0, kind="revise")
    example.decide("supported", 1, mode="open")
    example.decide("fabricated", 1, axis="hallucination")
    example.decide("contradicted", 0, who="zoe", pass_no=2)
    reader = example.study.reader
    with labels_once(reader):
        held = [tuple(row) for row in reader.execute(EVERY.format("axis_label"))]
        assert held == [tuple(row) for row in reader.execute(EVERY.format("main.axis_label"))]
        example.decide("supported", 2)
        assert len(reader.execute("SELECT * FROM axis_label").fetchall()) == len(held) == 4
    assert len(reader.execute("SELECT * FROM axis_label").fetchall()) == 5
