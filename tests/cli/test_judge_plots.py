"""What judges are worth, on the page: kappas beside a person's, and against cost and time, with every number."""

import re
from pathlib import Path

import pytest
from lxml.html import HtmlElement

from medreview.study import Study
from medreview.study.check import check_study
from tests.stats.small_study import SmallStudy
from tests.support.commands import Program
from tests.support.pages import harmless


def _section(medreview: Program, study: Path) -> list[HtmlElement]:
    medreview("report", study, study.with_suffix(".html"), "--replicates", 99)
    page = harmless(study.with_suffix(".html").read_text())
    found: list[HtmlElement] = page.xpath("//section[@id='judges']")
    return found


def _rows(table: HtmlElement) -> dict[str, list[str]]:
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in table.iter("tr")]
    return {row[0]: row[1:] for row in rows[1:]}


def test_judges_of_facts_stand_against_the_panel_with_their_cost_and_time(medreview: Program, tmp_path: Path) -> None:
    medreview("papers", "replay", "medfacteval", "facts.medreview", "--sample")
    path = tmp_path / "facts.medreview"
    with Study.open(path, read_only=True) as study:
        assert check_study(study).faults == []
        calls = study.reader.execute(
            """SELECT judge, sum(cost), sum(cost IS NULL), sum(latency_ms) / 1000.0,
                      (SELECT count(*) FROM key_fact_vote JOIN judge_run USING (judge_run_id)
                       WHERE task = 'key_fact_presence' AND judge_run.judge = llm_call.judge)
               FROM llm_call WHERE task = 'key_fact_presence' GROUP BY judge"""
        ).fetchall()
    (section,) = _section(medreview, path)
    table = _rows(section.xpath(".//table[caption[starts-with(., 'Agreement, cost and time')]]")[0])
    for judge, cost, unpriced, seconds, facts in calls:
        kappa, _, told_cost, told_seconds = table[judge]
        assert -1 <= float(kappa) <= 1
        assert told_cost == "not known" if unpriced else float(told_cost) == pytest.approx(cost / facts, abs=5e-6)
        assert float(told_seconds) == pytest.approx(seconds / facts, abs=5e-3)
    assert table["the jury"][2] == "not known", "a price of one of them is not known"
    assert float(table["the jury"][3]) == pytest.approx(max(row[3] / row[4] for row in calls), abs=5e-3)
    plots = {svg.findtext("title"): svg for svg in section.iter("svg")}
    assert len(plots) == 4
    told = {title.split(": ", 1)[1]: svg for title, svg in plots.items() if title}
    cost, time = (told[f"kappa with the majority of 3 people against {what}"] for what in ("cost", "time"))
    assert {"demo-juror-one", "demo-juror-two"} <= {text.text_content().strip() for text in cost.iter("text")}
    assert "demo-juror-three" not in cost.text_content(), "its price is not known"
    assert {"demo-juror-three", "the jury"} <= {text.text_content().strip() for text in time.iter("text")}
    assert "The grey ground is a person, 95% interval." in time.findtext("desc")
    assert "The dashed line stands at -0.10." in told[
        "kappa of a judge minus that of a person, 90% intervals"
    ].findtext("desc")
    assert all(float(svg.get("width")) <= 366 for svg in plots.values()), "a phone of 390 pixels shows them whole"


def _labelled(study: Study, *reviewers: str) -> None:
    small = SmallStudy(study)
    for place in range(12):
        name = f"r{place}"
        small.response(name, 1)
        small.judge(f"{name}.1", amber="S" if place % 3 else "C", coral="S" if place % 4 else "C")
        for who, otherwise in zip(reviewers, (None, 0, 4), strict=False):
            says = (place % 3 > 0) != (place == otherwise)
            small.say(f"{name}.1", mode="blind", **{who: "S" if says else "C"})
    small.roll_up()


def test_of_statements_each_person_left_out_stands_below_the_judges(medreview: Program, tmp_path: Path) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        _labelled(made, "anna", "ben", "cara")
    (section,) = _section(medreview, tmp_path / "a.medreview")
    kappas, minus = (_rows(table) for table in section.iter("table"))
    assert list(kappas) == [
        "judges with the majority of 3 reviewers", "the judges together", "amber", "coral",
        "a person with the majority of the others", "anna", "ben", "cara", "mean of the people",
    ]  # fmt: skip
    assert kappas["amber"][0] == "1.000", "of each statement two of three say what amber says"
    assert list(minus) == ["the judges together", "amber", "coral"]
    mean = sum(float(kappas[who][0]) for who in ("anna", "ben", "cara")) / 3
    assert float(kappas["mean of the people"][0]) == pytest.approx(mean, abs=1e-3)
    assert float(minus["coral"][0]) == pytest.approx(float(kappas["coral"][0]) - mean, abs=2e-3)
    assert not re.search(r"cost|seconds", section.text_content())


@pytest.mark.parametrize("reviewers", [("anna",), ()])
def test_without_a_panel_kappas_stand_among_the_leading_figures_alone(
    medreview: Program, tmp_path: Path, reviewers: tuple[str, ...]
) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        _labelled(made, *reviewers)
    assert _section(medreview, tmp_path / "a.medreview") == []
    page = (tmp_path / "a.html").read_text()
    assert ("Reviewers and judges: Cohen's kappa" in page.replace("&#x27;", "'")) == bool(reviewers)
