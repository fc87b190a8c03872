"""The second pass: who comes back and when, and that nothing of the first is there."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.review.decision import decide_in_script
from medreview.review.repeat_annotation import (
    due_units,
    in_pass,
    pass_progress,
    second_pass,
    set_second_pass,
)  # fmt: skip
from medreview.review.sitting_report import block_summary, summary_lines
from medreview.study import Study
from medreview.study.check import check
from medreview.units.label_comparisons import labelled_twice
from medreview.units.registry import words_on
from tests.support.study_builder import build

WHO = "kb"
SIZE = 60
LATER = datetime.now(UTC) + timedelta(days=15)


@pytest.fixture
def many(empty_study: Study):
    build(empty_study, lambda rows: [rows.response(f"r{n}", statements=["text"] * 6) for n in range(SIZE // 6)])
    return empty_study


def decide(study: Study, units: list[str], label: str = "supported", pass_no: int = 1) -> None:
    for unit in units:
        decide_in_script(study, WHO, unit, label, pass_no=pass_no)


def statements(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT statement_id FROM statement ORDER BY rowid")]


def test_a_share_of_what_was_decided_comes_back_after_its_time_and_a_larger_share_contains_it(many: Study) -> None:
    decide(many, statements(many)[:50])
    assert due_units(many.reader, WHO, LATER) == []
    set_second_pass(many, "lead", share=0.3, after_days=14)
    assert due_units(many.reader, WHO) == []
    few = due_units(many.reader, WHO, LATER)
    assert 5 <= len(few) <= 26
    assert set(few) <= set(statements(many)[:50])
    set_second_pass(many, "lead", share=0.6)
    more = due_units(many.reader, WHO, LATER)
    assert set(few) < set(more)
    assert more[: len(few)] == few  # in the order of their numbers
    set_second_pass(many, "lead", seed="another")
    assert set(due_units(many.reader, WHO, LATER)) != set(more)
    assert due_units(many.reader, "anna", LATER) == []
    assert second_pass(many.reader).share == 0.6


def test_the_agreement_with_oneself_is_told_with_its_n(many: Study) -> None:
    units = statements(many)
    decide(many, units)
    set_second_pass(many, "lead", share=1.0, after_days=0)
    due = due_units(many.reader, WHO, LATER)
    assert len(due) == SIZE
    decide(many, due[:4], "supported", 2)
    decide(many, due[4:5], "partial", 2)

    assert len(due_units(many.reader, WHO, LATER)) == SIZE - 5
    assert in_pass(many.reader, WHO, LATER) == due
    progress = pass_progress(many.reader, WHO, LATER)
    assert (progress.drawn, progress.due, progress.later, progress.done, progress.same) == (SIZE, SIZE - 5, 0, 5, 4)
    (changed,) = [one for one in labelled_twice(many.reader, WHO) if not one.same]
    assert (changed.unit, changed.first, changed.second) == (due[4], "supported", "partial")
    summary = block_summary(many.reader, WHO, due[:20], pass_no=2)
    assert (summary.decided, summary.open) == (5, 15)
    assert summary_lines(summary, str.upper, partial(words_on, many.reader))[-2:] == [
        "as yourself the first time: 4 of 5",
        f"  {due[4].upper()}: supported, now partial",
    ]
    assert block_summary(many.reader, WHO, due[:20]).twice == ()
    assert check(many.reader) == []


@pytest.mark.parametrize("given", [{"share": 1.5}, {"share": -0.1}, {"share": 0.1, "after_days": -1}])
def test_what_cannot_be_is_refused(many: Study, given: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        set_second_pass(many, "lead", **given)
    assert second_pass(many.reader).share == 0
