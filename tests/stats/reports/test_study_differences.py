"""Parts of a study: differences of judges, models and modes, what sets a part apart, what cannot be said of it."""

from typing import Any

import pytest

from medreview.cli.reports.estimates import difference_parts
from medreview.cli.reports.terminal import printed
from medreview.errors import UserError
from medreview.review.queue_filters import select_statements
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.hypothesis_tests import StatisticDifference
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.stats.reports.study_differences import CHOSEN_HERE, DifferenceFamily
from medreview.stats.reports.study_reader import AUDIT_BY_LABELS, AUDIT_OF_PART, EVERYTHING
from medreview.stats.reports.subgroups import DIVISIONS, ByReport, StratumFigures, about, by_report, strata_of
from medreview.stats.study_figures import StudyFigures, study_figures
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import build

FAST = Resampling(replicates=199)


def families(small: SmallStudy, **more: Any) -> dict[tuple[str, str | None], DifferenceFamily]:
    small.roll_up()
    found = study_figures(small.study.reader, resampling=FAST, **more).differences
    return {(one.between, one.mode or (one.drawn and "drawn") or None): one for one in found}


def one(family: DifferenceFamily, first: str, second: str, statistic: str) -> StatisticDifference:
    return next(d for d in family.differences if (d.first, d.second, d.statistic) == (first, second, statistic))


@pytest.fixture
def judged(small: SmallStudy) -> SmallStudy:
    """Six responses of two statements, of two models. anna: the first of each is supported, the second is not.

    Judge one is right but on c.2; judge two calls everything supported but d.1 and d.2; three is right where it spoke.
    """
    for place, name in enumerate("abcdef"):
        small.response(name, 2, model="atlas" if place < 3 else "borealis")
    for name in "abcdef":
        small.judged("one", "supported", f"{name}.1", *(["c.2"] if name == "c" else []))
        small.judged("one", "partial", *([f"{name}.2"] if name != "c" else []))
        small.judged("two", "contradicted" if name == "d" else "supported", f"{name}.1", f"{name}.2")
        small.said("supported", f"{name}.1", mode="blind", block="audit")
        small.said("not_addressed", f"{name}.2", mode="blind", block="audit")
    small.judge("a.1 a.2", three="SP")
    return small


def test_one_judge_minus_another_on_the_same_statements_with_mcnemar_over_responses(judged):
    family = families(judged)["judges", "blind"]
    agree, kappa = (one(family, "one", "two", name) for name in ("percent agreement", "Cohen's kappa"))

    # one: 11 of 12; two: a b e f one each, c one, d one: 6 of 12. Alone right: one on a.2 b.2 d.1 e.2 f.2, two nowhere.
    assert agree.estimate.value == pytest.approx(11 / 12 - 6 / 12)
    assert (agree.estimate.n, agree.estimate.clusters, agree.estimate.dropped) == (12, 6, 0)
    # Five responses differ by 1, one (c) by 0: chi-squared 5/6 x 25/5.
    assert agree.test == "McNemar over responses"
    assert agree.pvalue == pytest.approx(0.0412, abs=1e-4)
    # kappa of one: (11/12 - 1/2) / (1/2); of two: 5 6 in the column of supported 1 in the other: 6 of 12, chance 1/2.
    assert kappa.estimate.value == pytest.approx(5 / 6 - 0)
    assert (kappa.test, kappa.estimate.n) == ("Student's t, jackknife over responses", 12)
    assert kappa.pvalue is not None


def test_a_judge_that_spoke_on_few_statements_is_compared_on_these_alone(judged):
    small = one(families(judged)["judges", "blind"], "one", "three", "percent agreement").estimate

    assert (small.n, small.clusters, small.dropped, small.value) == (2, 1, 10, 0)
    assert "one response" in str(small.reason)


def test_the_jury_is_held_against_the_best_single_judge_and_that_is_said_to_flatter_it(judged):
    family = families(judged)["judges", "blind"]
    (best,) = {d.second for d in family.differences if d.first == "the judges together"}

    # three is always right, on two statements of one response: kappa 1.
    assert best == "three"
    assert family.cautions == (CHOSEN_HERE,)
    assert {d.family for d in family.differences} == {sum(d.pvalue is not None for d in family.differences)}
    assert all((d.adjusted or 1) >= (d.pvalue or 0) for d in family.differences)


def test_support_of_one_model_minus_anothers_is_of_the_verdicts(judged):
    judged.invalid("g", "empty", model="borealis")
    family = families(judged)["models_support", None]
    statements, responses = (
        one(family, "borealis", "atlas", statistic).estimate for statistic in ("statement support", "response support")
    )

    # Verdicts (one and two, and three on a): supported a.1 b.1 c.1 c.2 and e.1 f.1; not a.2 d.2; tied: b.2 d.1 e.2 f.2.
    assert statements.value == pytest.approx(2 / 3 - 4 / 5)
    assert statements.n == 8
    # Whole: a (not) and c (supported); of borealis only the invalid one, which is not.
    assert (responses.value, responses.n) == (-1 / 2, 3)


def test_agreement_by_model_and_blind_minus_assisted_by_hand(judged):
    judged.response("g", 2)
    judged.judge("g.1 g.2", one="SS")
    judged.say("g.1 g.2", anna="SP", block="audit")
    found = families(judged)
    by_model = one(found["models_agreement", "blind"], "atlas", "borealis", "percent agreement").estimate
    modes = one(found["modes", "drawn"], "blind", "assisted", "percent agreement").estimate

    # Not tied: a.1 a.2 b.1 c.1 right and c.2 wrong of atlas; d.2 e.1 f.1 right of borealis.
    assert by_model.value == pytest.approx(4 / 5 - 1)
    assert modes.value == pytest.approx(7 / 8 - 1 / 2)
    assert modes.n == 10


def test_without_the_full_figures_nothing_of_labels_is_subtracted(judged):
    assert families(judged, full=False) == {}


def test_the_report_names_first_and_second_the_test_and_the_family(judged):
    text = printed(difference_parts(tuple(families(judged).values())), styled=False)

    assert "agreement with anna (blind, random audit), one judge minus another" in text
    assert "one - two" in text
    assert "+41.7" in text
    assert "McNemar over responses" in text
    assert "nan" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_models_that_are_left_out_are_not_called_smaller_than_their_equals(small):
    for name in "abcdefg":
        small.response(name, 1, model=f"model-{name}")
        small.judged("one", "supported" if name < "d" else "partial", f"{name}.1")
    family = families(small)["models_support", None]
    assert family.omitted == 1
    told = " ".join(printed(difference_parts([family])).split())
    assert "1 more model not compared: those with most responses are, and of equal ones the first by name" in told
    assert "smaller" not in told


FEW = Resampling(replicates=199)


def divided(small: SmallStudy, by: str) -> ByReport:
    reader = small.study.reader
    labels = {name: reviewer_labels(reader, name) for name in reviewers(reader)}
    return by_report(reader, by, labels, FEW)


def named(report: ByReport) -> dict[str, StratumFigures]:
    return {part.stratum: part for part in report.strata}


def three_models(small: SmallStudy) -> None:
    """Ten responses of atlas all supported, ten of ember half so; one statement of a third model."""
    for number in range(20):
        name = f"r{number}"
        small.response(name, 2, model="atlas" if number < 10 else "ember", origin="forum" if number % 2 else "clinic")
        small.judged("amber", "supported", f"{name}.1")
        small.judged("amber", "supported" if number < 10 else "contradicted", f"{name}.2")
        small.judged("basalt", "supported", f"{name}.1", f"{name}.2")
    small.response("r99", 1, model="tiny")
    small.roll_up()


def test_each_part_has_its_own_share_and_what_sets_it_apart(small):
    three_models(small)
    report = divided(small, "model")
    parts = named(report)

    assert [(part.stratum, part.statements, part.responses) for part in report.strata] == [
        ("atlas", 20, 10),
        ("ember", 20, 10),
    ]
    assert (report.folded, report.untold) == (1, 1), "the verdict of one statement is no figure"
    # A tie of two judges is no verdict: ten of ember's statements are left out.
    atlas, ember = parts["atlas"].supported, parts["ember"].supported
    assert (atlas.value, atlas.n, ember.value, ember.n, ember.dropped) == (1.0, 20, 1.0, 10, 10)
    assert atlas.low is None
    assert "all are supported in 10 of 10 responses" in atlas.reason


def test_a_judge_stands_beside_all_judges_where_both_have_a_verdict(small):
    three_models(small)
    report = divided(small, "judge")
    amber, basalt = named(report)["amber"], named(report)["basalt"]

    assert (amber.supported.value, basalt.supported.value) == (0.75, 1.0)
    assert report.against == "the judges together, where both have a verdict"
    # Where the two differ all together are tied: on the other statements each says what both say.
    assert (amber.apart.estimate.value, amber.apart.estimate.n) == (0.0, 30)
    assert amber.apart.pvalue is None


def test_a_judge_that_the_others_outvote_is_set_apart_on_the_same_statements(small):
    three_models(small)
    for number in range(20):
        small.judged("chalk", "supported", f"r{number}.1", f"r{number}.2")
        small.said("supported", f"r{number}.1", f"r{number}.2", mode="blind", block="audit")
    small.roll_up()
    report = divided(small, "judge")
    amber, chalk = named(report)["amber"], named(report)["chalk"]

    # Two of three say supported each time: amber is outvoted on 10 of 40.
    assert amber.apart.estimate.value == pytest.approx(-0.25)
    assert amber.apart.pvalue < 0.05
    assert amber.apart.adjusted == amber.apart.pvalue
    assert (chalk.apart.estimate.value, chalk.apart.pvalue) == (0.0, None)
    assert amber.reviewers[0].apart.estimate.value == pytest.approx(-0.25)
    assert amber.reviewers[0].estimate("percent agreement").value == 0.75


def test_labels_of_one_group_are_set_beside_the_judges_in_each_part(small):
    three_models(small)
    for number in range(20):
        label = "supported" if number % 3 else "partial"
        small.said(label, f"r{number}.1", mode="blind", block="audit")
        small.said("supported", f"r{number}.2")
    report = study_figures(small.study.reader, resampling=FEW, by="origin").by
    parts = named(report)
    anna = {name: part.reviewers[0] for name, part in parts.items()}

    assert {one.group for one in anna.values()} == {"blind, random audit"}
    assert {name: one.labels for name, one in anna.items()} == {"clinic": 10, "forum": 10}
    # 0, 6, 12, 18 of the even ones are partial, 3, 9, 15 of the odd ones.
    assert (anna["clinic"].supported.value, anna["forum"].supported.value) == (0.6, 0.7)
    assert anna["clinic"].table == ((6, 0), (4, 0))
    assert anna["forum"].estimate("percent agreement").value == 0.7
    # Of two parts that are the whole one difference is enough.
    first, second = (part.reviewers[0].apart for part in report.strata)
    assert (report.strata[0].stratum, report.strata[0].statements) == ("forum", 21)
    assert first.estimate.value == pytest.approx(0.7 - 0.6)
    assert second is None


def test_queues_are_shown_by_their_own_labels_and_not_compared(small):
    three_models(small)
    for number in range(6):
        small.said("supported", f"r{number}.1", mode="blind", block="audit")
        small.said("partial", f"r{number}.2", block="flagged")
    parts = named(divided(small, "queue"))

    assert {name: part.reviewers[0].group for name, part in parts.items() if part.reviewers[0].labels} == {
        "audit": "blind, random audit",
        "flagged": "assisted, other queues",
    }
    assert all(part.reviewers[0].apart is None for part in parts.values())


@pytest.mark.parametrize("seed", range(30, 34))
def test_the_parts_of_any_study_agree_with_its_other_figures(small, seed):
    fill(small, seed)
    figures = study_figures(small.study.reader, resampling=FEW)
    for by in DIVISIONS:
        report = divided(small, by)
        assert report.by == by
        if by in ("model", "origin"):
            assert sum(part.statements for part in report.strata) + report.untold == figures.statements
            whole = figures.support.strata[0].estimate("statement-level support")
            told = sum(part.supported.n + part.supported.dropped for part in report.strata)
            assert told + report.untold == whole.n + whole.dropped
        for part in report.strata:
            assert part.supported.n + part.supported.dropped == part.statements
            for one in part.reviewers:
                assert one.supported.n + one.supported.dropped == one.labels
                agreed = one.estimate("percent agreement")
                assert agreed.n == sum(map(sum, one.table))


FEWER = Resampling(replicates=99)


def of_part(small: SmallStudy, text: str, **more) -> StudyFigures:
    only = select_statements(small.study.reader, text)
    return study_figures(small.study.reader, resampling=FEWER, only=only, **more)


def two_models(small: SmallStudy) -> None:
    small.response("r1", 2, ["ok", "http_error"], model="atlas", origin="forum")
    small.response("r2", 3, model="ember", origin="clinic")
    small.invalid("r3", "empty", model="ember")
    small.judge("r1.1 r1.2 r2.1 r2.2 r2.3", amber="SSSPP", offline="----S")
    small.cites("r1.1", 2)
    small.roll_up()


def test_a_filter_takes_the_words_of_queues(small):
    two_models(small)
    reader = small.study.reader

    assert select_statements(reader, "  ") is EVERYTHING
    assert select_statements(reader, "model=atlas").statements == {"r1.1", "r1.2"}
    ember = select_statements(reader, "model=ember")
    assert (ember.statements, ember.responses, ember.tells) == ({"r2.1", "r2.2", "r2.3"}, {"r3"}, False)
    assert select_statements(reader, "verdict=partial origin=clinic").responses == set()
    for text, words in (
        ("colour=red", "A filter cannot use 'colour'"),
        ("model=nobody", "Nothing in the study fits 'model=nobody'."),
        ("mine=supported", "nobody has reviewed anything yet"),
    ):
        with pytest.raises(UserError, match=words):
            select_statements(reader, text)


def test_labels_in_a_filter_are_those_of_one_reviewer(small):
    two_models(small)
    small.said("supported", "r1.1", who="anna")
    reader = small.study.reader
    mine = select_statements(reader, "mine=supported")
    assert (mine.statements, mine.by_labels) == ({"r1.1"}, True)
    small.said("supported", "r2.1", who="ben")

    with pytest.raises(UserError, match="one of anna, ben"):
        select_statements(reader, "mine=supported")
    assert select_statements(reader, "mine=supported", "ben").statements == {"r2.1"}
    assert not select_statements(reader, "verdict=supported").by_labels


def test_figures_of_a_part_are_those_of_a_study_that_holds_no_more(small, tmp_path):
    two_models(small)
    small.said("supported", "r1.1", "r2.1", "r2.2")
    figures = of_part(small, "model=ember")
    support = figures.support.strata[0]

    assert (figures.statements, figures.responses, figures.provenance.where) == (3, 2, "model=ember")
    assert (figures.part.statements, figures.part.in_study, figures.part.parted) == (3, 5, 0)
    assert figures.reviewers[0].progress.decided == 2
    assert support.estimate("statement-level support").value == pytest.approx(1 / 3)
    # An invalid response is none of the statements, and not supported.
    assert (support.estimate("response-level support").n, support.invalid) == (2, 1)
    assert figures.kinds.all.responses == 2
    assert figures.between_judges.tallies[0].asked == 3
    assert AUDIT_OF_PART in figures.part.cautions
    assert study_figures(small.study.reader, resampling=FEWER).part is None


def test_a_response_that_is_in_part_here_is_in_no_figure_on_whole_ones(small):
    two_models(small)
    figures = of_part(small, "verdict=supported")
    support = figures.support.strata[0]

    assert (figures.statements, figures.responses, figures.part.parted) == (3, 2, 1)
    assert support.estimate("statement-level support").value == 1.0
    assert support.estimate("response-level support").n == 1
    assert support.estimate("unused sources").n == 2


def test_no_audit_is_told_of_what_labels_chose(small):
    two_models(small)
    small.said("supported", "r1.1")
    build(small.study, lambda rows: rows.add("audit_frame", statement_id="r1.1", number=0.1, stratum="all", rate=0.5))
    assert study_figures(small.study.reader, resampling=FEWER).audit.figures
    figures = of_part(small, "mine=supported")

    assert figures.audit.figures == ()
    assert AUDIT_BY_LABELS in figures.part.cautions


@pytest.mark.parametrize("seed", range(6))
def test_every_statement_is_in_a_stratum_of_every_division(small, seed):
    fill(small, seed)
    units = {row[0] for row in small.study.reader.execute("SELECT statement_id FROM statement_standing")}
    for by in DIVISIONS:
        found = strata_of(small.study.reader, by)
        assert found.keys() == units, by
        assert all(found.values()), by


def test_what_a_statement_cites_itself_comes_before_what_its_response_cites(small):
    two_models(small)
    small.response("r4", 1, [None])
    small.response("r5", 1, [])
    pages = strata_of(small.study.reader, "page")

    assert (pages["r1.1"], pages["r1.2"]) == (("http_error",), ("http_error", "ok"))
    assert (pages["r4.1"], pages["r5.1"]) == (("not fetched",), ("no source",))
    assert strata_of(small.study.reader, "domain")["r1.2"] == ("page.example",)
    assert "several" in about("page")
    assert "several" not in about("model")


def test_judges_quotes_and_queues_divide_by_what_was_said(small):
    two_models(small)
    small.said("supported", "r1.1", block="flagged")
    small.said("partial", "r1.1", block="audit", who="ben")
    reader = small.study.reader

    assert strata_of(reader, "judge")["r2.3"] == ("amber", "offline (words only)")
    assert set(strata_of(reader, "quote").values()) == {("no quote",)}
    queues = strata_of(reader, "queue")
    assert (queues["r1.1"], queues["r1.2"]) == (("audit", "flagged"), ("not decided",))
    assert strata_of(reader, "queue", "ben")["r1.1"] == ("audit",)
