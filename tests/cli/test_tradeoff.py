"""The plots and the table of ``report --tradeoff``: read as XML and CSV."""

import csv
from pathlib import Path

import pytest
from lxml import etree

from medreview.study import Study
from tests.support.fact_study import FactStudy

SVG = "{http://www.w3.org/2000/svg}"
WICKED = '=HYPERLINK("x") </text><script>alert(1)</script> & \'q'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "s.medreview"
    with Study.create(path) as made:
        facts = FactStudy(made)
        for case in ("one", "two"):
            facts.case(case, ("A fact.", "other"), ("Another.", "other"))
            for system, said, cost in (
                ("m (brief)", "YY", 0.2),
                ("m (single prompt)", "YN", 0.01),
                (WICKED, "NN", 0.0),
            ):
                text = facts.text(system, case)
                facts.votes("judge", text, said)
                facts.made(text, "m" if system.startswith("m") else "w", system, (cost, 1500))
            facts.votes("judge", facts.text("foreign", case), "YY")
    return path


def parsed(path: Path) -> etree._Element:
    return etree.fromstring(path.read_bytes())


def texts(svg: etree._Element) -> list[str]:
    return ["".join(element.itertext()) for element in svg.iter(f"{SVG}text")]


def test_two_plots_and_a_table_are_written_and_what_is_left_out_is_named(medreview, study, tmp_path):
    done = medreview("report", study, "--tradeoff", tmp_path / "t.csv")
    assert "t.csv, " in done.stderr
    assert "not in the plot of cost: foreign (2 texts of 2 not written here, and without a cost)" in done.stderr
    assert "not in the plot of cost: =HYPERLINK" in done.stderr
    cost, latency = parsed(tmp_path / "t.cost.svg"), parsed(tmp_path / "t.latency.svg")
    assert {"m (brief)", "m (single prompt)", "0.01", "0.1", "100%"} <= set(texts(cost))
    assert not any(text.startswith("=HYPER") for text in texts(cost))
    assert any(text.startswith("=HYPER") for text in texts(latency))
    assert not list(latency.iter(f"{SVG}script"))
    joined = [path for path in cost.iter(f"{SVG}path") if "stroke-dasharray" in path.get("style", "")]
    assert len(joined) == 1
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["model"] + row["strategy"][:10]: row for row in csv.DictReader(file)}
    assert (rows["mm (brief)"]["cost_per_case"], rows["mm (brief)"]["presence"]) == ("0.2", "1.0")
    wicked = next(row for row in rows.values() if row["model"] == "w")
    assert wicked["system"].startswith("'=")
    assert (
        next(row for row in rows.values() if not row["model"])["no_cost"]
        == "2 texts of 2 not written here, and without a cost"
    )
    medreview("report", study, "--tradeoff", tmp_path / "t.csv")
    (tmp_path / "t.latency.svg").write_text("mine")
    medreview("report", study, "--tradeoff", tmp_path / "t.csv", check=2)


def test_the_page_has_the_plots_too(medreview, study, tmp_path):
    medreview("report", study, tmp_path / "p.html", "--replicates", 99)
    text = (tmp_path / "p.html").read_text()
    assert "Facts present against cost" in text
    assert "Facts present against time" in text
