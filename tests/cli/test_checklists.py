"""Checklists of reporting guidelines: what the study holds is filled and led to, all else is the writer's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.cli.reports.study_page.checklists.checklist import NAMES, checklist_named
from medreview.cli.reports.study_page.checklists.fillers import FILLERS
from medreview.study import Study
from medreview.study.study_acts import DECLARED
from tests.stats.reports.panel_study import panel
from tests.stats.small_study import SmallStudy
from tests.support.commands import Program
from tests.support.fact_study import FactStudy
from tests.support.pages import harmless

ROWS = {"chart": 39, "mi-clear-llm": 6, "tripod-llm": 49, "grras": 15}
"""As many as the guidelines number; of TRIPOD-LLM those that its published table has."""


def _items(medreview: Program, study: Path, name: str) -> dict[str, dict[str, object]]:
    told = json.loads(medreview("report", study, "--checklist", name, "--json", "--replicates", 99).stdout)
    (found,) = told["checklists"]
    assert found["checklist"] == name
    return {one["id"]: one for one in found["items"]}


def _says(item: dict[str, object]) -> list[str]:
    says = item["says"]
    assert isinstance(says, list)
    return [one["text"] for one in says]


@pytest.mark.parametrize("name", NAMES)
def test_each_file_has_the_rows_of_its_guideline_and_every_filler_is_known(name: str) -> None:
    found = checklist_named(name)
    assert len({one.id for one in found.items}) == len(found.items) == ROWS[name]
    assert [filler for one in found.items for filler in (*one.filled_by, *one.also) if filler not in FILLERS] == []
    assert all(one.title and one.section for one in found.items)
    assert found.source


def test_every_field_of_a_study_fills_an_item_of_some_checklist() -> None:
    used = {filler for name in NAMES for one in checklist_named(name).items for filler in (*one.filled_by, *one.also)}
    assert {field.name for field in DECLARED} <= used == FILLERS.keys()


@pytest.mark.parametrize("name", NAMES)
def test_of_a_study_that_holds_nothing_every_item_is_left_to_write(
    medreview: Program, tmp_path: Path, name: str
) -> None:
    Study.create(tmp_path / "a.medreview").close()
    items = _items(medreview, tmp_path / "a.medreview", name)
    assert {one["yours"] for one in items.values() if not _says(one)} == {"yours to write"}
    filled = {key: _says(one) for key, one in items.items() if _says(one)}
    assert all("limitation" in text for texts in filled.values() for text in texts), filled


def _of_statements(study: Study) -> None:
    small = SmallStudy(study)
    for place in range(1, 7):
        small.response(f"r{place}", 1)
        small.judge(f"r{place}.1", amber="S" if place % 2 else "C", coral="S")
        small.say(f"r{place}.1", mode="blind", anna="S" if place % 3 else "N")
        small.say(f"r{place}.1", mode="blind", ben="S")
    small.roll_up()


def _of_facts(study: Study) -> None:
    facts = FactStudy(study)
    for case in ("one", "two", "three"):
        facts.case(case, ("An X-ray is due.", "follow_up"), ("It was sepsis.", "diagnosis"))
        text = facts.text("atlas", case)
        facts.votes("juror", text, "YN" if case == "one" else "YY")
        facts.labels("ann", text, "present", "absent" if case == "two" else "present")
        facts.labels("ben", text, "present", "absent")


@pytest.mark.parametrize(
    ("fill", "name", "expected"),
    [
        (_of_statements, "grras", {
            "2": "whether the text of a cited source supports each statement",
            "8": "anna: 6 blind, other queues",
            "11": "2: anna (6 labels), ben (6 labels)",
            "13": "anna and ben",
        }),
        (_of_statements, "chart", {
            "3a": "atlas (6 answers)",
            "7b": "amber",
            "10a": "by anna:",
            "10b": "anna: not addressed 2",
            "7b.i": "2: anna",
            "9a": "since statements of one answer vary together",
        }),
        (_of_facts, "tripod-llm", {
            "8b": "2: ann (6 labels), ben (6 labels)",
            "17": "key facts, said by the text, by ann: 83.3%",
            "8a": "of each key fact: “Does the response say the fact, or contradict it?”",
            "8c": "juror (juror-model",
        }),
    ],
)  # fmt: skip
def test_what_a_study_holds_stands_in_its_item(
    medreview: Program, tmp_path: Path, fill: Callable[[Study], None], name: str, expected: dict[str, str]
) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        fill(made)
    items = _items(medreview, tmp_path / "a.medreview", name)
    told = {key: " | ".join(_says(items[key])) for key in expected}
    assert {key: words for key, words in expected.items() if words not in told[key]} == {}, told
    if fill is _of_facts:
        assert not [key for key, one in items.items() if "statement" in " ".join(_says(one))]


def test_plan_of_the_audit_harm_and_blinding_fill_their_items(medreview: Program, demo: Path) -> None:
    before = _items(medreview, demo, "chart")
    assert before["10c"]["yours"] == "yours to write"
    medreview("plan", "axes", demo, "--add", "harm", "--reviewer", "anna")
    medreview("plan", "audit", demo, "--plan-labels", 60, "--reviewer", "anna")
    medreview("review", demo, "--plain", "--queue", "audit", "--reviewer", "anna", input="z harm severe\n1\nq\n")
    chart = _items(medreview, demo, "chart")
    assert _says(chart["10c"]) == ["severity of harm, by anna on 1 statement: severe 1"]
    assert chart["10c"]["yours"] == "yours to write: what misleads or is biased"
    (plan,) = [text for text in _says(chart["8"]) if "audit was to end" in text]
    assert plan.startswith("the audit was to end at 60 labels, set by anna on 20")
    assert plan.endswith("before any label; interim: 1 label of a plan for 60 labels")
    assert "anna: the judges' verdict was seen before none of 1 first decision" in _says(chart["7b"])
    medreview("report", demo, "--markdown", "r.md", "--replicates", 99)
    told = (demo.parent / "r.md").read_text()
    assert "1 statement was also labelled by severity of harm (none, mild, moderate" in told
    assert any("severity of harm (none, mild" in text for text in _says(chart["9a.i"]))


def test_questions_that_answers_share_confidence_and_repeated_verdicts_fill_theirs(
    medreview: Program, tmp_path: Path
) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        panel(SmallStudy(made), questions=12, models=2)
    items = _items(medreview, tmp_path / "a.medreview", "tripod-llm")
    told = {key: " | ".join(_says(items[key])) for key in ("7b", "7c")}
    assert "the question as what was sampled, since answers to one question vary together" in told["7c"]
    assert "confidence of amber: 0." in told["7b"]
    assert "amber, asked 2 times by the same prompt: alike in" in told["7b"]


def test_what_records_of_answers_say_and_what_was_declared(medreview: Program, tmp_path: Path) -> None:
    answer = {
        "model": "atlas", "model_version": "2.1", "vendor": "A", "question": "How?", "response": "Once daily.",
        "created_at": "2026-03-02T08:00:00Z", "temperature": 0, "web_search": False, "interface": "API",
        "system_prompt": "Be short.", "language": "de", "country": "CH", "knowledge_cutoff": "2025-06", "run": 1,
    }  # fmt: skip
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    medreview("import", "a.medreview", "answers.jsonl")
    medreview("plan", "declare", "a.medreview", "--data", "On request.")
    path = tmp_path / "a.medreview"
    clear, chart = _items(medreview, path, "mi-clear-llm"), _items(medreview, path, "chart")
    assert _says(clear["1"]) == ["atlas (1 answer)", "2.1", "A", "2026-03-02", "2025-06", "no"]
    assert clear["1"]["yours"] == ""
    assert _says(clear["2"])[0] == "temperature 0"
    assert _says(chart["6a"]) == ["API"]
    assert _says(chart["6b"]) == ["2026-03-02", "CH"]
    assert _says(chart["5b"])[1] == "Be short."
    assert _says(chart["12e"]) == ["On request."]
    assert chart["12e"]["yours"] == "yours to write: code availability"
    assert chart["5a"]["yours"] == "yours to write"


def test_on_the_page_each_place_leads_to_a_section_that_is_there_and_markdown_says_the_same(
    medreview: Program, tmp_path: Path
) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        _of_statements(made)
    several = ("--checklist", "chart", "--checklist", "GRRAS", "--checklist", "chart")
    medreview("report", "a.medreview", "r.html", "--markdown", "r.md", *several, "--replicates", 99)
    page = harmless((tmp_path / "r.html").read_text())
    assert page.xpath("//main/section[last()-1]/@id | //main/section[last()]/@id") == [
        "checklist-chart", "checklist-grras",
    ]  # fmt: skip
    links = page.xpath("//section[starts-with(@id, 'checklist-')]//td//a/@href")
    assert len(links) > 10
    assert [to for to in links if not page.xpath(f"//section[@id='{to[1:]}']")] == []
    heads = page.xpath("//section[@id='checklist-grras']//th[@scope='row']/text()")
    assert [head.split()[0] for head in heads] == [str(number) for number in range(1, 16)]
    text = (tmp_path / "r.md").read_text()
    assert "## Checklist: CHART" in text
    assert text.count("yours to write") == page.text_content().count("yours to write")


def test_without_a_file_it_is_printed_and_a_name_that_there_is_not_is_refused(
    medreview: Program, tmp_path: Path
) -> None:
    with Study.create(tmp_path / "a.medreview") as made:
        _of_statements(made)
    told = medreview("report", "a.medreview", "--checklist", "grras", "--replicates", 99).stdout
    assert "11  The actual numbers of raters" in told
    assert "[What was reviewed, and how]" in told
    assert max(map(len, told.splitlines())) <= 80
    listed = medreview("report", "a.medreview", "--checklist", "list").stdout
    assert [line.split(":")[0] for line in listed.splitlines()] == list(NAMES)
    named = medreview("report", "a.medreview", "--checklist", "list", "--json").stdout
    assert json.loads(named) == list(NAMES)
    assert "there are chart, mi-clear-llm" in medreview("report", "a.medreview", "--checklist", "x", check=2).stderr
    with Study.open(tmp_path / "a.medreview", read_only=True) as opened:
        looks = opened.reader.execute("SELECT count(*) FROM event WHERE kind = 'look'").fetchone()[0]
    assert looks, "its figures are of the judges"
