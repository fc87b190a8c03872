"""Answers as they come: several in a record, with pages and facts, empty ones, lines written out, other columns."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.citations import canonical_key
from medreview.citations.citation import Citation
from medreview.exchange.imports.field_mapping import UnusedColumn
from medreview.exchange.imports.listed_citations import document_entry
from medreview.import_files import Imported
from medreview.labels import EXCERPT, GIVEN
from medreview.stats.url_analysis import cited_sources
from medreview.study import Study
from medreview.units.statement_view import load_statement_view

Write = Callable[[str, str | bytes], Path]
TEXT = "Metformin is contraindicated below an eGFR of 30 mL/min."
"""A sentence of a page."""
PAGE = "https://a.example/metformin"


def lines(*records: Any) -> str:
    return "\n".join(map(json.dumps, records))


def bring(study: Study, path: Path, **mapping: str) -> Imported:
    return pipeline.bring_in(study, path, mapping)


def responses(study: Study) -> list[tuple[str, str, str]]:
    """(record id, model, text) in order."""
    return [tuple(row) for row in study.reader.execute("SELECT record_id, model, text FROM response ORDER BY ordinal")]


def pages(study: Study) -> dict[str, tuple[str | None, str | None]]:
    """(page state, text) of the current page, by the key of its source."""
    rows = study.reader.execute("SELECT u.key, p.page_state, p.text FROM source AS u LEFT JOIN snapshot_current AS p "
                                "USING (source_id)")  # fmt: skip
    return {row[0]: (row[1], row[2]) for row in rows}


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ({"atlas": "A.", "ember": "B."}, [("q-atlas", "atlas", "A."), ("q-ember", "ember", "B.")]),
        ({"atlas": {"answer": "A."}, "ember": None}, [("q-atlas", "atlas", "A."), ("q-ember", "ember", "")]),
        ([{"model": "atlas", "response": "A."}, {"id": "own", "text": "B."}],
         [("q-atlas", "atlas", "A."), ("own", "all", "B.")]),
        (["A.", "B."], [("q-1", "all", "A."), ("q-2", "all", "B.")]),
        ([{"model": "atlas", "response": "A."}], [("q", "atlas", "A.")]),
        ({"model": "atlas", "text": "A."}, [("q", "atlas", "A.")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["answers", "generations", "response"])
def test_several_answers_in_a_record_are_a_response_each(
    write: Write, study: Study, name: str, answers: Any, found: list[tuple[str, str, str]]
) -> None:
    record = {"id": "q", "question": "Q?", "model": "all", name: answers}
    done = bring(study, write("a.json", json.dumps(record)))
    assert responses(study) == found
    assert done.unused == []
    assert {row[0] for row in study.reader.execute("SELECT question FROM response")} == {"Q?"}


def test_a_column_of_another_name_may_nest_answers_and_their_columns_can_be_mapped(write: Write, study: Study) -> None:
    path = write("a.jsonl", lines({"qid": 3, "candidates": [{"system": "x", "said": "A."}, {"system": "y"}]}))
    done = bring(study, path, candidates="response", said="response", qid="id", system="model")
    assert responses(study) == [("3-x", "x", "A.")]
    assert [bad.reason for bad in done.bad] == ["has no response"]


@pytest.mark.parametrize(
    "given",
    [
        {
            "references": [
                {"url": PAGE, "title": "Metformin", "text": TEXT},
                {"url": "https://b.example/", "text": None},
            ]
        },
        {"pages": {PAGE: TEXT, "https://b.example/": ""}},
        {"pages": {PAGE: {"title": "Metformin", "content": TEXT}, "https://b.example/": {}}},
        {"sources": [{"link": PAGE, "body": TEXT}, {"link": "https://b.example/"}], "references": ["Book, p. 3"]},
        {"documents": [{"href": PAGE, "full_text": [TEXT]}], "citations": [PAGE, "https://b.example/"]},
    ],
)
def test_the_text_of_a_page_that_came_with_the_answer_is_its_page(write: Write, study: Study, given: Any) -> None:
    path = write("a.jsonl", lines({"response": f"{TEXT} [1]", **given}))
    assert bring(study, path).given == 1
    assert pages(study) == {f"url:{PAGE}": (GIVEN, TEXT), "url:https://b.example/": (None, None)}
    assert bring(study, path).given == 0
    assert study.reader.execute("SELECT count(*) FROM snapshot").fetchone()[0] == 1

    pipeline.parse(study)
    assert pipeline.judge(study).pairs == 1  # it is judged
    statement = study.reader.execute("SELECT statement_id FROM statement").fetchone()[0]
    shown = next(source for source in load_statement_view(study.reader, statement).sources if source.url == PAGE)
    assert shown.state == "given_with_the_answer"
    counted = {source.url: source.valid for source in cited_sources(study.reader, ()).values()}
    assert counted[PAGE] is False  # and no address that answered


def test_other_texts_of_a_source_are_added_and_a_fetched_page_stays_and_takes_over(
    write: Write, study: Study, tmp_path: Path
) -> None:
    more = "Stop metformin below 30."
    first = {"id": 1, "response": "A.", "pages": {PAGE: TEXT}}
    bring(study, write("a.jsonl", lines(first, {"id": 2, "response": "B.", "pages": {PAGE: f"{TEXT} Stop it."}})))
    assert pages(study)[f"url:{PAGE}"][1] == f"{TEXT} Stop it."
    assert bring(study, write("b.jsonl", lines({"id": 3, "response": "C.", "pages": {PAGE: more}}))).given == 1
    assert pages(study)[f"url:{PAGE}"][1] == f"{TEXT} Stop it.\n\n{more}"

    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "p.txt").write_text(f"{TEXT} " + "The page itself has more to say on it. " * 20)
    (saved / "manifest.jsonl").write_text(json.dumps({"url": PAGE, "file": "p.txt", "status": 200}))
    provider = pipeline.PageProvider(saved=saved)
    assert pipeline.fetch(study, provider).states == {}  # not missing
    assert pipeline.fetch(study, provider, scope="all").changed == 1
    assert pages(study)[f"url:{PAGE}"][0] == "ok"
    assert bring(study, write("c.jsonl", lines({"id": 4, "response": "D.", "pages": {PAGE: "Another."}}))).given == 0
    assert pages(study)[f"url:{PAGE}"][0] == "ok"


def test_a_given_text_goes_through_a_folder_of_pages_as_what_it_is(write: Write, study: Study, tmp_path: Path) -> None:
    path = write("a.jsonl", lines({"response": "A.", "pages": {PAGE: TEXT}}))
    bring(study, path)
    pipeline.save_pages(study, tmp_path / "pages")
    with Study.create(tmp_path / "other.medreview") as other:
        bring(other, write("b.jsonl", lines({"response": f"See {PAGE}."})))
        pipeline.fetch(other, pipeline.PageProvider(saved=tmp_path / "pages"))
        assert pages(other) == {f"url:{PAGE}": (GIVEN, TEXT)}


def test_facts_in_the_record_of_an_answer_are_those_of_its_question(write: Write, study: Study) -> None:
    facts = [
        "It is contraindicated.",
        {"fact": "Stop.", "category": "Management"},
        {"text": "x", "category": "Ward"},
    ]
    done = bring(study, write("a.jsonl", lines({"question": "Q?", "response": "A.", "key_facts": facts})))
    assert (done.facts, done.unused) == (3, [])
    assert done.warnings == ["no known category, stored as other: ward"]
    stored = study.reader.execute("SELECT text, category FROM key_fact ORDER BY ordinal")
    assert [tuple(row) for row in stored] == [
        ("It is contraindicated.", "other"), ("Stop.", "management"), ("x", "other")
    ]  # fmt: skip


def test_an_empty_response_is_kept_as_invalid_and_counted(write: Write, study: Study) -> None:
    records = [{"id": 1, "response": ""}, {"id": 2, "response": " \n"}, {"id": 3, "response": None}, {"id": 4}]
    done = bring(study, write("a.jsonl", lines(*records, {"id": 5, "response": "Metformin lowers glucose."})))
    assert (done.added, done.empty, [bad.line for bad in done.bad]) == (4, 3, [4])
    assert responses(study)[:3] == [("1", "", ""), ("2", "", ""), ("3", "", "")]
    invalid = study.reader.execute("SELECT invalid FROM response ORDER BY ordinal")
    assert [row[0] for row in invalid] == ["empty", "empty", "empty", ""]
    assert (pipeline.parse(study).responses, pipeline.parse(study).responses) == (1, 0)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"One.\nTwo.\r\nThree.", "One.\nTwo.\nThree."),
        ("One.<br>Two. <BR/>Three.", "One.\nTwo.\nThree."),
        (r"Where \nu is small and \neq 0.\nThe rest follows.", "Where \\nu is small and \\neq 0.\nThe rest follows."),
        ("| a<br>b |\n| c |", "| a<br>b |\n| c |"),
        ("Real.\nC:\\new", "Real.\nC:\\new"),
    ],
)
def test_lines_that_are_written_out_are_lines(write: Write, study: Study, written: str, read: str) -> None:
    bring(study, write("a.jsonl", lines({"response": written})))
    assert responses(study) == [("", "", read)]


def test_what_was_not_used_is_named_with_the_field_that_would_take_it(write: Write, study: Study) -> None:
    record = {
        "prompt": "Q?",
        "answer": f"A. See {PAGE}.",
        "text": "Another.",
        "citation_links": ["https://b.example/", "10.1000/x"],
        "references": ["Smith 2019. PMID: 123"],
        "llm": "atlas",
        "score": 0.5,
        "empty": None,
    }
    path = write("a.jsonl", lines(record))
    done = bring(study, path)
    assert done.unused == [
        UnusedColumn("prompt", "question"),
        UnusedColumn("text", ""),
        UnusedColumn("citation_links", "citations"),
        UnusedColumn("references", "citations"),
        UnusedColumn("llm", "model"),
        UnusedColumn("score", ""),
    ]
    assert list(pages(study)) == [f"url:{PAGE}"]
    again = bring(study, path, citation_links="citations", references="citations")
    assert (again.added, again.known) == (0, 1)
    assert list(pages(study)) == [f"url:{PAGE}", "url:https://b.example/", "doi:10.1000/x", "pmid:123"]
    assert [column.column for column in again.unused] == ["prompt", "text", "llm", "score"]


def test_a_field_is_named_only_where_it_is_missing_and_the_value_could_be_one(write: Write, study: Study) -> None:
    record = {"question": "Q?", "prompt": "P?", "response": "A.", "reference_style": "Vancouver", "engine_on": True}
    notes = "It was asked twice. " * 11
    done = bring(study, write("a.jsonl", lines({**record, "engine_notes": notes})))
    names = ("prompt", "reference_style", "engine_on", "engine_notes")
    assert done.unused == [UnusedColumn(column, "") for column in names]


def test_an_address_without_a_scheme_is_found_among_saved_pages_by_either(
    write: Write, study: Study, tmp_path: Path
) -> None:
    bring(study, write("a.jsonl", lines({"response": "See www.who.int/x, www.nhs.uk/y."})))
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "p.txt").write_text("The page says what it says, at some length. " * 10)
    told = [{"url": url, "file": "p.txt"} for url in ("https://www.who.int/x", "http://www.nhs.uk/y")]
    (saved / "manifest.jsonl").write_text("\n".join(map(json.dumps, told)))
    assert pipeline.fetch(study, pipeline.PageProvider(saved=saved)).states == {"ok": 2}


def test_a_column_that_cites_in_some_records_only_is_known_as_one(write: Write, study: Study) -> None:
    done = bring(study, write("a.jsonl", lines({"text": "A.", "evidence": "NIH"}, {"text": "B.", "evidence": PAGE})))
    assert done.unused == [UnusedColumn("evidence", "citations")]


def test_a_text_to_compare_with_is_no_list_of_citations_though_it_names_addresses(write: Write, study: Study) -> None:
    snippet = f"Give 30 mL/kg of crystalloid within three hours when sepsis has led to shock; see {PAGE} for all of it."
    for value, field in ((snippet, ""), (PAGE, "citations"), ([PAGE], "citations")):
        done = bring(study, write("a.jsonl", lines({"text": f"A. {field}{value}", "reference": value})))
        assert done.unused == [UnusedColumn("reference", field)]


A, B = {"question": "Q?", "answer": "A."}, {"question": "R?", "answer": "B.", "model": "m"}
BOTH = [("", "Q?", "A."), ("", "R?", "B.")]
NAMED = [("q1", "Q?", "A."), ("q2", "R?", "B.")]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.json", json.dumps({"q1": A, "q2": B}), NAMED),
        ("a.json", json.dumps({"data": {"q1": A, "q2": B}, "version": "2"}), NAMED),
        ("a.json", json.dumps({"data": {"records": [A, B]}}), BOTH),
        ("a.json", json.dumps({"settings": [{"seed": 1}], "records": [A, B]}), BOTH),
        ("a.json", json.dumps({"question": ["Q?", "R?"], "answer": ["A.", "B."]}), BOTH),
        ("a.json", json.dumps({"question": {"0": "Q?", "7": "R?"}, "answer": {"0": "A.", "7": "B."}}), BOTH),
        ("a.jsonl", json.dumps([A, B]), BOTH),
        ("a.jsonl", json.dumps([A, B], indent=1), BOTH),
        ("a.jsonl", json.dumps({"q1": A, "q2": B}, indent=1), NAMED),
        ("a.jsonl", '{"id": NaN, "question": "Q?", "answer": "A.", "citations": NaN}', BOTH[:1]),
        ("a.jsonl", '{"id": 7.0, "question": "Q?", "answers": "A."}', [("7", "Q?", "A.")]),
        ("a.csv", "sep=;\r\nquestion;answer\r\nQ?;A.\r\n", BOTH[:1]),
        ("a.csv", "question|answer\nQ?|A.\n", BOTH[:1]),
        ("a.csv", 'id,question,answers\n7,Q?,"[""A."", ""B.""]"\n', [("7-1", "Q?", "A."), ("7-2", "Q?", "B.")]),
        ("a.md", "---\nid: 7\ntags:\n  - x\n  - 'y'\nquestion: >\n  Q?\n# a remark\n---\nA.\n", [("7", "Q?", "A.")]),
    ],
)
def test_records_are_found_in_the_shapes_of_other_programs(
    write: Write, study: Study, name: str, content: str, found: list[tuple[str, str, str]]
) -> None:
    path = write(name, content)
    done, again = bring(study, path), bring(study, path)
    assert (done.added, done.bad, again.added, again.known) == (len(found), [], 0, len(found))
    rows = study.reader.execute("SELECT record_id, question, text FROM response ORDER BY ordinal")
    assert [tuple(row) for row in rows] == found


def test_lists_in_the_front_matter_of_a_text_are_read(write: Write, study: Study) -> None:
    bring(study, write("a.md", f"---\nmodel: m\ncitations:\n- {PAGE}\n- 10.1000/x\n---\nYes [2].\n"))
    assert responses(study) == [("", "m", "Yes [2].")]
    assert list(pages(study)) == [f"url:{PAGE}", "doi:10.1000/x"]


def test_a_record_whose_list_of_answers_is_empty_is_named(write: Write, study: Study) -> None:
    done = bring(study, write("a.jsonl", lines({"id": "q1", "answers": []}, {"id": "q2", "answers": ["A."]})))
    assert [(bad.line, bad.reason) for bad in done.bad] == [(1, "has no response")]
    assert responses(study) == [("q2", "", "A.")]


def test_pages_in_the_cell_of_a_table_and_under_the_name_source_are_given(write: Write, study: Study) -> None:
    cell = json.dumps([{"source": PAGE, "text": TEXT}, {"source": "NIH", "text": "Other."}]).replace('"', '""')
    done = bring(study, write("a.csv", f'response,contexts\nA.,"{cell}"\n'))
    assert (done.given, done.warnings) == (2, [])
    named = canonical_key(Citation("document", document_entry("NIH", "NIH").removeprefix("document:")))
    assert pages(study) == {f"url:{PAGE}": (EXCERPT, TEXT), named: (EXCERPT, "Other.")}
