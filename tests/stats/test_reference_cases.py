"""The formulas against values worked out by hand or published, through the adapter that larger tables of cases use."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stats.oracle_adapter import STATISTICS, Plain, compute

CASES: list[Plain] = json.loads(Path(__file__).with_name("reference_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['statistic']}: {case['how']}")
def test_a_statistic_is_what_the_hand_or_the_paper_gets(case: Plain) -> None:
    data, params = dict(case["data"]), {"labels": [0, 1]} | case["params"]
    if table := data.pop("table", None):
        data = {"a": vectors(table, rows=True), "b": vectors(table, rows=False)}
    if rows := data.pop("rows", None):
        data = {"table": rows}
    found = compute(case["statistic"], data, params)

    within = case.get("within", 1e-9)
    assert {name: found[name] for name in case["expected"]} == approximately(case["expected"], within)
    assert found["reason"] or None not in case["expected"].values()


def test_every_statistic_has_a_case() -> None:
    assert {case["statistic"] for case in CASES} == set(STATISTICS)


def vectors(table: list[list[int]], *, rows: bool) -> list[int]:
    """The labels of one of two raters, item by item."""
    return [
        (row if rows else column)
        for row, counts in enumerate(table)
        for column, n in enumerate(counts)
        for _ in range(n)
    ]


def approximately(expected: Any, within: float) -> Any:
    """The same, each number with a tolerance."""
    if isinstance(expected, dict):
        return {name: approximately(value, within) for name, value in expected.items()}
    if isinstance(expected, list):
        return [approximately(value, within) for value in expected]
    return pytest.approx(expected, abs=within) if isinstance(expected, float | int) else expected
