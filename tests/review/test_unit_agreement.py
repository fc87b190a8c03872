"""Figures of agreement on units of other kinds, for the page behind ``i``."""

from pathlib import Path

import pytest

from medreview.review.live_agreement import GOLD, LiveUnitAgreement
from medreview.stats.reports.reviewer_labels import Group
from medreview.study import Study
from medreview.study.events import NewEvent, Recorder
from medreview.study.ids import kind_of
from medreview.units.registry import KINDS
from tests.stats.small_study import SmallStudy
from tests.support.unit_study import LABELS, Units, fill


@pytest.fixture
def study(empty_study: Study) -> tuple[Study, Units]:
    return empty_study, fill(empty_study)


def decide(study: Study, unit: str, axis: str, label: str, mode: str = "open") -> None:
    payload = {"axis": axis, "label": label, "exposure": {"judge_verdict": "before" if mode == "open" else "no"}}
    event = NewEvent("decide", unit, payload)
    study.write(lambda db: Recorder("kb").append(db, event, block="x", mode=mode))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_figures_or_none_without_an_error(study: tuple[Study, Units], kind: str) -> None:
    opened, units = study
    figures = LiveUnitAgreement(opened.reader, kind, "kb")
    assert figures.groups == ()
    axis, label, _ = LABELS[kind]
    decide(opened, units[kind], axis, label)
    figures.take_in()

    for group in figures.groups:
        scale = figures.scale_of(group)
        for judge in figures.columns:
            view = figures.view(group, scale, judge)
            assert view.labels == view.agreement.n + sum(count for _, count in view.left_out)
            assert view.agreement.value is not None or view.agreement.reason
    assert KINDS[kind_of(units[kind])].name == kind


def test_a_machine_and_the_right_label_each_have_a_column_once_that_may_be_told(study: tuple[Study, Units]) -> None:
    opened, units = study
    figures, (machine,) = LiveUnitAgreement(opened.reader, "qa", "kb"), ("one",)
    decide(opened, units["qa"], "relevance", "4", mode="blind")
    figures.take_in()
    assert [judge.name for judge in figures.columns if judge] == [machine]  # its block is open: no right label yet
    opened.write(lambda db: Recorder("kb").append(db, NewEvent("reveal", units["qa"]), block="x", mode="blind"))
    figures.take_in()

    assert figures.groups == (Group("blind"),)
    assert figures.columns[-1] == GOLD
    (scale,) = figures.scales
    for judge in figures.columns:
        view = figures.view(Group("blind"), scale, judge)
        assert (view.agreement.value, view.agreement.n) == (0.0, 1)
        assert figures.in_cell(Group("blind"), scale, judge, "4", "5") == [units["qa"]]
        assert view.cautions == ()


def test_what_is_in_no_figure_is_said(tmp_path: Path) -> None:
    with Study.create(tmp_path / "pairs.medreview") as study:
        small = SmallStudy(study)
        small.response("a", 3, ("ok",))
        small.judged("one", "supported", "a.1", "a.2")
        small.roll_up()
        for unit, label in (("a.1", "cannot_judge"), ("a.2", "supported"), ("a.3", "supported")):
            decide(study, f"pair:{unit}:a/1", "evidence", label)
        figures = LiveUnitAgreement(study.reader, "pair", "kb")
        view = figures.view(Group("assisted"), figures.scale_of(Group("assisted")), figures.columns[0])

    assert view.left_out == (("no judgement", 1), ("reviewer cannot judge", 1))
    assert (view.labels, view.agreement.n) == (3, 1)
