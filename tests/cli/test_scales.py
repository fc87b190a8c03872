"""A new statistic, of a name that no report knows, is written on its scale wherever figures are printed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from lxml.html import parse

from medreview import pipeline
from medreview.cli.reports.estimates import figure_table
from medreview.cli.reports.layout import ReportTable, cells
from medreview.cli.reports.plots import intervals
from medreview.cli.reports.stats import stats_parts
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.written import write_markdown, write_report
from medreview.cli.reports.terminal import printed
from medreview.replays.replay import Row
from medreview.review.decision import decide_in_script
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate, Scale, brief, show
from medreview.stats.study_figures import StudyFigures, figure_document, study_figures
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

NAMES = ("novelty of nobody", "share of kappa rates")
"""One without any word that says what it is, and one with words of several scales."""
WRITTEN: dict[Scale, tuple[str, str]] = {
    **dict.fromkeys(get_args(Scale), ("0.285", "0.205 to 0.361")),
    "share": ("28.5%", "20.5% to 36.1%"),
    "share_difference": ("28.5", "20.5 to 36.1"),
}
SHORT: dict[Scale, str] = {
    **dict.fromkeys(get_args(Scale), ".29 [.21, .36]"),
    "share": "29% [21, 36]",
    "share_difference": "29 [21, 36]",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyFigures]:
    """The figures of a study with a reviewer and a judge."""

    def rows(add: StudyBuilder) -> None:
        add.page("page", "Give 500 mg twice daily.")
        for name in ("r1", "r2"):
            add.response(name, "Give 500 mg.", cites=["page"], statements=["Give 500 mg."])
            add.judgement("one", f"{name}.1", "page@1", "supported", "Give 500 mg")

    with Study.create(tmp_path_factory.mktemp("scales") / "a.medreview") as study:
        build(study, rows)
        pipeline.roll_up(study)
        for name in ("r1", "r2"):
            decide_in_script(study, "kb", f"{name}.1", "supported")
        yield study_figures(study.reader, resampling=Resampling(replicates=99))


@pytest.fixture(params=[(name, scale) for name in NAMES for scale in get_args(Scale)], ids=" on ".join)
def figure(request: pytest.FixtureRequest) -> Estimate:
    name, scale = request.param
    return Estimate(name, 0.285, 0.205, 0.361, "none", 9, scale=scale)


def test_text_json_html_and_markdown_say_it_on_its_scale(figure: Estimate, plain: StudyFigures, tmp_path: Path) -> None:
    reviewer = plain.reviewers[0]
    group = reviewer.agreement[0]
    comparison = replace(group.comparisons[0], agreement=(*group.comparisons[0].agreement, figure))
    group = replace(group, comparisons=(comparison, *group.comparisons[1:]))
    figures = replace(plain, reviewers=(replace(reviewer, agreement=(group,)),))
    material = Material("a.medreview", figures)
    value, interval = WRITTEN[figure.scale]

    (line,) = [line for line in printed(stats_parts(figures, Path("a.medreview"))).splitlines() if figure.name in line]
    assert line.split(figure.name)[1].split()[:4] == [value, *interval.split()]

    told = json.loads(json.dumps(figure_document(figures)))
    kept = told["reviewers"][0]["agreement"][0]["comparisons"][0]["agreement"][-1]
    assert [kept[key] for key in ("name", "value", "low", "high", "scale")] == [
        figure.name, 0.285, 0.205, 0.361, figure.scale,
    ]  # fmt: skip

    page = parse(str(write_report(material, tmp_path / "a.html"))).getroot()
    (row,) = page.xpath("//tr[*[normalize-space()=$name]]", name=figure.name)
    assert [cell.text_content() for cell in row][1:3] == [value, interval]

    (line,) = [
        line for line in write_markdown(material, tmp_path / "a.md").read_text().splitlines() if figure.name in line
    ]
    assert [cell.strip() for cell in line.split("|")][2:4] == [value, interval]


def test_so_do_reports_on_units_plots_replays_and_screens(figure: Estimate) -> None:
    value, interval = WRITTEN[figure.scale]

    assert figure_table([figure]).rows[0][1:3] == (value, interval)
    told = intervals("t", ("one",), [("row", (figure,))]).numbers
    assert isinstance(told, ReportTable)
    assert told.rows[0][1:3] == cells(figure) == (value, interval)
    assert Row("what", "paper", figure).shown == f"{value} ({interval})"
    assert brief(figure) == SHORT[figure.scale]
    points = " points" if figure.scale == "share_difference" else ""
    assert show(figure) == f"{value}{points} (95% CI {interval})"


def test_no_figure_is_without_a_scale() -> None:
    with pytest.raises(TypeError, match="scale"):
        Estimate("kappa", 0.5, 0.4, 0.6, "none", 3)  # type: ignore[call-arg]
