"""Answers in every format, and what is wrong with single records."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import AnswerRecord, import_responses, read_records
from medreview.exchange.imports.file_rows import BadRecord
from medreview.import_files import import_file
from medreview.progress import SILENT
from medreview.study import Study
from medreview.study.check import check
from medreview.units.stored import load_reference

Write = Callable[[str, str | bytes], Path]
ONE = {
    "id": 7,
    "question": "Q?",
    "answer": "A.",
    "citations": ["https://a.example", "PMID:  1"],
    "model": "m",
    "origin": "forum",
}
AS_RECORD = AnswerRecord(1, "Q?", "A.", ("https://a.example", "PMID: 1"), "m", "forum", "7")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(ONE)),
        ("a.json", json.dumps([ONE])),
        ("a.json", json.dumps({"version": 2, "made": {"by": "x"}, "records": [ONE]})),
        ("a.jsonl", json.dumps(ONE) + "\n\n"),
        ("a.ndjson", b"\xef\xbb\xbf" + json.dumps(ONE).encode() + b"\r\n"),
        ("a.csv", "Id,Question,Answer,Citations,Model,Origin\n7,Q?,A.,https://a.example PMID: 1,m,forum\n"),
        ("a.csv", 'id;question;answer;citations;model;origin\r\n7;Q?;A.;"https://a.example; PMID: 1";m;forum\r\n'),
        ("a.tsv", "id\tquestion\tanswer\tcitations\tmodel\torigin\n7\tQ?\tA.\thttps://a.example PMID: 1\tm\tforum\n"),
        ("a.md", "---\nid: 7\nmodel: m\norigin: forum\ncitations: https://a.example; PMID: 1\n---\n# Q?\n\nA.\n"),
        ("a.txt", "---\nid: 7\nquestion: Q?\nmodel: m\norigin: forum\ncitations: https://a.example; PMID: 1\n---\nA."),
    ],
)
def test_the_same_record_from_every_format(write: Write, name: str, content: str | bytes) -> None:
    (record,) = read_records(write(name, content))
    assert isinstance(record, AnswerRecord)
    assert (record.question, record.response, record.citations) == ("Q?", "A.", ("https://a.example", "PMID: 1"))
    assert (record.model, record.origin, record.record_id) == ("m", "forum", "7")


def test_lines_are_those_of_the_file(write: Write) -> None:
    text = '[\n {"response": "a"},\n\n {"response": "b",\n  "id": 1}, 5,\n {"response": "c"}\n]'
    assert [record.line for record in read_records(write("a.json", text))] == [2, 4, 5, 6]
    table = 'id,response\n1,"two\nlines"\n2,b\n3\n\n4,d\n'
    assert [record.line for record in read_records(write("a.csv", table))] == [2, 4, 5, 7]


def test_json_lines_in_a_json_file(write: Write) -> None:
    assert [r.line for r in read_records(write("a.json", '{"text": "a"}\n{"text": "b"}\n'))] == [1, 2]


def test_bad_records_are_named_and_the_rest_is_kept(write: Write, study: Study) -> None:
    lines = [
        '{"response": "good"}',
        '{"response": "cut',
        "[1]",
        '{"question": "?"}',
        '{"response": {"a": 1}}',
        '{"response": "x", "citations": [3]}',
        '{"response": "x", "model": true}',
        '{"response": "half \\ud800"}',
        '{"response": "nul \\u0000"}',
        '{"response": ' + "9" * 5000 + "}",
        "[" * 100_000,
        '{"response": "good too", "citations": null}',
    ]
    summary = import_responses(study, write("a.jsonl", "\n".join(lines)))
    assert (summary.read, summary.added, summary.known) == (12, 2, 0)
    assert [bad.line for bad in summary.bad] == list(range(2, 12))
    reasons = " | ".join(bad.reason for bad in summary.bad)
    for words in (
        "not complete JSON",
        "is a list",
        "has no response",
        "looks like a log or the answer of an API: response holds a where",
        "a number among its cit",
    ):
        assert words in reasons
    assert "true or false as its model" in reasons
    assert reasons.count("a NUL or half a character") == 2


def test_bad_rows_of_a_table(write: Write) -> None:
    rows = list(read_records(write("a.csv", 'id,response\n1,a,b\n2,"x"y\n3,\n4,d\n5,"open\n6,f\n')))
    assert [row.line for row in rows] == [2, 3, 4, 5, 6]
    assert [isinstance(row, BadRecord) for row in rows] == [True, True, False, False, True]
    assert "never closed" in rows[-1].reason  # type: ignore[union-attr]


def test_a_cell_longer_than_the_csv_module_likes(write: Write) -> None:
    (record,) = read_records(write("a.csv", "response\n" + "word " * 60_000))
    assert len(record.response) == 300_000  # type: ignore[union-attr]


def test_map_takes_a_column_away_from_its_own_name(write: Write) -> None:
    path = write("a.csv", "text,reply\nQ?,A.\n")
    (record,) = read_records(path, {"text": "question", "Reply": "response"})
    assert (record.question, record.response) == ("Q?", "A.")  # type: ignore[union-attr]


def test_several_answers_in_one_text(write: Write) -> None:
    parts = "Question: One?\nAnswer: First.\n\n=====\n\n# Two?\n\nSecond\n======\nmore\n\n=======\n## Third\n\n=====\n"
    text = parts.replace("\n", "\r\n")
    records = [record for record in read_records(write("a.md", text)) if isinstance(record, AnswerRecord)]
    assert [(r.line, r.question, r.response) for r in records] == [
        (1, "One?", "First."),
        (6, "Two?", "Second\n======\nmore"),
        (13, "", "## Third"),
    ]


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("**Generated**: 2026-01-12 12:45 UTC", "2026-01-12 12:45 UTC"),
        ("*Created on 2026-02-03*", "2026-02-03"),
        ("- Date: 2026-02-03T10:00:00Z", "2026-02-03T10:00:00Z"),
        ("Written 2026-02-03 guidelines say otherwise.", ""),
    ],
)
def test_a_report_that_says_when_it_was_written_is_of_that_time(write: Write, line: str, at: str) -> None:
    (record,) = read_records(write("a.md", f"# Is rest enough?\n\n{line}\n\nRest helps.\n"))
    assert isinstance(record, AnswerRecord)
    assert (record.question, record.created_at) == ("Is rest enough?", at)
    assert line in record.response


def test_a_correct_answer_is_that_of_its_question_and_the_first_one_stays(write: Write, study: Study) -> None:
    table = "question,response,reference_answer\nQ?,A.,Right.\nQ?,B.,Otherwise.\n,C.,Nobody asked.\n"
    done = import_file(study, write("a.csv", table), {}, SILENT)
    assert (done.added, done.correct) == (3, 2)
    assert load_reference(study.reader, "Q?") == "Right."
    assert [(one.line, one.reason) for one in done.odd] == [
        (3, "has another correct answer than the one to its question that is there already, which stays")
    ]
    extra = study.reader.execute("SELECT extra FROM response WHERE text = 'C.'").fetchone()[0]
    assert extra == '{"reference_answer": "Nobody asked."}'


def test_a_rule_at_the_top_is_no_front_matter(write: Write) -> None:
    (record,) = read_records(write("a.txt", "---\nJust text here.\n---\nmore\n"))
    assert record.response == "---\nJust text here.\n---\nmore"  # type: ignore[union-attr]


def test_importing_twice_adds_nothing(write: Write, study: Study) -> None:
    lines = [json.dumps({"response": f"Answer {n}.\r\nMore.", "id": n % 3}) for n in range(1203)]
    path = write("a.jsonl", "\n".join([*lines, lines[0]]))
    first, second = import_responses(study, path), import_responses(study, path)
    assert (first.read, first.added, first.known) == (1204, 1203, 1)
    assert (second.read, second.added, second.known) == (1204, 0, 1204)
    rows = study.reader.execute(
        "SELECT ordinal, response_id, text, imported_from FROM response ORDER BY ordinal"
    ).fetchall()
    assert [row["ordinal"] for row in rows] == list(range(1, 1204))
    assert rows[5]["text"] == "Answer 5.\nMore."
    assert rows[5]["imported_from"] == "a.jsonl"
    assert len({row["response_id"] for row in rows}) == 1203
    more = import_responses(study, write("b.jsonl", lines[3] + '\n{"response": "new"}'))
    assert (more.added, more.known) == (1, 1)
    assert study.reader.execute("SELECT max(ordinal) FROM response").fetchone()[0] == 1204
    assert check(study.reader) == []


class Told:
    """A progress that only counts."""

    def __init__(self) -> None:
        self.total = self.done = 0

    def begin(self, title: str, total: int) -> None:
        self.total = total

    def step(self, count: int = 1) -> None:
        assert count >= 0
        self.done += count


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv"])
def test_progress_comes_to_its_end(write: Write, study: Study, name: str) -> None:
    records = [{"response": f"a {n}"} for n in range(1100)]
    lines = {"a.json": json.dumps(records, indent=1), "a.jsonl": "\n".join(map(json.dumps, records))}
    lines["a.csv"] = "response\n" + "\n".join(record["response"] for record in records)
    progress = Told()
    import_responses(study, write(name, lines[name]), progress=progress)
    assert progress.done == progress.total > 1000


def test_listed_citations_may_be_objects(write: Write) -> None:
    cited = [
        {"title": "A page", "url": "https://a.example"},
        {"url": None, "DOI": "10.5555/abc"},
        {"pmid": 123},
        {"title": "A book"},
    ]
    objects = [{"response": "A.", "citations": cited}, {"response": "A.", "citations": cited[0]}]
    bad = [{"response": "A.", "citations": [{"year": 2020}]}, {"response": "A.", "citations": [{"url": ["x"]}]}]
    many, one, *left = read_records(write("a.json", json.dumps(objects + bad)))
    assert isinstance(many, AnswerRecord)
    assert many.citations == ("Title: A page; URL: https://a.example", "10.5555/abc", "PMID: 123", "A book")
    assert isinstance(one, AnswerRecord)
    assert one.citations == many.citations[:1]
    assert [type(record) for record in left] == [BadRecord, BadRecord]


@pytest.mark.parametrize(("name", "content"), [("a.csv", "What dose?,Take 5 mg.\n"), ("a.json", "[]")])
def test_a_file_without_a_record_is_said_to_have_none(write: Write, name: str, content: str) -> None:
    with pytest.raises(UserError, match="holds no records"):
        read_records(write(name, content))
