"""Progress and agreement of whole studies against values worked out by hand."""

import pytest

from medreview.errors import UserError
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import COARSE
from medreview.study.events import NewEvent
from tests.stats.reports.small_figures import against, figures_of, groups_of, values


def ten_statements(small):
    """Ten statements in four responses. anna and the judge: 7 of 10 alike; supported or not: 8 of 10."""
    for name, count in (("a", 3), ("b", 3), ("c", 2), ("d", 2)):
        small.response(name, count)
    small.judge("a.1 a.2 a.3 b.1 b.2 b.3 c.1 c.2 d.1 d.2", one="SSSSSPSCPN")
    small.say("a.1 a.2 a.3 b.1 b.2 b.3 c.1 c.2 d.1 d.2", anna="SSSSPPNCNN")
    return small


@pytest.fixture
def ten(small):
    return ten_statements(small)


@pytest.fixture(scope="module")
def group(small_of_module):
    """The figures of these."""
    return groups_of(figures_of(ten_statements(small_of_module)))["assisted", False]


def test_agreement_kappa_and_table_by_hand(group):
    four = against(group)

    # Rows anna: 4 supported, 2 partial, 1 contradicted, 3 not addressed; columns: 6, 2, 1, 1.
    assert four.table == ((4, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), (1, 1, 0, 1))
    assert list(four.first_counts.values()) == [4, 2, 1, 3]
    assert list(four.second_counts.values()) == [6, 2, 1, 1]
    assert (four.n, four.cluster, four.clusters, four.dropped) == (10, "response", 4, {})
    found = values(four)
    assert found["percent agreement", "Wilson"] == pytest.approx(0.7)
    assert found["percent agreement", "jackknife over responses"] == pytest.approx(0.7)
    chance = (4 * 6 + 2 * 2 + 1 * 1 + 3 * 1) / 100
    kappa = next(value for (name, _), value in found.items() if name == "Cohen's kappa")
    assert kappa == pytest.approx((0.7 - chance) / (1 - chance))
    shares = [0.5, 0.2, 0.1, 0.2]
    by_chance = sum(share * (1 - share) for share in shares) / 3
    ac1 = next(value for (name, _), value in found.items() if name == "Gwet's AC1")
    assert ac1 == pytest.approx((0.7 - by_chance) / (1 - by_chance))


def test_supported_or_not_and_mcnemar_by_hand(group):
    two = against(group, scale="binary")

    assert two.labels == ("supported", "not_supported")
    assert two.table == ((4, 0), (2, 4))
    # They differ once in b and once in c, of four responses: chi-squared 3/4 x 2^2 / (1 + 1).
    assert (two.mcnemar.b, two.mcnemar.c, two.mcnemar.statistic) == (0, 2, 1.5)
    assert two.mcnemar.pvalue == pytest.approx(0.2207, abs=1e-4)
    assert values(two)["percent agreement", "Wilson"] == pytest.approx(0.8)


def test_weights_follow_the_order_of_the_label_set_and_not_the_place_in_the_table(group):
    four = against(group)
    found = {figure.name: figure.value for figure in four.weighted}

    assert four.order == ("supported", "partial", "not_addressed", "contradicted")
    # They differ by a step, two steps and a step. Marginals along the order: 4 2 3 1 and 6 2 1 1.
    linear, quadratic = 1 - (1 + 2 + 1) / 11.4, 1 - (1 + 4 + 1) / 22.6
    assert found["Cohen's kappa (linear weights)"] == pytest.approx(linear)
    assert found["Cohen's kappa (quadratic weights)"] == pytest.approx(quadratic)
    # AC2: sum of all 16 weights 28/3 and 104/9; 4 labels; shares .5 .2 .2 .1, of which 1 - sum of squares is .66.
    for name, agreed, weights in (("linear", 1 - 4 / 30, 28 / 3), ("quadratic", 1 - 6 / 90, 104 / 9)):
        chance = weights / 12 * 0.66
        assert found[f"Gwet's AC2 ({name} weights)"] == pytest.approx((agreed - chance) / (1 - chance))
    two = against(group, scale="binary")
    assert (two.order, two.weighted) == ((), ())


def test_a_judge_is_held_against_the_reviewer_label_by_label(group):
    four, two = against(group).per_label, against(group, scale="binary").per_label

    assert four.accuracy.value == pytest.approx(0.7)
    assert [four.precision[label].value for label in four.labels] == pytest.approx([4 / 6, 1 / 2, 1, 1])
    assert [four.recall[label].value for label in four.labels] == pytest.approx([1, 1 / 2, 1, 1 / 3])
    assert [four.f1[label].value for label in four.labels] == pytest.approx([8 / 10, 1 / 2, 1, 1 / 2])
    assert four.macro_f1.value == pytest.approx((0.8 + 0.5 + 1 + 0.5) / 4)
    assert (two.precision["supported"].value, two.recall["not_supported"].value) == (4 / 6, 4 / 6)
    assert two.accuracy.method == "jackknife over responses"
    # The same resamples as those of the agreement.
    assert (two.accuracy.low, two.accuracy.high) == tuple(
        next((f.low, f.high) for f in against(group, scale="binary").agreement if f.name == "percent agreement")
    )
    assert against(group).kappa_band == "moderate"


def test_small_numbers_are_said(group):
    cautions = " ".join(against(group).cautions)

    assert "Too few statements (10)" in cautions
    assert "Too few responses (4)" in cautions
    assert "Too few of label contradicted: 1 item." in cautions
    assert "Too few of label not addressed: 3 items." in cautions


def test_a_small_comparison_is_not_said_to_lack_a_label_when_resamples_drew_none_of_it(small):
    """Judge two spoke in two of thirty responses, with both labels in each: there is no rare label there."""
    for place in range(30):
        small.response(f"r{place}", 2)
        small.judged("one", "supported", f"r{place}.1")
        small.judged("one", "partial", f"r{place}.2")
        small.said("supported", f"r{place}.1")
        small.said("partial", f"r{place}.2")
    for place, labels in enumerate((("supported", "partial"), ("partial", "supported"))):
        for number, label in enumerate(labels, 1):
            small.judged("two", label, f"r{place}.{number}")
    kappa = against(groups_of(figures_of(small))["assisted", False], "two").estimate("Cohen's kappa")

    assert (kappa.n, kappa.clusters, kappa.undefined_share) == (4, 2, 0)
    assert kappa.reason == "No interval: of 2 responses; it takes 3 to see how responses differ."


def test_one_statement_a_response_leaves_nothing_to_cluster(small):
    for name in "abc":
        small.response(name, 1)
    small.judge("a.1 b.1 c.1", one="SSS")
    small.say("a.1 b.1 c.1", anna="SSP")
    four = against(groups_of(figures_of(small))["assisted", False])

    two = against(groups_of(figures_of(small))["assisted", False], scale="binary")

    assert [figure.method for figure in four.agreement if figure.name == "percent agreement"] == ["Wilson"]
    assert (two.mcnemar.method, two.mcnemar.pvalue) == ("McNemar, exact binomial", 1)


def test_a_label_is_blind_only_if_its_own_event_says_that_the_judges_were_not_seen(small):
    small.response("a", 5)
    small.judged("one", "supported", *(f"a.{n}" for n in range(1, 6)))
    small.said("supported", "a.1", mode="blind", block="audit")
    small.said("partial", "a.2", mode="blind", seen="before", block="audit")
    small.said("partial", "a.3", mode="blind")
    small.said("partial", "a.4")
    small.said("partial", "a.5", mode="blind", exposure={})
    found = groups_of(figures_of(small))

    assert {key: group.labels for key, group in found.items()} == {
        ("blind", True): 1,
        ("blind", False): 1,
        ("assisted", True): 1,
        ("assisted", False): 2,
    }
    assert against(found["blind", True]).table[0] == (1, 0, 0, 0)
    assert found["blind", True].cautions == ()
    assert "chosen" in found["blind", False].cautions[0]


def test_the_blind_label_stays_when_the_reveal_changed_it(small):
    small.response("a", 1)
    small.judged("one", "supported", "a.1")
    small.said("partial", "a.1", mode="blind", block="audit")
    small.event(NewEvent("reveal", "a.1"), mode="blind", block="audit")
    small.said("supported", "a.1", mode="blind", seen="before", block="audit", kind="revise")
    found = figures_of(small)

    assert against(groups_of(found)["blind", True]).table[1] == (1, 0, 0, 0)
    assert list(groups_of(found)) == [("blind", True)]
    assert found.reviewers[0].progress.changed_after_reveal == 1
    assert found.reviewers[0].progress.disagreements == 0


def test_an_assisted_label_is_the_current_one_and_undone_ones_do_not_count(small):
    small.response("a", 2)
    small.judged("one", "supported", "a.1", "a.2")
    small.said("partial", "a.1")
    small.said("supported", "a.1")
    payload = {"axis": "evidence", "label": "partial", "exposure": {"judge_verdict": "before"}}
    wrong = small.event(NewEvent("decide", "a.2", payload))
    small.event(NewEvent("retract", "a.2", undoes_event=wrong.event_id))
    group = groups_of(figures_of(small))["assisted", False]

    assert group.labels == 1
    assert against(group).table[0] == (1, 0, 0, 0)


def test_what_is_left_out_is_counted_by_reason(small):
    small.response("a", 6)
    small.judge("a.1 a.2 a.3 a.4 a.6", one="SUJSS", two="C----")
    small.say("a.1 a.2 a.3 a.4 a.5 a.6", anna="SSSJSS")
    group = groups_of(figures_of(small))["assisted", False]
    four, two = against(group), against(group, scale="binary")

    left = {"jury tied": 1, "judge cannot judge": 2, "no judgement": 1, "reviewer cannot judge": 1}
    assert (four.n, four.dropped) == (1, left)
    assert (two.n, two.dropped) == (1, left)
    assert {figure.dropped for figure in four.agreement} == {5}


def test_even_votes_of_the_judges_are_counted_and_shown_under_each_rule(small):
    small.response("a", 4)
    small.judge("a.1 a.2 a.3 a.4", one="SSSP", two="SCCC")
    small.say("a.1 a.2 a.3 a.4", anna="SSPP")
    found = groups_of(figures_of(small))["assisted", False].under_rules

    # Even on a.2 and a.3, of which the reviewer supports one: each rule is right on one of them.
    assert [(one.rule, one.tied_judges, one.n, one.agreement.value) for one in found] == [
        ("undecided", 2, 2, 1),
        ("supported", 2, 4, 3 / 4),
        ("not_supported", 2, 4, 3 / 4),
    ]
    assert [one.kappa.value for one in found] == [1, 0.5, 0.5]


def test_each_judge_is_rolled_up_over_its_own_sources(small):
    small.response("a", 1, sources=("ok", "ok"))
    small.judge("a.1", one="N", two="C", offline="P", source=1)
    small.judge("a.1", one="S", source=2)
    small.say("a.1", anna="S")
    group = groups_of(figures_of(small))["assisted", False]

    assert against(group).dropped == {"jury tied": 1}
    assert against(group, "one").table[0] == (1, 0, 0, 0)
    assert against(group, "two").table[0] == (0, 0, 1, 0)
    assert against(group, "offline").table[0] == (0, 1, 0, 0)


def test_a_judge_who_could_not_tell_on_one_source_is_no_tie(small):
    small.response("a", 1, sources=("ok", "ok"))
    small.judged("one", "contradicted", "a.1", source=1)
    small.judged("one", "unsure", "a.1", source=2)
    small.said("contradicted", "a.1")
    group = groups_of(figures_of(small))["assisted", False]

    for judge in ("one", "the judges together"):
        assert against(group, judge, scale="binary").dropped == {"judge cannot judge": 1}
        assert against(group, judge).table[2] == (0, 0, 1, 0)


def test_a_judge_that_only_says_not_found_is_compared_on_the_two_way_question(small):
    small.response("a", 3)
    small.judge("a.1 a.2 a.3", coarse="FFS")
    small.say("a.1 a.2 a.3", anna="PSS")
    group = groups_of(figures_of(small))["assisted", False]
    four, two = against(group, "coarse"), against(group, "coarse", "binary")

    assert (four.n, four.dropped) == (0, {COARSE: 3})
    assert two.table == ((1, 1), (0, 1))


def test_both_constant_is_a_sentence(small):
    small.response("a", 2)
    small.judged("one", "supported", "a.1", "a.2")
    small.said("supported", "a.1", "a.2")
    kappa = next(
        figure
        for figure in against(groups_of(figures_of(small))["assisted", False]).agreement
        if figure.name == "Cohen's kappa"
    )

    assert kappa.value is None
    assert "0/0" in kappa.reason


def test_an_empty_study(small):
    found = figures_of(small)

    assert (found.statements, found.responses, found.support.strata) == (0, 0, ())


def test_a_reviewer_who_only_looked_has_progress_and_no_figures(small):
    small.response("a", 2)
    small.event(NewEvent("shown", "a.1"))
    only = figures_of(small).reviewers[0]

    assert (only.progress.total, only.progress.open, only.progress.minutes) == (2, 2, None)
    assert (only.agreement, only.support) == ((), ())


def test_an_unknown_reviewer_is_an_error_that_names_the_known(ten):
    with pytest.raises(UserError, match="there are anna"):
        figures_of(ten, "ben")


def test_progress_by_hand(ten):
    ten.event(NewEvent("defer", "a.1"))
    ten.said("fact", "a.2", axis="hallucination")
    ten.said("other", "a.2", axis="hallucination")
    ten.said("fact", "b.1", axis="hallucination")
    ten.said("supported", "b.1", active_ms=90_000, kind="revise")
    done = figures_of(ten).reviewers[0].progress

    assert (done.total, done.decided, done.deferred, done.open) == (10, 9, 1, 0)
    assert done.disagreements == 3
    assert done.hallucinations == {"fact": 1, "other": 1}
    assert (done.minutes, done.timed) == (0.5, 10)


def test_the_same_seed_gives_the_same_digits_and_another_does_not(ten):
    first, again = figures_of(ten), figures_of(ten)
    other = figures_of(ten, resampling=Resampling(replicates=199, seed=2))

    assert first == again
    assert against(groups_of(first)["assisted", False]) != against(groups_of(other)["assisted", False])
