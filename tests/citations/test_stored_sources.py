"""A source that an earlier version stored under another key stays the one source of its address."""

import json
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.citations import citation
from medreview.citations.stage import extract_all
from medreview.exchange.imports.listed_citations import GivenPage
from medreview.generators.source_texts import page_at
from medreview.review.snapshot_diff import snapshot_diffs
from medreview.sources.stage import store_given
from medreview.study import Study
from medreview.units.documents import about
from tests.support.study_builder import build

PLAIN = "https://a.example/statins?id=7"
TRACKED = f"{PLAIN}&utm_source=chatgpt.com"
PAGE = "Statins lower LDL cholesterol. " * 20


def bring_in(study: Study, folder: Path, name: str, url: str) -> None:
    row = {"id": name, "question": "Do they help?", "response": f"Statins lower LDL cholesterol [1].\n\n[1] {url}"}
    (folder / f"{name}.jsonl").write_text(json.dumps(row))
    pipeline.bring_in(study, folder / f"{name}.jsonl", {})
    pipeline.parse(study)


@pytest.fixture
def stored_earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """A study with a source under the key that it got before tracking parameters were left out."""
    study = Study.create(tmp_path / "a.medreview")
    with monkeypatch.context() as earlier:
        earlier.setattr(citation, "_untracked", lambda query: query)
        bring_in(study, tmp_path, "first", TRACKED)
    assert sources(study) == [f"url:{TRACKED}"]
    return study


def sources(study: Study) -> list[str]:
    return [row[0] for row in study.reader.execute("SELECT key FROM source ORDER BY rowid")]


def test_the_plain_address_makes_no_second_source(stored_earlier: Study, tmp_path: Path) -> None:
    with stored_earlier as study:
        bring_in(study, tmp_path, "second", PLAIN)
        assert sources(study) == [f"url:{TRACKED}"]
        assert study.reader.execute("SELECT count(*), count(DISTINCT source_id) FROM citation").fetchone()[:] == (2, 1)
        marked = study.reader.execute("SELECT count(source_id) FROM marker").fetchone()[0]
        assert marked == 2, "each answer's own number leads to it"


def test_a_table_of_pairs_and_texts_that_came_with_answers_find_it(stored_earlier: Study, tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    table.write_text(
        "question,response,statement,citation_url,decision,judge\n"
        f"Do they help?,Statins lower LDL cholesterol.,Statins lower LDL cholesterol.,{PLAIN},found,j\n"
    )
    with stored_earlier as study:
        pipeline.bring_in(study, table, {})
        assert study.reader.execute("SELECT key FROM listed_pair JOIN source USING (source_id)").fetchone()[0] == (
            f"url:{TRACKED}"
        )
        assert store_given(study, [GivenPage(PLAIN, PAGE, "Statins")], "answers.jsonl").stored == 1
        named = [PLAIN, TRACKED, f"{PLAIN}&gclid=1"]
        for address in named:
            found = about(study.reader, "", address, "")
            assert found is not None
            assert found.text.startswith("Statins lower LDL cholesterol.")
        assert {page_at(study, address).url for address in named} == {TRACKED}, "also to generate questions from"
        assert [change for address in named for change in snapshot_diffs(study.reader, address)] == []


def test_the_host_of_a_redirect_is_the_one_that_its_own_entry_names(tmp_path: Path) -> None:
    to = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
    listed = [f"First.Example {to}A", f"A guideline {to}B", f"second.example {to}C", "https://plain.example/x"]
    with Study.create(tmp_path / "a.medreview") as study:
        build(study, lambda rows: rows.response("r1", "See the list.", listed=json.dumps(listed), cited=0))
        extract_all(study)
        hosts = dict(study.reader.execute("SELECT url, domain FROM source").fetchall())
    assert hosts == {
        f"{to}A": "first.example", f"{to}B": "vertexaisearch.cloud.google.com", f"{to}C": "second.example",
        "https://plain.example/x": "plain.example",
    }  # fmt: skip


def test_one_that_is_there_under_both_keys_is_the_plain_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Study.create(tmp_path / "a.medreview") as study:
        bring_in(study, tmp_path, "first", PLAIN)
        with monkeypatch.context() as earlier:
            earlier.setattr(citation, "_untracked", lambda query: query)
            bring_in(study, tmp_path, "second", TRACKED)
        bring_in(study, tmp_path, "third", f"{PLAIN}&utm_medium=x")
        of_third = """SELECT s.key FROM citation JOIN source AS s USING (source_id) JOIN response USING (response_id)
                      WHERE record_id = 'third'"""
        assert [row[0] for row in study.reader.execute(of_third)] == [f"url:{PLAIN}"]
