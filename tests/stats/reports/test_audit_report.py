"""The audit's figures, alone and with the judges' verdicts, and where each statement of the draw went."""

from dataclasses import asdict

import pytest

from medreview.cli.reports.audit import NOT_DRAWN, audit_parts, flow_line, next_step, short_gain
from medreview.cli.reports.stats_screen import render_screen
from medreview.cli.reports.terminal import printed
from medreview.judges.rollup import set_tie_rule
from medreview.judges.verdicts import refresh
from medreview.review.audit import draw
from medreview.review.queue import open_queue
from medreview.stats.clusters import study_clusters
from medreview.stats.formulas.audit_sampling import LEAST_IN_STRATUM
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.audit_headline import leading_estimate
from medreview.stats.reports.audit_report import (
    AuditFigures,
    AuditFlow,
    audit_report,
    looked_at,
    plan_before_labels,
)
from medreview.stats.reports.audit_verdicts import every_judge, judges_together
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.stats.reports.study_reader import Selection
from medreview.stats.study_figures import study_figures
from medreview.study.audit_frame import permanent_number
from medreview.study.events import NewEvent
from tests.bench.audit_simulation import ORDERS, holds, simulate
from tests.stats.small_study import SmallStudy
from tests.support.study_builder import new_version


def figures(small: SmallStudy) -> list[AuditFigures]:
    names = reviewers(small.study.reader)
    labels = {name: reviewer_labels(small.study.reader, name) for name in names}
    return list(audit_report(small.study.reader, labels).figures)


def report(small: SmallStudy) -> str:
    names = reviewers(small.study.reader)
    labels = {name: reviewer_labels(small.study.reader, name) for name in names}
    return printed(audit_parts(audit_report(small.study.reader, labels)))


def adds_up(flow: AuditFlow) -> bool:
    steps = {name: count for name, count in asdict(flow).items() if name not in ("in_study", "not_drawn", "drawn")}
    del steps["assisted"]
    return flow.in_study == flow.not_drawn + flow.drawn and flow.drawn == sum(steps.values())


@pytest.fixture
def drawn(small: SmallStudy) -> list[str]:
    """Sixty of sixty statements, in the order of the audit."""
    for number in range(20):
        small.response(f"r{number}", 3)
        small.judged("ember", "supported", f"r{number}.1", f"r{number}.2")
    small.roll_up()
    draw(small.study, "anna", rate=1.0)
    return list(open_queue(small.study, "audit", "anna").units)


def test_every_statement_of_the_draw_goes_somewhere_and_only_what_counts_is_used(
    small: SmallStudy, drawn: list[str]
) -> None:
    small.said("supported", *drawn[:30], mode="blind", block="audit")
    small.said("partial", *drawn[30:40], mode="blind", block="audit")
    small.said("cannot_judge", *drawn[40:42], mode="blind", block="audit")
    small.event(NewEvent("defer", drawn[42]), mode="blind", block="audit")
    small.said("partial", drawn[43], mode="open", block="flagged")
    small.event(NewEvent("shown", drawn[44]), mode="open", block="flagged")
    small.said("supported", *drawn[45:50], mode="blind", block="audit")

    (found,) = figures(small)
    flow = found.supported.flow
    assert adds_up(flow)
    assert adds_up(found.judges_right.flow)
    assert (flow.used, flow.assisted, flow.cannot_judge, flow.deferred, flow.seen_before) == (41, 1, 2, 1, 1)
    assert (flow.labelled_out_of_turn, flow.not_looked_at) == (5, 10)  # behind the one that was only seen
    assert found.supported.study.value == pytest.approx(30 / 41)
    assert found.supported.study.notes == ("assisted in part: 1 of 41",)
    assert found.supported.bounds == pytest.approx((30 / 41, 31 / 41))
    assert found.judges_right.flow.no_judgement > 0

    small.said("supported", drawn[44], *drawn[50:], mode="blind", block="audit")
    (found,) = figures(small)
    assert (found.supported.flow.used, found.supported.flow.assisted) == (57, 2)
    assert "labelled behind" not in report(small)


def test_labels_given_through_a_filter_are_no_draw_until_nothing_waits(small: SmallStudy, drawn: list[str]) -> None:
    small.said("supported", *drawn[:20], mode="blind", block="audit")
    small.said("partial", *drawn[20:40], mode="blind", block="audit", filter="response=R01")
    small.said("supported", *drawn[40:59], mode="blind", block="audit")

    (found,) = figures(small)
    assert (found.supported.flow.used, found.supported.flow.labelled_out_of_turn) == (20, 39)
    assert found.supported.study.value is None
    assert sum(label.group.drawn for label in reviewer_labels(small.study.reader, "anna").values()) == 39
    assert "Label the waiting statements first" in report(small)

    small.said("supported", drawn[59], mode="blind", block="audit")
    (found,) = figures(small)
    assert found.supported.flow.used == 60
    assert found.supported.study.value == pytest.approx(40 / 60)
    assert all(label.group.drawn for label in reviewer_labels(small.study.reader, "anna").values())


def test_a_stale_label_is_not_used(small: SmallStudy, drawn: list[str]) -> None:
    for unit in drawn:
        told = {"axis": "evidence", "label": "supported", "exposure": {"judge_verdict": "no"}}
        event = NewEvent("decide", unit, told, snapshot=f"p-{unit.split('.')[0]}/1")
        small.event(event, mode="blind", block="audit")
    new_version(small.study, "r1/1", "other words")

    (found,) = figures(small)
    assert (found.supported.flow.used, found.supported.flow.stale) == (57, 3)


def test_of_several_labels_on_a_statement_the_blind_ones_count_and_one_of_the_draw_is_enough(
    small: SmallStudy, drawn: list[str]
) -> None:
    small.said("supported", *drawn[:30], mode="blind", block="audit")
    small.said("partial", *drawn[30:40], mode="blind", block="audit")
    small.said("supported", *drawn[:10], mode="blind", block="audit", filter="response=R01", who="zoe")
    small.said("partial", *drawn[10:20], mode="open", block="flagged", who="zoe")
    *_, together = figures(small)

    assert together.reviewer is None
    assert (together.supported.flow.used, together.supported.flow.assisted) == (40, 0)
    assert together.supported.study.value == pytest.approx(30 / 40)


def test_reviewers_share_a_draw_and_what_triage_found_is_known(small: SmallStudy, drawn: list[str]) -> None:
    small.said("supported", *drawn[:30], mode="blind", block="audit")
    small.said("partial", *drawn[30:], mode="blind", block="audit", who="zoe")
    anna, zoe, together = figures(small)

    assert (anna.reviewer, zoe.reviewer, together.reviewer) == ("anna", "zoe", None)
    assert anna.supported.flow.used == 30
    assert zoe.supported.flow.used == 0  # the first of the draw waits for her
    assert together.supported.flow.used == 60
    assert together.supported.study.value == pytest.approx(0.5)
    assert "all reviewers together" in report(small)

    small.said("supported", drawn[30], mode="blind", block="audit")
    assert figures(small)[-1].supported.study.value == pytest.approx(30.5 / 60)


def test_where_all_that_is_flagged_was_labelled_the_triage_is_a_part_of_the_figure(
    small: SmallStudy, drawn: list[str]
) -> None:
    flagged = [unit for unit in drawn if unit.endswith(".3")]
    small.study.write(lambda c: c.execute("UPDATE verdict SET priority = statement_id LIKE '%.3'"))
    small.said("partial", *flagged[:19], mode="open", block="flagged")
    small.said("supported", *(unit for unit in drawn if unit not in flagged), mode="blind", block="audit")
    assert figures(small)[0].with_triage is None

    small.said("supported", flagged[19], mode="blind", block="audit")
    (found,) = figures(small)
    assert found.with_triage.value == pytest.approx(41 / 60)
    text = report(small)
    assert "supported, with the triage" in text
    assert "Assisted in part: 19 of 60." in text
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_drawn_and_nothing_met(small: SmallStudy) -> None:
    assert NOT_DRAWN in " ".join(report(small).split())
    small.response("a", 3)
    small.said("supported", "a.1")
    draw(small.study, "anna", size=1, by="model")
    draw(small.study, "anna", rate=0.000001)
    text = report(small)
    assert "drawn, each with" in text
    assert flow_line(AuditFlow(3, 3, *[0] * 12)) == "3 in the study, 3 not drawn, 0 drawn"


@pytest.mark.parametrize("order", ORDERS)
def test_the_audit_finds_the_truth_whatever_came_first(order: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    found = list(simulate(order, 4, 3, tmp_path))

    defined = [each for each in found if each.figure.value is not None]
    assert len(defined) >= 3
    assert sum(map(holds, defined)) >= len(defined) - 1
    bias = sum((each.figure.value or 0) - each.truth for each in defined) / len(defined)
    assert abs(bias) < 0.05


def test_members_that_were_read_in_an_export_alone_are_seen_as_the_record_of_looks_has_it(
    small: SmallStudy, drawn: list[str]
) -> None:
    small.said("supported", *drawn[:5], mode="blind", block="audit")
    small.event(NewEvent("shown", drawn[7]), mode="open", block="flagged")
    seen_of = "SELECT unit FROM judges_seen JOIN audit_item ON statement_id = unit WHERE reviewer = 'anna'"
    assert looked_at(small.study.reader, "anna", 1).seen == {drawn[7]}

    small.event(NewEvent("look", small.study.meta("study_id"), {"what": "export", "shown": "verdicts"}), block="export")
    seen = looked_at(small.study.reader, "anna", 1).seen
    assert seen == {row[0] for row in small.study.reader.execute(seen_of)} == set(drawn)
    (found,) = figures(small)
    assert (found.supported.flow.used, found.supported.flow.seen_before) == (5, 55)


RESPONSES = 40
FEW = Resampling(replicates=99)


def units() -> list[str]:
    return [f"r{number}.{ordinal}" for number in range(RESPONSES) for ordinal in range(1, 6)]


def with_verdicts(small: SmallStudy, **more: object) -> list[AuditFigures]:
    reader = small.study.reader
    labels = {name: reviewer_labels(reader, name) for name in reviewers(reader)}
    return list(audit_report(reader, labels, every_judge(reader), **more).figures)  # type: ignore[arg-type]


def report_with_verdicts(small: SmallStudy) -> str:
    reader = small.study.reader
    labels = {name: reviewer_labels(reader, name) for name in reviewers(reader)}
    return printed(audit_parts(audit_report(reader, labels, every_judge(reader))))


@pytest.fixture
def audited(small: SmallStudy) -> dict[str, list[str]]:
    """200 statements, 140 of them supported by the one judge; 60 audited, by what judge and reviewer say of them.

    Of 40 audited ones with a yes of the judge 36 are supported, of 20 with a no 2.
    """
    for number in range(RESPONSES):
        small.response(f"r{number}", 5, model="atlas" if number < 30 else "boreas")
    # An id with which 60 of the 200 are the lowest numbers, not a few more by chance.
    ids = (f"study_{number}" for number in range(99))
    seed = next(each for each in ids if sum(permanent_number(each, unit) < 0.3 for unit in units()) <= 60)
    small.study.write(lambda c: c.execute("UPDATE study SET value = ? WHERE key = 'study_id'", (seed,)))
    draw(small.study, "anna", size=60)
    drawn = list(open_queue(small.study, "audit", "anna").units)
    rest = [unit for unit in units() if unit not in drawn]
    small.judged("ember", "supported", *drawn[:40], *rest[:100])
    small.judged("ember", "not_addressed", *drawn[40:], *rest[100:])
    small.roll_up()
    small.said("supported", *drawn[:36], *drawn[40:42], mode="blind", block="audit")
    small.said("partial", *drawn[36:40], *drawn[42:], mode="blind", block="audit")
    return {"drawn": drawn, "rest": rest}


def test_what_the_judge_says_of_all_is_corrected_by_what_the_audit_found(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    (found,) = with_verdicts(small)
    together, ember = found.with_verdicts

    assert found.supported.study.value == pytest.approx(38 / 60)
    assert together.supported.value == pytest.approx(0.7 * 36 / 40 + 0.3 * 2 / 20)
    assert together.weight == pytest.approx(0.9 - 0.1)
    assert (together.alone.value, together.alone.low, together.alone.n) == (0.7, None, 200)
    assert together.judge_right.value == pytest.approx(0.7 * 36 / 40 + 0.3 * 18 / 20)
    assert (together.statements, together.without_verdict, together.audited) == (200, 0, 60)
    assert (together.judge, ember.judge) == ("the judges together", "ember")
    assert ember.supported.value == together.supported.value
    assert together.as_good_as is not None
    assert together.as_good_as > 60
    assert found.leading == together.supported
    own, helped = found.plan.study, found.plan.study_with_verdicts
    assert own.more is not None
    assert helped.more is not None
    assert own.more > helped.more > 0


def test_the_same_stands_in_stats_and_for_a_part_of_the_study(small: SmallStudy, audited: dict[str, list[str]]) -> None:
    report_with_verdicts = study_figures(small.study.reader, resampling=FEW).audit
    assert list(report_with_verdicts.figures) == with_verdicts(small)

    part = Selection(frozenset([*audited["drawn"][:55], *audited["rest"][:120]]), "some")
    (of_part,) = study_figures(small.study.reader, only=part, resampling=FEW).audit.figures
    (helped, _) = of_part.with_verdicts
    # 40 yes and 15 no of 55 audited, 140 yes of 175 in this part.
    assert (helped.statements, helped.audited) == (175, 55)
    assert helped.supported.value == pytest.approx(140 / 175 * 36 / 40 + 35 / 175 * 2 / 15)


def test_statements_without_a_verdict_are_counted_and_ties_go_by_the_rule(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    drawn, rest = audited["drawn"], audited["rest"]
    small.judged("flint", "not_addressed", *drawn[30:40], *rest[:25])
    refresh(small.study)
    (found,) = with_verdicts(small)
    together = found.with_verdicts[0]

    assert (together.without_verdict, together.tied, together.audited_without_verdict) == (35, 35, 10)
    assert together.alone.value == pytest.approx(105 / 165)
    assert together.alone_bounds == pytest.approx((105 / 200, 140 / 200))
    text = report_with_verdicts(small)
    said = " ".join(text.split())
    assert "no verdict tied the judges together 63.6% 165 35 35 ember" in said
    assert "mean of the verdicts (tie rule: undecided)" in said
    assert "Without a verdict of the judges together: 10 of 60 audited." in said
    assert "say 52.5% to 70.0%" in said
    flint = found.with_verdicts[2]
    assert "same verdict" in str(flint.supported.reason)
    assert "flint, supported: All audited statements have the same verdict" in said

    set_tie_rule(small.study, "supported")
    refresh(small.study)
    (found,) = with_verdicts(small)
    assert found.with_verdicts[0].without_verdict == 0
    assert found.with_verdicts[0].supported.value == pytest.approx(0.7 * 36 / 40 + 0.3 * 2 / 20)


def test_the_rate_corrected_for_errors_stands_beside_and_is_of_the_statements_with_a_verdict(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    """Of 38 supported ones 36 are called so, of 22 others 18 are not; 140 of 200 verdicts say yes."""
    (found,) = with_verdicts(small)
    together = found.with_verdicts[0]

    sensitivity, specificity = 36 / 38, 18 / 22
    rate = (0.7 + specificity - 1) / (sensitivity + specificity - 1)
    assert together.corrected.study.value == pytest.approx(rate)
    assert together.beside_corrected.value == together.supported.value
    said = " ".join(report_with_verdicts(small).split())
    assert "(Rogan-Gladen), a check: 67.7% (95% CI" in said
    assert "sensitivity 94.7%" in said
    assert "It agrees with the estimate by audit and verdicts: each lies" in said

    small.judged("flint", "not_addressed", *audited["drawn"][30:40], *audited["rest"][:25])
    refresh(small.study)
    (found,) = with_verdicts(small)
    together = found.with_verdicts[0]
    # Of the 50 audited ones with a verdict 28 of 30 hits, 16 of 20 clear; 105 of 165 verdicts say yes.
    assert (together.corrected.study.n, together.corrected.study.dropped) == (50, 10)
    assert together.beside_corrected.n == 50
    assert "of the 165 statements with a verdict" in " ".join(report_with_verdicts(small).split())


def test_a_judge_asked_about_the_audited_statements_alone_is_no_help(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    small.judged("flint", "supported", *audited["drawn"][:30])
    small.judged("flint", "partial", *audited["drawn"][30:])
    (found,) = with_verdicts(small)

    reason = str(found.with_verdicts[2].supported.reason)
    assert reason.startswith("There are verdicts on 100% of the audited statements and on 30% of the study")


def test_labels_given_with_the_judges_in_sight_need_to_be_asked_for(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    small.event(NewEvent("shown", audited["drawn"][0]))
    small.said("partial", *audited["drawn"][:6], mode="open", block="flagged", who="zoe")
    zoe = with_verdicts(small)[1]
    assert zoe.reviewer == "zoe"

    small.said("partial", *audited["drawn"][6:20], who="zoe", mode="open", block="flagged")
    small.said("supported", *audited["drawn"][20:], who="zoe", mode="blind", block="audit")
    zoe = with_verdicts(small)[1]
    assert zoe.supported.study.value == pytest.approx(40 / 60)
    assert "--assisted" in str(zoe.with_verdicts[0].supported.reason)
    assert zoe.leading == zoe.supported.study
    assert zoe.plan.study_with_verdicts.labels is None

    asked = with_verdicts(small, assisted=True)[1].with_verdicts[0]
    assert asked.supported.value == pytest.approx(0.7 * 20 / 40 + 0.3 * 20 / 20)
    assert asked.supported.notes == ("assisted in part: 20 of 60",)


def test_strata_count_by_their_size_in_the_study(small: SmallStudy, audited: dict[str, list[str]]) -> None:
    (found,) = with_verdicts(small)

    models = {unit: "atlas" if int(unit.split(".")[0][1:]) < 30 else "boreas" for unit in units()}
    said = reviewer_labels(small.study.reader, "anna")
    mean = {
        model: [said[unit].label == "supported" for unit in audited["drawn"] if models[unit] == model]
        for model in ("atlas", "boreas")
    }
    assert min(map(len, mean.values())) >= LEAST_IN_STRATUM
    expected = sum(share * sum(mean[model]) / len(mean[model]) for model, share in (("atlas", 0.75), ("boreas", 0.25)))
    assert found.post_stratified["model"].value == pytest.approx(expected)
    assert "origin" not in found.post_stratified


def test_a_weight_of_one_and_other_points_can_be_asked_for(small: SmallStudy, audited: dict[str, list[str]]) -> None:
    (found,) = with_verdicts(small, weight=1.0, points=0.1)

    assert found.with_verdicts[0].supported.value == pytest.approx(0.7 + (2 - 4) / 60)
    assert found.plan.points == 0.1
    before = plan_before_labels(small.study.reader, 0.1)
    assert before.study.labels is not None
    assert found.plan.study.labels is not None
    assert found.plan.study.labels <= before.study.labels


def test_the_gain_and_the_next_step_in_few_words(
    small: SmallStudy, audited: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medreview.cli.reports.terminal._HEIGHT", 40)
    (found,) = with_verdicts(small)
    assert short_gain(found) == (f"with the verdicts, 60 labels are as good as {found.with_verdicts[0].as_good_as}")
    screen = " ".join(
        render_screen(study_figures(small.study.reader, full=False, resampling=FEW), small.study.path).split()
    )
    assert short_gain(found) in screen
    (step,) = next_step(found, small.study.path)
    assert step.command in screen
    assert step.command.endswith(f" --size {found.plan.study_with_verdicts.labels}")

    small.said("partial", audited["drawn"][0], who="zoe", mode="open", block="flagged")
    zoe = with_verdicts(small)[1]
    assert short_gain(zoe) == ""
    (step,) = next_step(zoe, small.study.path)
    assert step.command.endswith(" --queue audit")


def test_a_home_screen_gets_the_same_figure_without_reading_judgements(
    small: SmallStudy, audited: dict[str, list[str]]
) -> None:
    (found,) = with_verdicts(small)
    home = leading_estimate(small.study.reader, "anna")

    assert home.estimate == found.leading
    clusters = study_clusters(small.study.reader)
    assert judges_together(small.study.reader, clusters).verdicts == every_judge(small.study.reader)[0].verdicts
    assert home.words.startswith("supported in this study, estimated 66% ± ")
    assert home.words.endswith(" (the judges alone say 70%; no plan is set: ± holds for one look)")
    assert (home.used, home.waiting, home.assisted) == (60, 0, 0)
    assert leading_estimate(small.study.reader, "zoe") is None

    small.said("partial", audited["drawn"][0], who="zoe", mode="open", block="flagged")
    few = leading_estimate(small.study.reader, "zoe")
    assert few.words == (
        "supported in this study, not estimated yet: 30 statements that count are needed: 1 so far, 29 more."
    )


def test_without_judges_or_without_labels_everything_says_what_is_missing(small: SmallStudy) -> None:
    small.response("one", 60)
    draw(small.study, "anna", rate=1.0)
    drawn = list(open_queue(small.study, "audit", "anna").units)
    for unit in drawn:
        small.event(NewEvent("defer", unit), mode="blind", block="audit")
    (found,) = with_verdicts(small)
    assert (found.supported.flow.deferred, found.supported.study.value) == (60, None)
    assert (found.plan.usable, found.plan.study.now) == (1.0, None)
    assert found.plan.at_large.reason == "How much responses differ is not known yet."

    small.said("supported", *drawn[:40], mode="blind", block="audit")
    small.said("partial", *drawn[40:], mode="blind", block="audit")
    (found,) = with_verdicts(small)
    (together,) = found.with_verdicts
    assert together.supported.reason == together.alone.reason == "No statement has a verdict."
    assert together.alone_bounds is None
    assert found.leading == found.supported.study
    assert found.plan.study.more == 0  # all of the study is labelled
    assert found.plan.at_large.reason == "One response cannot show how responses differ."
    text = " ".join(report_with_verdicts(small).split())
    assert "The study by the audit of anna, first blind labels" in text
    assert "nan" not in text
    assert "The verdicts alone, uncorrected value n no verdict tied the judges together undefined" in text
    assert "the judges together: No statement has a verdict." in text


def test_a_draw_by_flag_is_weighted_with_verdicts_too(small: SmallStudy) -> None:
    for number in range(RESPONSES):
        small.response(f"r{number}", 5)
    small.judged("ember", "supported", *(unit for unit in units() if not unit.endswith((".1", ".2"))))
    small.judged("ember", "contradicted", *(unit for unit in units() if unit.endswith((".1", ".2"))))
    small.roll_up()
    draw(small.study, "anna", size=40, by="flagged")
    drawn = list(open_queue(small.study, "audit", "anna").units)
    said_yes = [unit for unit in drawn if not unit.endswith((".1", ".2"))]
    said_no = [unit for unit in drawn if unit.endswith((".1", ".2"))]
    small.said("supported", *said_yes[:-6], *said_no[:6], mode="blind", block="audit")
    small.said("partial", *said_yes[-6:], *said_no[6:], mode="blind", block="audit")

    together = with_verdicts(small)[0].with_verdicts[0]
    expected = 0.6 * (len(said_yes) - 6) / len(said_yes) + 0.4 * 6 / len(said_no)
    assert together.supported.value == pytest.approx(expected)
    assert together.alone.value == pytest.approx(0.6)
