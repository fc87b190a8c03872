"""May a judge stand in for a person: the authors' data, hand-made cases, clusters, and false discoveries."""

import math
import random
from collections.abc import Hashable

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t, ttest_1samp

from medreview.stats.formulas.human_baseline import BY_ITEMS, alternative_annotator
from medreview.stats.formulas.hypothesis_tests import false_discovery
from tests.stats.formulas.mtbench_votes import JUDGES, PEOPLE

PRINTED = {"gemini_flash": (0.0, "0.72"), "gemini_pro": (0.0, "0.76")}
"""Winning rate and advantage probability in the authors' notebook."""


def by_definition(said, people, epsilon, near):
    """Per person the advantage and p, written from the paper: indicators, then scipy's one-sided t test."""
    found = {}
    for name, own in people.items():
        judge, person = [], []
        for item, label in own.items():
            others = [held[item] for other, held in people.items() if other != name and item in held]
            if others and item in said:
                ours, theirs = near(said[item], others), near(label, others)
                judge.append(float(ours >= theirs))
                person.append(float(theirs >= ours))
        p = ttest_1samp(np.array(person) - np.array(judge), epsilon, alternative="less").pvalue
        found[name] = (np.mean(judge), np.mean(person), p)
    return found


def share_alike(label, others):
    return np.mean([label == other for other in others])


def minus_rmse(label, others):
    return -math.sqrt(np.mean([(label - other) ** 2 for other in others]))


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("epsilon", [0.1, 0.2, 0.4])
def test_the_authors_data_give_the_authors_figures(judge, epsilon):
    said = JUDGES[judge]
    found = alternative_annotator(judge, said, PEOPLE, {item: item for item in said}, epsilon=epsilon)

    by_paper = by_definition(said, PEOPLE, epsilon, share_alike)
    for one in found.people:
        advantage, person, p = by_paper[one.person]
        assert one.advantage.value == pytest.approx(advantage, abs=1e-12)
        assert one.person_advantage == pytest.approx(person, abs=1e-12)
        assert one.p == one.p_independent == pytest.approx(p, rel=1e-9)
        assert one.test == BY_ITEMS
    assert found.advantage.value == pytest.approx(np.mean([row[0] for row in by_paper.values()]), abs=1e-12)
    if epsilon == 0.2:
        rate, advantage = PRINTED[judge]
        assert (found.winning_rate, f"{found.advantage.value:.2f}") == (rate, advantage)
        assert found.may_stand_in is False


def test_a_large_epsilon_lets_the_better_judge_stand_in():
    said = JUDGES["gemini_pro"]
    found = alternative_annotator("gemini_pro", said, PEOPLE, {item: item for item in said}, epsilon=0.4)

    assert (found.winning_rate, found.may_stand_in) == (1.0, True)
    assert all(one.p_adjusted is not None and one.p_adjusted <= 0.05 for one in found.people)


def test_steps_are_near_by_their_distance():
    rng = random.Random(3)
    items = [str(number) for number in range(60)]
    truth = {item: rng.randint(1, 5) for item in items}
    people = {
        name: {item: min(5, max(1, truth[item] + rng.choice((-1, 0, 0, 1)))) for item in rng.sample(items, 50)}
        for name in "abcd"
    }
    said = {item: min(5, max(1, truth[item] + rng.choice((-2, 0, 0, 1)))) for item in items}
    places: dict[Hashable, float] = {step: float(step) for step in range(1, 6)}
    found = alternative_annotator("j", said, people, {item: item for item in items}, places=places)

    by_paper = by_definition(said, people, 0.2, minus_rmse)
    assert found.alignment == "rmse"
    for one in found.people:
        assert (one.advantage.value, one.person_advantage, one.p) == pytest.approx(by_paper[one.person])


def test_items_of_one_response_are_not_independent():
    """Forty responses of two statements on which everybody does the same: as if there were forty items."""
    said, people, halves = _twice(40)
    pairs = alternative_annotator("j", said, people, halves)
    first = {item: item for item in halves if item.endswith("/1")}
    alone = {name: {item: held[item] for item in first} for name, held in people.items()}
    single = alternative_annotator("j", {item: said[item] for item in first}, alone, first)

    for two, one in zip(pairs.people, single.people, strict=True):
        assert two.test == "Student's t, clustered by response"
        assert two.p == pytest.approx(one.p, rel=1e-9)
        assert two.p_independent is not None
        assert two.p is not None
        assert two.p_independent < two.p
        as_often, clustered = one.advantage.value, math.sqrt(1 / 39) * t.ppf(0.975, 39)
        wilson = binomtest(round(as_often * 40), 40).proportion_ci(method="wilson")
        assert (one.advantage.low, one.advantage.high) == pytest.approx((wilson.low, wilson.high))
        for end in (two.advantage.low, two.advantage.high):
            assert abs(end - as_often) == pytest.approx(clustered * math.sqrt(end * (1 - end)))
        assert two.advantage.method == one.advantage.method == "Wilson, variance over responses"


def test_the_mean_advantage_varies_as_all_people_do_on_each_item():
    """A limit is z standard errors from the mean, these being as they would be if the limit were the truth."""
    said, people, halves = _twice(60)
    first = {item: item for item in halves if item.endswith("/1")}
    people = {name: {item: held[item] for item in first} for name, held in people.items()}
    found = alternative_annotator("j", {item: said[item] for item in first}, people, first).advantage
    near = []
    for item in first:
        labels = [held[item] for held in people.values()]
        as_near = [
            sum(said[item] == other for other in others) >= sum(own == other for other in others)
            for place, own in enumerate(labels)
            if (others := labels[:place] + labels[place + 1 :])
        ]
        near.append(np.mean(as_near))

    mean, error = np.mean(near), np.std(near) / math.sqrt(60)
    assert found.value == pytest.approx(mean)
    assert found.low < mean < found.high
    for end in (found.low, found.high):
        as_wide = math.sqrt(end * (1 - end) / (mean * (1 - mean)))
        assert abs(end - mean) == pytest.approx(norm.ppf(0.975) * error * as_wide)


def _twice(responses):
    rng = random.Random(8)
    said, people, halves = {}, {name: {} for name in "abc"}, {}
    for number in range(responses):
        words = [rng.random() < 0.8 for _ in range(4)]
        for turn in (1, 2):
            item = f"{number}/{turn}"
            halves[item] = str(number)
            said[item] = words[0]
            for held, word in zip(people.values(), words[1:], strict=True):
                held[item] = word
    return said, people, halves


@pytest.mark.parametrize(
    ("people", "items", "words"),
    [(2, 60, "3 people are needed, and 2 labelled"), (3, 29, "share 30 items or more"), (0, 0, "3 people are needed")],
)
def test_too_few_people_or_items_are_not_tested(people, items, words):
    labels = {str(number): number % 3 == 0 for number in range(items)}
    found = alternative_annotator(
        "j", labels, {str(one): labels for one in range(people)}, {item: item for item in labels}
    )

    assert (found.winning_rate, found.may_stand_in) == (None, None)
    assert words in found.reason
    if people < 3 and items:
        assert all(one.p is not None for one in found.people)


def test_a_judge_that_says_what_everybody_says_stands_in():
    labels = {str(number): number % 3 == 0 for number in range(40)}
    found = alternative_annotator("j", labels, dict.fromkeys("abc", labels), {item: item for item in labels})

    assert (found.advantage.value, found.advantage.low) == (1.0, None)
    # The exact lower limit of 40 in 40 is 0.025 to the power of 1/40.
    assert found.advantage.reason == (
        "No interval: it is so in all of 40 responses; by Clopper-Pearson, of all such responses at least 91.2%."
    )
    assert (found.winning_rate, found.may_stand_in) == (1.0, True)


def test_false_discoveries_by_hand():
    """Of 3 tests the factor is 1 + 1/2 + 1/3 = 11/6: 3 x 11/6 x .01, /1; .02, /2; .4, /3, and never falling."""
    assert false_discovery([0.02, 0.4, 0.01]) == pytest.approx((0.055, 0.4 * 11 / 6, 0.055))
    assert false_discovery([0.9, None, 0.001, float("nan")]) == pytest.approx((1.0, None, 0.003, None))
    assert false_discovery([]) == ()
