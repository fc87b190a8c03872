"""Data from which a statistic cannot be made: nothing raises, and what is undefined has a sentence."""

import itertools
import math
import re
import warnings
from typing import Any

import pytest

from tests.stats.oracle_adapter import STATISTICS, Plain, compute

COLUMNS: tuple[list[Any], ...] = (
    [], [None], [1], [None, None], [1, 1], [1, 0], [1, None, 0], [0, 0, 0], [2, 1, 2, 0], [1] * 9, [0, 1] * 5,
)  # fmt: skip
NUMBERS: tuple[list[Any], ...] = (*COLUMNS, [-1, -2.5, 3], [1e9, 1e9, 3e9], [1e-9, 2e-9, 2e-9], [math.nan, 1.0, 2.0])
PAIRS = [(a, b) for a, b in itertools.product(COLUMNS, COLUMNS) if len(a) == len(b)]
ENDS = {"positive": 1, "negative": 0}
QUICK = {"n_boot": 99, "seed": 1}

Case = tuple[str, dict[str, Any], dict[str, Any]]


def of_labels() -> list[Case]:
    two = ("cohen_kappa", "cohen_kappa_se", "scott_pi", "percent_agreement", "gwet_ac", "brennan_prediger",
           "krippendorff_alpha", "fleiss_kappa", "mean_pairwise_agreement")  # fmt: skip
    cases: list[Case] = []
    for a, b in PAIRS:
        three = [[x, y, x] for x, y in zip(a, b, strict=True)]
        cases += [(name, {"a": a, "b": b}, more) for name in two for more in ({}, {"labels": [3, 2, 1, 0]})]
        cases += [("mcnemar", {"a": a, "b": b}, {"exact": exact}) for exact in (True, False)]
        cases.append(("classification", {"reference": a, "prediction": b}, {"labels": [0, 1], "positive": 1}))
        for statistic in ("cohen_kappa", "percent_agreement", "fleiss_kappa"):
            clusters = [place // 2 for place in range(len(a))]
            asked = QUICK | {"statistic": statistic}
            cases.append(("bootstrap_ci", {"a": a, "b": b}, asked))
            cases.append(("cluster_bootstrap_ci", {"a": a, "b": b, "cluster": clusters}, asked))
        for tie in ("undecided", "negative"):
            cases.append(("leave_one_out_kappa", {"votes": three}, ENDS | {"tie": tie}))
            cases.append(("majority_vote", {"votes": three}, ENDS | {"tie": tie}))
            cases.append(("noninferiority", {"votes": three, "judge": b}, QUICK | ENDS | {"tie": tie}))
    return cases


def of_numbers() -> list[Case]:
    cases: list[Case] = []
    for a, b in itertools.product(NUMBERS, NUMBERS):
        cases += [("ttest", {"a": a, "b": b}, {"paired": paired}) for paired in (True, False)]
        cases.append(("mean_rank", {"ranks": {"A": a, "B": b}}, {}))
        if len(a) == len(b):
            cases += [(name, {"a": a, "b": b}, {"pvalue": "exact"}) for name in ("spearman", "kendall_tau")]
            cases += [(name, {"rankings": [a, b, a]}, {}) for name in ("mean_kendall_tau", "kendall_w")]
            cases += [("icc", {"ratings": [a, b]}, {"type": f"ICC({form})"}) for form in ("1,1", "2,1", "3,1", "2,k")]
    return cases


def of_counts() -> list[Case]:
    cases: list[Case] = []
    counts = ((0, 0), (0, 3), (3, 3), (5, 3), (-1, 3), (400_000_000, 1_000_000_000))
    for k, n in counts:
        cases += [(name, {"k": k, "n": n}, {"level": 0.95}) for name in ("wilson_ci", "clopper_pearson_ci")]
        cases.append(("flag_ratios", {"n": n, "n_top_relevance": k, "n_flagged": k}, {}))
        for other, of in counts:
            both = {"k": [k, other], "n": [n, of]}
            cases += [("two_proportion_ztest", both, {"pooled": pooled}) for pooled in (True, False)]
    for table in ([], [[]], [[1, 2]], [[1], [2]], [[0, 0], [1, 2]], [[0, 1], [0, 2]], [[1, 2], [3]], [[-1, 2], [3, 4]]):
        cases.append(("chi2", {"table": table}, {"correction": True}))
    cases += [("adjust_pvalues", {"pvalues": values}, {}) for values in ([], [None], [math.nan, 0.01], [0, 1])]
    cases += [("landis_koch_band", {"value": value}, {}) for value in (None, -1, 1)]
    cases += [("span_edit_distance", {"items": items}, {}) for items in ([], [{"expert": ["a"], "llm": []}])]
    cases += [("support_metrics", {"responses": held}, {}) for held in ([], [{"urls": [None], "support": [[None]]}])]
    cases += [("citation_kpis", {"responses": held}, {}) for held in ([], [{}])]
    return cases


CASES = [*of_labels(), *of_numbers(), *of_counts()]


def test_no_statistic_is_left_out() -> None:
    assert {statistic for statistic, _, _ in CASES} == set(STATISTICS)


@pytest.mark.parametrize("statistic", sorted(STATISTICS))
def test_nothing_raises_or_warns_and_what_is_undefined_says_why(statistic: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, data, params in CASES:
            if name == statistic:
                found = compute(name, data, params)
                numbers = [value for value in flat(found) if isinstance(value, float)]
                assert all(map(math.isfinite, numbers)), (data, params, found)
                if None in [found.get(key) for key in ("value", "statistic", "label", "mean") if key in found]:
                    assert re.search(r"\.$|is not a share$|is not in the protocol$", found["reason"]), (data, found)


def flat(found: Plain) -> list[Any]:
    """The values of a result, also those in its lists and mappings."""
    values: list[Any] = []
    for value in found.values():
        values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return values
