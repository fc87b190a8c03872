"""Agreement, ranks, ratings and distances of spans: published values, the rules for undefined ones, and intervals."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.agreement import MANY_NAMES, PAIR_NAMES, PairAgreement, many_raters, two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.coefficients import cohen_kappa, disagreement, kappa_standard_error
from medreview.stats.formulas.hypothesis_tests import chi_squared, t_test, two_proportions
from medreview.stats.formulas.ranks_and_ratings import (
    KINDS,
    icc,
    kendall_tau_b,
    kendall_w,
    mean_ranks,
    mean_tau_over_items,
    spearman,
)
from medreview.stats.formulas.spans import SpanItem, nearest, span_distances

QUICK = Resampling(replicates=199)


def vectors(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Two raters' labels that have this table."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def pair(table: Sequence[Sequence[int]], **options: object) -> PairAgreement:
    a, b = vectors(table)
    return two_raters(a, b, range(len(table)), **{"resampling": QUICK, **options})  # type: ignore[arg-type]


def values(result: PairAgreement) -> dict[str, float | None]:
    return {key: figure.value for key, figure in result.figures.items()}


def test_skewed_labels_high_agreement_low_kappa_high_ac1() -> None:
    found = values(pair([[185, 5], [5, 5]]))
    assert found["percent_agreement"] == pytest.approx(0.95)
    assert found["cohen_kappa"] == pytest.approx(0.474, abs=5e-4)
    assert found["gwet_ac"] == pytest.approx(0.945, abs=5e-4)
    assert found["brennan_prediger"] == pytest.approx(0.90)


def test_kappa_is_negative_at_94_percent_agreement() -> None:
    # Gwet 2002
    found = values(pair([[118, 5], [2, 0]]))
    assert found["cohen_kappa"] == pytest.approx(-0.0234, abs=5e-5)
    assert found["gwet_ac"] == pytest.approx(0.9408, abs=5e-5)


def test_cohens_own_table() -> None:
    # Cohen 1960, weighted standard error as statsmodels gives it
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    assert values(pair(table))["cohen_kappa"] == pytest.approx(0.492, abs=5e-4)
    assert kappa_standard_error(np.array(table, dtype=float), "linear") == pytest.approx(0.054432309177641525)


def test_weighted_kappa_follows_the_order_of_the_protocol() -> None:
    a, b = vectors([[10, 5, 1], [4, 12, 6], [0, 3, 9]])
    names = ["Bad", "Okay", "Good"]
    first, second = [names[i] for i in a], [names[i] for i in b]
    ordered = two_raters(first, second, names, weights="linear", resampling=QUICK).figures["cohen_kappa"]
    alphabetical = two_raters(first, second, sorted(names), weights="linear", resampling=QUICK).figures["cohen_kappa"]
    assert ordered.name == "Cohen's kappa (linear weights)"
    assert ordered.value != pytest.approx(alphabetical.value)


def test_on_two_labels_weights_change_nothing() -> None:
    table = [[40, 9], [6, 45]]
    for weights in ("linear", "quadratic", [[0, 3], [3, 0]]):
        assert values(pair(table, weights=weights))["cohen_kappa"] == pytest.approx(values(pair(table))["cohen_kappa"])


def test_a_label_nobody_used_still_counts_in_chance() -> None:
    two, three = values(pair([[40, 9], [6, 45]])), values(pair([[40, 9, 0], [6, 45, 0], [0, 0, 0]]))
    assert two["cohen_kappa"] == three["cohen_kappa"]
    assert three["gwet_ac"] == pytest.approx(0.8001665278934221)
    assert three["brennan_prediger"] == pytest.approx((0.85 - 1 / 3) / (2 / 3))


def test_both_raters_constant_is_undefined_with_a_sentence() -> None:
    result = pair([[12, 0], [0, 0]])
    for key in ("cohen_kappa", "scott_pi", "krippendorff_alpha"):
        assert result.figures[key].value is None
        assert "0/0" in str(result.figures[key].reason)
    assert result.figures["gwet_ac"].value == 1
    assert result.figures["percent_agreement"].value == 1


def test_one_rater_constant_is_exactly_zero() -> None:
    figure = pair([[30, 10], [0, 0]]).figures["cohen_kappa"]
    assert figure.value == 0
    assert (figure.low, figure.high) == (None, None)
    assert "30 of 40 items" in str(figure.reason)


def test_perfect_agreement_gives_clopper_pearson_instead_of_certainty() -> None:
    a, b = vectors([[20, 0], [0, 10]])
    items = two_raters(a, b, [0, 1], resampling=QUICK).figures["cohen_kappa"]
    assert (items.value, items.low) == (1, None)
    assert "30 of 30 items (Clopper-Pearson 95%: 88.4% to 100.0%)" in str(items.reason)
    clustered = two_raters(a, b, [0, 1], clusters=[i // 3 for i in range(30)], resampling=QUICK).figures["cohen_kappa"]
    # Ten responses are ten observations, however many statements they hold.
    assert "10 of 10 responses (Clopper-Pearson 95%: 69.2% to 100.0%)" in str(clustered.reason)


@pytest.mark.parametrize(("a", "b"), [([], []), ([1, 0, None], [None, None, 1])])
def test_no_shared_item_is_undefined(a: list[int | None], b: list[int | None]) -> None:
    result = two_raters(a, b, [0, 1], clusters=list(range(len(a))))
    assert set(result.figures) == set(PAIR_NAMES)
    for figure in result.figures.values():
        assert (figure.value, figure.n, figure.dropped) == (None, 0, len(a))
        assert figure.reason == "No item was labelled by both raters."


def test_missing_labels_are_dropped_and_counted() -> None:
    a, b = [1, 1, 0, None, 0, 1, None, 0, 1, 1], [1, 0, 0, 1, None, 1, None, 0, 1, 0]
    figure = two_raters(a, b, [0, 1], resampling=QUICK).figures["cohen_kappa"]
    assert figure.value == pytest.approx(0.46153846153846156)
    assert (figure.n, figure.dropped) == (7, 3)


def test_a_label_outside_the_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="'maybe'"):
        two_raters(["yes", "maybe"], ["yes", "no"], ["yes", "no"])


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry per item"):
        two_raters([1, 0], [1, 0], [0, 1], clusters=["r1"])


def test_marginals_and_rare_labels_come_with_kappa() -> None:
    result = pair([[84, 2], [1, 3]])
    assert (tuple(map(sum, result.table)), tuple(map(sum, zip(*result.table, strict=True)))) == ((86, 4), (85, 5))
    assert result.figures["cohen_kappa"].notes == ("Too few of label 1: 6 items.",)


def test_the_bootstrap_interval_is_that_of_all_resamples() -> None:
    # Limits of the exactly enumerated multinomial bootstrap of this table.
    figure = pair([[44, 5], [6, 35]], resampling=Resampling()).figures["cohen_kappa"]
    assert figure.low == pytest.approx(0.6024, abs=0.01)
    assert figure.high == pytest.approx(0.8849, abs=0.01)
    assert (figure.seed, figure.level, figure.n) == (1, 0.95, 90)


def test_too_many_undefined_resamples_withhold_the_interval() -> None:
    figure = pair([[18, 1], [0, 1]], resampling=Resampling()).figures["cohen_kappa"]
    assert figure.value == pytest.approx(0.643, abs=5e-4)
    assert figure.undefined_share == pytest.approx(0.1216, abs=0.016)
    assert (figure.low, figure.high) == (None, None)


def clustered_data(responses: int, statements: int) -> tuple[list[int], list[int], list[int]]:
    """Disagreement runs in responses: in one of five the second rater is wrong throughout."""
    chance = random.Random(5)
    a, b, clusters = [], [], []
    for response in range(responses):
        wrong = chance.random() < 0.2
        for _ in range(statements):
            a.append(chance.randrange(2))
            b.append(1 - a[-1] if wrong else a[-1])
            clusters.append(response)
    return a, b, clusters


def test_the_clustered_interval_leads_and_is_wider_where_responses_differ() -> None:
    a, b, clusters = clustered_data(60, 8)
    result = two_raters(a, b, [0, 1], clusters=clusters)
    for key in PAIR_NAMES:
        lead, plain = result.figures[key], result.unclustered[key]
        assert (lead.clusters, plain.clusters) == (60, None)
        assert lead.value == plain.value
        widths = [figure.high - figure.low for figure in (lead, plain)]  # type: ignore[operator]
        assert widths[0] > 2 * widths[1]
    assert result.unclustered["percent_agreement"].method == "Wilson"
    assert result.figures["percent_agreement"].method == "jackknife over responses"


def test_the_same_seed_gives_the_same_digits_whatever_the_order_of_items() -> None:
    a, b, clusters = clustered_data(20, 3)
    order = list(range(len(a)))
    random.Random(2).shuffle(order)
    first = two_raters(a, b, [0, 1], clusters=clusters)
    again = two_raters([a[i] for i in order], [b[i] for i in order], [0, 1], clusters=[clusters[i] for i in order])
    assert first.figures == again.figures


# Krippendorff 2011, four observers with missing data; Gwet's handbook uses the same.
FOUR = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None],
]  # fmt: skip


def test_many_raters_with_missing_votes() -> None:
    result = many_raters(FOUR, [1, 2, 3, 4, 5], resampling=QUICK)
    assert result.figures["krippendorff_alpha"].value == pytest.approx(0.743421052631579)
    assert result.figures["fleiss_kappa"].value == pytest.approx(0.761169275422)
    assert result.figures["gwet_ac"].value == pytest.approx(0.775444068127)
    assert (result.pairable, result.figures["gwet_ac"].n, result.figures["gwet_ac"].dropped) == (11, 11, 1)
    assert result.votes[3] == 11


@pytest.mark.parametrize(("metric", "alpha"), [("ordinal", 0.8153875037548814), ("interval", 0.8491071428571428)])
def test_alpha_on_ordered_labels(metric: str, alpha: float) -> None:
    figure = many_raters(FOUR, [1, 2, 3, 4, 5], metric=metric, resampling=QUICK).figures["krippendorff_alpha"]  # type: ignore[arg-type]
    assert figure.value == pytest.approx(alpha)


def test_mean_pairwise_agreement_averages_items_not_pairs() -> None:
    # One item of three votes with one agreeing pair of three, one of two votes that agree: (1/3 + 1) / 2.
    figure = many_raters([["a", "a", "b"], ["b", "b", None]], ["a", "b"], resampling=QUICK).figures
    assert figure["mean_pairwise_agreement"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize("ratings", [[], [[1, None, None], [0, None, None]]])
def test_many_raters_without_a_pair_are_undefined(ratings: list[list[int | None]]) -> None:
    result = many_raters(ratings, [0, 1])
    assert set(result.figures) == set(MANY_NAMES)
    assert all(figure.value is None and figure.reason == "No item has two votes." for figure in result.figures.values())


def test_many_raters_with_one_label_are_undefined_but_for_ac1() -> None:
    result = many_raters([[1, 1, 1], [1, 1, None]], [0, 1], resampling=QUICK)
    assert result.figures["fleiss_kappa"].value is None
    assert result.figures["krippendorff_alpha"].value is None
    assert result.figures["gwet_ac"].value == 1


def test_two_raters_disagreeing_on_one_unit_have_alpha_0() -> None:
    assert many_raters([[0, 1]], [0, 1], resampling=QUICK).figures["krippendorff_alpha"].value == 0


def test_votes_of_a_response_stay_together() -> None:
    a, b, clusters = clustered_data(60, 8)
    ballots = list(zip(a, b, strict=True))
    lead = many_raters(ballots, [0, 1], clusters=clusters).figures["krippendorff_alpha"]
    plain = many_raters(ballots, [0, 1]).figures["krippendorff_alpha"]
    assert lead.clusters == 60
    assert lead.high - lead.low > 2 * (plain.high - plain.low)  # type: ignore[operator]


tables = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=3, max_size=3)


@given(tables)
def test_both_ways_to_count_agree_for_two_raters_without_gaps(table: list[list[int]]) -> None:
    a, b = vectors(table)
    two = two_raters(a, b, [0, 1, 2], weights="linear", resampling=Resampling(replicates=9)).figures
    many = many_raters(
        list(zip(a, b, strict=True)), [0, 1, 2], weights="linear", resampling=Resampling(replicates=9)
    ).figures
    for key in ("gwet_ac", "brennan_prediger", "krippendorff_alpha"):
        assert two[key].value == pytest.approx(many[key].value)
    assert two["scott_pi"].value == pytest.approx(many["fleiss_kappa"].value)


@given(tables)
def test_kappa_is_symmetric_and_at_most_one(table: list[list[int]]) -> None:
    counts = np.array(table, dtype=float)
    kappa, turned = float(cohen_kappa(counts, "quadratic")), float(cohen_kappa(counts.T, "quadratic"))
    assert kappa == pytest.approx(turned, nan_ok=True)
    assert np.isnan(kappa) or kappa <= 1


def test_weights_are_checked() -> None:
    with pytest.raises(ValueError, match="two labels"):
        disagreement("none", 1)
    with pytest.raises(ValueError, match="2 x 2"):
        disagreement([[1, 0], [0, 1]], 2)


FEW = Resampling(replicates=999, seed=3)


def ratings(subjects: int, raters: int = 3, noise: float = 1.0) -> list[list[float]]:
    """Subjects that differ, raters that err and of whom each is a little stricter than the one before."""
    rng = random.Random(subjects)
    truth = [rng.gauss(0, 2) for _ in range(subjects)]
    return [[level + strict / 2 + rng.gauss(0, noise) for strict in range(raters)] for level in truth]


def test_an_f_interval_holds_the_value_and_narrows_with_the_subjects():
    widths = []
    for subjects in (8, 80):
        for kind in KINDS:
            found = icc(ratings(subjects), kind)
            assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2
    # The mean of three ratings is more reliable than one, and consistency asks less than agreement.
    one, agree, mean = (icc(ratings(80), kind).value for kind in ("ICC(3,1)", "ICC(2,1)", "ICC(2,k)"))
    assert agree < one
    assert agree < mean


def test_subjects_or_their_clusters_are_resampled_on_request():
    table = ratings(40)
    whole = icc(table, resampling=FEW)
    assert whole == icc(table, resampling=FEW)
    assert (whole.method, whole.clusters) == ("percentile bootstrap", None)
    assert abs(whole.low - icc(table).low) < 0.15
    twice = icc([row for row in table for _ in range(2)], clusters=[n for n in range(40) for _ in range(2)],
                resampling=FEW)  # fmt: skip
    assert (twice.n, twice.clusters) == (80, 40)
    assert twice.high - twice.low == pytest.approx(whole.high - whole.low, abs=0.1)


@pytest.mark.parametrize("kind", ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)"])
def test_subjects_of_one_cluster_have_no_interval_and_no_warning(kind, recwarn):
    one = icc(ratings(12), kind, clusters=["only"] * 12, resampling=FEW)
    assert one.value == icc(ratings(12), kind).value
    assert (one.low, one.high) == (None, None)
    assert not recwarn.list


def test_an_unknown_form_of_icc_names_those_there_are():
    unknown: Any = "ICC(4,1)"
    with pytest.raises(ValueError, match=r"ICC\(1,1\), ICC\(2,1\)"):
        icc([[1, 2]], unknown)
    with pytest.raises(ValueError, match="one entry per rater"):
        icc([[1, 2], [1]])


def test_how_p_was_found_stands_in_the_name_of_the_test():
    eight, nine = list(range(8)), list(range(9))
    assert spearman(eight, eight).test.name == "Spearman's rho, all permutations"
    assert spearman(eight, eight).test.pvalue == pytest.approx(2 / 40_320)
    assert spearman(nine, [0, 2, 1, *nine[3:]]).test.name == "Spearman's rho, t approximation"
    assert kendall_tau_b(eight, eight[::-1]).test.pvalue == pytest.approx(2 / 40_320)
    assert kendall_tau_b(nine, [0, 0, *nine[2:]]).test.name == "Kendall's tau-b, normal approximation"


def test_the_same_order_throughout_has_no_interval_and_another_has_one():
    whole = spearman(list(range(10)), list(range(10)))
    assert (whole.figure.value, whole.figure.low, whole.test.pvalue) == (1, None, 0)
    assert whole.figure.reason == "The order is the same, or reversed, throughout: no interval."
    part = spearman(list(range(10)), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]).figure
    assert part.low < part.value < part.high < 1


def test_the_mean_of_tau_over_items_resamples_items():
    rng = random.Random(1)
    items = []
    for _ in range(30):
        first = list(range(4))
        second = first[:2] + first[:1:-1] if rng.random() < 0.4 else first
        items.append([first, second])
    found = mean_tau_over_items([*items, [[1, 1, 1, 1], [1, 2, 3, 4]]], resampling=FEW)
    assert (found.n, found.clusters, found.dropped) == (30, 30, 1)
    assert 0.6 < found.low < found.value < found.high < 1
    assert mean_tau_over_items([], resampling=FEW).reason == "It takes two raters of the same things."


def test_kendalls_w_has_a_test_and_an_interval_over_the_things():
    rng = random.Random(2)
    things = range(20)
    raters = [[place + rng.gauss(0, 4) for place in things] for _ in range(4)]
    found = kendall_w(raters, resampling=FEW)
    assert found.figure.low < found.figure.value < found.figure.high
    assert found.test.pvalue < 0.001
    assert found.test.statistic == pytest.approx(4 * 19 * found.figure.value)
    # A thing that one rater left out is left out.
    part = kendall_w([[None, *row[1:]] for row in raters], resampling=FEW)
    assert (part.figure.n, part.figure.dropped) == (19, 1)
    few = kendall_w([[1, 2, 3], [1, 3, 2]], resampling=FEW)
    assert few.test.notes == ("Only 3 things: below 8 the chi-squared distribution is a rough one.",)


def test_mean_ranks_come_from_the_same_ballots_and_count_those_without_a_rank():
    ballots = [[1, 2, 3] if n % 3 else [2, 1, 3] for n in range(60)]
    ranks = {name: [row[place] for row in ballots] for place, name in enumerate("ABC")}
    ranks["B"][0] = None
    found = mean_ranks(ranks, resampling=FEW)
    assert (found["B"].n, found["B"].dropped) == (59, 1)
    assert found["A"].low < found["A"].value < found["A"].high < found["B"].low
    assert found["C"].value == 3
    assert "claim certainty" in found["C"].reason
    by_item = mean_ranks(ranks, resampling=FEW, clusters=[n // 2 for n in range(60)])
    assert (by_item["A"].value, by_item["A"].clusters) == (found["A"].value, 30)


def test_small_expected_counts_are_told_and_large_ones_are_not():
    rough = chi_squared([[1, 9], [4, 6]])
    assert rough.min_expected == 2.5
    assert rough.notes == ("The smallest expected count is 2.5, below 5: p is a rough approximation.",)
    assert two_proportions([1, 4], [10, 10]).notes == rough.notes
    assert chi_squared([[10, 90], [40, 60]]).notes == ()


def test_what_lacks_a_value_is_dropped_and_counted():
    paired = t_test([1, 2, None, 4], [2, 4, 4, None], paired=True)
    assert (paired.n, paired.dropped) == ((2,), 2)
    apart = t_test([1, 2, None, 4], [2, 4, 4, None])
    assert (apart.name, apart.n, apart.dropped) == ("Welch's t-test", (3, 3), 2)
    assert t_test([0.3, 0.4], [0.2, 0.3], paired=True).reason.startswith("Every pair differs by the same amount")


ITEMS = [
    SpanItem(["caused by exposure to cold temperatures"], ["exposure to cold temperatures", "excessive dairy"]),
    SpanItem(["limit dairy intake", "bacteria"], ["limit dairy"]),
    SpanItem(["identical span"], ["identical span"]),
    SpanItem(["kitten"], ["sitting"]),
    SpanItem(["unmatched"], []),
]


def test_the_nearest_span_counts_and_is_pooled_over_responses() -> None:
    found = span_distances(ITEMS)
    assert found.distances == (10, 7, 9, 0, 3, None)
    assert found.without_candidate == 1
    assert found.mean.value == pytest.approx(29 / 5)
    assert found.median.value == 7
    assert (found.mean.n, found.mean.dropped, found.mean.clusters) == (5, 1, 4)
    assert found.mean.low is not None
    assert found.mean.low < found.mean.value  # type: ignore[operator]


def test_without_candidate_the_rule_decides() -> None:
    found = span_distances(ITEMS, "length")
    assert found.distances[-1] == len("unmatched")
    assert found.relative[-1] == 1
    assert (found.mean.n, found.mean.dropped, found.without_candidate) == (6, 0, 1)
    assert found.median.value == 8


def test_the_relative_distance_does_not_grow_with_the_span() -> None:
    short, long = nearest("ab", ["ax"]), nearest("ab" * 10, ["ax" * 10])
    assert short == (1, 0.5)
    assert long == (10, 0.5)


def test_distances_are_in_code_points() -> None:
    assert nearest("5 µg 𝛼", ["5 µg 𝛽"]) == (1, pytest.approx(1 / 6))


def test_nothing_to_compare_is_undefined() -> None:
    for items in ([], [SpanItem(["a"], [])], [SpanItem([], ["a"])]):
        found = span_distances(items)
        for figure in (found.mean, found.median, found.mean_relative):
            assert figure.value is None
            assert figure.reason == "No expert span has a model span to compare with."


def test_empty_texts_are_identical() -> None:
    assert nearest("", [""]) == (0, 0.0)


@given(st.text(max_size=20), st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_another_candidate_never_makes_it_worse(expert: str, candidates: list[str]) -> None:
    every, first = nearest(expert, candidates), nearest(expert, candidates[:1])
    assert every[0] <= first[0]
    assert 0 <= every[1] <= 1
