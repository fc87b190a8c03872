"""Choosing a small jury on one half of the labels and measuring it on the other."""

from itertools import pairwise

import numpy as np
import pytest

from medreview.errors import UserError
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, Group
from medreview.stats.reports.small_jury import (
    NOT_ASKED,
    JuryLabels,
    judge_costs,
    judge_seconds,
    jury_labels,
    small_jury,
)

FEW = Resampling(replicates=399, seed=3)


def made(mine, votes, responses, costs=None, scale=BINARY):
    votes = np.array(votes, dtype=np.int64)
    names = tuple(f"j{place}" for place in range(votes.shape[1]))
    return JuryLabels(
        "anna", Group("blind", True), scale, names, np.array(mine, dtype=np.int64), votes,
        tuple(responses), tuple(costs or [None] * len(names)), {},
    )  # fmt: skip


def drawn(rng, responses, accuracies, per_response=5, q=2, costs=None, scale=BINARY):
    """A reviewer and judges that are right with these probabilities, else anything else."""
    n = responses * per_response
    truth = rng.integers(0, q, n)
    right = rng.random((n, len(accuracies))) < np.array(accuracies)
    wrong = (truth[:, None] + rng.integers(1, q, (n, len(accuracies)))) % q
    names = [f"r{place // per_response}" for place in range(n)]
    return made(truth, np.where(right, truth[:, None], wrong), names, costs, scale)


def test_the_good_judges_are_found_and_measured_where_they_were_not_chosen():
    labels = drawn(np.random.default_rng(1), 120, [0.95, 0.6, 0.93, 0.6, 0.94, 0.55])
    (found,) = small_jury(labels, [3], resampling=FEW).choices

    assert found.judges == found.on_all_labels == ("j0", "j2", "j4")
    assert found.held_out.clusters == 60
    assert found.held_out.n == 300
    # Three such judges in a majority: right in 98.8%, kappa about 0.976.
    assert found.held_out.low < 0.976 < found.held_out.high
    assert found.difference.low > 0
    assert found.repeated.chosen[0] == (("j0", "j2", "j4"), 200)


def test_the_best_of_many_equals_looks_better_than_it_is():
    """20 equal judges: what they show where they were chosen is luck; the held-out half is not taken in."""
    rng = np.random.default_rng(5)
    results = [small_jury(drawn(rng, 40, [0.75] * 20), [2], tie="supported", resampling=FEW) for _ in range(12)]
    truth = 2 * 0.75 - 1  # two judges with ties broken one way are right as often as one
    training = np.mean([result.choices[0].training for result in results])
    held_out = np.mean([result.choices[0].held_out.value for result in results])
    inside = sum(result.choices[0].held_out.low <= truth <= result.choices[0].held_out.high for result in results)

    assert training > truth + 0.15
    assert abs(held_out - truth) < 0.06
    assert inside >= 8
    assert all(result.choices[0].repeated.optimism > 0.1 for result in results)
    # No jury stands out, and the report shows it.
    assert all(result.choices[0].repeated.chosen[0][1] < 120 for result in results)


def test_what_is_held_out_was_never_chosen_on():
    """A judge that is right on one half of the responses only cannot be both chosen for it and credited with it."""
    labels = drawn(np.random.default_rng(2), 40, [0.9, 0.9, 0.9])
    first = small_jury(labels, [1], resampling=FEW)
    half = np.random.default_rng(FEW.seed).permutation(40)[:20]
    train = np.isin([int(name[1:]) for name in labels.clusters], half)
    votes = labels.votes.copy()
    votes[:, 1] = np.where(train, labels.mine, 1 - labels.mine)
    turned = made(labels.mine, votes, labels.clusters)
    (found,) = small_jury(turned, [1], resampling=FEW, measure="percent_agreement").choices

    assert (found.judges, found.training, found.held_out.value) == (("j1",), 1.0, 0.0)
    assert first.held_out_clusters == 20


def test_a_jury_gains_nothing_by_silence():
    """j0 answers on the easy half and is right there; j1 is right on three of four: silence counts as disagreement."""
    mine = [0, 1] * 40
    votes = [[own if place % 4 < 2 else -1, own if place % 4 else 1 - own] for place, own in enumerate(mine)]
    labels = made(mine, votes, [f"r{place}" for place in range(80)])
    found = small_jury(labels, [1], resampling=FEW, measure="percent_agreement").choices[0]
    both = small_jury(labels, [2], resampling=FEW, measure="percent_agreement").choices[0]

    assert found.judges == ("j1",)
    assert both.undecided == round((1 - both.held_out.value) * both.held_out.n) > 0


@pytest.mark.parametrize(("tie", "right"), [("supported", 1.0), ("not_supported", 0.0), ("undecided", 0.0)])
def test_the_tie_rule_is_used(tie, right):
    labels = made([0] * 8, [[0, 1]] * 8, [f"r{place}" for place in range(8)])
    found = small_jury(labels, [2], tie=tie, measure="percent_agreement", resampling=FEW)

    assert found.everyone.value == right
    assert found.choices[0].undecided == (4 if tie == "undecided" else 0)


def test_on_four_labels_a_tie_without_supported_stays_open():
    labels = made([1] * 8, [[1, 2], [0, 1]] * 4, [f"r{place}" for place in range(8)], scale=LEVELS)
    found = small_jury(labels, [2], tie="not_supported", measure="percent_agreement", resampling=FEW)
    seen = small_jury(labels, [2], tie="supported", measure="percent_agreement", resampling=FEW)

    assert found.choices[0].undecided + found.everyone.value * found.everyone.n == 4
    assert seen.everyone.value == 0


def test_equal_juries_are_decided_by_cost():
    mine = [0, 1] * 10
    votes = [[own, own, own] for own in mine]
    labels = made(mine, votes, [f"r{place}" for place in range(20)], costs=[0.002, 0.0005, None])
    one, two = small_jury(labels, [1, 2], resampling=FEW).choices

    assert (one.judges, one.cost) == (("j1",), 0.5)
    assert (two.judges, two.cost) == (("j0", "j1"), 2.5)


def test_the_same_seed_gives_the_same_digits():
    labels = drawn(np.random.default_rng(9), 40, [0.8, 0.7, 0.75, 0.9])

    assert small_jury(labels, [2], resampling=FEW) == small_jury(labels, [2], resampling=FEW)
    other = small_jury(labels, [2], resampling=Resampling(replicates=399, seed=4))
    assert other.choices[0].held_out != small_jury(labels, [2], resampling=FEW).choices[0].held_out


def test_what_cannot_be_searched_is_said():
    labels = made([0, 1, 0], [[0, 1]] * 3, ["a", "b", "c"])
    with pytest.raises(UserError, match="anna has 3 here"):
        small_jury(labels, [1])
    with pytest.raises(UserError, match="A jury of 3 cannot be chosen from 2 judges"):
        small_jury(labels, [3])
    many = drawn(np.random.default_rng(1), 400, [0.8] * 24)
    with pytest.raises(UserError, match="juries; name fewer judges"):
        small_jury(many, [5])


def study_with_labels(small):
    for name in "abcdef":
        small.response(name, 2)
    units = [f"{name}.{number}" for name in "abcdef" for number in (1, 2)]
    small.judged("ember", "supported", *units)
    small.judged("slate", "partial", *units)
    small.judged("flint", "unsure", *units[:10])
    small.judged("offline", "supported", *units)
    small.said("supported", *units[:8], mode="blind", block="audit")
    small.said("cannot_judge", units[8], mode="blind", block="audit")
    small.said("partial", units[9], mode="blind", block="flagged")
    small.said("partial", units[10], block="flagged")
    return units


def test_labels_from_a_study(small):
    study_with_labels(small)
    reader = small.study.reader
    found = jury_labels(reader, "anna")

    assert found.judges == ("ember", "slate", "flint")
    assert found.group.title == "blind, random audit"
    assert (len(found.mine), found.votes.tolist()[0], found.dropped) == (8, [0, 1, -1], {"reviewer cannot judge": 1})
    assert set(found.clusters) == set("abcd")
    assisted = jury_labels(reader, "anna", mode="assisted")
    assert (len(assisted.mine), assisted.dropped) == (0, {NOT_ASKED: 1})
    without = jury_labels(reader, "anna", judges=["ember", "slate"], mode="assisted", scale=LEVELS)
    assert (without.mine.tolist(), without.votes.tolist()) == ([1], [[0, 1]])


def test_what_is_missing_in_a_study_is_said(small):
    study_with_labels(small)
    reader = small.study.reader
    with pytest.raises(UserError, match="no judge 'basalt' in this study; there are ember, flint, slate"):
        jury_labels(reader, "anna", judges=["basalt"])
    with pytest.raises(UserError, match="two judges or more"):
        jury_labels(reader, "anna", judges=["ember"])
    small.said("partial", "a.1", who="bo")
    with pytest.raises(UserError, match=r"bo has no blind labels in this study .*--assisted"):
        jury_labels(reader, "bo")


def test_costs_are_those_of_a_statement_and_unknown_when_one_call_has_no_price(small):
    small.response("a", 2)
    for judge, prices in (("ember", (0.1, 0.2, 0.3)), ("slate", (0.1, None))):
        small.judged(judge, "supported", "a.1", "a.2")
        small.study.write(
            lambda connection, judge=judge: connection.execute(
                "UPDATE judge_run SET kind = 'llm', model = 'm', prompt_sha256 = 'p' WHERE judge = ?", (judge,)
            )
        )
        row = "INSERT INTO llm_call VALUES (?, ?, 'm', '', 'exists', 'p', '', 'ok', '', 1, 0, 1, 1, 1, ?, '', '', '')"
        calls = [(f"{judge}{place}", judge, price) for place, price in enumerate(prices)]
        small.study.write(lambda connection, row=row, calls=calls: connection.executemany(row, calls))

    assert judge_costs(small.study.reader) == {"ember": pytest.approx(0.3)}
    skipped = "'k', 'ember', 'm', '', '', 'p', '', 'skipped', '', 0, 0, 0, 0, 0, NULL, '', '', ''"
    small.study.write(lambda connection: connection.execute(f"INSERT INTO llm_call VALUES ({skipped})"))
    assert judge_costs(small.study.reader) == {"ember": pytest.approx(0.3)}
    other = "INSERT INTO judge_run SELECT 'jx', 9, judge, kind, model, prompt_id, prompt_sha256, '{\"t\": 1}', seed, ''"
    small.study.write(lambda connection: connection.execute(other + " FROM judge_run WHERE judge = 'ember'"))
    assert judge_costs(small.study.reader) == {}


def test_seconds_are_of_all_calls_for_a_statement_and_unknown_of_a_batch(small):
    small.response("a", 2)
    for judge, rungs in (("ember", ("plain", "plain", "json_object")), ("slate", ("plain", ""))):
        small.judged(judge, "supported", "a.1", "a.2")
        small.study.write(
            lambda connection, judge=judge: connection.execute(
                "UPDATE judge_run SET kind = 'llm', model = 'm', prompt_sha256 = 'p' WHERE judge = ?", (judge,)
            )
        )
        row = "INSERT INTO llm_call VALUES (?, ?, 'm', '', 'exists', 'p', '', 'ok', ?, 1, 0, 1, 1, ?, NULL, '', '', '')"
        calls = [(f"{judge}{place}", judge, rung, 500 * (place + 1)) for place, rung in enumerate(rungs)]
        small.study.write(lambda connection, row=row, calls=calls: connection.executemany(row, calls))
    assert judge_seconds(small.study.reader) == {"ember": pytest.approx((0.5 + 1 + 1.5) / 2)}
    assert judge_costs(small.study.reader) == {}


def test_all_sizes_at_once_are_each_the_best_of_their_size():
    labels = drawn(np.random.default_rng(4), 60, [0.9, 0.8, 0.7, 0.85, 0.6])
    found = small_jury(labels, [1, 2, 3, 4, 5], resampling=FEW).choices

    assert [len(choice.judges) for choice in found] == [1, 2, 3, 4, 5]
    assert all(before.size < after.size for before, after in pairwise(found))
    assert found[-1].difference.value == 0
    assert "never differ" in found[-1].difference.reason
