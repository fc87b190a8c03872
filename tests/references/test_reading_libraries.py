"""A library that cannot be read within the limits is refused in a sentence; it ends neither program nor machine."""

import json
import os
import signal
import threading
import time

import pytest

import medreview
from medreview.children.asking import _IDLE, end_idle
from medreview.children.child import BadMessageError
from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references import reading_libraries
from medreview.references.formats.fields import LONGEST, named_in
from medreview.references.input_file import brought_by
from medreview.references.model import Record
from medreview.references.reading_libraries import _Read, decoded, format_of, library_in, read_library, records_in
from medreview.text import sha256
from tests.references.formats.test_bibtex import LIBRARY as BIBTEX
from tests.references.formats.test_library_file import ITEM, RIS
from tests.references.formats.test_nbib import ARTICLE
from tests.references.formats.test_ris import ENDNOTE, ZOTERO
from tests.support.commands import ROOT, Program

SAMPLE = (ROOT / "sample_data/library.json").read_text()
REFERENCE = "Okafor N. Fluids in septic shock: a trial. J Invent Med. 2019."
BOMBS = {
    "csl": '[{"type": "book", "title": "T", "x": [' + "[]," * 3_000_000 + "1]}]",
    "csl, found out at its second item": json.dumps([ITEM])[:-1]
    + ', {"title": "T", "x": ['
    + "[]," * 3_000_000
    + "1]}]",
    "bibtex": "@article{a, title={x\n" * 100_000,
    "ris": "TY  - JOUR\nTI  - T\n" + "UR  - https://example.org/\n" * 3_000_000,
    "nbib": "PMID- 1\nTI  - T\n" + "".join(f"AU  - {number}\n" for number in range(1_500_000)),
}
"""Texts of 2 to 90 MB that take a process of 200 MB and more."""


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


@pytest.fixture
def no_children():
    end_idle()
    yield
    end_idle()


@pytest.mark.parametrize(
    "text", [json.dumps([ITEM, ITEM | {"id": "b"}, 7]), BIBTEX, RIS, ZOTERO, ENDNOTE, ARTICLE, SAMPLE]
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
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 200_000_000)
    (program.folder / "bomb").write_text(BOMBS[name])
    words = "Reading bomb took more than 200 MB of memory; export the library again, as several smaller files"

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
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 200_000_000)
    (tmp_path / "bomb").write_text(BOMBS["csl"])
    (tmp_path / "answers.jsonl").write_text(
        json.dumps({"id": "a", "response": f"Give less.\n\nReferences\n1. {REFERENCE}"})
    )
    with (
        medreview.create_study(tmp_path / "a.medreview") as study,
        pytest.raises(UserError, match=r"bomb took more than 200 MB of memory; .*\.$"),
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
    monkeypatch.setattr(reading_libraries, "MOST_MEMORY", 200_000_000)
    (tmp_path / "bomb").write_text('[{"response": [' + "[]," * 3_000_000 + "1]}]")

    with pytest.raises(UserError, match="more than 200 MB of memory"):
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
    read = _Read()
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
        _Read().take(part)


def test_of_one_value_only_what_a_value_can_have_is_looked_through():
    assert named_in("x" * LONGEST + " PMID: 12345678") == []
