"""A library of one's own: what is found in it and by what, and what cannot be read."""

import json
import os
import signal
import threading
import time
from dataclasses import replace

import pytest

import medreview
from medreview.children.asking import _IDLE, end_idle
from medreview.children.child import BadMessageError
from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references import reading_libraries
from medreview.references.formats.csl import record_of
from medreview.references.formats.fields import LONGEST, named_in
from medreview.references.input_file import brought_by, references_of_text
from medreview.references.library import Library
from medreview.references.model import Author, Identifier, Record, Reference
from medreview.references.reading_libraries import (
    _ChildAnswer,
    decoded,
    format_of,
    library_in,
    read_library,
    records_in,
)
from medreview.text import sha256
from tests.references.formats.test_formats import ARTICLE, ENDNOTE, RIS, TRIAL, ZOTERO
from tests.references.formats.test_formats import LIBRARY as BIBTEX
from tests.references.works import EMPA_REG, SPRINT, UKPDS, WORKS
from tests.support.commands import ROOT, Program

LIBRARY = Library(WORKS)


def zinman(**fields) -> Reference:
    known = Reference(
        "", authors=(Author("Zinman", "B"),), et_al=True, title=EMPA_REG.title, container="N Engl J Med", year=2015
    )
    return replace(known, **fields)


def test_a_work_is_found_by_its_identifier_in_any_case():
    check = LIBRARY.check(Reference("", identifiers=(Identifier("doi", "10.1056/NEJMoa1504720"),)))

    assert check.verdict == "match"
    assert check.record == EMPA_REG
    assert [(asked.authority, asked.by, asked.outcome) for asked in check.asked] == [("library", "identifier", "found")]


@pytest.mark.parametrize(
    "title",
    [
        "Empaglifozin, cardiovascular outcomes, and mortality in type 2 diabetes",
        "Empagliflozin, cardiovascular outcomes and mortality in type II diabetes",
        "EMPAGLIFLOZIN, CARDIOVASCULAR OUTCOMES, AND MORATLITY IN TYPE 2 DIABETES",
    ],
)
def test_a_work_is_found_by_a_title_with_slips(title):
    check = LIBRARY.check(zinman(title=title))

    assert (check.verdict, check.record) == ("match", EMPA_REG)


def test_a_reference_without_a_title_is_found_by_author_journal_and_year():
    check = LIBRARY.check(zinman(title="", container="NEJM"))

    assert (check.verdict, check.record) == ("match", EMPA_REG)


def test_an_identifier_of_another_work_comes_with_the_work_that_was_meant():
    check = LIBRARY.check(zinman(identifiers=(Identifier("pmid", "9742976"),)))

    assert (check.verdict, check.record) == ("other_work", UKPDS)
    assert check.candidates[0] == EMPA_REG
    assert "PMID 9742976 is the identifier of" in check.because


def test_a_work_beside_an_identifier_that_nobody_has_is_that_work_with_a_wrong_identifier():
    check = LIBRARY.check(zinman(identifiers=(Identifier("doi", "10.1056/nejmoa9999999"),)))

    assert (check.verdict, check.record) == ("mismatch", EMPA_REG)
    assert [difference.field for difference in check.wrong] == ["identifier"]


def test_a_work_that_is_not_there_is_not_found_and_the_nearest_ones_are_shown():
    check = LIBRARY.check(
        zinman(title="Canagliflozin, cardiovascular outcomes and renal outcomes in type 2 diabetes and nephropathy")
    )

    assert (check.verdict, check.record) == ("not_found", None)
    assert check.candidates[0] == EMPA_REG
    assert check.because.startswith("Not found in the library.")


def test_items_of_csl_become_records_when_they_are_looked_up():
    items = [
        {
            "id": "a",
            "type": "article-journal",
            "title": SPRINT.title,
            "author": [{"literal": "SPRINT Research Group"}],
            "container-title": "N Engl J Med",
            "issued": {"date-parts": [[2015, 11, 26]]},
            "page": "2103-2116",
            "DOI": "10.1056/NEJMoa1511939",
            "PMID": 26551272,
        },
        {"title": ["One", "Two"], "author": "nobody", "issued": "2001", "DOI": 7, "id": None},
    ]
    records = [record_of(item, "zotero", number) for number, item in enumerate(items, 1)]
    library = Library(records, "zotero")

    assert len(library) == 2
    (record,) = library.by_identifier(Identifier("pmid", "26551272"))
    assert (record.authority, record.record_id, record.years) == ("zotero", "a", (2015,))
    assert record.authors == (Author("SPRINT Research Group", body=True),)
    other = records[1]
    assert (other.record_id, other.title, other.years, other.authors, other.identifiers) == (
        "2",
        "One",
        (2001,),
        (),
        (),
    )


def test_an_empty_library_finds_nothing():
    check = Library(()).check(zinman())

    assert (check.verdict, check.candidates) == ("not_found", ())


def test_records_without_a_title_are_found_by_their_identifier_only():
    nameless = Record("library", "n", identifiers=(Identifier("pmid", "1"),), years=(1999,))
    library = Library([nameless])

    assert library.check(zinman()).verdict == "not_found"
    assert library.check(Reference("", identifiers=(Identifier("pmid", "1"),), year=1999)).record == nameless


def test_the_words_of_an_address_lead_to_no_work():
    site = Record("library", "site", title="Exploring pubmed.ncbi.nlm.nih.gov in ten steps")
    text = "https://pubmed.ncbi.nlm.nih.gov/99999911/"

    check = Library([site]).check(Reference(text, identifiers=(Identifier("pmid", "99999911"),), url=text))

    assert (check.verdict, check.candidates) == ("not_found", ())


ONE = "Okafor N, Lee K. Restrictive fluids in septic shock: a cluster trial. J Invent Med. 2019;12:101-9."
TWO = "Silva A. Statins for osteoporosis in old mice: a review of nothing. Ann Invent Biol. 2011;3:4-5."
BODY = "National Institute for Invented Care. Sepsis: recognition and early management. 2016."
PROSE = "Metformin is stopped below an eGFR of 30. Ask for the kidneys first.\n\nStatins are taken at night."


def wrapped(text: str, indent: str) -> str:
    return text.replace(": a", f":\n{indent}a").replace("J Invent", f"J\n{indent}Invent")


@pytest.mark.parametrize(
    "text",
    [
        "\n".join((ONE, TWO, BODY)),
        f"1. {ONE}\n2. {TWO}\n3. {BODY}\n",
        f"References\n\n[1] {wrapped(ONE, '')}\n[2] {wrapped(TWO, '  ')}\n[3] {BODY}\n\nKind regards",
        f"{wrapped(ONE, '')}\n\n{wrapped(TWO, '')}\n\n{BODY}",
        f"{wrapped(ONE, '    ')}\n{wrapped(TWO, '    ')}\n{BODY}\n",
    ],
)
def test_an_entry_is_found_however_the_list_is_cut(text: str):
    found = references_of_text(text)

    assert [read.title.split()[0] for read in found] == ["Restrictive", "Statins", "Sepsis:"]
    for read in found:
        assert text[read.start : read.end] == read.text
        place = read.places["title"]
        assert " ".join(text[place.start : place.end].split()) == read.title


def test_a_numbered_entry_that_names_nothing_is_one_all_the_same():
    found = references_of_text(f"1. {ONE}\n2. see above\n3. {TWO}")

    assert [(read.number, bool(read.year)) for read in found] == [(1, True), (2, False), (3, True)]


def test_identifiers_alone_are_a_list():
    found = references_of_text("PMID: 90000001\nhttps://doi.org/10.5555/a.1\n10.5555/a.2\n")

    assert [read.identifiers[0].value for read in found] == ["90000001", "10.5555/a.1", "10.5555/a.2"]


@pytest.mark.parametrize("text", [PROSE, "", "\n" * 5000, "1. Take one tablet.\n2. Drink some water.", "[" * 5000])
def test_prose_is_no_list(text: str):
    assert references_of_text(text) == []


SAMPLE = (ROOT / "sample_data/library.json").read_text()
REFERENCE = "Okafor N. Fluids in septic shock: a trial. J Invent Med. 2019."
BOMBS = {
    "csl": lambda: '[{"type": "book", "title": "T", "x": [' + "[]," * 1_200_000 + "1]}]",
    "csl, found out at its second item": lambda: (
        json.dumps([TRIAL])[:-1] + ', {"title": "T", "x": [' + "[]," * 1_200_000 + "1]}]"
    ),
    "bibtex": lambda: "@article{a, title={x\n" * 40_000,
    "ris": lambda: "TY  - JOUR\nTI  - T\n" + "UR  - https://example.org/\n" * 1_200_000,
    "nbib": lambda: "PMID- 1\nTI  - T\n" + "".join(f"AU  - {number}\n" for number in range(600_000)),
}
"""Texts of 1 to 33 MB, made where they are used, that take a process of 120 MB and more."""


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


@pytest.fixture
def no_children():
    end_idle()
    yield
    end_idle()


@pytest.mark.parametrize(
    "text", [json.dumps([TRIAL, TRIAL | {"id": "b"}, 7]), BIBTEX, RIS, ZOTERO, ENDNOTE, ARTICLE, SAMPLE]
)
def test_a_library_read_in_a_child_has_the_records_of_its_text(tmp_path, text):
    (tmp_path / "library").write_text(text)
    found = read_library(tmp_path / "library")
    whole = decoded(text.encode())
    every = list(records_in(whole, format_of(whole)))

    assert found.records == [one for one in every if isinstance(one, Record)]
    assert found.bad == tuple(one for one in every if isinstance(one, BadRecord))
    assert (found.format, found.sha256) == (format_of(whole), sha256(whole))


@pytest.mark.parametrize("name", BOMBS)
def test_a_library_that_takes_too_much_memory_is_refused_by_the_command(program, monkeypatch, name):
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 120_000_000)
    (program.folder / "bomb").write_text(BOMBS[name]())
    words = "Reading bomb took more than 120 MB of memory; export the library again, as several smaller files"

    assert words in program("references", "-", "--library", "bomb", input=REFERENCE, check=2).stderr
    assert words in program("references", "bomb", check=2).stderr


def test_a_library_that_takes_processor_time_without_end_is_refused_by_the_command(program, monkeypatch):
    monkeypatch.setattr(reading_libraries, "CPU_SECONDS", (1, 0))
    monkeypatch.setattr(reading_libraries, "_BUSY", 1_000)
    (program.folder / "bomb").write_text("@article{" * 300_000)
    words = "Reading bomb took more than 1 seconds of processor time; export the library again"

    assert words in program("references", "-", "--library", "bomb", input=REFERENCE, check=2).stderr
    (program.folder / "bomb").write_text(RIS)
    monkeypatch.undo()
    assert program("references", "-", "--library", "bomb", input=REFERENCE).stderr == ""


def test_a_library_of_more_than_is_taken_is_refused(program, monkeypatch):
    monkeypatch.setattr(reading_libraries, "MOST_ANSWERED", 1_000_000)
    (program.folder / "many").write_text("TY  -\nTI  - T\n" * 20_000)

    said = program("references", "-", "--library", "many", input=REFERENCE, check=2).stderr
    assert "Reading many gave no result that can be used; export the library again" in said


def test_a_bomb_is_an_error_in_words_in_python_too(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 120_000_000)
    (tmp_path / "bomb").write_text(BOMBS["csl"]())
    (tmp_path / "answers.jsonl").write_text(
        json.dumps({"id": "a", "response": f"Give less.\n\nReferences\n1. {REFERENCE}"})
    )
    with (
        medreview.create_study(tmp_path / "a.medreview") as study,
        pytest.raises(UserError, match=r"bomb took more than 120 MB of memory; .*\.$"),
    ):
        study.run(tmp_path / "answers.jsonl", library=tmp_path / "bomb")


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGKILL, "may have run out of memory"), (signal.SIGSEGV, "SIGSEGV")]
)
def test_a_child_that_dies_over_a_library_is_told_and_the_next_one_is_read(no_children, number, said):
    assert library_in(RIS.encode(), "a.ris")
    (child,) = _IDLE["libraries"]

    # Stopped, it cannot have read the library before it is killed.
    os.kill(child._process.pid, signal.SIGSTOP)

    def kill():
        while child._is_kept:
            time.sleep(0.001)
        os.kill(child._process.pid, number)
        os.kill(child._process.pid, signal.SIGCONT)

    killing = threading.Thread(target=kill)
    killing.start()
    with pytest.raises(UserError, match=f"b.bib.*{said}.*; export the library again"):
        library_in(b"@article{" * 300_000, "b.bib")
    killing.join()
    assert library_in(RIS.encode(), "a.ris")


def test_json_is_told_from_a_library_in_a_child_only(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 120_000_000)
    (tmp_path / "bomb").write_text('[{"response": [' + "[]," * 1_200_000 + "1]}]")

    with pytest.raises(UserError, match="more than 120 MB of memory"):
        brought_by(tmp_path / "bomb")


ROW = json.loads(json.dumps(Record("library", "1", title="T", identifiers=(), notices=())))
FIELDS = dict(zip(Record._fields, ROW, strict=True))


@pytest.mark.parametrize(
    "change",
    [
        {"title": 1}, {"kind": "poem"}, {"kind": []}, {"authority": "pubmed"}, {"complete": 1}, {"years": ["2019"]},
        {"years": 2019}, {"authors": [1]}, {"authors": [["A", "B", 1]]}, {"authors": [[1, "B", False]]},
        {"authors": [["A", "B", False, 1]]}, {"identifiers": [["doi", 1]]}, {"identifiers": [["isrc", "1"]]},
        {"notices": [["retracted", None, ""]]}, {"notices": [["praised", "", ""]]}, {"containers": [None]},
        {"other_titles": {"a": 1}, "url": None}, {"more": 1},
    ],
)  # fmt: skip
def test_an_answer_that_is_no_library_is_not_taken(change):
    read = _ChildAnswer()
    read.take({"records": [ROW], "bad": [[1, "is bad"]]})
    assert (read.records, read.bad) == ([Record("library", "1", title="T")], [BadRecord(1, "is bad")])
    with pytest.raises(BadMessageError):
        read.take({"records": [list({**FIELDS, **change}.values())], "bad": []})


@pytest.mark.parametrize(
    "part",
    [{}, {"format": "csv", "sha256": ""}, {"format": []}, {"format": "ris", "sha256": 1}, {"refused": 1},
     {"records": 1, "bad": []}, {"records": [], "bad": [["1", "x"]]}, {"records": [], "bad": [[1]]}],
)  # fmt: skip
def test_a_part_that_is_none_is_not_taken(part):
    with pytest.raises(BadMessageError):
        _ChildAnswer().take(part)


def test_of_one_value_only_what_a_value_can_have_is_looked_through():
    assert named_in("x" * LONGEST + " PMID: 12345678") == []
