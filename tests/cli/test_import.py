"""What `import` and `facts` say of a file: what was not used and how to take it, other studies, unknown categories."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.units.cases import question_about
from tests.support.commands import Program


def test_what_was_not_used_is_named_with_a_command_that_takes_it(medreview: Program, tmp_path: Path) -> None:
    record = {"prompt": "Is it safe?", "answer": "No. [1]", "links": ["https://b.example/"], "score": 2}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    done = medreview("import", "s.medreview", "a.jsonl")
    assert done.stdout == "a.jsonl: 1 response added\n"
    maps = "--map prompt=question --map links=citations"
    assert done.stderr.splitlines() == [
        "a.jsonl: kept beside the answers: prompt, links, score",
        f"  to take prompt, links: medreview run s-2.medreview a.jsonl {maps}",  # another question, another response
    ]
    told = json.loads(medreview("import", "t.medreview", "a.jsonl", *maps.split(), "--json").stdout)
    assert told["files"][0]["unused"] == [{"column": "score", "field": ""}]

    known = medreview("import", "s.medreview", "a.jsonl", "--map", "links=citations")
    assert "0 responses added, 1 there already" in known.stdout
    assert medreview("sources", "addresses", "s.medreview", "--json").stdout.count("b.example") > 0


def test_a_column_of_a_sheet_is_named_where_a_document_is_beside_it(medreview: Program, tmp_path: Path) -> None:
    document = Path(__file__).parents[2] / "docs" / "tutorials" / "files" / "ward-answers.docx"
    (tmp_path / "sheet.csv").write_text("ID,Bot said\n1,Metformin is safe at an eGFR of 50.\n")

    wrong = medreview("run", "s.medreview", "sheet.csv", "--map", "Bot sad=response", check=2).stderr
    assert "has no column Bot sad to map; it has ID, Bot said." in wrong
    told = medreview("run", "s.medreview", document, "sheet.csv", "--map", "Bot said=response", "--split-at-headings")
    assert "ward-answers.docx: 3 responses added" in told.stderr
    assert "sheet.csv: 1 response added" in told.stderr


def test_the_command_that_takes_more_keeps_what_was_mapped(medreview: Program, tmp_path: Path) -> None:
    record = {
        "qid": "7",
        "annotator_id": "x",
        "question": "Is it safe?",
        "free form": "No. [1]",
        "must_have": ["Ask first."],
        "attribution": ["https://b.example/"],
    }
    (tmp_path / "-a b.jsonl").write_text(json.dumps(record))
    done = medreview("import", "s.medreview", "./-a b.jsonl", "--map", "free form=response")
    assert done.stderr.splitlines()[-1] == (
        "  to take qid, must_have, attribution: medreview run s-2.medreview './-a b.jsonl' --map 'free form=response' "
        "--map qid=id --map must_have=facts --map attribution=citations"
    )
    maps = (
        "--map",
        "free form=response",
        "--map",
        "qid=id",
        "--map",
        "must_have=facts",
        "--map",
        "attribution=citations",
    )
    told = json.loads(medreview("import", "t.medreview", "./-a b.jsonl", *maps, "--json").stdout)["files"][0]
    assert (told["added"], told["facts"], told["unused"]) == (1, 1, [{"column": "annotator_id", "field": ""}])


def test_empty_responses_pages_and_facts_are_counted(medreview: Program, tmp_path: Path) -> None:
    records = [
        {"id": "q1", "question": "Q?", "answers": {"m": "A.", "n": ""}, "pages": {"www.a.example/x": "A page."}},
        {"id": "q2", "question": "R?", "response": None},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert medreview("import", "s.medreview", "a.jsonl").stdout == (
        "a.jsonl: 3 responses added; 2 empty responses kept as invalid; 1 source with a text of its own\n"
    )
    (tmp_path / "f.csv").write_text("q,must,kind\nQ?,It is safe.,Safety\nQ?,Stop it.,management\n")
    fields = [word for one in ("q=question", "must=fact", "kind=category") for word in ("--map", one)]
    done = medreview("import", "--as", "facts", "s.medreview", "f.csv", *fields)
    assert done.stdout == "2 key facts added\n"
    assert done.stderr == "f.csv: no known category, stored as other: safety\n"


def test_key_facts_come_before_the_texts_and_can_be_taken_back(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("question,fact\nQ?,It is safe.\nQ?,Stop it.\n")
    first = medreview("import", "--as", "facts", "s.medreview", "f.csv")
    assert first.stdout == "2 key facts added\n"
    assert "2 key facts of 1 question will wait: no text answers them yet" in first.stderr
    for more in ((), ("--full",)):
        waiting = medreview("stats", "s.medreview", "--unit", "key_fact", *more).stdout
        assert "2 key facts wait for texts that answer the same question" in " ".join(waiting.split())
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "Why?", "response": "It is so."}))
    medreview("import", "s.medreview", "a.jsonl")
    (tmp_path / "g.csv").write_text("question,fact\nQ ?,It is safe.\n")
    other = medreview("import", "--as", "facts", "s.medreview", "g.csv")
    assert "The first of these questions is 'Q ?'; the texts answer such as 'Why?'" in other.stderr
    assert "The import of g.csv was taken back: 1 key fact" in medreview("import", "s.medreview", "--undo").stdout
    (tmp_path / "b.jsonl").write_text(json.dumps({"question": "Q?", "response": "It is safe."}))
    medreview("import", "s.medreview", "b.jsonl")
    assert "0 of 2 key facts labelled" in medreview("stats", "s.medreview", "--unit", "key_fact").stdout
    (tmp_path / "h.csv").write_text("response,fact\nnone,It is safe.\n")
    none = medreview("import", "--as", "facts", "s.medreview", "h.csv", check=2)
    assert "None of the 1 key fact of h.csv came in (line 2 no response has the id 'none')" in none.stderr


def test_facts_notes_and_texts_meet_by_the_case_that_they_name_in_any_order(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("case,fact,category\n7,A clip was placed.,management\n8,He had a fall.,other\n")
    texts = [
        {
            "case": "7",
            "model": "atlas one prompt",
            "question": "In one go: sum up 7.",
            "response": "A clip was placed.",
        },
        {"case": "7", "model": "atlas in stages", "response": "No clip."},
        {"case": "9", "model": "atlas in stages", "question": "Sum up 9.", "response": "A fall."},
    ]
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, texts)))
    notes = [{"case": case, "kind": "hp", "at": "2031-04-01", "text": "Black stools."} for case in ("7", "8")]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, notes)))
    medreview("import", "--as", "facts", "s.medreview", "facts.csv")
    medreview("import", "s.medreview", "texts.jsonl")
    medreview("import", "s.medreview", "notes.jsonl")
    told = json.loads(medreview("stats", "s.medreview", "--unit", "key_fact", "--json").stdout)
    figures = told["unit"]["family"]["figures"]
    counts = [figures[name] for name in ("cases", "key_facts", "texts", "systems", "held", "waiting")]
    assert counts == [2, 2, 2, 2, 2, 1]
    with Study.open(tmp_path / "s.medreview", read_only=True) as study:
        rows = study.reader.execute("SELECT question, extra FROM response ORDER BY ordinal").fetchall()
        asked = question_about(study.reader, "7")
    assert [row["question"] for row in rows] == [asked, asked, "Sum up 9."]
    assert [json.loads(row["extra"]).get("question") for row in rows] == ["In one go: sum up 7.", None, None]
    (tmp_path / "more.jsonl").write_text(json.dumps({"case": "12", "model": "atlas", "response": "A fall."}))
    bad = medreview("import", "s.medreview", "more.jsonl", check=2)
    assert "has no question and is about the case '12', which the study does not have" in bad.stderr


def test_facts_come_in_as_suggestions_for_cases_alone(medreview: Program, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text(
        json.dumps({"case": "7", "kind": "hp", "at": "2031-04-01", "text": "Black stools."})
    )
    medreview("import", "s.medreview", "notes.jsonl")
    (tmp_path / "facts.csv").write_text("case,fact,category\n7,A clip was placed.,management\n8,He had a fall.,other\n")
    done = medreview("import", "--as", "facts", "s.medreview", "facts.csv", "--suggest")
    assert "1 suggested fact added, 1 left out" in done.stdout
    assert "line 3: is of no case of the study" in done.stderr
    keep = medreview("review", "s.medreview", "--queue", "suggestions", "--plain", input="1\nq\n")
    assert "A clip was placed." in keep.stdout
    waiting = medreview("stats", "s.medreview", "--unit", "key_fact").stdout
    assert "1 key fact waits for texts" in waiting


def test_the_export_of_another_study_is_taken_as_a_copy_only(medreview: Program, tmp_path: Path, demo: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": "Metformin lowers glucose."}))
    medreview("import", "mine.medreview", "a.jsonl")
    medreview("export", demo, "labels")
    refused = medreview("import", "mine.medreview", "labels", check=2)
    assert "labels is an export of another study" in refused.stderr
    assert "medreview import mine.medreview labels --as-copy" in refused.stderr
    assert "added" in medreview("import", "mine.medreview", "labels", "--as-copy").stdout
    assert "added" in medreview("import", "new.medreview", "labels").stdout

    medreview("import", "other.medreview", "a.jsonl")
    merged = medreview("team", "merge", "other.medreview", demo, check=2)
    assert "was not merged: it is another study" in merged.stderr


RECORDS = [
    {"id": f"q{number}", "question": f"Question {number}?", "response": f"Metformin lowers glucose by {number}0 mg/dL."}
    for number in range(1, 5)
]

PAGE = "https://a.example/old"
MANY_PAGES = {f"https://a.example/{number}": "A page." for number in range(12)}


def written(path: Path, records: object) -> Path:
    path.write_text("\n".join(map(json.dumps, records)))  # type: ignore[call-overload]
    return path


def responses(study: Path) -> list[str]:
    with Study.open(study, read_only=True) as opened:
        return [row[0] for row in opened.reader.execute("SELECT record_id FROM response ORDER BY ordinal")]


def test_a_dry_run_shows_what_would_come_in_and_writes_nothing(medreview: Program, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [*RECORDS, {"id": "q5", "response": 5}])
    done = medreview("import", "s.medreview", "a.jsonl", "--dry-run")
    assert done.stderr.splitlines() == [
        "a.jsonl: 4 responses, 1 that cannot be read",
        *(f"  q{n}: Question {n}? | Metformin lowers glucose by {n}0 mg/dL." for n in (1, 2, 3)),
    ]
    assert done.stdout == "Nothing was written.\n"
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl"}
    told = json.loads(medreview("import", "s.medreview", "a.jsonl", "--dry-run", "--json").stdout)
    assert (told["files"][0]["records"], told["files"][0]["first"][0][0]) == (5, "q1")
    (tmp_path / "b.csv").write_text("question,says\nQ?,A.\n")
    assert "no column for the response" in medreview("import", "s.medreview", "b.csv", "--dry-run", check=2).stderr


def test_on_a_terminal_the_first_records_are_shown_before_they_are_stored(medreview: Program, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", RECORDS)
    for command in (("import", "s.medreview", "a.jsonl"), ("run", "t.medreview", "a.jsonl")):
        ours, theirs = pty.openpty()
        with medreview.start(*command, stderr=theirs) as process:
            os.close(theirs)
            said = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while piece := os.read(ours, 4096):
                    said += piece
            os.close(ours)
            assert process.wait() == 0
        assert b"q1: Question 1? | Metformin lowers glucose by 10 mg/dL." in said
        assert b"q4" not in said.partition(b"q3")[2].partition(b"\n")[2].partition(b"\n")[0]


@pytest.mark.parametrize("command", ["import", "run"])
def test_the_newest_import_is_taken_back_with_what_was_made_of_it(
    medreview: Program, tmp_path: Path, command: str
) -> None:
    study = tmp_path / "s.medreview"
    medreview("run", study, written(tmp_path / "a.jsonl", RECORDS[:2]))
    medreview(command, study, written(tmp_path / "b.jsonl", RECORDS))
    medreview("run", study)
    medreview("import", study, "b.jsonl")  # adds nothing: the one before stays the newest
    done = medreview("import", study, "--undo")
    assert "The import of b.jsonl was taken back: 2 responses; a copy with it is " in done.stdout
    assert responses(study) == ["q1", "q2"]
    assert "whole" in medreview("check", study).stdout
    assert "no import that can be taken back" in medreview("import", study, "--undo", check=2).stderr
    (with_it,) = (path for path in (tmp_path / "s.medreview.backups").iterdir())
    assert responses(with_it) == ["q1", "q2", "q3", "q4"]
    medreview("run", study, "b.jsonl")
    assert responses(study) == ["q1", "q2", "q3", "q4"]


def test_the_first_import_is_taken_back_though_it_was_looked_at(medreview: Program, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", RECORDS)
    medreview("review", "a.jsonl", "--plain", "--queue", "responses", input="j\nq\n")
    medreview("import", "a.medreview", "--undo")
    assert responses(tmp_path / "a.medreview") == []
    assert "whole" in medreview("check", "a.medreview").stdout
    medreview("review", "a.jsonl", "--plain", "--queue", "responses", input="2\nq\n")
    refused = medreview("import", "a.medreview", "--undo", check=2).stderr
    assert "decided or noted something since (1 in the record)" in refused
    assert responses(tmp_path / "a.medreview") == ["q1", "q2", "q3", "q4"]


def test_an_import_is_not_taken_back_where_older_answers_were_seen_or_models_paid(
    medreview: Program, tmp_path: Path
) -> None:
    study = tmp_path / "s.medreview"
    medreview("run", study, written(tmp_path / "a.jsonl", RECORDS[:2]))
    medreview("import", study, written(tmp_path / "b.jsonl", RECORDS[2:]))
    with Study.open(study) as opened:
        opened.write(
            lambda connection: connection.execute(
                "INSERT INTO llm_call (cache_key, judge, model, host, task, prompt_sha256, at_utc, status, rung, tries,"
                " latency_ms, error, raw_output) VALUES ('k', 'j', 'm', 'h', 't', 'p', '2026', 'ok', '', 1, 1, '', '')"
            )
        )
    assert "models have answered, or facts" in medreview("import", study, "--undo", check=2).stderr
    medreview("review", study, "--plain", "--queue", "responses", input="q\n")
    assert "somebody has seen older answers" in medreview("import", study, "--undo", check=2).stderr
    assert len(responses(study)) == 4


_KILLED_MIDWAY = """
import os, signal, sys
from pathlib import Path
from medreview import pipeline
from medreview.study import Study
from medreview.study.before_import import before_import
with Study.open(Path(sys.argv[1])) as study, before_import(study, [Path(sys.argv[2])]):
    pipeline.bring_in(study, Path(sys.argv[2]), {})
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_import_that_was_killed_is_taken_back_unless_somebody_decided_since_it_began(
    medreview: Program, tmp_path: Path
) -> None:
    study = tmp_path / "s.medreview"
    medreview("run", study, written(tmp_path / "a.jsonl", RECORDS[:2]))
    killed = [sys.executable, "-c", _KILLED_MIDWAY, *map(str, (study, written(tmp_path / "b.jsonl", RECORDS)))]
    assert subprocess.run(killed, cwd=tmp_path).returncode == -signal.SIGKILL
    assert responses(study) == ["q1", "q2", "q3", "q4"]
    assert "The import of b.jsonl was taken back: 2 responses" in medreview("import", study, "--undo").stdout
    assert responses(study) == ["q1", "q2"]
    assert "whole" in medreview("check", study).stdout

    assert subprocess.run(killed, cwd=tmp_path).returncode == -signal.SIGKILL
    medreview("review", study, "--plain", "--queue", "responses", input="2\nq\n")
    refused = medreview("import", study, "--undo", check=2).stderr
    assert "decided or noted something since it began" in refused
    assert responses(study) == ["q1", "q2", "q3", "q4"]


def test_the_pages_that_go_with_an_import_are_named(medreview: Program, tmp_path: Path) -> None:
    medreview("import", "s.medreview", written(tmp_path / "a.jsonl", [{"response": "A.", "pages": {PAGE: "Old."}}]))
    medreview("import", "s.medreview", written(tmp_path / "b.jsonl", [{"response": "B.", "pages": MANY_PAGES}]))
    told = medreview("import", "s.medreview", "--undo").stdout.splitlines()[1]
    assert told == f"Gone with it, pages that came since: {', '.join([*MANY_PAGES][:10])} and 2 more"
    medreview("import", "s.medreview", "b.jsonl")
    told = json.loads(medreview("import", "s.medreview", "--undo", "--json").stdout)
    assert told["pages"] == [*MANY_PAGES]
    assert len(medreview("import", "s.medreview", "--undo", check=2).stderr.splitlines()) == 1


def test_a_refused_file_leaves_no_copy_and_undo_takes_no_file(medreview: Program, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [{"response": 1}])
    medreview("import", "s.medreview", "a.jsonl", check=2)
    assert {path.name for path in tmp_path.iterdir()} <= {"a.jsonl", "config"}
    assert "name no file with it" in medreview("import", "s.medreview", "a.jsonl", "--undo", check=2).stderr
    assert "Name the files to import" in medreview("import", "s.medreview", check=2).stderr


def test_the_chats_of_an_export_are_listed_and_some_of_them_taken(medreview: Program, tmp_path: Path) -> None:
    chats = [
        {
            "uuid": f"c{number}",
            "name": f"Dose of medicine {number}",
            "created_at": "2026-11-01T08:00:00Z",
            "chat_messages": [
                {"sender": "human", "text": "Which dose?"},
                {"sender": "assistant", "text": "Halve it below 30.", "created_at": "2026-11-01T08:00:09Z"},
            ],
        }
        for number in range(25)
    ]
    (tmp_path / "conversations.json").write_text(json.dumps(chats))
    listed = medreview("import", "s.medreview", "conversations.json", "--dry-run")
    assert "2026-11-01 Dose of medicine 24" in listed.stderr
    refused = medreview("import", "s.medreview", "conversations.json", check=2)
    assert "25 conversations; say which with --only" in refused.stderr
    done = medreview("import", "s.medreview", "conversations.json", "--only", "medicine 24")
    assert "read as Claude" in done.stdout
    assert "1 response added" in done.stdout
