"""Passages that an answer itself shows as its proof are held against the pages that they are said to be from."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.judges.claimed_quotes import ground_claims
from medreview.review.study_response import about_answer
from medreview.study import Study

ADDRESS = "https://guideline.example/renal"
PAGE = (
    "Metformin is contraindicated in patients with an eGFR below 30 mL/min/1.73 m2. Starting it with an eGFR of 30 to "
    "45 is not recommended. In patients whose eGFR falls below 45 the benefit of going on is weighed against the risk. "
    "Stop metformin at the time of, or before, an examination with iodinated contrast. Lactic acidosis is rare."
)
TEXT = "Metformin is contraindicated below an eGFR of 30. Starting it at 40 is recommended. Nausea is common."


def answer(folder: Path, *quotes: str) -> Path:
    """An answer of the Responses API has no such passages: Anthropic's form has, one for each block."""
    sentences = [sentence + "." for sentence in TEXT.removesuffix(".").split(". ")]
    blocks = [
        {
            "type": "text",
            "text": sentence + " ",
            "citations": [
                {"type": "web_search_result_location", "url": ADDRESS, "title": "Renal", "cited_text": quote}
            ],
        }
        for sentence, quote in zip(sentences, quotes, strict=False)
    ]
    path = folder / "a.json"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "atlas-2", "content": blocks}
    path.write_text(json.dumps(message))
    return path


def prepared(study: Study, path: Path, page: str = PAGE, **saved: object) -> dict[str, str]:
    """The badges by the first word of each statement, once the page is there."""
    folder = path.parent / "pages"
    folder.mkdir(exist_ok=True)
    (folder / "page.txt").write_text(page)
    line = {"url": ADDRESS, "status": 200, "content_type": "text/plain", "file": "page.txt", **saved}
    (folder / "manifest.jsonl").write_text(json.dumps(line))
    pipeline.run(study, [path], {}, pipeline.PageProvider(saved=folder))
    rows = study.reader.execute("SELECT s.text, v.badges FROM statement AS s JOIN verdict AS v USING (statement_id)")
    return {row["text"].split()[0]: row["badges"] for row in rows}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s.medreview")


def test_a_passage_that_is_not_in_the_page_or_says_something_else_there_is_a_flag(study: Study, tmp_path: Path) -> None:
    path = answer(
        tmp_path,
        "Metformin is contraindicated in patients with an eGFR below 30 mL/min/1.73 m2.",
        "Starting it with an eGFR of 30 to 45 is strongly recommended.",  # planted error
        "Nausea and vomiting occur in one of four patients at first.",  # planted error
    )
    badges = prepared(study, path)
    assert "cited text" not in badges["Metformin"]
    assert "cited text altered" in badges["Starting"]
    assert "cited text absent" in badges["Nausea"]
    (row,) = study.reader.execute("SELECT statement_id, response_id FROM statement WHERE text LIKE 'Nausea%'")
    shown = about_answer(study.reader, row["response_id"], row["statement_id"], named=True)
    assert "one of four patients at first.” (this is not in the page)" in shown
    assert ground_claims(study) == 0  # nothing is looked at twice


def test_a_page_that_cannot_be_read_whole_says_nothing_of_a_passage(study: Study, tmp_path: Path) -> None:
    path = answer(tmp_path, "Metformin prevents every complication of diabetes.")  # planted error
    assert "cited text" not in prepared(study, path, "Log in to read the article.")["Metformin"]


def test_the_passages_themselves_are_no_page_to_be_held_against(study: Study, tmp_path: Path) -> None:
    path = answer(tmp_path, "Metformin prevents every complication of diabetes.")  # planted error
    assert "cited text" not in prepared(study, path, url="https://another.example/")["Metformin"]
