"""Citation support, how an estimate is printed, and data from which a statistic cannot be made."""

import itertools
import math
import random
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from typing import Any

import pytest

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate, half_up, landis_koch, percent, show
from medreview.stats.formulas.support import ResponseSupport, support_metrics
from tests.stats.oracle_adapter import STATISTICS, Plain, compute

FIVE = [
    ResponseSupport([True, True], [[True, False], [False, True]]),
    ResponseSupport([True, False], [[True, False], [False, False]]),
    ResponseSupport([], [[], []]),
    ResponseSupport([True], []),
    ResponseSupport([False, True, True], [[False, True, False]]),
]


def test_the_four_shares() -> None:
    found = support_metrics(FIVE, Resampling(replicates=999))
    assert found.figures["url_validity"].value == pytest.approx(6 / 8)
    assert found.figures["statement_support"].value == pytest.approx(4 / 7)
    assert found.figures["response_support"].value == pytest.approx(2 / 4)
    assert found.figures["unused_source_share"].value == pytest.approx(4 / 8)
    assert (found.urls, found.statements, found.responses, found.without_statements) == (8, 7, 4, 1)


def test_a_response_without_statements_is_not_fully_supported() -> None:
    found = support_metrics([ResponseSupport([True], [])])
    assert found.figures["response_support"].value is None
    assert found.figures["response_support"].reason == "No response has statements."
    assert found.without_statements == 1


def test_an_invalid_response_is_one_that_is_not_supported_and_nothing_else() -> None:
    found = support_metrics([*FIVE, ResponseSupport([], [], invalid=True)])
    valid = support_metrics(FIVE)
    assert found.figures["response_support"].value == pytest.approx(2 / 5)
    assert found.wilson["response_support"].n == 5
    assert found.bounds["response_support"].n == 5
    for key in ("url_validity", "statement_support", "unused_source_share"):
        assert found.wilson[key] == valid.wilson[key]
    assert (found.responses, found.without_statements, found.invalid) == (4, 1, 1)


def test_a_response_without_sources_has_unsupported_statements() -> None:
    found = support_metrics([ResponseSupport([], [[], []]), FIVE[0]])
    assert found.figures["statement_support"].value == pytest.approx(2 / 4)


def test_what_lacks_a_verdict_is_left_out_whatever_another_verdict_settles() -> None:
    found = support_metrics(
        [
            ResponseSupport([True, True], [[True, None], [None, False], [False, False]]),
            ResponseSupport([True], [[True]]),
            ResponseSupport([None], [[None], [True]], [False, True]),
        ]
    )
    wilson = {key: (figure.value, figure.n, figure.dropped) for key, figure in found.wilson.items()}
    # The second statement is open. The third is unsupported, which settles the response; it is left out all the same.
    assert wilson["statement_support"] == (3 / 5, 5, 1)
    assert wilson["response_support"] == (1 / 2, 2, 1)
    # The first source is used, the second may be; the third was not fetched.
    assert wilson["unused_source_share"] == (0.0, 1, 3)
    assert wilson["url_validity"] == (1.0, 3, 1)


def test_bounds_take_every_missing_verdict_as_not_supported_and_as_supported() -> None:
    found = support_metrics(
        [
            ResponseSupport([True, True], [[True, None], [None, False]]),
            ResponseSupport([True], [[None], [False]]),
            ResponseSupport([True], [[True]]),
        ]
    ).bounds
    bounds = {key: (each.not_supported, each.supported, each.n, each.missing) for key, each in found.items()}
    assert bounds["statement_support"] == (2 / 5, 4 / 5, 5, 2)
    assert bounds["response_support"] == (1 / 3, 2 / 3, 3, 2)
    # Unused: the second and third source if what is missing supports nothing, else none.
    assert bounds["unused_source_share"] == (2 / 4, 0, 4, 3)


def test_missing_at_random_moves_neither_the_figure_nor_the_truth_out_of_the_bounds() -> None:
    chance = random.Random(4)
    whole = [[chance.random() < 0.9 for _ in range(4)] for _ in range(4_000)]
    truth = sum(map(all, whole)) / len(whole)
    for share in (0.05, 0.2):
        left = [[None if chance.random() < share else state for state in states] for states in whole]
        found = support_metrics([ResponseSupport([], [[]] * 4, states) for states in left], Resampling(replicates=99))
        figure, bounds = found.wilson["response_support"], found.bounds["response_support"]
        # Dropping only the responses that a missing verdict leaves open gave .62 and .43 for .66.
        assert figure.value == pytest.approx(truth, abs=0.02)
        assert bounds.not_supported is not None
        assert bounds.supported is not None
        assert bounds.not_supported < truth < bounds.supported


def test_why_a_share_is_undefined() -> None:
    nothing = support_metrics([]).figures
    assert nothing["url_validity"].reason == "No response cites a URL."
    waiting = support_metrics([ResponseSupport([None], [[None]])]).figures
    assert waiting["url_validity"].reason == "Nothing was fetched yet."
    assert waiting["response_support"].reason == "In no response has every statement a verdict."


def test_nothing_is_undefined_with_sentences() -> None:
    found = support_metrics([])
    for figures in (found.figures, found.wilson):
        assert all(figure.value is None and figure.reason for figure in figures.values())


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="one entry per URL"):
        support_metrics([ResponseSupport([True], [[True, False]])])


def test_statements_of_a_response_are_resampled_together() -> None:
    chance = random.Random(11)
    responses = []
    for _ in range(80):
        good = chance.random() < 0.7
        responses.append(ResponseSupport([True], [[good] for _ in range(10)]))
    found = support_metrics(responses)
    lead, plain = found.figures["statement_support"], found.wilson["statement_support"]
    assert lead.value == plain.value
    assert (lead.clusters, lead.n) == (80, 800)
    assert lead.high - lead.low > 2 * (plain.high - plain.low)  # type: ignore[operator]
    # Every response is fully supported or not at all: statements carry no more information than responses.
    whole = found.figures["response_support"]
    assert (lead.low, lead.high) == pytest.approx((whole.low, whole.high))


def test_when_all_is_supported_there_is_a_bound_instead_of_certainty() -> None:
    figure = support_metrics([ResponseSupport([True], [[True]])] * 14).figures["statement_support"]
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)
    assert "14 of 14 responses (Clopper-Pearson 95%: 76.8% to 100.0%)" in str(figure.reason)


def test_the_seed_is_stored_and_repeats() -> None:
    first, again = (support_metrics(FIVE * 8, Resampling(seed=4)) for _ in range(2))
    assert first.figures == again.figures
    assert first.figures["url_validity"].seed == 4


def test_a_share_of_few_responses_resamples_those_alone() -> None:
    """Two of forty responses have a source: one in nine resamples of all would draw neither."""
    few = [ResponseSupport([True], [[True], [False]]), ResponseSupport([True, False], [[False, False]])]
    figure = support_metrics([*few, *[ResponseSupport([], [[]])] * 38], Resampling(replicates=999)).figures[
        "unused_source_share"
    ]

    assert (figure.value, figure.undefined_share) == (pytest.approx(2 / 3), 0)
    assert figure.reason == "No interval: of 2 responses; it takes 3 to see how responses differ."
    assert (figure.n, figure.clusters) == (3, 2)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.4735, 3, "0.474"),
        (0.0005, 3, "0.001"),
        (-0.0004, 3, "0.000"),
        (-0.0235, 3, "-0.024"),
        (2.5, 0, "3"),
        (1, 2, "1.00"),
    ],
)
def test_numbers_are_rounded_half_up_on_their_decimal_form(value: float, digits: int, text: str) -> None:
    assert half_up(value, digits) == text


def test_percentages_are_rounded_at_the_edge_and_never_truncated() -> None:
    # 0.285 * 100 is 28.499999999999996 in floating point; the sample report of MedFactEval truncated 0.4888 to 48.
    assert percent(0.285, 0) == "29%"
    assert percent(0.48888888, 0) == "49%"
    assert percent(1.0) == "100.0%"


def test_a_figure_shows_value_level_and_interval() -> None:
    figure = Estimate("kappa", 0.47368, 0.13, 0.7361, "percentile bootstrap", 200, scale="coefficient")
    assert show(figure) == "0.474 (95% CI 0.130 to 0.736)"
    assert show(replace(figure, scale="share")) == "47.4% (95% CI 13.0% to 73.6%)"


def test_what_is_missing_is_shown_with_its_sentence() -> None:
    missing = Estimate("kappa", None, None, None, "none", 0, reason="No item.", scale="coefficient")
    assert show(missing) == "undefined: No item."
    assert show(replace(missing, value=1.0)) == "1.000 (no interval)"


@pytest.mark.parametrize(("value", "low", "high"), [(None, None, None), (0.5, None, None), (0.5, 0.4, None)])
def test_a_missing_value_or_interval_needs_a_reason(value: float | None, low: float | None, high: float | None) -> None:
    with pytest.raises(ValueError, match="kappa"):
        Estimate("kappa", value, low, high, "none", 3, scale="coefficient")


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (-0.01, "poor"),
        (0, "slight"),
        (0.2, "slight"),
        (0.205, "fair"),
        (0.6, "moderate"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (None, None),
    ],
)
def test_bands_are_closed_at_the_top(value: float | None, band: str | None) -> None:
    assert landis_koch(value) == band


def test_the_light_modules_load_neither_numpy_nor_rapidfuzz() -> None:
    modules = ", ".join(f"medreview.stats.formulas.{name}" for name in ("estimate", "intervals", "spans", "support"))
    code = f"import sys, medreview.stats, {modules}; sys.exit(bool({{'numpy', 'rapidfuzz'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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
