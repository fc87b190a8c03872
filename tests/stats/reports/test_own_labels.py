"""What a reviewer's own labels say of the answers, and the flow of items."""

import pytest

from medreview.cli.reports.stats_screen import render_screen
from medreview.review.audit import draw
from medreview.review.home_figures import home_figures
from medreview.review.queue_filters import select_statements
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.how_good import Answer
from medreview.stats.reports.own_labels import OwnLabels
from medreview.stats.reports.review_progress import ItemFlow, item_flow
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.stats.study_figures import study_figures
from medreview.study.events import NewEvent
from medreview.study.ids import unit_id
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy

FEW = Resampling(replicates=99)


def own(small: SmallStudy) -> OwnLabels:
    found = home_figures(small.study.reader, "anna", judges=False).own
    assert found is not None
    assert found == study_figures(small.study.reader, full=False, resampling=FEW).reviewers[0].own
    return found


def screen(small: SmallStudy) -> str:
    small.roll_up()
    return render_screen(study_figures(small.study.reader, full=False, resampling=FEW), small.study.path)


def answers(small: SmallStudy) -> tuple[Answer, ...]:
    return study_figures(small.study.reader, full=False, resampling=FEW).answers


def on_page(small: SmallStudy, unit: str, label: str, source: int) -> None:
    """A label with the page of a source open."""
    payload = {"axis": "evidence", "label": label, "exposure": {"judge_verdict": "before"}}
    small.event(NewEvent("decide", unit, payload, f"p-{unit.split('.')[0]}/{source}"))


@pytest.fixture
def decided(small: SmallStudy) -> SmallStudy:
    """Four responses of two statements each, all with a label; the rules find nothing supported."""
    for name in "abcd":
        small.response(name, 2)
        small.judged("offline", "not_addressed", f"{name}.1", f"{name}.2")
        small.said("supported", f"{name}.1")
        small.said("supported" if name in "ab" else "contradicted", f"{name}.2")
    return small


def test_labels_on_all_statements_say_how_many_are_supported_and_how_many_whole_responses(decided) -> None:
    found = own(decided)
    assert (found.basis, found.of_what, found.caution) == ("all", "all 8 of 8", "")
    assert (found.any_source.value, found.any_source.n, found.any_source.clusters) == (6 / 8, 8, 4)
    assert (found.responses.value, found.responses.n) == (2 / 4, 4)
    assert found.any_source.low is not None
    assert found.cited.value is None


def test_a_cited_source_supports_by_the_page_on_record_or_a_label_on_the_pair(small: SmallStudy) -> None:
    small.response("a", 5, ("ok", "ok"))
    for number in range(1, 6):
        small.cites(f"a.{number}", 1)
    on_page(small, "a.1", "supported", 1)
    on_page(small, "a.2", "supported", 2)  # by a page that it does not cite: what the cited one says is not told
    on_page(small, "a.3", "contradicted", 1)
    on_page(small, "a.4", "supported", 2)
    pair = {"axis": "support", "label": "supported", "exposure": {}}
    small.event(NewEvent("decide", unit_id("pair", "a.4", "a/1"), pair))
    small.said("cannot_judge", "a.5")
    untold = own(small).cited
    assert (untold.value, untold.n, untold.dropped) == (None, 0, 5)
    assert untold.reason is not None
    assert "1 of 4 labels" in untold.reason
    assert "between 50.0% and 75.0% are" in untold.reason
    small.event(NewEvent("decide", unit_id("pair", "a.2", "a/1"), {**pair, "label": "not_supported"}))
    found = own(small)
    assert (found.cited.value, found.cited.n, found.cited.dropped) == (2 / 4, 4, 1)
    assert (found.any_source.value, found.any_source.n, found.any_source.dropped) == (3 / 4, 4, 1)


def test_what_cites_every_source_of_its_response_is_supported_by_one_that_it_cites(small: SmallStudy) -> None:
    small.response("a", 2, ("ok", "ok"))
    small.cites("a.1", 1, 2)
    small.cites("a.2", 1)
    small.said("supported", "a.1")
    small.said("contradicted", "a.2")
    assert (own(small).cited.value, own(small).cited.n) == (1 / 2, 2)


def test_answers_stand_in_the_order_in_which_they_count(small: SmallStudy) -> None:
    for number in range(50):
        small.response(f"r{number}", 2)
        small.judged("model one", "supported", f"r{number}.1")
        small.judged("model one", "supported" if number % 3 else "partial", f"r{number}.2")
        small.judged("offline", "not_addressed", f"r{number}.1", f"r{number}.2")
    draw(small.study, "anna", size=40)
    small.roll_up()
    assert [(one.by, one.who, one.what) for one in answers(small)] == [
        ("models", "model one", "any source supports it"), ("models", "model one", "whole responses supported"),
    ]  # fmt: skip
    drawn = [row[0] for row in small.study.reader.execute("SELECT statement_id FROM audit_item ORDER BY statement_id")]
    small.said("supported", *drawn[:-8], mode="blind", block="audit")
    small.said("contradicted", *drawn[-8:], mode="blind", block="audit")
    # A word on another unit is a person's as well: before what the audit makes of the labels, and before the models.
    small.event(NewEvent("decide", unit_id("response", "r0"), {"axis": "all_supported", "label": "no", "exposure": {}}))
    found = answers(small)
    labels, rest = [one for one in found if one.by == "labels"], [one for one in found if one.by != "labels"]
    assert found == (*labels, *rest)
    assert [(one.who, one.kind, one.basis) for one in labels[:1]] == [("anna", "statement", "drawn")]
    assert labels[0].estimate.value == pytest.approx(1 - 8 / len(drawn), abs=1e-12)
    assert (labels[-1].kind, labels[-1].of_what) == ("response", "1 of 50, chosen")
    assert labels[-1].caution == "chosen, not drawn at random: they say nothing about the rest"
    assert [one.by for one in rest] == ["audit", "audit_with_verdicts", "models", "models", "models"]
    assert all("offline" not in one.who for one in found)


def test_labels_from_triage_and_chosen_ones_say_that_they_hold_for_nothing_else(small: SmallStudy) -> None:
    small.response("a", 2)
    small.response("b", 2)
    small.said("supported", "a.1", block="flagged")
    assert (own(small).basis, own(small).of_what) == ("flagged", "1 of 4, from triage")
    small.said("partial", "a.2")
    assert (own(small).basis, own(small).of_what) == ("chosen", "2 of 4, chosen")
    text = " ".join(screen(small).split())
    assert "anna: 2 of 4, chosen" in text
    assert "anna: chosen, not drawn at random: they say nothing about the rest" in text


def test_labels_of_the_draw_count_without_those_of_other_queues(small: SmallStudy) -> None:
    for number in range(10):
        small.response(f"r{number}", 2)
    draw(small.study, "anna", size=5)
    drawn = [row[0] for row in small.study.reader.execute("SELECT statement_id FROM audit_item ORDER BY statement_id")]
    rest = [f"r{number}.1" for number in range(10) if f"r{number}.1" not in drawn]
    small.said("supported", *drawn[:3], mode="blind", block="audit")
    small.said("contradicted", *rest[:2])
    found = own(small)
    assert (found.basis, found.of_what, found.any_source.value) == ("drawn", f"3 of {len(drawn)} drawn at random", 1.0)


def test_a_persons_labels_lead_and_rules_answer_nothing(decided: SmallStudy) -> None:
    lines = screen(decided).splitlines()
    table = next(place for place, line in enumerate(lines) if line.startswith("How good are the answers?"))
    assert lines[table + 1].startswith("anna: all 8 of 8")
    assert [line.split()[:3] for line in lines if "any source supports it" in line] == [["any", "source", "supports"]]
    assert "75.0%" in next(line for line in lines if "any source supports it" in line)
    assert " 0.0%" not in "\n".join(lines[: table + 4])


def test_rules_alone_never_answer_how_good_the_answers_are(small: SmallStudy) -> None:
    small.response("a", 2)
    small.judged("offline", "supported", "a.1", "a.2")
    text = " ".join(screen(small).split())
    assert "supports it" not in text
    assert (
        "no person and no model has judged the statements yet; the rules compared words only, which is not a verdict"
        in text
    )


def test_pages_that_were_never_had_are_not_called_invalid_and_are_named(small: SmallStudy) -> None:
    small.response("a", 1, ("ok", None, None, "http_error"))
    text = " ".join(screen(small).split())
    assert "cited URLs valid 50.0%" in text
    assert "2 of 4 cited URLs were not asked for: neither valid nor invalid" in text


def test_judges_are_named_and_stand_below_a_persons_labels(decided: SmallStudy) -> None:
    decided.judged("model one", "supported", *(f"{name}.{number}" for name in "abcd" for number in (1, 2)))
    text = screen(decided)
    assert text.index("anna: all 8 of 8") < text.index("judges: model one")


def test_sources_of_a_text_that_nobody_split_are_not_called_unused(small: SmallStudy) -> None:
    from tests.support.study_builder import build

    def unsplit(rows) -> None:
        rows.page("page", "Words.")
        rows.response("a", "An answer.", cites=["page"], parser=None)

    build(small.study, unsplit)
    figures = study_figures(small.study.reader, resampling=FEW)
    (unused,) = [each for each in figures.support.strata[0].clustered if each.name == "unused sources"]
    assert (unused.value, unused.n) == (None, 0)


def flow_of(small: SmallStudy, only: Selection = EVERYTHING) -> ItemFlow:
    reader = small.study.reader
    labels = {
        name: {unit: label for unit, label in reviewer_labels(reader, name).items() if only.holds(unit)}
        for name in reviewers(reader)
    }
    return item_flow(reader, labels, only=only)


def adds_up(flow: ItemFlow) -> None:
    responses, statements = flow.responses, flow.statements
    assert responses.in_study == (
        responses.invalid + responses.not_parsed + responses.without_statements + responses.with_statements
    )
    assert statements.made == statements.edited + statements.in_study
    assert statements.in_study == statements.readable_source + statements.no_readable_source
    assert statements.in_study == statements.judged_by_models + statements.judged_by_rules + statements.not_judged
    for one in flow.labels:
        assert one.in_study == statements.in_study == one.blind + one.assisted + one.deferred + one.open
        assert one.blind + one.assisted == one.used + one.cannot_judge + one.stale
        assert min(one.blind, one.assisted, one.deferred, one.open, one.put_off_since) >= 0


@pytest.mark.parametrize("seed", range(12))
def test_the_flow_adds_up_and_is_that_of_the_figures(small: SmallStudy, seed: int) -> None:
    fill(small, seed)
    figures = study_figures(small.study.reader, resampling=Resampling(replicates=19))
    flow = figures.flow

    adds_up(flow)
    assert flow == flow_of(small)
    assert (flow.responses.in_study, flow.statements.in_study) == (figures.responses, figures.statements)
    for one, reviewer in zip(flow.labels, figures.reviewers, strict=True):
        done, groups = reviewer.progress, reviewer.agreement
        assert one.in_study == done.total
        assert one.open == done.open
        assert one.blind + one.assisted == done.decided + one.put_off_since
        assert one.deferred + one.put_off_since == done.deferred
        for mode in ("blind", "assisted"):
            assert getattr(one, mode) == sum(group.labels for group in groups if group.mode == mode)


@pytest.mark.parametrize("seed", range(12, 18))
def test_the_parts_of_a_study_add_up_to_it(small: SmallStudy, seed: int) -> None:
    fill(small, seed)
    reader = small.study.reader
    values = [row[0] for row in reader.execute("SELECT DISTINCT origin FROM response")]
    whole = flow_of(small)
    parts = [flow_of(small, select_statements(reader, f"origin={value}")) for value in values]

    for part in parts:
        adds_up(part)
    assert sum(part.responses.in_study for part in parts) == whole.responses.in_study
    assert sum(part.responses.invalid for part in parts) == whole.responses.invalid
    for field in ("in_study", "readable_source", "judged_by_models", "judged_by_rules", "not_judged"):
        assert sum(getattr(part.statements, field) for part in parts) == getattr(whole.statements, field)
    for place, one in enumerate(whole.labels):
        for field in ("blind", "assisted", "deferred", "open", "used", "cannot_judge", "stale", "put_off_since"):
            assert sum(getattr(part.labels[place], field) for part in parts) == getattr(one, field)


def test_each_step_counts_what_it_names(small: SmallStudy) -> None:
    small.response("r1", 4)
    small.response("r2", 2, [])
    small.invalid("r3", "empty")
    small.judge("r1.1 r1.2 r1.3", amber="SS-", offline="-SS")
    small.roll_up()
    small.said("supported", "r1.1", mode="blind", block="audit")
    small.said("cannot_judge", "r1.2")
    flow = flow_of(small)

    assert (flow.responses.with_statements, flow.responses.invalid) == (2, 1)
    assert (flow.statements.readable_source, flow.statements.no_readable_source) == (4, 2)
    assert (flow.statements.judged_by_models, flow.statements.judged_by_rules, flow.statements.not_judged) == (2, 1, 3)
    anna = flow.labels[0]
    assert (anna.blind, anna.assisted, anna.open) == (1, 1, 4)
    assert (anna.used, anna.cannot_judge, anna.put_off_since) == (1, 1, 0)
