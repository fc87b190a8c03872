"""A passage that came with an answer is shown as one, and its page is still asked for; a document has none to ask."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.exchange.imports.listed_citations import GivenPage, document_entry
from medreview.labels import EXCERPT, GIVEN
from medreview.sources import stage
from medreview.sources.stage import FetchSummary, store_given
from medreview.study import Study

ADDRESS = "https://guideline.example/renal"
PASSAGE = "Metformin is contraindicated below an eGFR of 30 mL/min."
PAGE = f"{PASSAGE} It may be continued with caution between 30 and 45, and its dose is halved there."
POLICY = document_entry("Ward policy", "Stop metformin before contrast.")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A study with an answer that cites a page and a document."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"response": "Stop metformin [1, 2].", "citations": [ADDRESS, POLICY]}))
    study = Study.create(tmp_path / "s.medreview")
    pipeline.bring_in(study, path, {})
    return study


def give(study: Study, *texts: tuple[str, str, bool]) -> None:
    store_given(study, [GivenPage(address, text, "", whole) for address, text, whole in texts], "answer.json")


def current(study: Study) -> dict[str, tuple[str, str]]:
    """(page state, text) by address, or by the name of the document."""
    rows = study.reader.execute(
        "SELECT u.url, u.value, p.page_state, p.text FROM source AS u JOIN snapshot_current AS p USING (source_id)"
    )
    return {row["url"] or row["value"]: (row["page_state"], row["text"]) for row in rows}


def fetch(study: Study, tmp_path: Path, **saved: object) -> FetchSummary:
    folder = tmp_path / "pages"
    folder.mkdir(exist_ok=True)
    line = {"url": ADDRESS, "status": 200, "content_type": "text/plain", **saved}
    if "error" not in saved:
        (folder / "page.txt").write_text(PAGE)
        line["file"] = "page.txt"
    (folder / "manifest.jsonl").write_text(json.dumps(line))
    return pipeline.fetch(study, pipeline.PageProvider(saved=folder))


def test_the_page_of_a_passage_is_fetched_and_takes_its_place(study: Study, tmp_path: Path) -> None:
    give(study, (ADDRESS, PASSAGE, False))
    assert current(study) == {ADDRESS: (EXCERPT, PASSAGE)}
    assert fetch(study, tmp_path).missing == 0  # the document is not looked for
    assert current(study) == {ADDRESS: ("thin", PAGE)}


def test_a_page_that_cannot_be_had_leaves_its_passage_and_is_not_asked_for_again(study: Study, tmp_path: Path) -> None:
    give(study, (ADDRESS, PASSAGE, False))
    assert fetch(study, tmp_path, error="timeout").states == {"timeout": 1}
    assert current(study) == {ADDRESS: (EXCERPT, PASSAGE)}
    assert fetch(study, tmp_path).states == {}


def test_passages_are_joined_and_a_whole_text_takes_their_place(study: Study) -> None:
    give(study, (ADDRESS, PASSAGE, False))
    give(study, (ADDRESS, "Halve the dose below 45.", False))
    assert current(study)[ADDRESS] == (EXCERPT, f"{PASSAGE}\n\nHalve the dose below 45.")
    give(study, (ADDRESS, PAGE, True), (ADDRESS, PASSAGE, False))
    assert current(study)[ADDRESS] == (GIVEN, PAGE)
    give(study, (ADDRESS, "Another passage of it.", False))
    assert current(study)[ADDRESS] == (GIVEN, PAGE)


def test_a_document_has_the_text_that_came_with_the_answer(study: Study) -> None:
    give(study, (POLICY, "Stop metformin before contrast.", True))
    (name,) = current(study)
    assert current(study)[name] == (GIVEN, "Stop metformin before contrast.")
    assert name.startswith("Ward policy #")


def test_each_of_many_texts_goes_to_its_own_source_also_where_these_have_two_names(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "_MOST_TOGETHER", 2)
    addresses = [f"https://guideline.example/{number}" for number in range(5)]
    cites = tmp_path / "more.jsonl"
    cites.write_text(json.dumps({"response": "Stop metformin.", "citations": addresses}))
    pipeline.bring_in(study, cites, {})
    texts = {address: f"{PAGE} This is page {number}." for number, address in enumerate(addresses)}
    given = [GivenPage(address, text, "") for address, text in texts.items()]
    again = GivenPage(f"{addresses[0]}?utm_source=model", PASSAGE, "")
    assert stage.store_given(study, [*given, again], "answer.json").stored == 5
    assert current(study) == {address: (GIVEN, text) for address, text in texts.items()}
    assert stage.store_given(study, given, "answer.json").known == 5
