"""The audit's figures, and where each statement of the draw went."""

from dataclasses import asdict

import pytest

from medreview.cli.reports.audit import NOT_DRAWN, audit_parts, flow_line
from medreview.cli.reports.terminal import printed
from medreview.review.audit import draw
from medreview.review.queue import open_queue
from medreview.stats.reports.audit_report import AuditFigures, AuditFlow, audit_report, looked_at
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
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
    assert "What waits comes first" in report(small)

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
    assert found.with_triage is not None
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
    assert flow_line(AuditFlow(3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) == "3 in the study, 3 not drawn, 0 drawn"


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
