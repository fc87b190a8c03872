"""The formulas against values worked out by hand, through the adapter that larger tables of cases use."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stats.oracle_adapter import NOT_BUILT, STATISTICS, Plain, compute

CASES: list[Plain] = json.loads(Path(__file__).with_name("reference_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['statistic']}: {case['how']}")
def test_a_statistic_is_what_the_hand_gets(case: Plain) -> None:
    data, params = dict(case["data"]), {"labels": [0, 1]} | case["params"]
    if table := data.pop("table", None):
        data = {"a": vectors(table, rows=True), "b": vectors(table, rows=False)}
    found = compute(case["statistic"], data, params)

    assert {name: found[name] for name in case["expected"]} == approximately(case["expected"])
    assert found["reason"] or None not in case["expected"].values()


def test_every_statistic_has_a_case_or_is_said_not_to_be_built() -> None:
    assert {case["statistic"] for case in CASES} == set(STATISTICS)
    assert not set(NOT_BUILT) & set(STATISTICS)
    for statistic in NOT_BUILT:
        with pytest.raises(NotImplementedError, match=f"^not built: {statistic}$"):
            compute(statistic, {}, {})


def vectors(table: list[list[int]], *, rows: bool) -> list[int]:
    """The labels of one of two raters, item by item."""
    return [
        (row if rows else column)
        for row, counts in enumerate(table)
        for column, n in enumerate(counts)
        for _ in range(n)
    ]


def approximately(expected: Plain) -> dict[str, Any]:
    return {
        name: pytest.approx(value, abs=1e-9) if isinstance(value, float | int) else value
        for name, value in expected.items()
    }
