"""A file of references in any format, told by its content."""

import json
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.library import library_of
from medreview.references.model import Identifier, Record
from medreview.references.printed.parse import parse_reference
from medreview.references.reading_libraries import format_of, read_library, records_in

ITEM = {
    "id": "a",
    "type": "article-journal",
    "title": "Fluids in septic shock: a trial",
    "container-title": "Journal of Invented Medicine",
    "issued": {"date-parts": [[2019]]},
    "author": [{"family": "Okafor", "given": "Ngozi"}],
    "DOI": "10.5555/jim.2019.1",
    "note": "PMID: 90000001\nPMCID: PMC9000001",
}
RIS = "TY  - JOUR\nTI  - Fluids in septic shock: a trial\nAU  - Müller, Jörg\nDO  - 10.5555/jim.2019.1\nER  -\n"
BIB = "% by hand\n@article{a, title = {Fluids in septic shock: a trial}, doi = {10.5555/jim.2019.1}}\n"
NBIB = "\nPMID- 90000001\nTI  - Fluids in septic shock: a trial.\nLID - 10.5555/jim.2019.1 [doi]\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps([ITEM]), "csl"),
        (json.dumps({"items": [ITEM]}, indent=1), "csl"),
        (json.dumps(ITEM, indent=2), "csl"),
        (json.dumps(ITEM) + "\n\n", "csl"),
        (RIS, "ris"),
        ("Provider: nobody\n\n" + RIS.replace("\n", "\r\n"), "ris"),
        (BIB, "bibtex"),
        (NBIB, "nbib"),
    ],
)
def test_the_format_is_told_by_the_content(tmp_path: Path, text: str, kind: str):
    (tmp_path / "library.txt").write_text(text)
    found = read_library(tmp_path / "library.txt")

    assert (found.format, found.bad, len(found.records)) == (kind, (), 1)
    assert found.records[0].title == "Fluids in septic shock: a trial"
    assert Identifier("doi", "10.5555/jim.2019.1") in found.records[0].identifiers


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_the_encoding_is_told_by_the_bytes(tmp_path: Path, encoding: str):
    (tmp_path / "library.ris").write_bytes(RIS.encode(encoding))

    assert read_library(tmp_path / "library.ris").records[0].authors[0].family == "Müller"


def test_bad_records_are_named_with_their_lines_and_the_rest_is_kept(tmp_path: Path):
    lines = [
        json.dumps(ITEM),
        "{broken",
        "[1]",
        json.dumps({"id": "b", "type": "book"}),
        json.dumps(ITEM | {"id": "z"}),
    ]
    (tmp_path / "library.jsonl").write_text("\n".join(lines))
    found = read_library(tmp_path / "library.jsonl")

    assert [record.record_id for record in found.records] == ["a", "z"]
    assert found.bad == (
        BadRecord(2, "is not complete JSON"),
        BadRecord(3, "is not an object"),
        BadRecord(4, "has neither a title nor an identifier"),
    )


def test_an_array_that_breaks_off_keeps_what_stands_before(tmp_path: Path):
    (tmp_path / "library.json").write_text(json.dumps([ITEM, 7, ITEM], indent=1)[:-60])
    found = read_library(tmp_path / "library.json")

    assert len(found.records) == 1
    assert [bad.reason for bad in found.bad] == [
        "is not an object",
        "is not complete JSON; what follows it is not read",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no list of references"),
        (b"PK\x03\x04\x00\x00", "is not text"),
        (b'{"response": "Take 500 mg."}', "no list of references"),
        (b"[" * 100_000, "no list of references"),
        (b"Smith J. A title. Lancet. 2019.", "no list of references"),
        (b"TY  - JOUR\nER  - \n", "no reference that can be used"),
    ],
)
def test_what_is_no_library_is_refused_in_a_sentence(tmp_path: Path, content: bytes, words: str):
    (tmp_path / "library").write_bytes(content)

    with pytest.raises(UserError, match=words):
        read_library(tmp_path / "library")


def test_a_folder_and_nothing_are_refused(tmp_path: Path):
    with pytest.raises(UserError, match="is a folder"):
        read_library(tmp_path)
    with pytest.raises(UserError, match="There is no file"):
        read_library(tmp_path / "none.ris")


def test_several_files_are_one_library_whose_hash_is_that_of_what_they_hold(tmp_path: Path):
    other = {"id": "b", "type": "book", "title": "Invented Medicine", "ISBN": "978-3-16-148410-0"}
    (tmp_path / "a.bib").write_text(BIB)
    (tmp_path / "b.json").write_text(json.dumps([other, "x"]))
    found = library_of([tmp_path / "a.bib", tmp_path / "b.json"])
    again = library_of([tmp_path / "a.bib", tmp_path / "b.json"])

    assert len(found.library) == 2
    assert [path.name for path, _ in found.bad] == ["b.json"]
    assert found.sha256 == again.sha256 != library_of([tmp_path / "a.bib"]).sha256
    check = found.library.check(
        parse_reference("Lee K. Another title altogether. Lancet. 2011. doi:10.5555/jim.2019.1")
    )
    assert check.verdict == "other_work"


@pytest.mark.parametrize(
    "text", [json.dumps([ITEM, ITEM], indent=1), f"{json.dumps(ITEM)}\n" * 2, RIS * 2, BIB * 2, NBIB * 2]
)
def test_a_file_that_is_cut_or_has_a_hole_anywhere_is_read_as_far_as_it_goes(text: str):
    for place in range(0, len(text), 5):
        for damaged in (text[:place], text[:place] + text[place + 11 :], text[:place] + '{"\\' + text[place:]):
            kind = format_of(damaged)
            if kind is not None:
                for one in records_in(damaged, kind):
                    assert one.title or one.identifiers if isinstance(one, Record) else one.line >= 1 and one.reason


@pytest.mark.parametrize("name", ["title", "DOI", "issued", "container-title", "id", "note", "author", "type"])
def test_a_value_nested_hundreds_deep_is_passed_over(tmp_path: Path, name: str):
    deep = "[" * 600 + '"x"' + "]" * 600
    whole = json.dumps(ITEM | {name: "HERE"}).replace('"HERE"', deep)
    (tmp_path / "library.json").write_text(f"[{whole}, {json.dumps(ITEM | {'title': 'Another title'})}]")
    found = library_of([tmp_path / "library.json"])
    check = found.library.check(parse_reference("Okafor N. Another title. J Invent Med. 2019."))

    assert (len(found.library), check.record.title) == (2, "Another title")


@pytest.mark.parametrize(
    "odd",
    [
        {"title": ["A", "B"], "author": "Okafor", "issued": 2019, "DOI": 7},
        {"title": {"a": 1}, "DOI": "10.5555/x", "author": [None, 3, {"family": ["x"]}], "issued": {"date-parts": [[]]}},
        {"title": "T", "issued": {"date-parts": "2019"}, "note": ["PMID: 1"], "custom": {"a": []}, "page": {}},
        {"title": "T", "issued": {"raw": "Spring 2019"}, "container-title": None, "ISBN": [1, 2], "PMID": {}},
        {"title": "T", "type": ["book"], "id": {"a": 1}, "URL": ["x"], "editor": {"family": "x"}, "status": {}},
    ],
)
def test_odd_items_of_csl_are_records_all_the_same(tmp_path: Path, odd: dict):
    (tmp_path / "library.json").write_text(json.dumps([ITEM | odd]))
    found = library_of([tmp_path / "library.json"])
    check = found.library.check(parse_reference("Okafor N. Fluids in septic shock: a trial. J Invent Med. 2019."))

    assert check.verdict in ("match", "mismatch", "not_found")
