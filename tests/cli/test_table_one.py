"""Table 1 and the end of a report: what the study is made of, how its models were asked, and what was declared."""

import json
from pathlib import Path

from lxml.html import HtmlElement

from medreview.study import Study
from medreview.units.cases import NewCase, NewNote, add_cases
from tests.support.commands import Program
from tests.support.fact_study import FactStudy
from tests.support.pages import harmless


def _tables(page: HtmlElement, section: str) -> list[list[list[str]]]:
    return [
        [[" ".join(cell.text_content().split()) for cell in row] for row in table.iter("tr")]
        for table in page.xpath(f"//section[@id='{section}']//table")
    ]


def _report(medreview: Program, study: Path) -> HtmlElement:
    medreview("report", study, study.with_suffix(".html"), "--replicates", 99)
    return harmless(study.with_suffix(".html").read_text())


def test_answers_by_model_with_what_their_records_say_of_the_queries(medreview: Program, tmp_path: Path) -> None:
    answers = [
        {"model": "atlas", "question": "How is it taken?", "date": "2026-03-02", "Run": 1, "Temperature": 0.2},
        {"model": "atlas", "question": "how is it  taken", "date": "2026-03-09", "Run": 2, "Temperature": 0.2},
        {"model": "atlas", "question": "When is it stopped?", "Web Search": True, "params": {"seed": 7}},
        {"model": "boreal", "question": "How is it taken?", "created_at": "2026-03-05T10:00:00Z", "language": "de"},
    ]
    text = "Take 500 mg once daily with food. https://a.example/x"
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({**one, "response": text}) + "\n" for one in answers))
    medreview("import", "a.medreview", path)
    medreview("parse", "a.medreview")
    by_model, settings = _tables(_report(medreview, tmp_path / "a.medreview"), "table-1")
    assert by_model[1:] == [
        ["atlas", "2", "3", "3", "3", "2026-03-02 to 2026-03-09 (2 of 3 say when)"],
        ["boreal", "1", "1", "1", "1", "2026-03-05"],
        ["all", "2", "4", "4", "4", "2026-03-02 to 2026-03-09 (3 of 4 say when)"],
    ]
    assert settings[1:] == [
        ["atlas", "parameters", "temperature 0.2 (2 answers), seed 7 (1 answer)"],
        ["", "run", "1 (1 answer), 2 (1 answer)"],
        ["", "web access", "yes (1 answer)"],
        ["boreal", "language", "de"],
    ]


def test_cases_have_notes_and_categories_and_no_column_of_statements(medreview: Program, tmp_path: Path) -> None:
    path = tmp_path / "facts.medreview"
    with Study.create(path) as made:
        study = FactStudy(made)
        study.case("one", ("An X-ray is due.", "follow_up"), ("A stent was set.", "management"))
        study.case("two", ("It was sepsis.", "diagnosis"))
        for case in ("one", "two"):
            study.text("atlas", case)
        notes = tuple(NewNote("progress", f"2031-01-0{day}", "ward", f"Note {day}.") for day in range(1, 4))
        more = NewCase("three", "Case three", "Write of three.", "", notes)
        made.write(lambda connection: add_cases(connection, [more], "cases.jsonl"))
    by_model, cases = _tables(_report(medreview, path), "table-1")
    assert by_model == [["", "questions", "answers"], ["atlas", "2", "2"]]
    assert dict(cases[1:]) == {
        "cases": "2", "notes per case": "median 1 (1 to 3)", "key facts": "3",
        "key facts per case": "median 1.5 (1 to 2)",
        "of these, diagnosis": "1 (33%)", "of these, management": "1 (33%)", "of these, follow-up": "1 (33%)",
        "systems": "1", "texts": "2",
    }  # fmt: skip


def test_what_was_declared_ends_the_report_and_nothing_stands_where_nothing_was(medreview: Program, demo: Path) -> None:
    assert _report(medreview, demo).xpath("//section[@id='declared']") == []
    medreview("plan", "declare", demo, "--funding", "A grant of <b>B</b>.", "--ethics", "Waived.", "--reviewer", "kb")
    (section,) = _report(medreview, demo).xpath("//section[@id='declared']")
    told = {one.text_content(): one.getnext().text_content() for one in section.iter("dt")}
    assert told == {"Ethics approval and consent": "Waived.", "Funding": "A grant of <b>B</b>."}
    assert "As declared by kb." in section.text_content()
