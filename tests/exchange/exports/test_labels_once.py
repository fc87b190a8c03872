"""Labels that are worked out once for a whole export are those of the study's own view."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from sqlite3 import Connection

import pytest

from medreview.exchange.exports.export import labels_once, without_judges
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


@pytest.mark.parametrize(
    ("held", "table"),
    [(labels_once, "axis_label"), (lambda reader: without_judges(reader, "kb"), "undecided")],
    ids=["labels", "blind"],
)
def test_what_ended_an_export_is_told_while_rows_are_still_being_read(
    example: ExampleStudy, held: Callable[[Connection], AbstractContextManager[object]], table: str
) -> None:
    for statement in range(3):
        example.decide("supported", statement)
    reader = example.study.reader
    for _ in range(2):  # the second finds nothing left of the first
        with pytest.raises(OSError, match="no room"), held(reader):  # noqa: PT012
            unread = reader.execute(f"SELECT * FROM temp.{table}")
            unread.fetchone()
            raise OSError("no room")
        unread.close()
    assert not reader.in_transaction
    assert reader.execute("SELECT count(*) FROM temp.sqlite_schema").fetchone()[0] == 0
