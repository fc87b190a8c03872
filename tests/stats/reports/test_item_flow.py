"""The flow of items adds up, whatever a study holds."""

import pytest

from medreview.review.queue_filters import select_statements
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.review_progress import ItemFlow, item_flow
from medreview.stats.reports.reviewer_labels import reviewer_labels, reviewers
from medreview.stats.reports.study_reader import EVERYTHING, Selection
from medreview.stats.study_figures import study_figures
from tests.stats.random_study import fill
from tests.stats.small_study import SmallStudy


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
    small.judged("amber", "supported", "r1.1", "r1.2")
    small.judged("offline", "supported", "r1.2", "r1.3")
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
