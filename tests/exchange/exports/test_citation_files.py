"""The report on citations as CSV, JSON and HTML."""

import csv
import json
import re
import stat

import pytest
from lxml import html as parser

from medreview.citations.allow_list import load_allow_list
from medreview.cli.reports.citations import MOST_BARS, check_html, report_parts, write_html
from medreview.cli.reports.terminal import printed
from medreview.errors import UserError
from medreview.exchange.exports.citation_rows import CITATIONS, RESPONSES, check_csv, payload, write_csv
from medreview.exchange.imports.citation_answers import CitingAnswer
from medreview.exchange.imports.file_rows import BadRecord
from medreview.sources.reach import Reach
from medreview.stats.citation_kpis import citation_report, scored
from medreview.stats.formulas.bootstrap import Resampling
from tests.support.pages import harmless

HOSTILE = "=cmd()<script>alert(1)</script>&\x1b]52;c;aGk=\x07\u202e"
REFERENCE = "Metformin must be stopped before surgery."
ANSWERS = [
    CitingAnswer(
        1, "a1", "atlas", "", "Go to https://nih.gov/x, https://nih.gov/x#y and doi:10.9999/none.", latency_s=1.5
    ),
    CitingAnswer(2, HOSTILE, HOSTILE, "", f"See https://evil.example/a?b=%22{'&'}<b> now."),
    CitingAnswer(3, "a3", "nova", "", "Metformin must not be stopped before surgery.", reference=REFERENCE),
    CitingAnswer(4, "a1", "nova", "", "Nothing.", ("=1+1", "PMID: 123456")),
]


def report(answers=ANSWERS, reach=None):
    allow = load_allow_list()
    found = scored(answers, allow, len(answers))
    more = {} if reach is None else {"reach": reach, "reach_from": "network"}
    return citation_report(found, allow, resampling=Resampling(replicates=99), **more)


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_csv_has_a_row_for_each_response_and_each_citation(tmp_path):
    first, second = write_csv(report(), tmp_path / "out.csv")
    responses, citations = rows(first), rows(second)

    assert (first.name, second.name, mode(first), mode(second)) == ("out.csv", "out.citations.csv", 0o600, 0o600)
    assert [row["id"] for row in responses] == ["a1 (line 1)", "'" + HOSTILE, "a3", "a1 (line 4)"]
    one = responses[0]
    assert [one[name] for name in ("has_citation", "n_mentions", "n_total_citations", "n_url", "n_doi")] == list(
        "13211"
    )
    assert (one["pct_allowed_over_all"], one["n_by_format"], one["latency"]) == ("100.0", "1", "1.5")
    assert (responses[2]["pct_allowed_over_all"], responses[2]["has_citation"]) == ("", "0")
    assert float(responses[2]["reference_cosine"]) > 0.9
    assert (responses[2]["reference_clashing"], responses[3]["n_unusable"]) == ("1", "1")
    assert [(row["kind"], row["verdict"], row["entry"], row["repeat"]) for row in citations[:3]] == [
        ("url", "allowed", "nih.gov", "0"), ("url", "allowed", "nih.gov", "1"), ("doi", "by_format", "", "0"),
    ]  # fmt: skip
    for row in citations[:3]:
        text = ANSWERS[0].text[int(row["start"]) : int(row["end"])]
        assert text == row["value"]
    assert (citations[-1]["kind"], citations[-1]["start"]) == ("pmid", "")
    assert responses[1]["guarded"] == "id model"
    assert responses[0]["n_reached"] == ""


def test_csv_says_what_was_found_there(tmp_path):
    reach = {
        "url:https://nih.gov/x": Reach("reached", 200, "", "https://nih.gov/x", "2026-01-02T03:04:05Z"),
        "doi:10.9999/none": Reach("gone", 404, "no", "https://doi.org/10.9999/none", "2026-01-02T03:04:05Z", False),
    }
    first, second = write_csv(report(reach=reach), tmp_path / "out.csv")
    one, citations = rows(first)[0], rows(second)

    assert (one["n_reached"], one["n_gone"], one["n_identifiers_missing"]) == ("1", "1", "1")
    assert [(row["reach"], row["status"], row["exists"]) for row in citations[:4]] == [
        ("reached", "200", ""), ("reached", "200", ""), ("gone", "404", "0"), ("", "", ""),
    ]  # fmt: skip


def test_an_earlier_result_is_replaced_and_nothing_else(tmp_path):
    target = tmp_path / "out.csv"
    write_csv(report(ANSWERS[:1]), target)
    write_csv(report(), target)
    assert len(rows(target)) == 4

    mine = tmp_path / "mine.csv"
    mine.write_text("my,own\n")
    beside = tmp_path / "b.csv"
    (tmp_path / "b.citations.csv").write_text("my,own\n")
    for place in (mine, beside, tmp_path, tmp_path / "no" / "x.csv"):
        for call in (check_csv, lambda path: write_csv(report(), path)):
            with pytest.raises(UserError):
                call(place)
    page = mine.with_suffix(".html")
    page.write_text("my own")
    with pytest.raises(UserError, match="choose another name"):
        check_html(page)
    with pytest.raises(UserError, match="would hold a page of HTML; name it"):
        check_html(mine)
    assert mine.read_text() == "my,own\n"
    assert not beside.exists()
    assert not list(tmp_path.glob(".*"))


def test_columns_are_named_once_and_the_rows_have_them_all():
    for columns in (RESPONSES, CITATIONS):
        names = [column.name for column in columns]
        assert len(set(names)) == len(names)
        assert all(column.meaning.endswith(".") for column in columns)


def test_json_is_complete_and_its_places_hold():
    found = json.loads(json.dumps(payload(report(), "a.jsonl", [BadRecord(9, "has no response")])))

    assert found["summary"]["responses_with_citation_pct"] == 75.0
    assert (found["mentions"], found["passed"], found["reach_from"]) == (5, False, None)
    assert found["left_out"] == [{"line": 9, "reason": "has no response"}]
    assert {criterion["met"] for criterion in found["criteria"]} == {False}
    assert len(found["allow_list"]["domains"]) > 50
    assert set(found["by_model"]) == {"atlas", "nova", HOSTILE}
    first = found["responses"][0]
    assert first["has_citation"] is True
    assert first["pct_allowed_over_all"] == 100.0
    assert [
        first["response"][citation["start"] : citation["end"]] == citation["value"]
        for citation in first["citations_detail"]
    ] == [True] * 3
    assert found["responses"][2]["pct_allowed_over_all"] is None
    assert found["responses"][2]["concordance"]["clashes"][0]["kind"] == "negation"
    assert found["responses"][3]["unusable"] == ["=1+1"]
    assert {"value", "low", "high", "n", "method", "reason"} <= found["figures"]["figures"]["pooled_allowed"].keys()


def test_html_is_one_safe_file(tmp_path):
    path = write_html(report(reach={}), HOSTILE, tmp_path / "out.html")
    text = path.read_text(encoding="utf-8")
    page = harmless(text)

    assert mode(path) == 0o600
    assert "@media print" in text
    assert "prefers-color-scheme: dark" in text
    above = "".join(page.xpath("//h2[text()='Each citation']/preceding::text()"))
    assert "http" not in above
    assert page.xpath("//td[text()='https://evil.example/a?b=%22&']")
    write_html(report(), "again", path)
    assert "again" in path.read_text()


def test_html_has_a_picture_with_words_and_the_same_in_a_table(tmp_path):
    page = parser.parse(str(write_html(report(), "a.jsonl", tmp_path / "out.html"))).getroot()
    svg = page.xpath("//svg")[0]

    assert svg.get("role") == "img"
    assert set(svg.get("aria-labelledby").split()) == {*svg.xpath("./title/@id"), *svg.xpath("./desc/@id")}
    assert "Striped: not allowed" in svg.xpath("./desc")[0].text
    said = [text.text for text in svg.xpath(".//text")]
    assert said.count("no citation") == 1
    assert said.count("0 of 1 allowed") == 1
    names = page.xpath("//h2[text()='Each response']/following::table[1]/tbody/tr/*[1]/text()")
    assert set(names) >= {"a1 (line 1)", "a3", "a1 (line 4)"}
    assert len(names) == 4


def test_html_of_a_long_file_is_bounded(tmp_path):
    many = [CitingAnswer(line, f"r{line}", "", "", "https://x.example/") for line in range(1, 2_105)]
    page = parser.parse(str(write_html(report(many), "a", tmp_path / "out.html"))).getroot()

    assert [text.text for text in page.xpath("//svg//text")].count("0 of 1 allowed") == MOST_BARS
    assert "104 more responses are in the CSV and JSON only." in page.text_content()


def test_html_of_bars_without_a_citation_before_those_with(tmp_path):
    none = [CitingAnswer(line, f"r{line}", "", "", "Nothing.") for line in range(1, MOST_BARS + 2)]
    answers = [*none, CitingAnswer(999, "good", "", "", "See https://nih.gov/x.")]
    page = parser.parse(str(write_html(report(answers), "a", tmp_path / "out.html"))).getroot()

    assert [text.text for text in page.xpath("//svg//text")].count("no citation") == MOST_BARS
    assert "and 2 more responses: 1 without a citation, 1 with all allowed" in page.text_content()


def test_html_without_any_citation(tmp_path):
    page = parser.parse(str(write_html(report([ANSWERS[2]]), "a", tmp_path / "out.html"))).getroot()

    assert "No response has a citation." in page.text_content()
    assert not page.xpath("//svg")


def test_the_page_says_what_the_terminal_says(tmp_path):
    page = parser.parse(str(write_html(report(reach={}), "a.jsonl", tmp_path / "out.html"))).getroot()
    blocks = page.xpath("//p | //h2 | //tr/*")
    shown = " ".join(" ".join(block.text_content() for block in blocks).split())
    text = printed(report_parts(report(reach={}), "a.jsonl", [], full=False))
    # Of a figure without an interval the page says why in the table; the bars are drawn.
    figures, below = text.split("  pooled: all citations")
    parts = [figures, "By model" + below.partition("By model")[2].partition("Each response")[0]]
    parts.append("Domains not" + below.partition("Domains not")[2])
    lines = [" ".join(line.split()) for part in parts for line in part.splitlines()]
    # A long name goes on below the row's other cells.
    pieces = {piece for part in parts for line in part.splitlines() for piece in re.split(r"  +", line.strip())}

    assert {piece for piece in pieces if " ".join(piece.split()) not in shown} == set()
    assert {"Criteria", "Figures", "By model", "Is something there? Asked never"} <= set(lines)
    assert "(negation)" in shown
    assert set(page.xpath("//th[@colspan]/text()")) >= {"citations per response", "latency in seconds, median"}
