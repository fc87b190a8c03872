"""What `import` and `facts` say of a file: what was not used and how to take it, other studies, unknown categories."""

import json
from pathlib import Path

from medreview.study import Study
from tests.support.commands import Program


def test_what_was_not_used_is_named_with_a_command_that_takes_it(medreview: Program, tmp_path: Path) -> None:
    record = {"prompt": "Is it safe?", "answer": "No. [1]", "links": ["https://b.example/"], "score": 2}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    done = medreview("import", "s.medreview", "a.jsonl")
    assert done.stdout == "a.jsonl: 1 response added\n"
    maps = "--map prompt=question --map links=citations"
    assert done.stderr.splitlines() == [
        "a.jsonl: not used: prompt, links, score",
        f"  to take prompt, links: medreview run s-2.medreview a.jsonl {maps}",  # another question, another response
    ]
    told = json.loads(medreview("import", "t.medreview", "a.jsonl", *maps.split(), "--json").stdout)
    assert told["files"][0]["unused"] == [{"column": "score", "field": ""}]

    known = medreview("import", "s.medreview", "a.jsonl", "--map", "links=citations")
    assert "0 responses added, 1 there already" in known.stdout
    assert medreview("urls", "s.medreview", "--json").stdout.count("b.example") > 0


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
        "a.jsonl: 3 responses added; 2 empty responses kept as invalid; 1 page given with the answers\n"
    )
    (tmp_path / "f.csv").write_text("q,must,kind\nQ?,It is safe.,Safety\nQ?,Stop it.,management\n")
    done = medreview("facts", "s.medreview", "f.csv", "--map", "q=question", "--map", "must=fact", "--map",
                     "kind=category")  # fmt: skip
    assert done.stdout == "2 key facts added\n"
    assert done.stderr == "f.csv: no known category, stored as other: safety\n"


def test_key_facts_of_no_text_are_an_error_that_says_to_bring_the_texts_first(
    medreview: Program, tmp_path: Path
) -> None:
    (tmp_path / "f.csv").write_text("question,fact\nQ?,It is safe.\nQ?,Stop it.\n")
    with Study.create(tmp_path / "s.medreview"):
        pass
    first = medreview("facts", "s.medreview", "f.csv", check=2)
    assert (first.stdout, first.stderr) == (
        "",
        "medreview: None of the 2 key facts of f.csv came in: the study has no texts yet. First bring in the texts "
        "that answer the questions: `medreview import s.medreview TEXTS`\n",
    )
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "Why?", "response": "It is so."}))
    medreview("import", "s.medreview", "a.jsonl")
    other = medreview("facts", "s.medreview", "f.csv", check=2)
    assert "belongs to a text of the study (no response answers this)" in other.stderr
    assert "such as 'Why?'" in other.stderr


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
    merged = medreview("merge", "other.medreview", demo, check=2)
    assert "was not merged: it is another study" in merged.stderr
