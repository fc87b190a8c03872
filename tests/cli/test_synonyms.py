"""A reviewer's own synonyms, named in the settings: the filter and the offline judge both use them."""

import json
import os
import sqlite3

import pytest

from tests.support.saved_pages import save_pages

TABLE = '[synonyms]\ngroups = [["zorbium", "frobnil"]]\n'
PAGE = "The clinic opens at noon.\n\nFrobnil is taken with much water, and never before a meal by anybody at all."
CASE = json.dumps({"statement": "Zorbium helps.", "source_text": PAGE}) + "\n"


@pytest.fixture
def own(tmp_path):
    """Settings that name a table beside them."""
    (tmp_path / "config" / "medreview").mkdir(parents=True)
    (tmp_path / "config" / "medreview" / "medreview.toml").write_text('synonyms = "own.toml"\n', "utf-8")
    return tmp_path / "config" / "medreview" / "own.toml"


def test_the_filter_uses_them(medreview, own):
    own.write_text(TABLE, "utf-8")
    (start, end), *_ = json.loads(medreview("evidence", "--jsonl", input=CASE).stdout)["spans"]
    assert PAGE[start:end].startswith("Frobnil")


def test_without_settings_the_words_are_strangers(medreview):
    assert json.loads(medreview("evidence", "--jsonl", input=CASE).stdout)["spans"] == []


def test_what_never_ends_is_no_table_of_synonyms(medreview, own):
    os.mkfifo(own)
    told = medreview("evidence", "--jsonl", input=CASE, check=2).stderr
    assert "a file is needed, and this is something else" in told


def test_the_offline_judge_uses_them(medreview, own, tmp_path):
    own.write_text(TABLE, "utf-8")
    answer = {"id": "a", "response": "Zorbium helps.\n\nSource: https://example.org/frobnil"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer), "utf-8")
    save_pages(tmp_path / "pages", {"https://example.org/frobnil": f"<main><p>{PAGE}</p></main>"}, status=200)
    medreview("run", "own.medreview", "answers.jsonl", "--pages", "pages")
    with sqlite3.connect(tmp_path / "own.medreview") as study:
        quotes = [row[0] for row in study.execute("SELECT quote FROM judgement")]
    assert any(quote.startswith("Frobnil") for quote in quotes)


@pytest.mark.parametrize("content", [None, "groups =", "[synonyms]\ngroups = [1]\n"])
@pytest.mark.parametrize(
    "command", [["evidence", "--jsonl"], ["judge", "demo.medreview"], ["run", "a.medreview", "x.jsonl"]]
)
def test_a_wrong_table_is_one_sentence(medreview, demo, own, content, command, tmp_path):
    if content is not None:
        own.write_text(content, "utf-8")
    done = medreview(*command, check=2, input="")
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("medreview: The synonyms ")
    assert line.endswith(".")
