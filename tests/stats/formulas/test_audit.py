"""Estimates from an audit with known probabilities, how many labels are enough, and few labels beside many verdicts."""

import math
import random

import numpy as np
import pytest

from medreview.stats.formulas.audit_sampling import (
    STUDY,
    Known,
    Planned,
    Sampled,
    Variances,
    audit_share,
    labels_at_large,
    labels_for,
    over_large,
    post_stratified_share,
    share_at_large,
    too_few,
)
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import student
from medreview.stats.formulas.prediction_powered import (
    ALONE,
    FIXED,
    POWERED,
    Powered,
    Said,
    Verdicts,
    judge_alone,
    prediction_powered,
)
from tests.bench.estimate_coverage import simulate


def sample(yes: int, no: int, probability: float = 0.1, per_response: int = 2) -> list[Sampled]:
    values = [1.0] * yes + [0.0] * no
    return [Sampled(value, place // per_response, probability) for place, value in enumerate(values)]


def ends(share: float, items: float, freedom: int) -> tuple[float, float]:
    """Wilson's interval with Student's t, as its two roots."""
    t = student(0.95, freedom)
    middle = (share + t * t / (2 * items)) / (1 + t * t / items)
    half = t / (1 + t * t / items) * math.sqrt(share * (1 - share) / items + t * t / (4 * items**2))
    return middle - half, middle + half


def interval(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_equal_probabilities_are_a_share_with_the_correction_for_a_finite_study() -> None:
    found = audit_share("supported", sample(51, 9), 600)

    items = 59 / 0.9  # s squared has 59 for 60, and a tenth of the study was looked at
    assert found.value == pytest.approx(0.85)
    assert (found.low, found.high) == pytest.approx(ends(0.85, items, 59), rel=1e-3)
    assert (found.n, found.clusters, found.method) == (60, 30, STUDY)


def test_all_of_a_study_is_no_sample() -> None:
    found = audit_share("supported", sample(51, 9, 1.0), 60)

    assert (found.low, found.value, found.high) == pytest.approx((0.85, 0.85, 0.85))


def test_half_of_a_draw_stands_for_half_as_much_of_the_study() -> None:
    half, whole = audit_share("supported", sample(34, 6, 0.2), 400), audit_share("supported", sample(34, 6, 0.2), 200)

    assert interval(whole)[0] > interval(half)[0]


def test_weights_are_one_over_the_probability() -> None:
    rare = sample(20, 20, 0.1)
    often = [Sampled(value, 100 + place, 0.4) for place, value in enumerate([1.0] * 30 + [0.0] * 10)]

    # 400 of the study are like the first, 100 like the second.
    assert audit_share("supported", rare + often, 500).value == pytest.approx((400 * 0.5 + 100 * 0.75) / 500)


def test_at_large_responses_are_what_varies() -> None:
    alike = [Sampled(float(number < 17), number, 0.1) for number in range(20) for _ in range(3)]
    apart = [Sampled(one.value, place, 0.1) for place, one in enumerate(alike)]
    clustered, single = share_at_large("supported", alike), share_at_large("supported", apart)

    assert clustered.value == single.value == pytest.approx(0.85)
    assert interval(clustered) == pytest.approx(ends(0.85, 19, 19), rel=1e-3)
    assert interval(clustered)[0] < interval(single)[0]
    assert clustered.method == over_large("response")
    one_response = share_at_large("supported", sample(30, 10, per_response=100))
    assert one_response.low is None
    assert one_response.reason == "One response cannot show how responses differ."


def test_a_part_that_was_all_looked_at_is_not_uncertain() -> None:
    rest = sample(35, 5)
    found = post_stratified_share("supported", [1.0] * 50 + [0.0] * 150, 200, rest, 600)

    assert found.value == pytest.approx((200 * 0.25 + 400 * 0.875) / 600)
    low, high = interval(audit_share("supported", rest, 400))
    assert interval(found) == pytest.approx(((50 + 400 * low) / 600, (50 + 400 * high) / 600))
    assert found.n == 240


@pytest.mark.parametrize(
    ("yes", "no", "words"),
    [
        (0, 0, "30 statements that count are needed: 0 so far, 30 more."),
        (20, 9, "30 statements that count are needed: 29 so far, 1 more."),
        (60, 0, "One of the two outcomes never occurred, and 5 of each are needed: about 300 more."),
        (39, 1, "One of the two outcomes occurred once, and 5 of each are needed: about 160 more."),
        (4, 36, "One of the two outcomes occurred 4 times, and 5 of each are needed: about 10 more."),
        (25, 5, ""),
    ],
)
def test_too_few_says_how_many_more(yes: int, no: int, words: str) -> None:
    assert too_few([1.0] * yes + [0.0] * no) == words
    if words:
        found = audit_share("supported", sample(yes, no), 600)
        assert (found.value, found.reason) == (None, words)
        assert share_at_large("supported", sample(yes, no)).reason == words
        assert post_stratified_share("supported", [], 0, sample(yes, no), 600).reason == words


SHARE, LABELS, SIZE = 0.7, 60, 700


def known(ratio: float | None = None, responses: float = 0.0) -> Known:
    draw = SHARE * (1 - SHARE) * (1 / LABELS - 1 / SIZE)
    return Known(SHARE, LABELS, SIZE, 50, 100, Variances(draw, responses), ratio)


def half(variance: float, freedom: int, share: float = SHARE) -> float:
    """Of Wilson's interval with Student's t, on the items that vary as much."""
    items, t = share * (1 - share) / variance, student(0.95, freedom)
    return t / (1 + t * t / items) * math.sqrt(share * (1 - share) / items + t * t / (4 * items**2))


def more(found: Planned) -> int:
    assert found.labels is not None
    assert found.more == found.labels - LABELS
    return found.labels


@pytest.mark.parametrize("points", [0.03, 0.05, 0.08])
def test_the_fewest_labels_that_are_enough_in_this_study(points: float) -> None:
    labels = more(labels_for("s", known(), SIZE, points))

    spread = SHARE * (1 - SHARE)
    assert half(spread * (1 / labels - 1 / SIZE), labels - 1) <= points
    assert half(spread * (1 / (labels - 1) - 1 / SIZE), labels - 2) > points

    helped = more(labels_for("s", known(ratio=0.4), SIZE, points, with_verdicts=True))
    assert half(0.4 * spread * (1 / helped - 1 / SIZE), helped - 2) <= points
    assert helped < labels


def test_what_is_known_today_stands_beside_it() -> None:
    found = labels_for("s", known(), SIZE, 0.05)

    assert found.now == pytest.approx(half(SHARE * (1 - SHARE) * (1 / 60 - 1 / SIZE), 59))
    assert found.least == 0
    enough = labels_for("s", known(), SIZE, 0.2)
    assert (enough.labels, enough.more) == (60, 0)


def test_before_there_are_labels_one_half_is_assumed_and_no_help() -> None:
    there = labels_for("s", None, SIZE, 0.05, labelled=40)
    found = labels_for("s", None, SIZE, 0.05)
    assert (there.labels, there.more, there.now) == (found.labels, (found.labels or 0) - 40, None)

    assert found.labels is not None
    assert half(0.25 * (1 / found.labels - 1 / SIZE), found.labels - 1, 0.5) <= 0.05
    assert found.now is None
    assert labels_for("s", None, SIZE, 0.05, with_verdicts=True).reason == (
        "How much the verdicts help is not known yet."
    )
    assert labels_at_large("s", None, 0.05).reason == "How much responses differ is not known yet."
    assert labels_at_large("s", known(), 0.05, with_verdicts=True).labels is None


def test_at_large_what_responses_differ_by_stays() -> None:
    draw = known().variances.draw
    found = labels_at_large("s", known(responses=draw + 0.0002), 0.05)

    labels = more(found)
    over = min(100, labels)
    assert half(0.0002 + draw * (1 / labels - 1 / SIZE) / (1 / 60 - 1 / SIZE), over - 1) <= 0.05
    # No fewer than statements vary that have nothing in common.
    alike = labels_at_large("s", known(responses=0.0), 0.05)
    assert alike.least == pytest.approx(half(SHARE * (1 - SHARE) / SIZE, 99))


def test_where_the_whole_study_is_not_enough_it_says_how_many_responses_would_be() -> None:
    draw = known().variances.draw
    found = labels_at_large("s", known(responses=draw + 0.002), 0.05)

    assert (found.labels, found.more) == (None, None)
    assert found.least == pytest.approx(half(0.002, 99))
    assert "whole study" in found.reason
    needed = found.clusters
    assert needed is not None
    assert half(0.002 * 100 / needed, needed - 1) <= 0.05 < half(0.002 * 100 / (needed * 0.97), needed - 1)


Pair = tuple[float, float | None]


def audited(counts: dict[Pair, int], probability: float = 0.1) -> tuple[list[Sampled], list[float | None]]:
    """So many statements of each (label, verdict), one for each response."""
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    sampled = [Sampled(label, f"r{place}", probability) for place, (label, _) in enumerate(pairs)]
    return sampled, [verdict for _, verdict in pairs]


def study(size: int, yes: int, told: int | None = None) -> Verdicts:
    """One statement for each response; the first ``yes`` of the ``told`` ones have a yes."""
    told = size if told is None else told
    return Verdicts({f"r{place}": Said(1, int(place < told), float(place < yes)) for place in range(size)})


FOUR = {(1.0, 1.0): 36, (0.0, 1.0): 4, (1.0, 0.0): 4, (0.0, 0.0): 16}


def powered(counts: dict[Pair, int], verdicts: Verdicts, weight: float | None = None) -> Powered:
    sampled, predicted = audited(counts)
    return prediction_powered("supported", sampled, predicted, verdicts, weight=weight)


def wilson(share: float, variance: float, freedom: int) -> tuple[float, float]:
    """The roots of (p - share)^2 = t^2 * variance * p(1 - p) / (share(1 - share))."""
    part = student(0.95, freedom) ** 2 * variance / (share * (1 - share))
    roots = np.roots([1 + part, -(2 * share + part), share**2])
    return float(min(roots)), float(max(roots))


def test_with_a_verdict_everywhere_the_labels_of_each_verdict_count_by_how_often_it_was_given() -> None:
    found = powered(FOUR, study(600, 420))

    # 36 of 40 where the judge says yes, which it does 420 of 600 times; 4 of 20 where it says no.
    share = 0.7 * 0.9 + 0.3 * 0.2
    assert found.study.value == pytest.approx(share)
    assert found.weight == pytest.approx(0.9 - 0.2)
    assert (found.study.n, found.study.clusters, found.study.method) == (60, 60, POWERED)

    smoothed = [(36.5 / 41, 0.7, 40), (4.5 / 21, 0.3, 20)]
    left = 1 - 60 / 600
    variance = sum(w**2 * p * (1 - p) / n for p, w, n in smoothed) * left * 60 / 58
    assert interval(found.study) == pytest.approx(wilson(share, variance, 58), abs=1e-9)


def test_the_gain_is_in_labels_of_which_the_audit_alone_would_vary_as_much() -> None:
    found = powered(FOUR, study(600, 420))

    alone = (40 / 60) * (20 / 60) / 59 * 0.9
    smoothed = [(36.5 / 41, 0.7, 40), (4.5 / 21, 0.3, 20)]
    ratio = sum(w**2 * p * (1 - p) / n for p, w, n in smoothed) * 0.9 * 60 / 58 / alone
    assert found.variance_ratio == pytest.approx(ratio)
    labels = next(m for m in range(600, 0, -1) if 1 / m - 1 / 600 >= (1 / 60 - 1 / 600) * ratio)
    assert found.as_good_as == labels
    assert labels > 100

    useless = powered({(1.0, 1.0): 20, (0.0, 1.0): 10, (1.0, 0.0): 20, (0.0, 0.0): 10}, study(600, 300))
    assert useless.weight == pytest.approx(0)
    assert useless.as_good_as is not None
    assert useless.as_good_as < 60


def test_a_weight_of_one_adds_the_mean_difference_to_the_mean_verdict() -> None:
    found = powered(FOUR, study(600, 420), weight=1)

    assert found.study.value == pytest.approx(0.7 + (4 - 4) / 60)
    assert (found.weight, found.study.method) == (1, FIXED)
    low, high = interval(found.study)
    half = student(0.95, 58) * math.sqrt(8 / 60 / 59 * 0.9)
    assert half < (high - low) / 2 < 1.1 * half

    beyond = powered(FOUR | {(1.0, 0.0): 10}, study(600, 590), weight=1)
    assert beyond.study.value == beyond.study.high == 1


def test_a_statement_without_a_verdict_stands_at_the_mean_of_the_verdicts() -> None:
    counts = FOUR | {(1.0, None): 9, (0.0, None): 3}
    sampled, predicted = audited(counts)
    verdicts = study(600, 350, told=500)
    found = prediction_powered("supported", sampled, predicted, verdicts)

    labels = np.array([one.value for one in sampled])
    said = np.array([0.7 if one is None else one for one in predicted])
    weight = np.cov(labels, said)[0, 1] / np.var(said, ddof=1)
    assert found.weight == pytest.approx(weight)
    assert found.study.value == pytest.approx(labels.mean() + weight * (0.7 - said.mean()))
    none = prediction_powered("supported", sampled, [None] * 72, study(600, 350, told=500))
    assert "not asked about both alike" in str(none.study.reason)


def test_probabilities_that_differ_are_weighted() -> None:
    often, said = audited(FOUR, 0.4)
    rare, told = audited({(1.0, 1.0): 10, (0.0, 1.0): 10, (1.0, 0.0): 2, (0.0, 0.0): 10}, 0.1)
    found = prediction_powered("supported", [*often, *rare], [*said, *told], study(500, 300))

    yes = (36 / 0.4 + 10 / 0.1) / (40 / 0.4 + 20 / 0.1)
    no = (4 / 0.4 + 2 / 0.1) / (20 / 0.4 + 12 / 0.1)
    assert found.study.value == pytest.approx(0.6 * yes + 0.4 * no)
    assert found.weight == pytest.approx(yes - no)


def test_at_large_it_is_the_published_variance_where_each_response_has_one_statement() -> None:
    rng = np.random.default_rng(7)
    size, n = 4000, 800
    labels = rng.random(size) < 0.7
    said = np.where(rng.random(size) < 0.85, labels, ~labels).astype(float)
    sampled = [Sampled(float(labels[place]), f"r{place}", n / size) for place in range(n)]
    verdicts = Verdicts({f"r{place}": Said(1, 1, said[place]) for place in range(size)})
    found = prediction_powered("supported", sampled, list(said[:n]), verdicts)

    # PPI++ (arXiv 2311.01453): N unlabelled statements apart from the n labelled ones.
    rest, y, f = size - n, labels[:n].astype(float), said[:n]
    weight = np.cov(y, f)[0, 1] / np.var(f, ddof=1) / (1 + n / rest)
    value = weight * said[n:].mean() + (y - weight * f).mean()
    variance = weight**2 * np.var(said) / rest + np.var(y - weight * f, ddof=1) / n
    assert found.at_large.value == pytest.approx(value, abs=1e-12)
    assert interval(found.at_large) == pytest.approx(wilson(value, variance, n - 1), abs=1e-3)


def test_with_verdicts_at_large_responses_are_what_varies() -> None:
    rng = random.Random(3)
    labels = {f"r{number}": rng.random() < 0.7 for number in range(100)}
    sampled = [Sampled(float(value), name, 0.5) for name, value in list(labels.items())[:40] for _ in range(3)]
    said: list[float | None] = [one.value if rng.random() < 0.9 else 1 - one.value for one in sampled]
    apart = [Sampled(one.value, f"{one.cluster}.{place}", 0.5) for place, one in enumerate(sampled)]
    together = prediction_powered("s", sampled, said, Verdicts({n: Said(6, 6, 6.0 * v) for n, v in labels.items()}))
    single = prediction_powered(
        "s", apart, said, Verdicts({f"{n}.{k}": Said(1, 1, float(v)) for n, v in labels.items() for k in range(6)})
    )

    assert together.study.value == pytest.approx(single.study.value)
    assert interval(together.study) == pytest.approx(interval(single.study))
    wide, narrow = interval(together.at_large), interval(single.at_large)
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])


@pytest.mark.parametrize("silent", [0.0, 0.2])
def test_the_intervals_hold_the_truth_of_made_up_studies(silent: float) -> None:
    found = simulate(150, 0.8, 0.9, 80, silent=silent)

    assert set(found) >= {"audit", "strata", "powered", "lambda 1", "powered, large"}
    for name, tally in found.items():
        assert tally.given >= 145, name
        assert 0.9 <= tally.held / tally.given <= 1, name
    assert found["powered"].width < 0.85 * found["audit"].width


def test_verdicts_alone_have_no_interval() -> None:
    found = judge_alone("supported", study(600, 350, told=500))

    assert (found.value, found.low, found.method, found.n, found.dropped) == (0.7, None, ALONE, 500, 100)
    assert found.reason == "No interval shows how often the verdicts are wrong."
    assert judge_alone("supported", study(600, 0, told=0)).reason == "No statement has a verdict."


def test_without_what_it_rests_on_it_is_undefined_and_says_why() -> None:
    sampled, predicted = audited(FOUR)
    few = prediction_powered("s", sampled[:20], predicted[:20], study(600, 420))
    assert few.study.reason == few.at_large.reason
    assert "10 more" in str(few.study.reason)
    assert (few.weight, few.variance_ratio, few.as_good_as) == (None, None, None)

    same = prediction_powered("s", sampled, [1.0] * 60, study(600, 590))
    assert "the same verdict" in str(same.study.reason)
    assert prediction_powered("s", sampled, [1.0] * 60, study(600, 590), weight=1).study.value is not None
    nobody = prediction_powered("s", sampled, [None] * 60, study(600, 0, told=0))
    assert nobody.study.reason == "No statement has a verdict."
    refused = prediction_powered("s", sampled, predicted, study(600, 420), refused="Not these labels.")
    assert refused.at_large.reason == "Not these labels."


def test_all_of_a_study_leaves_nothing_open() -> None:
    sampled, predicted = audited(FOUR, 1.0)
    found = prediction_powered("s", sampled, predicted, study(60, 40))

    assert interval(found.study) == pytest.approx((40 / 60, 40 / 60))
    assert interval(audit_share("s", sampled, 60)) == pytest.approx((40 / 60, 40 / 60))
    assert found.as_good_as is None
