"""Judgements and SourceCheckup tables from files, and telling files apart."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.answer_records import import_responses
from medreview.exchange.imports.field_mapping import UnusedColumn
from medreview.exchange.imports.file_rows import BadRecord
from medreview.exchange.imports.judgements import JudgementRecord, read_judgements
from medreview.exchange.imports.sourcecheckup import import_sourcecheckup
from medreview.import_files import detect_format
from medreview.study import Study
from medreview.study.check import check
from tests.exchange.example_study import ExampleStudy

Write = Callable[[str, str | bytes], Path]
ONE = {
    "judge": "ember",
    "response": 3,
    "statement": "S.",
    "source": "https://a.example",
    "label": "found",
    "confidence": 0.5,
}
TABLE = (
    "Statement,Citation URL,Decision,Reason\n"
    "Aspirin thins blood.,https://a.example,found,Aspirin inhibits platelets.\n"
    "Aspirin thins blood.,https://b.example,not_found,It speaks of ibuprofen.\n"
    "Doses vary.,https://a.example,Not Found,\n"
)


def said(*quotes: str, missing: str = "", opposing_quote: str = "", **more: bool) -> dict[str, object]:
    """What a record says beside its label."""
    return {"quotes": list(quotes), "missing": missing, "opposing_quote": opposing_quote, **more}


def test_judgements(write: Write) -> None:
    lines = [
        ONE,
        {**ONE, "confidence": "1"},
        {**ONE, "confidence": 1.5},
        {**ONE, "label": ""},
        {**ONE, "confidence": [1]},
    ]
    path = write("j.jsonl", "\n".join(map(json.dumps, lines)))
    first, second, *bad = read_judgements(path)
    assert first == JudgementRecord("ember", "", "", "3", "S.", "https://a.example", "found", 0.5, "", said(""), 1)
    assert isinstance(second, JudgementRecord)
    assert second.confidence == 1
    assert [type(record) for record in bad] == [BadRecord] * 3
    assert [record.line for record in bad] == [3, 4, 5]
    table = write("j.csv", "who;label;response;statement;source\nember;yes;1;S.;u\n")
    (mapped,) = read_judgements(table, {"who": "judge"})
    assert (mapped.judge, mapped.confidence) == ("ember", None)  # type: ignore[union-attr]
    with pytest.raises(UserError, match="no column for the judge"):
        read_judgements(table)


def test_a_table_of_statements_only(write: Write, study: Study) -> None:
    path = write("decisions.csv", TABLE)
    summary = import_sourcecheckup(study, path)
    assert (summary.read, summary.added, summary.known, summary.statements, summary.bad) == (3, 1, 0, 2, [])
    response = study.reader.execute("SELECT * FROM response").fetchone()
    assert response["text"] == "Aspirin thins blood.\nDoses vary."
    assert json.loads(response["listed"]) == ["https://a.example", "https://b.example"]
    statements = study.reader.execute('SELECT text, "start", "end" FROM statement ORDER BY ordinal').fetchall()
    assert [tuple(row) for row in statements] == [("Aspirin thins blood.", 0, 20), ("Doses vary.", 21, 32)]
    found, missing, third = summary.decisions
    assert (found.label, found.said["quotes"], found.reason) == ("found", ["Aspirin inhibits platelets."], "")
    assert (missing.label, missing.said["quotes"], missing.reason) == ("not_found", [""], "It speaks of ibuprofen.")
    assert (third.label, third.line, third.judge, third.source) == (
        "Not Found",
        4,
        "SourceCheckup",
        "https://a.example",
    )
    assert {record.response for record in summary.decisions} == {response["response_id"]}
    again = import_sourcecheckup(study, path)
    assert (again.added, again.known, again.statements, again.decisions) == (0, 1, 0, summary.decisions)
    assert check(study.reader) == []


def test_a_table_without_a_question_is_grouped_by_neighbours_and_only_its_pairs_are_judged(
    write: Write, study: Study, tmp_path: Path
) -> None:
    page = "Aspirin thins blood. Doses vary with age. It is taken with food by most people. " * 8
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "p.txt").write_text(page)
    urls = [f"https://{name}.example/" for name in "abcdef"]
    listed = [{"url": url, "file": "p.txt"} for url in urls]
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, listed)))
    rows = [
        ("Aspirin thins blood.", 0), ("Aspirin thins blood.", 1), ("Doses vary.", 1), ("Doses vary.", 2),
        ("It is taken with food.", 3), ("It thins blood.", 3), ("It varies.", 3),
        ("Age matters.", 4), ("Age matters.", 5), ("Most people eat.", 5),
    ]  # fmt: skip
    table = "".join(f"{text},{urls[n]},found,Aspirin thins blood.,good\n" for text, n in rows)
    path = write("t.csv", "statement,source,decision,reason,mark\n" + table)
    done = pipeline.run(study, [path], {}, pipeline.PageProvider(saved=folder))

    assert (done.imported[0].added, done.imported[0].bad) == (3, [])
    assert "as 3 responses; in a new study, name the column: --map COLUMN=question" in done.imported[0].warnings[0]
    assert done.imported[0].unused == [UnusedColumn("mark", "")]
    sizes = study.reader.execute(
        "SELECT count(DISTINCT s.statement_id) FROM response JOIN statement AS s USING (response_id) "
        "GROUP BY response_id ORDER BY response.ordinal"
    )
    assert [row[0] for row in sizes] == [2, 3, 2]
    assert done.judged.pairs == len(rows)  # and not each statement with every source of its response
    count = study.reader.execute("SELECT count(*) FROM judgement JOIN judge_run USING (judge_run_id) GROUP BY kind")
    assert [row[0] for row in count] == [len(rows), len(rows)]
    named = write("u.csv", "question,statement,source,decision\n" + "".join(
        f"Q{n > 2}?,{text},{urls[n]},found\n" for text, n in rows))  # fmt: skip
    again = import_sourcecheckup(study, named)
    assert (again.added, again.missing.partition(":")[0]) == (2, "no text of the responses")


def test_statements_are_located_when_they_stand_in_the_response(write: Write, study: Study) -> None:
    rows = [
        {
            "id": 1,
            "question": "Q?",
            "response": "Take 5 mg.\r\nThen rest.",
            "model": "m",
            "statement": "Then rest.",
            "decision": "yes",
        },
        {
            "id": 1,
            "question": "Q?",
            "response": "Take 5 mg.\r\nThen rest.",
            "model": "m",
            "statement": "Take five.",
            "decision": "no",
        },
        {"id": 2, "question": "Q?", "response": "Other.", "model": "m", "statement": "Other.", "decision": "maybe"},
        {"id": 2, "question": "Q?", "response": "Other.", "model": "m", "statement": "", "decision": "yes"},
        {
            "id": 1,
            "question": "Q?",
            "response": "Take 5 mg.\r\nThen rest.",
            "model": "m",
            "statement": "More.",
            "decision": "no",
        },
    ]
    data = json.dumps([{**row, "url": f"https://a.example/{n}"} for n, row in enumerate(rows)])
    summary = import_sourcecheckup(study, write("t.json", data))
    assert (summary.added, summary.statements, [bad.reason[:20] for bad in summary.bad]) == (
        1,
        3,
        ["has the decision 'ma", "has no statement"],
    )
    places = study.reader.execute('SELECT text, "start", "end", ordinal FROM statement ORDER BY ordinal').fetchall()
    assert [tuple(row) for row in places] == [
        ("Then rest.", 11, 21, 1),
        ("Take five.", None, None, 2),
        ("More.", None, None, 3),
    ]
    later = {**rows[0], "statement": "Take 5 mg.", "url": "https://late.example"}
    more = import_sourcecheckup(study, write("u.json", json.dumps([later])))
    assert (more.known, more.statements) == (1, 1)
    row = study.reader.execute("SELECT listed, cited, parser FROM response").fetchone()
    assert (len(json.loads(row["listed"])), row["cited"], row["parser"]) == (4, 0, "given")
    assert check(study.reader) == []


def test_statements_split_here_are_kept(write: Write, study: Study) -> None:
    text = "Take 5 mg. Then rest."
    import_responses(study, write("a.jsonl", json.dumps({"response": text})))
    study.write(lambda connection: connection.execute("UPDATE response SET parser = 'rules 1'"))
    row = {"response": text, "statement": "Then rest.", "url": "https://a.example", "decision": "found", "reason": "q"}
    summary = import_sourcecheckup(study, write("t.json", json.dumps([row])))
    assert (summary.known, summary.statements, len(summary.decisions)) == (1, 0, 1)
    assert study.reader.execute("SELECT parser FROM response").fetchone()[0] == "rules 1"


def test_what_is(write: Write, example: ExampleStudy, tmp_path: Path) -> None:
    assert detect_format(write("a.csv", TABLE)) == "sourcecheckup"
    assert detect_format(write("a.jsonl", json.dumps(ONE))) == "judgements"
    assert detect_format(write("b.jsonl", json.dumps({"response": "x"}))) == "responses"
    assert detect_format(write("a.md", "# Q\n\nstatement source label judge")) == "responses"
    mapped = write("c.csv", "s,u,d\nx,y,found\n")
    assert detect_format(mapped) == "responses"
    assert detect_format(mapped, {"s": "statement", "u": "source", "d": "decision"}) == "sourcecheckup"
    export(example.study, tmp_path / "out")
    assert detect_format(tmp_path / "out") == "export"
    with pytest.raises(UserError, match=r"without a manifest\.json"):
        detect_format(tmp_path)
    with pytest.raises(UserError, match="There is no file"):
        detect_format(tmp_path / "none")
    with pytest.raises(UserError, match="there is no field verdict"):
        detect_format(mapped, {"s": "verdict"})
