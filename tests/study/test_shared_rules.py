"""Rules that stand once in Python and once as a view: every case of the one is the same in the other."""

import sqlite3
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from medreview.labels import PAGE_STATES
from medreview.sources.snapshots import holds_source
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """One source for each page state, with and without a text, answered with 200, 404 and not at all."""

    def fill(rows: StudyBuilder) -> None:
        for number, (state, text, status) in enumerate(product(PAGE_STATES, ("", "Words."), (200, 404, None))):
            rows.page(f"u{number}", text, page_state=state, status=status)

    with Study.create(tmp_path / "a.medreview") as study:
        build(study, fill)
        yield study.reader


def test_what_can_be_read_of_a_page_is_the_same_in_sql_and_in_python(pages: sqlite3.Connection) -> None:
    rows = pages.execute("SELECT * FROM snapshot JOIN snapshot_content USING (snapshot_id, source_id)").fetchall()

    assert len(rows) == 6 * len(PAGE_STATES)
    assert [bool(row["readable"]) for row in rows] == [holds_source(row) for row in rows]
    assert [bool(row["has_text"]) for row in rows] == [row["text"] != "" for row in rows]
    asked = [row for row in rows if row["page_state"] != "given_with_the_answer"]
    assert [bool(row["valid"]) for row in asked] == [row["status"] == 200 and row["text"] != "" for row in asked]
    assert {row["valid"] for row in rows if row not in asked} == {None}
    readable = {row["page_state"] for row in rows if row["readable"]}
    assert readable == {"ok", "given_with_the_answer", "paywall", "thin"}
