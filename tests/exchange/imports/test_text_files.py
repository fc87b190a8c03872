"""Files that cannot be used at all: one sentence each, before anything is stored."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import import_responses, read_records
from medreview.study import Study

Write = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", b"", "is empty"),
        ("a.csv", b"\xef\xbb\xbf \r\n\n", "is empty"),
        ("a.json", '[{"response": "a"},\n{"response": "b', "is cut off at line 2"),
        ("a.json", '{"data": [{"response": "a"}\n,\n', "is cut off at line 2"),
        ("a.json", '[{"response": "a"}\n{"response": "b"}]', "is not JSON: line 2, character 1"),
        ("a.json", "[" * 100_000, "is cut off at line 1"),
        ("a.json", '{"response": %s}' % ("[" * 100_000 + "]" * 100_000), "too deep"),
        ("a.json", '{"response": %s}' % ("9" * 5000), "number too long"),
        ("a.json", '{"response": "a", "response": "b"}', "names 'response' twice"),
        ("a.jsonl", "né\n".encode() * 3 + b"caf\xe9\n", "byte 15 is 0xE9"),
        ("a.csv", b"response\n" + b"x" * (1 << 20) + b"\n\x81\n", f"byte {(1 << 20) + 10:,} is 0x81"),
        ("a.csv", "ответ;вопрос\nда;нет\n".encode("cp1251"), "is not UTF-8"),
        (
            "a.csv",
            b"response\n" + b"x" * ((1 << 20) - 10) + "é\n".encode() + b"\xc3",
            "ends in the middle of a character",
        ),
        ("a.csv", b"x" * ((1 << 20) - 1) + "é".encode() + b"\xff", f"byte {(1 << 20) + 1:,} is 0xFF"),
        ("a.csv", b"x" * ((1 << 20) - 1) + b"\xc3x\x81", f"byte {(1 << 20) - 1:,} is 0xC3"),
        ("a.csv", "response\nx\n".encode("utf-16")[:-1], "ends in the middle of a character"),
        ("a.csv", b"PK\x03\x04...", "is a zip file"),
        ("a.csv", b"PK\x03\x04...word/", "is a damaged zip file"),
        ("a.txt", b"%PDF-1.7", "is a damaged PDF"),
        ("a.txt", b"\xd0\xcf\x11\xe0...", "old Word or Excel file"),
        ("a.txt", b"ab\0cd", "is a binary file"),
        ("a.exe", "text", "is not a file that medreview reads"),
        ("a.jsonl", '{"frage": "x", "antwort": "y"}\n', "has no column for the response (it has frage, antwort)"),
        ("a.csv", "frage;antwort\nx;y\n", "--map COLUMN=response"),
        ("a.csv", "response,response\nx,y\n", "names the column response twice"),
    ],
)
def test_one_sentence(write: Write, study: Study, name: str, content: str | bytes, words: str) -> None:
    path = write(name, content)
    with pytest.raises(UserError) as caught:
        import_responses(study, path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert study.reader.execute("SELECT count(*) FROM response").fetchone()[0] == 0


def test_missing_file_folder_and_mapping(tmp_path: Path, write: Write) -> None:
    with pytest.raises(UserError, match="There is no file"):
        read_records(tmp_path / "none.csv")
    with pytest.raises(UserError, match="is a folder"):
        read_records(tmp_path)
    with pytest.raises(UserError, match="there is no field answer"):
        read_records(write("a.csv", "x\n1\n"), {"x": "answer"})
    with pytest.raises(UserError, match="has no column y to map"):
        read_records(write("a.csv", "response\n1\n"), {"y": "question"})


def test_a_character_across_two_pieces_is_no_error(write: Write) -> None:
    text = "x" * ((1 << 20) - 30) + "é" * 40
    records = list(read_records(write("a.jsonl", json.dumps({"response": text}, ensure_ascii=False))))
    assert records[0].response == text  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.docx", "a", "a.jsonl"])
def test_records_are_read_whatever_their_file_is_called(write: Write, name: str) -> None:
    lines = '{"question": "Given?", "response": "Aspirin."}\n{"question": "Stopped?", "response": "Metformin."}\n'
    for content in (lines, f"[{lines.replace(chr(10), ',').rstrip(',')}]"):
        assert [record.response for record in read_records(write(name, content))] == ["Aspirin.", "Metformin."]  # type: ignore[union-attr]


def test_prose_with_commas_is_no_table(write: Write) -> None:
    text = "Aspirin, given daily, is the answer, as trials show.\nIt is, in short, given, and not stopped.\n"

    [record] = read_records(write("a.txt", text))

    assert record.response == text.rstrip()  # type: ignore[union-attr]
