"""Figures of whole studies against values worked out by hand."""

import pytest

from medreview.errors import UserError
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.study_figures import study_figures
from medreview.study.events import NewEvent

FAST = Resampling(replicates=199)


def figures_of(small, reviewer=None, resampling=FAST):
    small.roll_up()
    return study_figures(small.study.reader, reviewer, resampling=resampling)


def groups_of(figures, place=0):
    return {(group.mode, group.drawn): group for group in figures.reviewers[place].agreement}


def against(group, name="the judges together", scale="levels"):
    return next(c for c in group.comparisons if (c.second, c.scale) == (name, scale))


def values(comparison):
    return {(figure.name, figure.method): figure.value for figure in comparison.agreement}


@pytest.fixture
def ten(small):
    """Ten statements in four responses. anna and the judge: 7 of 10 alike; supported or not: 8 of 10."""
    for name, count in (("a", 3), ("b", 3), ("c", 2), ("d", 2)):
        small.response(name, count)
    small.judged("one", "supported", "a.1", "a.2", "a.3", "b.1", "b.2", "c.1")
    small.judged("one", "partial", "b.3", "d.1")
    small.judged("one", "contradicted", "c.2")
    small.judged("one", "not_addressed", "d.2")
    small.said("supported", "a.1", "a.2", "a.3", "b.1")
    small.said("partial", "b.2", "b.3")
    small.said("not_addressed", "c.1", "d.2", "d.1")
    small.said("contradicted", "c.2")
    return small


def test_agreement_kappa_and_table_by_hand(ten):
    group = groups_of(figures_of(ten))["assisted", False]
    four = against(group)

    # Rows anna: 4 supported, 2 partial, 1 contradicted, 3 not addressed; columns: 6, 2, 1, 1.
    assert four.table == ((4, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), (1, 1, 0, 1))
    assert list(four.first_counts.values()) == [4, 2, 1, 3]
    assert list(four.second_counts.values()) == [6, 2, 1, 1]
    assert (four.n, four.responses, four.dropped) == (10, 4, {})
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


def test_supported_or_not_and_mcnemar_by_hand(ten):
    two = against(groups_of(figures_of(ten))["assisted", False], scale="binary")

    assert two.labels == ("supported", "not_supported")
    assert two.table == ((4, 0), (2, 4))
    # They differ once in b and once in c, of four responses: chi-squared 3/4 x 2^2 / (1 + 1).
    assert (two.mcnemar.b, two.mcnemar.c, two.mcnemar.statistic) == (0, 2, 1.5)
    assert two.mcnemar.pvalue == pytest.approx(0.2207, abs=1e-4)
    assert values(two)["percent agreement", "Wilson"] == pytest.approx(0.8)


def test_weights_follow_the_order_of_the_label_set_and_not_the_place_in_the_table(ten):
    four = against(groups_of(figures_of(ten))["assisted", False])
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
    two = against(groups_of(figures_of(ten))["assisted", False], scale="binary")
    assert (two.order, two.weighted) == ((), ())


def test_a_judge_is_held_against_the_reviewer_label_by_label(ten):
    found = groups_of(figures_of(ten))["assisted", False]
    four, two = against(found).per_label, against(found, scale="binary").per_label

    assert four.accuracy.value == pytest.approx(0.7)
    assert [four.precision[label].value for label in four.labels] == pytest.approx([4 / 6, 1 / 2, 1, 1])
    assert [four.recall[label].value for label in four.labels] == pytest.approx([1, 1 / 2, 1, 1 / 3])
    assert [four.f1[label].value for label in four.labels] == pytest.approx([8 / 10, 1 / 2, 1, 1 / 2])
    assert four.macro_f1.value == pytest.approx((0.8 + 0.5 + 1 + 0.5) / 4)
    assert (two.precision["supported"].value, two.recall["not_supported"].value) == (4 / 6, 4 / 6)
    assert two.accuracy.method == "jackknife over responses"
    # The same resamples as those of the agreement.
    assert (two.accuracy.low, two.accuracy.high) == tuple(
        next((f.low, f.high) for f in against(found, scale="binary").agreement if f.name == "percent agreement")
    )
    assert against(found).kappa_band == "moderate"


def test_small_numbers_are_said(ten):
    cautions = " ".join(against(groups_of(figures_of(ten))["assisted", False]).cautions)

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
    assert (kappa.low, kappa.high) == (pytest.approx(-1), pytest.approx(1))


def test_one_statement_a_response_leaves_nothing_to_cluster(small):
    for name in "abc":
        small.response(name, 1)
    small.judged("one", "supported", "a.1", "b.1", "c.1")
    small.said("supported", "a.1", "b.1")
    small.said("partial", "c.1")
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
    small.judged("one", "supported", "a.1")
    small.judged("two", "contradicted", "a.1")
    small.judged("one", "unsure", "a.2")
    small.judged("one", "cannot_judge", "a.3")
    small.judged("one", "supported", "a.4", "a.6")
    small.said("supported", "a.1", "a.2", "a.3", "a.5", "a.6")
    small.said("cannot_judge", "a.4")
    group = groups_of(figures_of(small))["assisted", False]
    four, two = against(group), against(group, scale="binary")

    left = {"jury tied": 1, "judge cannot judge": 2, "no judgement": 1, "reviewer cannot judge": 1}
    assert (four.n, four.dropped) == (1, left)
    assert (two.n, two.dropped) == (1, left)
    assert {figure.dropped for figure in four.agreement} == {5}


def test_each_judge_is_rolled_up_over_its_own_sources(small):
    small.response("a", 1, sources=("ok", "ok"))
    small.judged("one", "not_addressed", "a.1", source=1)
    small.judged("one", "supported", "a.1", source=2)
    small.judged("two", "contradicted", "a.1", source=1)
    small.judged("offline", "partial", "a.1", source=1)
    small.said("supported", "a.1")
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
    small.judged("coarse", "not found", "a.1", "a.2")
    small.judged("coarse", "supported", "a.3")
    small.said("partial", "a.1")
    small.said("supported", "a.2", "a.3")
    group = groups_of(figures_of(small))["assisted", False]
    four, two = against(group, "coarse"), against(group, "coarse", "binary")

    assert (four.n, four.dropped) == (1, {"judge only says supported or not": 2})
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


def test_nobody_decided_and_nobody_judged(small):
    small.response("a", 2)
    found = figures_of(small)

    assert found.reviewers == ()
    whole = found.support.strata[0]
    assert [figure.value for figure in whole.clustered] == [1.0, None, None, None, None]
    assert all(figure.reason for figure in whole.clustered[1:])


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


def shares(figures):
    return {figure.name: (figure.value, figure.n) for figure in figures}


def test_support_and_url_validity_by_hand(small):
    small.response("a", 2, sources=("ok", "http_error"), model="atlas")
    small.response("b", 1, sources=("soft_404", None), model="borealis")
    small.response("c", 1, sources=("http_error",), model="borealis")
    small.response("d", 0, sources=(), model="borealis")
    small.judged("one", "supported", "a.1", "a.2")
    small.judged("one", "not_addressed", "b.1")
    small.said("supported", "a.1", "a.2")
    small.said("partial", "b.1", mode="blind")
    found = figures_of(small)
    strata = {(s.split, s.stratum): s for s in found.support.strata}

    # a, b, c: valid 1 of 2, 1 of 1 (one not fetched), 0 of 1. c.1 has nothing to stand on: not supported.
    assert shares(strata["", ""].clustered) == {
        "source URL validity": (2 / 4, 4),
        "statement-level support, own citations": (None, 0),
        "statement-level support": (2 / 4, 4),
        "response-level support": (1 / 3, 3),
        "unused sources": (3 / 4, 4),
    }
    assert strata["", ""].clustered[0].dropped == 1
    assert strata["", ""].without_statements == 1
    assert "1 soft 404" in found.support.cautions[0]
    assert shares(strata["model", "borealis"].wilson)["statement-level support"] == (0.0, 2)
    assert not [key for key in strata if key[0] == "origin"]
    mine = {report.by: report for report in found.reviewers[0].support}
    assert shares(mine["anna, assisted"].strata[0].clustered) == {
        "statement-level support": (1.0, 2),
        "response-level support": (1.0, 1),
    }
    assert shares(mine["anna, blind"].strata[0].clustered)["statement-level support"] == (0.0, 1)
    assert "2 of 3 responses" in mine["anna, blind"].cautions[0]


def test_an_invalid_response_counts_as_one_that_is_not_supported(small):
    small.response("a", 1)
    small.response("b", 1, model="borealis")
    small.invalid("c", "empty", model="borealis")
    small.judged("one", "supported", "a.1", "b.1")
    small.said("supported", "a.1")
    whole, borealis, atlas = (found := figures_of(small)).support.strata
    assert [shares(one.clustered)["response-level support"] for one in (whole, atlas, borealis)] == [
        (2 / 3, 3), (1, 1), (1 / 2, 2),
    ]  # fmt: skip
    assert [(one.responses, one.without_statements, one.invalid) for one in (whole, borealis)] == [(2, 0, 1), (1, 0, 1)]
    assert shares(whole.clustered)["statement-level support"] == (1, 2)

    # Among the one response that anna has decided so far it would weigh too much; among all of them it stands.
    (some,) = found.reviewers[0].support
    assert shares(some.strata[0].clustered)["response-level support"] == (1, 1)
    assert "1 invalid response not counted here" in some.cautions[-1]
    small.said("supported", "b.1")
    (every,) = figures_of(small).reviewers[0].support
    assert shares(every.strata[0].clustered)["response-level support"] == (2 / 3, 3)
    assert every.cautions == ()


def test_responses_without_a_source_and_invalid_ones_are_told_apart_by_model(small):
    small.response("a", 1)
    small.invalid("b", "")
    small.invalid("c", "incomplete")
    small.response("d", 1, model="borealis")
    small.invalid("e", "empty", model="borealis")
    found = figures_of(small).kinds
    told = {"all": found.all, **found.by_model}
    assert {name: (one.responses, one.sourceless, one.empty, one.incomplete) for name, one in told.items()} == {
        "all": (5, 1, 1, 1), "atlas": (3, 1, 0, 1), "borealis": (2, 0, 1, 0),
    }  # fmt: skip
    share = found.by_model["atlas"].without_source
    assert (share.value, share.n, share.method) == (1 / 3, 3, "Wilson")
    assert found.by_model["borealis"].invalid.value == 1 / 2


def test_support_by_a_source_the_statement_cites_and_by_any(small):
    """Two sources; of what the second supports, one statement cites the first, one both, and one neither."""
    small.response("a", 5, sources=("ok", "ok"))
    small.judged("one", "not_addressed", "a.1", "a.2", "a.3", "a.4", source=1)
    small.judged("one", "supported", "a.1", "a.2", "a.3", source=2)
    small.cites("a.1", 1)
    small.cites("a.2", 1, 2)
    small.cites("a.4", 1)
    small.cites("a.5", 2)
    report = figures_of(small).support
    found = shares(report.strata[0].clustered)

    assert found["statement-level support, own citations"] == (1 / 3, 3)
    assert found["statement-level support"] == (3 / 4, 4)
    bounds = {each.name: each for each in report.strata[0].bounds}["statement-level support, own citations"]
    assert (bounds.not_supported, bounds.supported, bounds.n, bounds.missing) == (1 / 4, 2 / 4, 4, 1)
    assert "1 statement cites no source itself" in report.cautions[-1]


def test_what_a_statement_cites_supports_it_by_the_rules_of_the_roll_up(small):
    """An unreadable page supports nothing, one not fetched may yet; offline words count where no judge was asked."""
    small.response("a", 4, sources=("http_error", None, "ok", "ok"))
    small.cites("a.1", 1)
    small.cites("a.2", 2)
    small.judged("offline", "supported", "a.3", "a.4", source=3)
    small.judged("one", "partial", "a.3", source=4)
    small.cites("a.3", 3)
    small.cites("a.4", 3)
    own = figures_of(small).support.strata[0].estimate("statement-level support, own citations")

    # a.1 no; a.2 and a.3 open: nobody whose word counts has read what they cite; a.4 yes.
    assert (own.value, own.n, own.dropped) == (1 / 2, 2, 2)


def test_a_response_with_an_open_statement_has_no_support_by_the_reviewer(small):
    small.response("a", 2)
    small.said("supported", "a.1")

    assert figures_of(small).reviewers[0].support == ()


def test_the_offline_judge_is_named_where_it_is_alone(small):
    small.response("a", 2)
    small.judged("offline", "supported", "a.1", "a.2")
    small.said("supported", "a.1")
    alone = figures_of(small)

    assert alone.support.by == "the offline judge (triage by rules, not a verdict)"
    assert "On every statement only the offline judge" in " ".join(
        against(groups_of(alone)["assisted", False]).cautions
    )

    small.judged("one", "supported", "a.2")
    mixed = figures_of(small)

    assert mixed.support.by == "the judges' verdict"
    assert "On 1 of 2 judged statements only the offline judge spoke" in mixed.support.cautions[0]


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


def test_support_of_the_whole_study_is_the_same_without_its_models_and_origins(small):
    small.response("a", 2, model="atlas")
    small.response("b", 2, model="borealis", origin="leaflet")
    small.judged("judge", "Supported", "a.1", "b.1", "b.2")
    small.judged("judge", "Not supported", "a.2")
    small.said("supported", "a.1", "a.2", "b.1", "b.2")
    small.roll_up()
    every, whole = (study_figures(small.study.reader, full=full, resampling=FAST) for full in (True, False))

    assert [(one.split, one.stratum) for one in every.support.strata[1:]] == [
        ("model", "atlas"), ("model", "borealis"), ("origin", "forum"), ("origin", "leaflet"),
    ]  # fmt: skip
    assert whole.support.strata == every.support.strata[:1]
    assert whole.reviewers[0].support[0].strata == every.reviewers[0].support[0].strata[:1]
