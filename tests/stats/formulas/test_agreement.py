"""Agreement coefficients against published values, the rules for undefined ones, and their intervals."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.stats.formulas.agreement import MANY_NAMES, PAIR_NAMES, PairAgreement, many_raters, two_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.coefficients import cohen_kappa, disagreement, kappa_standard_error

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
    assert result.marginals == ({0: 86, 1: 4}, {0: 85, 1: 5})
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
