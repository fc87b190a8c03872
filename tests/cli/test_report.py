"""The command ``report``: the page is parsed as a browser would, with hostile words wherever words come in."""

import json
from pathlib import Path

import pytest

from medreview.study import Study
from tests.support.fact_study import FactStudy
from tests.support.pages import harmless

WICKED = "<script>alert(1)</script> \"'>&lt;b \x1b]52;c;aGk=\x07 [red]x[/red] \u202egnp\x00"
"""Markup, an attribute's end, a terminal's escape, Rich's markup, a change of direction."""
FEW = ("--replicates", 99)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Four cases, two systems, three judges, a panel of three; hostile names, facts, reasons and quotes."""
    path = tmp_path / "ward.medreview"
    with Study.create(path) as made:
        facts = FactStudy(made)
        wicked = WICKED.replace("\x00", "")
        for number, case in enumerate("abcd"):
            facts.case(f"{case} {wicked}", (f"A nodule of {number} mm. {wicked}", "follow_up"), ("Second.", "other"),
                       reference=f"Reference {wicked}\nSecond line.")  # fmt: skip
            for system in ("atlas (brief)", f"boreal {wicked}"):
                text = facts.text(system, f"{case} {wicked}", f"Heart failure.\nA nodule of 9 mm. {wicked}")
                for judge, said in (("one", "YN"), ("two", "NN"), (f"three {wicked}", "YY" if number else "NY")):
                    facts.votes(judge, text, said, reason=f"Because {wicked}", quote="A nodule of 9 mm.")
                facts.votes("one", text, "YN", "contradiction", quote="Heart failure.", reason=f"Size {wicked}")
                for person in ("ann", "bob", f"cyd {wicked}"):
                    facts.labels(person, text, "contradicted", "absent" if person == "ann" else "present")
    return path


def test_the_page_holds_scores_votes_themes_and_cases_and_nothing_hostile_acts(medreview, study, tmp_path):
    done = medreview("report", study, tmp_path / "ward.html", *FEW)
    assert "written: " in done.stderr
    page = harmless((tmp_path / "ward.html").read_text(encoding="utf-8"))
    assert [summary.text[:3] for summary in page.xpath("//section[@id='cases']/details/summary")] == [
        "C01", "C02", "C03", "C04",
    ]  # fmt: skip
    first = page.xpath("(//section[@id='facts']//table[@class='votes'])[1]//tbody/tr[1]")[0]
    assert [cell.text_content() for cell in first.xpath("td")] == ["Y", "N", "N", "N 1-2", "N", "N", "N", "N 0-3"]
    assert [cell.get("class") for cell in first.xpath("td")][:2] == ["yes", "no"]  # present is good
    assert "<script>alert(1)</script>" in first.xpath("string(th)")
    quoted = page.xpath("//details[@id='case-1']//mark")
    assert [mark.text_content() for mark in quoted][:2] == ["Heart failure.F1", "A nodule of 9 mm.F1, F2"]
    assert quoted[0].get("class") == "clash"
    (picture,) = page.xpath("//section[@id='facts']//*[local-name()='svg']")
    assert "The numbers stand in the table" in picture.xpath("string(*[local-name()='desc'])")
    assert "atlas (brief)" in picture.xpath("string(ancestor::figure//table)")
    themes = page.xpath("//section[@id='fact-themes']//strong/text()")
    assert themes[0] == "Omitted: other; said in part, or otherwise"
    assert "Because <script>" in page.xpath("string(//section[@id='fact-themes']//span[@class='muted'])")


def test_a_study_without_votes_has_its_page_and_nowhere_to_write_is_an_error(medreview, tmp_path):
    path = tmp_path / "empty.medreview"
    with Study.create(path) as made:
        facts = FactStudy(made)
        facts.case("one", ("A fact.", "other"))
        facts.text("atlas", "one")
    medreview("report", path, tmp_path / "e.html", *FEW)
    page = harmless((tmp_path / "e.html").read_text())
    assert page.xpath("//section[@id='cases']/details/summary/text()") == ["C01 Case one"]
    told = medreview("report", path, check=2).stderr
    assert f"`medreview report {path} {tmp_path / 'empty.html'}`" in told
    assert f"`medreview stats {path} --unit key_fact`" in told


def test_reading_it_is_a_look_and_another_file_in_the_place_is_left_alone(medreview, study, tmp_path):
    other = tmp_path / "mine.html"
    other.write_text("mine")
    assert "not an earlier result" in medreview("report", study, other, check=2).stderr
    assert other.read_text() == "mine"
    medreview("report", study, tmp_path / "ward.html", *FEW)
    medreview("report", study, tmp_path / "ward.html", *FEW)
    with Study.open(study, read_only=True) as opened:
        looks = opened.reader.execute(
            "SELECT payload FROM event WHERE kind = 'look' GROUP BY payload ORDER BY min(seq)"
        ).fetchall()
    assert [json.loads(row[0]) for row in looks] == [
        {"shown": "verdicts", "what": "report"},
        {"shown": "labels", "what": "report"},
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["out.pdf"], "out.pdf would hold a page of HTML; name it out.html"),
        (["out.docx"], "out.docx would hold a page of HTML; name it out.html"),
        (["out.md"], "for the same as Markdown, --markdown out.md"),
        (["--markdown", "out.docx"], "out.docx would hold Markdown; name it out.md"),
        (["--briefs", "out.pdf"], "name it out.html"),
        (["--tradeoff", "out.xlsx"], "out.xlsx would hold a table; name it out.csv"),
    ],
)
def test_a_name_of_another_kind_of_file_is_refused_with_the_right_one(medreview, study, tmp_path, arguments, words):
    assert words in medreview("report", study, *arguments, check=2).stderr
    assert not list(tmp_path.glob("out.*"))
