"""Outputs that the pages print are those of the program."""

import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.span_editing import SpanEdit
from medreview.study import Study
from tests.docs.test_pages import ROOT, page, written
from tests.support.commands import Program
from tests.support.saved_pages import save_pages

KIDNEY: Final = """<!doctype html><html><head><title>Metformin</title></head><body><main><h1>Metformin</h1><h2>Dose</h2>
<p>Adults start with {dose} mg of metformin twice daily, taken together with a meal.</p>
<p>The dose may be raised slowly over several weeks, so that the stomach can get used to it.</p>
<h2>Kidneys</h2><p>Kidney function is measured before treatment and at least once a year after that.</p>
<p>Below an eGFR of 30 it is stopped.</p></main></body></html>"""
URL: Final = "https://kidney.example/metformin"


def shown(name: str) -> tuple[str, str]:
    """The command of a page's one block of console output, and the output."""
    (block,) = re.findall(r"^```console\n\$ medreview (.*?)^```", page(name), re.MULTILINE | re.DOTALL)
    command, _, output = block.partition("\n")
    return command, output


def printed(output: str) -> re.Pattern[str]:
    """What output a block stands for: a line of dots for any lines, a day for any day."""
    lines = [
        r"(?:.*\n)*?"
        if line == "..."
        else re.sub(r"\d{4}\\-\d\d\\-\d\d", r"\\d{4}-\\d\\d-\\d\\d", re.escape(line)) + "\n"
        for line in output.splitlines()
    ]
    return re.compile("".join(lines))


@pytest.fixture
def terminal(tmp_path: Path) -> Program:
    """The program on a terminal of 80 columns."""
    return Program(tmp_path, {"COLUMNS": "80"})


def test_what_changed_around_a_label(terminal: Program) -> None:
    folder = terminal.folder
    save_pages(folder / "pages", {URL: KIDNEY.format(dose=500)})
    answer = f"Adults start with 500 mg of metformin twice daily. {URL}"
    (folder / "answers.jsonl").write_text(json.dumps({"response": answer}))
    terminal("run", "sepsis.medreview", "answers.jsonl", "--pages", "pages")
    with Study.open(folder / "sepsis.medreview") as study:
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        session.decide("supported")
        text = session.source_text()
        start = text.index("500 mg")
        session.add_span("source", SpanEdit(text, start, start + 6))
    save_pages(folder / "pages", {URL: KIDNEY.format(dose=850)})
    terminal("fetch", "sepsis.medreview", "--refresh", "--pages", "pages")

    (output,) = re.findall(r"^```text\n(.*?)^```", page("sources.md"), re.MULTILINE | re.DOTALL)

    assert printed(output).fullmatch(terminal("diff", "sepsis.medreview", "kidney.example").stdout)


def test_the_figures_of_a_reviewer(terminal: Program, demo_file: Path) -> None:
    path = Path(shutil.copy(demo_file, terminal.folder / "demo.medreview"))
    with Study.open(path) as study:
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        for place in range(60):
            session.go(place)
            session.decide("partial" if place % 7 == 3 else session.judges_say or "not_addressed")

    command, output = shown("stats-output.md")

    assert printed(output).fullmatch(terminal(*command.split()).stdout)


def test_the_evidence_filter(terminal: Program) -> None:
    (answers,) = re.findall(r"^```json\n(.*?)^```", page("evidence-filter.md"), re.MULTILINE | re.DOTALL)

    told = terminal("evidence", "--jsonl", input=written("evidence-filter.md")).stdout

    assert [json.loads(line) for line in told.splitlines()] == [json.loads(line) for line in answers.splitlines()]


def test_references_of_the_sample_answers_and_the_filter_for_them(terminal: Program) -> None:
    shutil.copytree(ROOT / "sample_data", terminal.folder / "sample_data")
    command, output = shown("references.md")

    assert printed(output).fullmatch(terminal(*command.split()).stdout)

    (line,) = re.findall(r"^echo '(.*)' > one.jsonl$", page("references.md"), re.MULTILINE)
    (answer,) = re.findall(r"^```json\n(.*?)^```", page("references.md"), re.MULTILINE | re.DOTALL)
    told = json.loads(terminal("references", "--jsonl", "--library", "sample_data/library.json", input=line).stdout)
    assert all(told[name].startswith(value.removesuffix(" ...")) for name, value in json.loads(answer).items())
    assert all(f"`{name}`" in page("references.md") for name in told.keys() - json.loads(answer).keys())


def test_records_that_are_shown_can_be_imported(terminal: Program) -> None:
    records = {
        name: re.search(r"^```json\n(.*?)^```", page(name), re.MULTILINE | re.DOTALL)
        for name in ("files.md", "judges.md", "sources.md")
    }
    answer, judgement, saved = (json.loads(found[1]) for found in records.values() if found)
    folder = terminal.folder
    (folder / "pages").mkdir()
    text = "Metformin is not started below an eGFR of 30."
    url = answer["citations"][0]
    (folder / "pages" / saved["file"]).write_text(f"<html><body><p>{text * 9}</p></body></html>")
    (folder / "pages" / "manifest.jsonl").write_text(json.dumps(saved | {"url": url}))
    (folder / "answers.jsonl").write_text(json.dumps(answer | {"response": text}))
    (folder / "judgements.jsonl").write_text(json.dumps(judgement | {"statement": text, "quote": text}))

    done = terminal("run", "a.medreview", "answers.jsonl", "judgements.jsonl", "--pages", "pages", "--json")

    files = {Path(it["file"]).name: it for it in json.loads(done.stdout)["imported"]}
    assert {name: (it["kind"], it["added"], it["bad"]) for name, it in files.items()} == {
        "answers.jsonl": ("responses", 1, []),
        "judgements.jsonl": ("judgements", 1, []),
    }
    with Study.open(folder / "a.medreview", read_only=True) as study:
        rows = study.reader.execute(
            "SELECT quote_status FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'recorded'"
        ).fetchall()
    assert [row[0] for row in rows] == ["exact"]
