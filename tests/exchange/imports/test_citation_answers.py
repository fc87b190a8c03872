"""Answers to look at without a study: from files, from standard input, from a study."""

import json
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.citation_answers import (
    CitingAnswer,
    file_answers,
    stream_answers,
    study_answers,
)
from medreview.exchange.imports.file_rows import BadRecord
from medreview.study import Study
from medreview.study.file_kind import is_database
from tests.support.study_builder import build


def lines(folder, *records):
    path = folder / "a.jsonl"
    path.write_text("\n".join(record if isinstance(record, str) else json.dumps(record) for record in records))
    return path


def test_a_record_has_a_reference_and_a_latency(tmp_path):
    path = lines(
        tmp_path,
        {"id": 7, "model": "m", "origin": "o", "answer": "x\r\ny", "citations": ["PMID: 123456"], "reference": " r "},
        {"response": "x", "latency_ms": 1500},
        {"response": "x", "latency_s": "1.5"},
        {"response": "x", "latency": 2},
    )

    first, *others = (answer for answer in file_answers(path) if isinstance(answer, CitingAnswer))
    assert first == CitingAnswer(1, "7", "m", "o", "x\ny", ("PMID: 123456",), "r", None)
    assert [answer.latency_s for answer in others] == [1.5, 1.5, 2.0]


@pytest.mark.parametrize("value", ["n/a", "", -1, "nan", "1e400", True, None, [1], 10**400])
def test_a_latency_that_is_none_is_left_out_and_the_record_kept(tmp_path, value):
    answer: Any
    (answer,) = file_answers(lines(tmp_path, {"response": "x", "latency_ms": value}))

    assert answer.latency_s is None


def test_bad_records_are_named_with_their_line(tmp_path):
    path = lines(tmp_path, {"response": "x"}, {"id": 1}, "{broken", {"response": 3}, {"response": "y", "reference": 4})

    assert [row if isinstance(row, BadRecord) else row.text for row in file_answers(path)] == [
        "x",
        BadRecord(2, "has no response"),
        BadRecord(3, "is not complete JSON (expecting property name enclosed in double quotes at character 2)"),
        BadRecord(4, "has a number as its response, not text"),
        BadRecord(5, "has a number as its reference, not text"),
    ]


def test_a_table_with_columns_of_its_own(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text_out,took\nhello,3\n")

    answer: Any
    (answer,) = file_answers(path, {"text_out": "response", "took": "latency_s"})
    assert (answer.text, answer.latency_s) == ("hello", 3.0)
    with pytest.raises(UserError, match="there is no field nothing"):
        file_answers(path, {"took": "nothing"})


def test_text_on_standard_input_is_one_response_as_it_stands():
    text = "Question: no\n\n=====\n{not json}\n"

    assert list(stream_answers(text.encode())) == [CitingAnswer(1, "", "", "", text)]


def test_json_lines_on_standard_input_are_records():
    data = b'\xef\xbb\xbf{"id": "a", "response": "x"}\r\n\r\n{"response": "  "}\n'

    assert list(stream_answers(data)) == [
        CitingAnswer(1, "a", "", "", "x"),
        CitingAnswer(3, "", "", "", "  ", invalid="empty"),
    ]
    assert [getattr(a, "text", None) for a in stream_answers(b'{"out": "x"}', {"out": "response"})] == ["x"]


@pytest.mark.parametrize("text", ['{"response": "x"}\nand more', '{"id": 1}', "[1]", '"x"', "1", "{" * 5000])
def test_anything_else_on_standard_input_is_text(text):
    assert [getattr(answer, "text", None) for answer in stream_answers(text.encode())] == [text]


@pytest.mark.parametrize(
    ("data", "says"), [(b"", "is empty"), (b" \n", "is empty"), (b"a\xff", "byte 1 is 0xFF"), (b"a\0", "is binary")]
)
def test_standard_input_without_text_is_one_sentence(data, says):
    with pytest.raises(UserError, match=says):
        stream_answers(data)


def test_the_responses_of_a_study(tmp_path):
    path = tmp_path / "a.medreview"
    with Study.create(path) as study:
        build(study, lambda rows: rows.response("r1", "x", model="m", origin="o"))
        more = {"model": "m", "origin": "o", "record_id": "seven", "listed": '["PMID: 1"]'}
        build(study, lambda rows: rows.response("r2", "x", **more))
        assert list(study_answers(study.reader)) == [
            CitingAnswer(1, "r1", "m", "o", "x", question="How much, r1?"),
            CitingAnswer(2, "seven", "m", "o", "x", ("PMID: 1",), question="How much, r2?"),
        ]
    assert is_database(path)
    assert not is_database(lines(tmp_path, {"response": "x"}))
    assert not is_database(tmp_path / "none")
