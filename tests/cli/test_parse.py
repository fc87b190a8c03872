"""What of the responses is no statement, in the terminal."""

import csv
import json

import pytest

from medreview.study import Study
from medreview.study.check import check
from tests.support.commands import Program

ANSWERS = [
    {"id": "a1", "response": "Hello! Take 500 mg twice daily. Is it safe? Rest helps as well."},
    {"id": "a2", "response": "No. Take 5 mg daily, as both contain caffeine."},
]


@pytest.fixture
def parsed(medreview: Program, tmp_path):
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"question": "Q?"} | answer) for answer in ANSWERS))
    medreview("import", "one.medreview", "answers.jsonl")
    done = medreview("parse", "one.medreview")
    assert done.stdout == "4 statements in 2 responses, 2 parts left out\n"
    return "one.medreview"


def test_what_is_left_out_is_listed_exported_and_made_a_statement(medreview, parsed, tmp_path):
    told = medreview("parse", parsed, "--left-out").stdout
    assert "R01       disclaimer  Hello!" in told
    assert "question: a question" in told
    assert "`medreview parse one.medreview --promote ID` makes one a statement." in told
    listed = json.loads(medreview("parse", parsed, "--left-out", "--json").stdout)
    assert [(part["record_id"], part["start"], part["text"]) for part in listed] == [
        ("a1", 0, "Hello!"),
        ("a1", 32, "Is it safe?"),
    ]
    medreview("export", parsed, "out")
    with (tmp_path / "out" / "left_out.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["response_id", "record_id", "start", "end", "text", "reason"]
    assert [row[1:] for row in rows] == [["a1", "0", "6", "Hello!", "disclaimer"],
                                        ["a1", "32", "43", "Is it safe?", "question"]]  # fmt: skip

    asked = listed[1]["left_out_id"]
    assert medreview("parse", parsed, "--promote", asked, "--reviewer", "ada").stdout == "Statements now: R01 S3\n"
    refused = medreview("parse", parsed, "--promote", asked, check=2)
    assert "Nothing that is left out has the id" in refused.stderr
    assert [part["text"] for part in json.loads(medreview("parse", parsed, "--left-out", "--json").stdout)] == [
        "Hello!"
    ]
    assert "whole" in medreview("check", parsed).stdout


def test_where_nothing_is_left_out(medreview, tmp_path):
    (tmp_path / "answers.jsonl").write_text(json.dumps({"question": "Q?", "response": "Aspirin is safe."}))
    medreview("import", "one.medreview", "answers.jsonl")
    assert medreview("parse", "one.medreview", "--left-out").stdout == "Everything in the responses is a statement.\n"


def test_line_mode_names_what_is_left_out_and_promotes_it(medreview, parsed, tmp_path):
    script = "4\nk\nresponse\nl\nl 3\nl 2\nu\nl\nU\nq\n"
    told = medreview("review", parsed, "--plain", "--queue", "responses", input=script).stdout
    assert "(left out: Hello!) Take 500 mg twice daily. (left out: Is it safe?) Rest" in told
    assert "2 a question: “Is it safe?”" in told
    assert "Say l and a number from 1 to 2." in told
    assert "“Is it safe?” is a statement now   saved #" in told
    assert "undone: made a statement of “Is it safe?”" in told
    assert told.count("2 a question: “Is it safe?”") == 2
    assert "STATEMENT: Is it safe?" in told  # done again
    with Study.open(tmp_path / parsed, read_only=True) as study:
        (event,) = study.reader.execute("SELECT * FROM event WHERE kind = 'promote'")
        assert (event["mode"], event["block"]) == ("blind", "responses")
        seen = study.reader.execute("SELECT count(*) FROM judges_shown WHERE event_id = ?", (event["event_id"],))
        assert seen.fetchone()[0] == 0


def test_line_mode_cuts_joins_and_excludes_and_moves_the_ends_of_a_span(medreview, parsed, tmp_path):
    edits = "E s twice\n1\n2\nk\nE j\nE x\nE\nE s never\nu\nu\n"
    spans = "h 1\nR 500 mg\nR nowhere\nD\nq\n"
    told = medreview("review", parsed, "--plain", "--queue", "responses", input=edits + spans).stdout
    assert "statement 1a of 3" in told
    assert "STATEMENT: twice daily" in told
    assert "S1b joined with the next   saved #" in told
    assert "Say E s WORDS to cut the statement" in told
    assert "Say E s and the words, as they stand in the statement" in told
    assert "undone: excluded as not medical" in told
    assert "marked “500 mg” instead   saved #" in told
    assert "Say R and the words that the span is to hold" in told
    assert "deleted “500 mg”" in told
    with Study.open(tmp_path / parsed, read_only=True) as study:
        kinds = [
            row[0] for row in study.reader.execute("SELECT kind FROM event WHERE kind IN ('split', 'join', 'exclude')")
        ]
        assert kinds == ["split", "join", "exclude"]
        assert check(study.reader) == []
