"""The report's section on references: figures, each accused one with both readings, and what is held back."""

import json
import re
from pathlib import Path

import pytest

from medreview.references.model import Reference
from medreview.references.verdict import Verdict
from medreview.review.audit import draw
from medreview.review.decision import decide_in_script
from medreview.stats.units.accused_references import MOST
from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.pages import harmless
from tests.support.reference_rows import ReferenceRows
from tests.support.reference_study import CHECKS, add_reference, fill_references
from tests.support.study_builder import StudyBuilder, build
from tests.support.unit_study import decide
from tests.support.wicked_study import WICKED

FEW = ("--replicates", 99)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Four references of one response: a match that was retracted, a mismatch, another work, one not found."""
    path = tmp_path / "a.medreview"
    with Study.create(path) as made:
        fill_references(made)
    return path


def section(medreview, study: Path, *more: str):
    page = study.with_suffix(".html")
    medreview("report", study, page, *FEW, *more)
    return harmless(page.read_text())


def test_each_accused_reference_has_both_readings_and_who_was_asked(medreview, study):
    with Study.open(study) as opened:
        decide(opened, "anna", "reference:f3", "reference", "match", mode="open")
    page = section(medreview, study)
    (found,) = page.xpath("//section[@id='references']")
    heads = [head.text_content() for head in found.xpath(".//details[starts-with(@id, 'reference-')]/summary")]

    assert [re.sub(r"^.*?(ref \[\d\]).*?: ", r"\1 ", head) for head in heads] == [
        "ref [3] another work's identifier (anna: match)", "ref [2] described wrongly", "ref [4] not found",
        "ref [1] match, RETRACTED",
    ]  # fmt: skip
    first = found.xpath(".//details[@id='reference-1']")[0]
    words = " ".join(first.text_content().split())
    fields = {dt.text_content(): dt.getnext().text_content() for dt in first.iter("dt")}
    assert fields["rules"] == "another work's identifier: The DOI belongs to another work."
    assert "Crossref by identifier (has it), PubMed by citation (works to compare)" in words
    assert fields["reviewer"] == "anna: match (assisted)"
    assert "Its identifier's work: Crossref 10.5555/three" in words
    assert "A candidate: PubMed 99000003" in words
    (row,) = [row for row in first.xpath(".//table[1]//tr") if row.text_content().strip().startswith("title")][:1]
    assert [cell.text_content() for cell in row][:3] == [
        "title", "Early fluids and mortality in sepsis", "Statins and the eye: a cohort of drivers",
    ]  # fmt: skip
    assert "false accusations, share of accused" in found.text_content()
    assert "does not prove that there is no such work" in page.xpath("string(//section[@id='limitations'])")
    assert "asked of Crossref (by identifier); PubMed (by citation); 2026-10-09" in page.xpath(
        "string(//section[@id='methods'])"
    )


def test_the_numbers_of_the_plot_stand_in_a_table_and_in_the_markdown(medreview, study, tmp_path):
    with Study.open(study) as opened:
        build(opened, lambda rows: [rows.response(f"x{n}", model="atlas" if n % 2 else "ember") for n in range(6)])
        for number in range(6):
            ReferenceRows(opened).add(f"x{number}", "match", "not_found" if number % 3 else "mismatch", None)
    page = section(medreview, study, "--markdown", str(tmp_path / "a.md"))
    found = page.xpath("//section[@id='references']")[0]
    text = (tmp_path / "a.md").read_text()

    assert found.xpath(".//figure//*[local-name()='svg']")
    rows = [[cell.text_content() for cell in row] for row in found.xpath(".//tr")]
    whole = next(row for row in rows if row[:2] == ["all responses", "match"])
    assert (whole[2], whole[3], whole[5], whole[6]) == ("7", "43.8%", "16", "6")
    assert "model atlas" in {row[0] for row in rows}
    assert "## What the references turned out to be" in text
    assert not re.search(r"\b(nan|None|inf)\b", text)


def test_who_is_still_at_the_audit_is_shown_no_reference_that_is_not_decided(medreview, study, tmp_path):
    own_settings(tmp_path, 'reviewer = "bob"\n')
    with Study.open(study) as opened:
        draw(opened, "bob", rate=1.0)
        decide_in_script(opened, "bob", "r1.1", "partial")
        decide(opened, "bob", "reference:f3", "reference", "other_work", mode="open")
    told = json.loads(medreview("report", study, tmp_path / "r.html", "--json", *FEW).stdout)
    page = harmless((tmp_path / "r.html").read_text())
    found = page.xpath("//section[@id='references']")[0]

    assert (told["references"], told["references_held_back"]) == (1, 3)
    assert [item.get("id") for item in found.xpath(".//details[@id]")] == ["reference-1"]
    assert "3 references held back" in found.text_content()
    assert "3 references not listed" in page.xpath("string(//section[@id='limitations'])")
    own_settings(tmp_path, 'reviewer = "carol"\n')
    again = json.loads(medreview("report", study, tmp_path / "r.html", "--json", *FEW).stdout)
    assert (again["references"], again["references_held_back"]) == (4, 0)


def test_support_by_another_work_is_a_limitation(medreview, study):
    with Study.open(study) as opened:
        build(opened, lambda rows: rows.connection.execute("UPDATE source SET kind = 'doi'") and None)
    page = section(medreview, study)
    # Three of the four statements are supported by a source whose work is known; that of the third is another one.
    assert "1 of 3 times a statement is supported by a cited source whose work is known" in page.xpath(
        "string(//section[@id='limitations'])"
    )
    assert "1 statement is supported by such a page, 1 of them by nothing else." in page.xpath(
        "string(//section[@id='references'])"
    )


def test_nothing_in_a_reference_or_a_record_is_markup(medreview, study):
    def change(rows: StudyBuilder) -> None:
        other = CHECKS[2]
        assert other.record is not None
        bad = other._replace(
            record=other.record._replace(record_id=WICKED, title=WICKED, authority=WICKED), because=WICKED,
            asked=(replace_words(other.asked[0]),),
        )  # fmt: skip
        add_reference(rows, "f9", "r1", Reference(WICKED, number=9, title=WICKED, container=WICKED), bad)

    def replace_words(asked):
        return asked._replace(authority=WICKED, outcome="failed", words=WICKED)

    with Study.open(study) as opened:
        build(opened, change)
    page = section(medreview, study)
    assert len(page.xpath("//section[@id='references']//details[starts-with(@id, 'reference-')]")) == 5


def test_of_many_the_first_are_listed_and_the_others_counted(medreview, study):
    with Study.open(study) as opened:
        many: list[Verdict | None] = ["not_found"] * MOST
        ReferenceRows(opened).add("r1", *many)
    found = section(medreview, study).xpath("//section[@id='references']")[0]
    assert len(found.xpath(".//details[starts-with(@id, 'reference-')]")) == MOST
    assert "4 more references not listed here" in found.text_content()


def test_a_study_without_references_has_no_such_section(medreview, tmp_path):
    path = tmp_path / "b.medreview"
    with Study.create(path) as made:
        build(made, lambda rows: rows.response("r1"))
    page = section(medreview, path)
    assert not page.xpath("//section[@id='references']")
    assert "reference" not in page.xpath("string(//section[@id='limitations'])")
    with Study.open(path) as opened:
        ReferenceRows(opened).add("r1", None)
    told = section(medreview, path).xpath("string(//section[@id='references'])")
    assert "1 found, none checked yet" in told
