"""Answers in documents and on standard input, from the command line to what is said of them."""

import json
import shlex
from pathlib import Path

from medreview.study import Study
from tests.support.commands import MEDREVIEW, Program
from tests.support.office_files import hyperlink, paragraph, rows, run, word, workbook
from tests.support.terminal import Terminal

TWO = (
    "## What is given?\n\nAspirin is given at 75 mg daily [1].\n\n## What is stopped?\n\nMetformin is stopped below 30 "
    "mL/min [2].\n\n## References\n\n1. https://a.example/aspirin\n2. https://b.example/metformin\n"
)


def cited(path: Path) -> list[tuple[str, str]]:
    """Each question, with what its response cites."""
    with Study.open(path, read_only=True) as study:
        found = study.reader.execute(
            "SELECT question, url FROM citation JOIN response USING (response_id) JOIN source USING (source_id)"
        )
        return sorted(map(tuple, found))


def test_a_document_is_imported_and_its_reading_is_said(medreview: Program) -> None:
    body = paragraph(run("What is given?"), "berschrift1") + paragraph(run("Aspirin daily, ") + hyperlink("ESC", "r1"))
    (medreview.folder / "a.docx").write_bytes(word(body, {"r1": "https://esc.example/a"}))
    sheets = {"Notes": rows(("by", "on"), ("Ann", "Monday")), "Answers": rows(("Answer",), ("Stop it.",))}
    (medreview.folder / "b.xlsx").write_bytes(workbook(sheets))

    done = medreview("import", "a.medreview", "a.docx", "b.xlsx")

    assert done.stdout.splitlines() == ["a.docx: 1 response added", "b.xlsx: 1 response added"]
    assert done.stderr.splitlines() == [
        "a.docx: read as Word document",
        "b.xlsx: read as Excel workbook",
        "b.xlsx: sheet 'Answers', columns named in row 1",
        "b.xlsx: not read: sheet 'Notes'; save one as a file of its own to import it",
    ]
    assert cited(medreview.folder / "a.medreview") == [("What is given?", "https://esc.example/a")]


def test_a_text_that_looks_like_several_answers_is_named_and_split_when_wanted(medreview: Program) -> None:
    (medreview.folder / "a.md").write_text(TWO)

    shown = medreview("import", "a.medreview", "a.md", "--dry-run")
    assert "a.md: 1 response" in shown.stderr
    assert "2 headings: 2 answers? --split-at-headings makes an answer of each" in shown.stderr

    done = medreview("import", "a.medreview", "a.md", "--split-at-headings", "--json")
    assert json.loads(done.stdout)["files"][0]["added"] == 2
    assert cited(medreview.folder / "a.medreview") == [
        ("What is given?", "https://a.example/aspirin"),
        ("What is stopped?", "https://b.example/metformin"),
    ]
    assert "2 there already" in medreview("run", "a.medreview", "a.md", "--split-at-headings").stderr


def test_standard_input_is_a_file_of_any_kind(medreview: Program) -> None:
    for given, note in (
        ("Question: Given?\nAspirin is given.", ""),
        (r"{\rtf1 Aspirin is given.\par}", "-: read as RTF document\n"),
        ('{"question": "Given?", "response": "Aspirin is given."}\n', ""),
        ("question,answer\nGiven?,Aspirin is given daily.\n", ""),
    ):
        done = medreview("import", "a.medreview", "-", input=given)
        assert (done.stdout, done.stderr) in (
            ("-: 1 response added\n", note),
            ("-: 0 responses added, 1 there already\n", note),
        )
    assert medreview("import", "a.medreview", "-", check=2).stderr == (
        "medreview: Standard input is empty; there is nothing to import.\n"
    )
    assert "name it once" in medreview("import", "a.medreview", "-", "-", check=2, input="x").stderr
    assert "medreview import a.medreview - --map links=citations" in (
        medreview("import", "a.medreview", "-", input='{"answer": "A.", "links": ["https://a.example"]}').stderr
    )


def test_what_was_pasted_is_reviewed_on_the_terminal(medreview: Program) -> None:
    (medreview.folder / "a.md").write_text("Question: What is given?\nAspirin is given at 75 mg daily.\n")
    command = f"cat a.md | {shlex.join(MEDREVIEW)} review - --queue responses"

    with Terminal(["sh", "-c", command], 100, 30, medreview.folder, **medreview.own) as terminal:
        terminal.wait("Aspirin is given at 75 mg daily.")
        terminal.type("q")
        terminal.wait("Enter open")
        terminal.type("q")
        terminal.finish()

    assert (medreview.folder / "answers.medreview").exists()


def test_without_a_terminal_the_answers_are_kept_and_the_way_on_is_named(medreview: Program) -> None:
    done = medreview.process(
        "review", "b.medreview", "-", check=2, input="Aspirin is given at 75 mg daily.", start_new_session=True
    )

    assert done.stderr.splitlines()[-1] == (
        "medreview: The answers are in b.medreview; review them on a terminal: medreview review b.medreview"
    )
