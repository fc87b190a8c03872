"""What the report on a study says, of a study where every word comes from a bad hand; and who may see what of it."""

import json
import re
from pathlib import Path

import pytest
from lxml.html import HtmlElement

from medreview.cli.reports.study_page.written import plain
from medreview.review.audit import draw
from medreview.review.decision import decide_in_script
from medreview.study import Study
from medreview.visible import visible
from tests.stats.small_study import SmallStudy
from tests.support import override_study
from tests.support.commands import own_settings
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.pages import harmless
from tests.support.wicked_study import PAGE, QUOTE, REVIEWER, SCRIPT, WICKED, decide_some


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """One hostile answer of two statements; the first is decided otherwise than its judges said."""
    path = tmp_path / "bad <b>&.medreview"
    with Study.create(path) as made:
        decide_some(made)
    return path


def test_an_overridden_statement_is_told_in_full(medreview, study, tmp_path):
    done = medreview("report", study, tmp_path / "r.html", "--json", "--replicates", 99)
    told = json.loads(done.stdout)
    assert (told["overridden"], told["held_back"], Path(told["page"]).name) == (1, 0, "r.html")
    page = harmless((tmp_path / "r.html").read_text())
    (item,) = page.xpath("//details[@id='item-1']")
    fields = {dt.text_content(): dt.getnext().text_content() for dt in item.iter("dt")}
    assert fields["judges"] == "supported: 2 for it, 0 otherwise, 0 abstained"
    assert fields["reviewer"].startswith("contradicted, assisted, 20")
    assert fields["reason"] == "quantity"
    assert fields["note"] == visible(f"30, not 50 {WICKED}")
    assert fields["flags"] == "dispute"
    assert fields["page"].startswith("https://wicked.example/<script> (")
    assert fields["page state"] == "ok"
    with Study.open(study, read_only=True) as opened:
        digest = opened.reader.execute("SELECT text_sha256 FROM snapshot").fetchone()[0]
    assert fields["snapshot"] == f"{digest[:12]}, fetched 2026-10-09 08:00 UTC"
    assert [mark.text for mark in item.iter("mark")] == [QUOTE, QUOTE]
    assert visible(PAGE[len(QUOTE) : 160]) in item.text_content()
    assert not page.xpath("//a[starts-with(@href, 'http') or starts-with(@href, 'javascript')]")
    (theme,) = page.xpath("//section[@id='themes']//li")
    assert theme.xpath(".//a/@href") == ["#item-1"]
    answer = page.xpath("//section[@id='answers']//p[@class='text']")[0]
    assert [mark.xpath("string(sup)") for mark in answer.iter("mark")] == [
        "", f"fact, {visible(REVIEWER)}", f"other, {visible(REVIEWER)}",
    ]  # fmt: skip


def test_the_report_says_the_figures_of_stats_and_where_they_come_from(medreview, study, tmp_path):
    done = medreview("report", study, tmp_path / "r.html", "--seed", "7", "--replicates", "199")
    assert "1 statement decided against the judges, " in done.stdout  # all of them in full
    page = harmless((tmp_path / "r.html").read_text())
    stats = json.loads(medreview("stats", study, "--json", "--seed", "7", "--replicates", "199").stdout)
    figures = stats.get("figures", stats)
    origin = figures["provenance"]
    shown = page.xpath("string(//section[@id='provenance'])")
    for told in (origin["study_id"], origin["event_head"], origin["version"], "199 replicates, seed 7"):
        assert told in shown
    assert f"medreview {origin['version']}" in page.xpath("string(//section[@id='methods'])")
    assert "2 statements in the study" in page.xpath("string(//section[@id='reviewed']//figure//table)")
    limits = page.xpath("//section[@id='limitations']//li")
    assert any("1 of 1 labels were given after" in one.text_content() for one in limits)


def test_markdown_holds_the_same_and_nothing_in_it_is_markup(medreview, study, tmp_path):
    medreview("report", study, tmp_path / "r.html", "--markdown", tmp_path / "r.md", "--replicates", 99)
    text = (tmp_path / "r.md").read_text()
    page = harmless((tmp_path / "r.html").read_text())
    heads = [line.lstrip("# ") for line in text.splitlines() if line.startswith("## ")]
    assert heads == [plain(head.text_content()) for head in page.iter("h2")]
    body = text.partition("\n")[2]
    assert not re.search(r"(?<!\\)[<>]", re.sub(r"^> ?", "", body, flags=re.MULTILINE))
    assert not re.search(r"(?<!\\)\]\(|(?<!\\)!\[", body)
    assert not re.search(r"https?:", body)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert f"**{plain(QUOTE)}**" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    assert all(re.search(r"(?<!\\)\|$", row) for row in rows)


def test_who_is_still_at_the_audit_sees_no_judge_of_a_statement_that_waits(medreview, study, tmp_path):
    def looks() -> list[str]:
        with Study.open(study, read_only=True) as opened:
            rows = opened.reader.execute("SELECT payload FROM event WHERE kind = 'look' ORDER BY seq")
            return [json.loads(row[0])["shown"] for row in rows]

    own_settings(tmp_path, 'reviewer = "bob"\n')
    with Study.open(study) as opened:
        draw(opened, "bob", rate=1.0)
        decide_in_script(opened, "bob", "rw.2", "partial")
    told = json.loads(medreview("report", study, tmp_path / "r.html", "--json", "--replicates", 99).stdout)
    assert (told["overridden"], told["held_back"]) == (1, 1)
    page = harmless((tmp_path / "r.html").read_text())
    assert page.xpath("//details[@id='item-1']//dd[starts-with(., 'partial, assisted')]")
    assert not page.xpath("//details[@id='item-2']")
    assert "1 statement held back" in page.xpath("string(//section[@id='overridden'])")
    # The other reviewer marked places in the answer.
    assert looks() == ["totals", "labels"]
    own_settings(tmp_path, 'reviewer = "carol"\n')
    again = medreview("report", study, tmp_path / "r.html", "--json", "--replicates", 99)
    assert json.loads(again.stdout)["held_back"] == 0
    assert looks()[2:] == ["verdicts", "labels"], "carol reviews nothing here, and may read all of it"


def test_nothing_else_is_written_over_and_a_filter_that_nothing_fits_is_said(medreview, study, tmp_path):
    for name, *before in (("mine.html",), ("mine.md", tmp_path / "r.html", "--markdown")):
        mine = tmp_path / name
        mine.write_text("<!DOCTYPE html>\n<p>mine")
        assert "not an earlier result" in medreview("report", study, *before, mine, check=2).stderr
        assert mine.read_text().endswith("mine")
    assert (
        "Nothing in the study fits"
        in medreview("report", study, tmp_path / "r.html", "--where", "model=nobody", check=2).stderr
    )
    assert not (tmp_path / "r.html").exists()
    medreview("report", study, tmp_path / "r.html", "--where", "page=ok", "--replicates", 99)
    page = harmless((tmp_path / "r.html").read_text())
    assert "only page=ok: 2 of 2 statements" in page.xpath("string(//section[@id='provenance'])")
    assert not page.xpath("//section[@id='citations']")


def test_limits_by_missing_verdicts_are_told_from_the_lower_to_the_upper(medreview, tmp_path):
    """A source that supports nothing yet is unused if the missing verdict is a no, so that its limits come reversed."""
    with Study.create(tmp_path / "a.medreview") as made:
        small = SmallStudy(made)
        small.response("r1", 2)
        small.judged("amber", "partial", "r1.1")
    medreview(
        "report", tmp_path / "a.medreview", tmp_path / "r.html", "--markdown", tmp_path / "r.md", "--replicates", 99
    )
    told = (tmp_path / "r.md").read_text()

    assert (
        "- unused sources, by the judges' verdict: 1 of 1 lack a verdict; whatever these are, of all 1 the share lies "
        "between 0.0% and 100.0%." in told
    )


def test_so_many_overridden_statements_are_told_in_full_and_all_are_counted(medreview, tmp_path):
    path = tmp_path / "o.medreview"
    with Study.create(path) as made:
        override_study.fill(made)
    done = medreview("report", path, tmp_path / "r.html", "--overridden", 2, "--replicates", 99)
    assert "5 statements decided against the judges (2 in full)" in done.stdout
    page = harmless((tmp_path / "r.html").read_text())
    assert page.xpath("//section[@id='overridden']//details/@id") == ["item-1", "item-2"]
    told = page.xpath("string(//section[@id='overridden'])")
    assert "3 more of kb are counted" in told
    assert "--overridden N; --reviewer and --where choose" in told
    counts = page.xpath("//section[@id='themes']//table//td[last()]/text()")
    assert sum(map(int, counts)) == 5
    assert page.xpath("//section[@id='themes']//li//a/@href") == ["#item-1", "#item-2"]

    medreview("report", path, tmp_path / "r.html", "--overridden", 0, "--replicates", 99)
    page = harmless((tmp_path / "r.html").read_text())
    assert not page.xpath("//section[@id='overridden']//details")
    assert "5 more of kb" in page.xpath("string(//section[@id='overridden'])")


def test_a_models_themes_stand_in_place_of_the_reasons_and_say_when_labels_have_changed(medreview, tmp_path):
    path = tmp_path / "o.medreview"
    with Study.create(path) as made:
        override_study.fill(made)
        override_study.do(made, "note", "r1.1", {"text": WICKED})
    bad = {**override_study.DOSES, "about": f"The judge takes another dose for the same. {SCRIPT}"}

    def page_of(*more: str) -> HtmlElement:
        medreview("report", path, tmp_path / "r.html", "--overridden", 2, "--replicates", 99, *more)
        (section,) = harmless((tmp_path / "r.html").read_text()).xpath("//section[@id='themes']")
        return section

    with JudgeEndpoint(says(json.dumps({"themes": [bad, override_study.STRENGTH]}))) as server:
        own_settings(tmp_path, 'reviewer = "kb"\n' + server.table("writer", "<b>m").replace("judges", "models"))
        done = medreview("generate", "override-themes", path, "--model", "writer")
        assert "Statements, judges' words, and labels and notes of reviewers go to:" in done.stderr
        assert "1 input done, 1 for the report" in done.stdout

        section = page_of()
        told = section.text_content()
        assert "Found by <b>m on 20" in told
        assert "in 5 statements. Nobody has confirmed them" in told
        assert section.xpath(".//strong/text()") == [bad["title"], override_study.STRENGTH["title"]]
        assert visible(bad["about"]) in told
        assert section.xpath(".//li//a/@href") == ["#item-1", "#item-2"], "the other statements are not told in full"
        assert [item.text_content().strip()[:6] for item in section.xpath(".//li")] == [
            "R01 S1", "R01 S4", "R01 S2", "R01 S5",
        ]  # fmt: skip
        assert "have changed" not in told
        assert "Found by" not in page_of("--where", "page=ok").text_content()
        assert not section.xpath(".//h4[contains(., 'A number, dose')]")

        with Study.open(path) as opened:
            override_study.says(opened, "r1.4", "supported")
        told = page_of().text_content()
        assert "have changed since" in told
        assert "medreview generate override-themes o.medreview --model NAME" in told
        assert "R01 S4: the same as the judges now" in told
        themes = json.loads(medreview("report", path, tmp_path / "r.html", "--json", "--replicates", 99).stdout)[
            "themes"
        ]
        assert [(one["reviewer"], one["read"], one["changed"]) for one in themes] == [("kb", 5, True)]

    own_settings(tmp_path, 'reviewer = "ann"\n')
    with Study.open(path) as opened:
        draw(opened, "ann", rate=1.0)
        decide_in_script(opened, "ann", "r1.1", "contradicted")
    told = page_of().text_content()
    assert bad["title"] not in told, "ann has not decided what they are made of"
