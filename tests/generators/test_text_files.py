"""Texts to generate from, in files of several kinds."""

import json
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.generators.source_texts import read_texts

TEXT = "Aspirin is stopped 7 days before the operation.\n\nNobody needs a bridge with heparin."


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_plain_text_is_one_text_named_by_its_file(tmp_path):
    (plain,) = read_texts(write(tmp_path / "aspirin.txt", TEXT.replace("\n", "\r\n") + "\n")).passages
    assert (plain.title, plain.text) == ("aspirin", TEXT)


def test_a_page_is_read_as_one_that_was_fetched(tmp_path):
    body = f"<html><head><title>Surgery</title></head><body><nav>Home</nav><main><h1>Aspirin</h1><p>{TEXT}</p></main></body></html>"  # noqa: E501
    (page,) = read_texts(write(tmp_path / "a.html", body)).passages
    assert page.title == "Surgery"
    assert "stopped 7 days before" in page.text
    assert "<p>" not in page.text


def test_records_are_a_text_each_with_title_and_url_and_what_has_none_is_named(tmp_path):
    records = [
        {"title": "Aspirin", "url": "https://a.example/x", "text": TEXT},
        {"title": "Nothing", "text": " "},
        {"passage": "Another."},
        {"text": TEXT},
    ]
    found = read_texts(write(tmp_path / "t.jsonl", "".join(json.dumps(one) + "\n" for one in records)))
    assert [(one.title, one.url, one.text) for one in found.passages] == [
        ("Aspirin", "https://a.example/x", TEXT),
        ("", "", "Another."),
    ]
    assert [(bad.line, bad.reason) for bad in found.bad] == [(2, "has no text")]
    (row,) = read_texts(write(tmp_path / "t.csv", "heading,content\nAspirin,Stopped before.\n")).passages
    assert (row.title, row.text) == ("Aspirin", "Stopped before.")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.html", "<html><body></body></html>", r"a\.html has no text"),
        ("a.jsonl", '{"text": ""}\n', r"a\.jsonl holds no text"),
        ("a.jsonl", '{"other": "x"}\n', "has no column for the text"),
        ("none.jsonl", None, r"There is no file .*none\.jsonl"),
        ("none.html", None, r"none\.html cannot be read"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path, name, content, says):
    if content is not None:
        write(tmp_path / name, content)
    with pytest.raises(UserError, match=says):
        read_texts(tmp_path / name)
