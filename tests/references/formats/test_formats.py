"""Files of references: BibTeX and BibLaTeX, CSL-JSON, the file that PubMed saves, RIS; told by their content."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.bibtex import _Budget, joined, read_bibtex
from medreview.references.formats.csl import record_of
from medreview.references.formats.tagged import read_nbib, read_ris
from medreview.references.library import library_of
from medreview.references.model import Author, Identifier, Notice, Record
from medreview.references.printed.parse import parse_reference
from medreview.references.reading_libraries import format_of, read_library, records_in

LIBRARY = r"""
% exported by hand
@string{jim = "J Invent Med"}
@comment{nothing}
@article{okafor2019,
  author    = {M{\"u}ller, J{\"o}rg and van der Berg, Jan and {World Health Organization} and others},
  title     = {{COPD} and 50\% of $\beta$-blockers -- a \textit{cluster} trial},
  journal   = jim,
  year      = 2019,
  month     = may,
  pages     = {323--330},
  doi       = {https://doi.org/10.5555/JIM\_2019},
  note      = "PMID: " # "90000001",
}
@article{okafor2019, title = {Another with the same key}, eprint = {90000002}, eprinttype = {pubmed}}
@inbook{shock, crossref = {book}, title = {Shock}, author = {Kim Lee}}
@book{book, title = {Invented Medicine},
  subtitle = {A Primer}, editor = {Lee, Kim}, year = 1999, isbn = {3-16-148410-X}}
@misc{pre, title = {Preprint}, eprint = {2101.00001}, archivePrefix = {arXiv}}
@online{page, title = {Sepsis}, howpublished = {\url{https://example.org/sepsis}}, date = {2020-03-04}}
@article{gone, title = {Retracted: It worked}, keywords = {a, b}}
"""


def read(text: str) -> list:
    return list(read_bibtex(text))


def test_every_entry_of_a_library_is_a_record():
    first, same, chapter, book, preprint, page, gone = read(LIBRARY)

    assert first.title == "COPD and 50% of β-blockers – a cluster trial"
    assert first.authors == (
        Author("Müller", "Jörg"),
        Author("van der Berg", "Jan"),
        Author("World Health Organization", body=True),
    )
    assert not first.complete
    assert (first.containers, first.years, first.pages) == (("J Invent Med",), (2019,), "323-330")
    assert first.identifiers == (Identifier("doi", "10.5555/jim_2019"), Identifier("pmid", "90000001"))
    assert (same.record_id, same.identifiers) == ("okafor2019", (Identifier("pmid", "90000002"),))
    assert (chapter.kind, chapter.containers, chapter.years) == ("chapter", ("Invented Medicine: A Primer",), (1999,))
    assert chapter.authors == (Author("Lee", "Kim"),)
    assert (book.kind, book.identifiers) == ("book", (Identifier("isbn", "316148410X"),))
    assert (preprint.kind, preprint.identifiers) == ("preprint", (Identifier("arxiv", "2101.00001"),))
    assert (page.kind, page.url, page.years) == ("web_page", "https://example.org/sepsis", (2020,))
    assert (gone.title, gone.notices[0].kind) == ("It worked", "retracted")


def test_a_broken_entry_costs_itself_and_is_named_with_its_line():
    text = "@article{a, title = {oops {x}, year = 2001}\n\n@article{b, title={B}}\n@article{c, year=2001}\n"
    bad, kept, empty = read(text)

    assert (bad.line, kept.title) == (1, "B")
    assert empty == BadRecord(4, "has neither a title nor an identifier")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("{A # sign}", "A # sign"),
        ('"PMID: " # number', "PMID: 12"),
        ("number", "12"),
        ("2019", "2019"),
        ('{a} # {b} # "c"', "abc"),
        ('"a {\\"u} b"', 'a {\\"u} b'),
    ],
)
def test_values_are_put_together_as_bibtex_does(value: str, wanted: str):
    assert joined(value, {"number": "12"}, _Budget(1_000)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title = {" + "{" * 3000 + "x" + "}" * 3000 + "}}",
        "@article{a, title = {" + "\\u{" * 2000 + "}" * 2000 + "}}",
        "@article{a, title={x}, author = {" + "{" * 20_000,
        "@article{" * 5_000,
        "@article{a, title={\\input{/etc/passwd}x}}",
        "@article{a, crossref={b}, title={x}}\n@article{b, crossref={a}, title={y}}",
        "@article{a, title={x}, author = { and and , and , , , and {}}}",
        "@string{a = a}\n@article{b, title = a}",
    ],
)
def test_hostile_files_end_in_records_or_in_words(text: str):
    for one in read(text):
        assert isinstance(one, Record | BadRecord)
        assert "root:" not in str(one)


def test_strings_of_strings_and_crossrefs_do_not_grow_without_bound():
    """As a bomb does, but to 10 MB only."""
    names = "abcdefg"
    grown = "".join(f"@string{{{b} = {' # '.join([a] * 10)}}}\n" for a, b in pairwise(names))
    for text in (
        "@string{a = {0123456789}}\n" + grown + "@article{k, title = g}\n",
        "".join(f"@incollection{{k{number}, crossref = {{p}}}}\n" for number in range(200))
        + f"@book{{p, title = {{{'x' * 50_000}}}}}\n",
    ):
        with pytest.raises(UserError, match="grows to more than 10 times its size"):
            list(read_bibtex(text))


ITEM = {
    "id": "zinman2015",
    "type": "article-journal",
    "title": "Empagliflozin, Cardiovascular Outcomes, and Mortality in Type 2 Diabetes",
    "title-short": "EMPA-REG OUTCOME",
    "author": [{"family": "Zinman", "given": "Bernard"}, {"literal": "EMPA-REG OUTCOME Investigators"}],
    "container-title": "New England Journal of Medicine",
    "container-title-short": "N Engl J Med",
    "issued": {"date-parts": [["2015", 11, 26]]},
    "volume": 373,
    "issue": "22",
    "page": "2117-2128",
    "DOI": "10.1056/NEJMoa1504720",
    "PMID": "26378978",
    "publisher": "Massachusetts Medical Society",
}


def test_an_item_becomes_a_record_with_all_its_fields():
    record = record_of(ITEM, "zotero", 1)

    assert (record.authority, record.record_id, record.kind) == ("zotero", "zinman2015", "article")
    assert record.other_titles == ("EMPA-REG OUTCOME",)
    assert record.authors == (Author("Zinman", "Bernard"), Author("EMPA-REG OUTCOME Investigators", body=True))
    assert record.containers == ("New England Journal of Medicine", "N Engl J Med")
    assert (record.years, record.volume, record.issue, record.pages) == ((2015,), "373", "22", "2117-2128")
    assert record.identifiers == (Identifier("doi", "10.1056/NEJMoa1504720"), Identifier("pmid", "26378978"))
    assert record.publisher == "Massachusetts Medical Society"


@pytest.mark.parametrize(
    ("issued", "years"),
    [
        ({"date-parts": [[2015]]}, (2015,)),
        ({"date-parts": [[]]}, ()),
        ({"raw": "26 November 2015"}, (2015,)),
        ({"literal": "n.d."}, ()),
        ("2015-11-26", (2015,)),
        (None, ()),
        ({"date-parts": "2015"}, ()),
    ],
)
def test_a_year_is_read_in_the_forms_of_a_date(issued, years):
    assert record_of({"issued": issued}, "library", 1).years == years


@pytest.mark.parametrize(
    ("fields", "identifiers"),
    [
        ({"PMID": 26378978}, [("pmid", "26378978")]),
        ({"PMCID": "5123456"}, [("pmcid", "PMC5123456")]),
        ({"PMCID": "PMC5123456"}, [("pmcid", "PMC5123456")]),
        ({"note": "PMID: 26378978\nPMCID: PMC5123456"}, [("pmid", "26378978"), ("pmcid", "PMC5123456")]),
        ({"note": "Comment in: PMID 11"}, []),
        ({"DOI": "https://doi.org/10.1056/NEJMoa1504720"}, [("doi", "10.1056/nejmoa1504720")]),
        ({"URL": "https://pubmed.ncbi.nlm.nih.gov/26378978/"}, [("pmid", "26378978")]),
        ({"ISBN": "978-0-306-40615-7"}, [("isbn", "9780306406157")]),
        ({"DOI": ["10.1056/NEJMoa1504720"], "PMID": "none"}, [("doi", "10.1056/NEJMoa1504720")]),
    ],
)
def test_identifiers_are_read_where_programs_put_them(fields, identifiers):
    found = record_of(fields, "library", 1).identifiers

    assert {(one.kind, one.value.casefold()) for one in found} == {
        (kind, value.casefold()) for kind, value in identifiers
    }


def test_a_list_of_authors_that_is_cut_says_so():
    record = record_of({"author": [{"family": "Zinman", "given": "B"}, {"literal": "et al."}]}, "library", 1)

    assert (len(record.authors), record.complete) == (1, False)


def test_a_particle_belongs_to_the_name():
    item = {"author": [{"family": "Beethoven", "given": "L", "non-dropping-particle": "van"}]}

    assert record_of(item, "library", 1).authors == (Author("van Beethoven", "L"),)


def test_a_retracted_work_carries_its_notice_and_its_bare_title():
    record = record_of({"title": "RETRACTED: A trial of nothing in nobody"}, "library", 1)

    assert record.title == "A trial of nothing in nobody"
    assert [notice.kind for notice in record.notices] == ["retracted"]


@pytest.mark.parametrize("value", [7, [], {}, [None], [[1]], True, "x" * 100_000])
def test_values_of_a_wrong_form_are_passed_over(value):
    names = ("id", "type", "title", "author", "container-title", "issued", "volume", "page", "PMID", "note", "URL")
    record = record_of(dict.fromkeys(names, value), "library", 7)

    assert record.authors == ()
    assert record.kind == "unknown"


ARTICLE = """\

PMID- 90000001
OWN - NLM
STAT- MEDLINE
DP  - 2004 Apr
TI  - Economic impact of an invented colonization and infection in the
      critically ill patient.
PG  - 323-30
LID - 10.5555/s10096-004-1104-x [doi]
LID - S0140 [pii]
AB  - BACKGROUND: Retracted Publication is only a word here.
FAU - Olaechea, Pedro M
AU  - Olaechea PM
FAU - Palomar, M
AU  - Palomar M
CN  - EPCAN Study Group
PT  - Journal Article
PT  - Retracted Publication
DEP - 20031213
TA  - Eur J Invent
JT  - European journal of inventions
PMC - PMC9000001
RIN - Eur J Invent. 2009 Jan;1(1):1. PMID: 90000009
VI  - 23
IP  - 4
"""


def of_pubmed(text: str) -> list:
    return list(read_nbib(text.split("\n")))


def test_an_article_has_its_fields_and_what_was_said_of_it_later():
    (record,) = of_pubmed(ARTICLE)

    assert record.title.endswith("infection in the critically ill patient")
    assert record.authors == (
        Author("Olaechea", "Pedro M"),
        Author("Palomar", "M"),
        Author("EPCAN Study Group", body=True),
    )
    assert record.containers == ("European journal of inventions", "Eur J Invent")
    assert record.years == (2004, 2003)
    assert record.identifiers == (
        Identifier("pmid", "90000001"),
        Identifier("doi", "10.5555/s10096-004-1104-x"),
        Identifier("pmcid", "PMC9000001"),
    )
    (notice,) = record.notices
    assert notice == Notice("retracted", "PMID 90000009", "Eur J Invent. 2009 Jan;1(1):1. PMID: 90000009")


def test_a_translated_title_has_no_brackets_and_the_original_is_as_good():
    (record,) = of_pubmed("PMID- 90000001\nTI  - [An invented fever].\nTT  - Ein erfundenes Fieber.\n")

    assert (record.title, record.other_titles) == ("An invented fever", ("Ein erfundenes Fieber",))


def test_a_preprint_names_what_it_was_published_as_and_an_article_its_preprint():
    preprint, article = of_pubmed(
        "PMID- 90000001\nTI  - A.\nPT  - Preprint\nUIN - J Invent. 2021. doi: 10.5555/a. PMID: 90000002\n\n"
        "PMID- 90000002\nTI  - A.\nPT  - Journal Article\nUOF - medRxiv. 2020. doi: 10.5555/b\n"
        "ECI - J Invent. 2022;3:4\n"
    )

    assert (preprint.kind, preprint.notices[0].kind) == ("preprint", "published_as")
    assert [(notice.kind, notice.names) for notice in article.notices] == [
        ("concern", ""),
        ("preprint_of", "10.5555/b"),
    ]


def test_a_chapter_stands_in_its_book_and_an_empty_record_is_named():
    chapter, bad = of_pubmed(
        "PMID- 90000001\nTI  - Shock\nBTI - Invented Medicine\nISBN- 978-3-16-148410-0\nPB  - Press\n\nOWN - NLM\n"
    )

    assert (chapter.kind, chapter.containers, chapter.publisher) == ("chapter", ("Invented Medicine",), "Press")
    assert bad == BadRecord(7, "has neither a title nor an identifier")


ZOTERO = """\
TY  - JOUR
TI  - Early fluids in sepsis: a cluster trial
AU  - Okafor, Ngozi
AU  - van der Berg, Jan P.
AU  - World Health Organization
T2  - Journal of Invented Medicine
AB  - A first line
and a second one without a tag.
DA  - 2019/05/12/
PY  - 2019
DO  - 10.5555/JIM.2019.1
VL  - 12
IS  - 3
SP  - 323
EP  - 30
J2  - J Invent Med
SN  - 1234-5678
UR  - https://doi.org/10.5555/jim.2019.1
ER  -

"""
ENDNOTE = """\
TY  - JOUR
AU  - Olaechea PM
AU  - et al.
PY  - 2004
DA  - Apr
TI  - RETRACTED: Economic impact of an invented infection
JO  - Eur J Invent
JF  - European Journal of Inventions
SP  - 323-30
AN  - 90000001
DB  - PubMed
C2  - PMC9000001
N1  - 90000001[pmid]
KW  - Humans
ER  -
"""


def of_ris(text: str) -> list:
    return list(read_ris(text.split("\n")))


def test_a_record_of_zotero_has_its_fields():
    (record,) = of_ris(ZOTERO)

    assert record.kind == "article"
    assert record.title == "Early fluids in sepsis: a cluster trial"
    assert record.authors == (
        Author("Okafor", "Ngozi"),
        Author("van der Berg", "Jan P."),
        Author("World Health Organization", body=True),
    )
    assert record.containers == ("Journal of Invented Medicine", "J Invent Med")
    assert (record.years, record.volume, record.issue, record.pages) == ((2019,), "12", "3", "323-30")
    assert record.identifiers == (Identifier("doi", "10.5555/jim.2019.1"),)


def test_a_record_of_endnote_has_its_accession_number_as_pmid_and_says_that_it_is_retracted():
    (record,) = of_ris(ENDNOTE)

    assert record.title == "Economic impact of an invented infection"
    assert [notice.kind for notice in record.notices] == ["retracted"]
    assert record.authors == (Author("Olaechea", "PM"),)
    assert not record.complete
    assert record.containers == ("European Journal of Inventions", "Eur J Invent")
    assert record.identifiers == (Identifier("pmid", "90000001"), Identifier("pmcid", "PMC9000001"))


def test_an_accession_number_of_another_database_is_no_pmid_and_a_note_on_another_work_names_none():
    text = "TY  - JOUR\nTI  - A\nAN  - 90000001\nDB  - Embase\nN1  - Comment in: J Invent. 2020. PMID: 90000002\nER  -"
    (record,) = of_ris(text)

    assert record.identifiers == ()


def test_a_chapter_has_its_book_as_container_and_a_book_its_isbn():
    chapter, book = of_ris(
        "TY  - CHAP\nT1  - Shock\nT2  - Invented Medicine\nPY  - 2011//\nSN  - 978-3-16-148410-0\nER  -\n"
        "TY  - BOOK\nBT  - Invented Medicine\nET  - 2nd\nPB  - Press\nSN  - 1234-5678\nER  -\n"
    )

    assert (chapter.kind, chapter.title, chapter.containers) == ("chapter", "Shock", ("Invented Medicine",))
    assert chapter.identifiers == (Identifier("isbn", "9783161484100"),)
    assert (book.kind, book.title, book.edition, book.publisher) == ("book", "Invented Medicine", "2nd", "Press")
    assert book.identifiers == ()


def test_a_record_without_an_end_is_kept_and_one_without_anything_is_named_with_its_line():
    text = "Provider: nobody\nTY  - JOUR\nTI  - One\n\nTY  - JOUR\nAU  - Lee, K\nER  - \nTY  - JOUR\nTI  - Three"
    one, bad, three = of_ris(text)

    assert (one.title, three.title) == ("One", "Three")
    assert bad == BadRecord(5, "has neither a title nor an identifier")


def test_a_tag_without_a_value_says_nothing():
    (record,) = of_ris("TY  - JOUR\nTI  - One\nJO  -\nDO  - \nPY  -\nER  -")

    assert (record.title, record.containers, record.years, record.identifiers) == ("One", (), (), ())


def test_a_value_that_never_ends_is_cut():
    (record,) = of_ris("TY  - JOUR\nTI  - T\n" + "word word word\n" * 50_000)

    assert len(record.title) < 30_000


TRIAL = {
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
        (json.dumps([TRIAL]), "csl"),
        (json.dumps({"items": [TRIAL]}, indent=1), "csl"),
        (json.dumps(TRIAL, indent=2), "csl"),
        (json.dumps(TRIAL) + "\n\n", "csl"),
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
        json.dumps(TRIAL),
        "{broken",
        "[1]",
        json.dumps({"id": "b", "type": "book"}),
        json.dumps(TRIAL | {"id": "z"}),
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
    (tmp_path / "library.json").write_text(json.dumps([TRIAL, 7, TRIAL], indent=1)[:-60])
    found = read_library(tmp_path / "library.json")

    assert len(found.records) == 1
    assert [bad.reason for bad in found.bad] == [
        "is not an object",
        "is not complete JSON; what follows it is not read",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a list of references"),
        (b"PK\x03\x04\x00\x00", "is not text"),
        (b'{"response": "Take 500 mg."}', "not a list of references"),
        (b"[" * 100_000, "not a list of references"),
        (b"Smith J. A title. Lancet. 2019.", "not a list of references"),
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
    "text", [json.dumps([TRIAL, TRIAL], indent=1), f"{json.dumps(TRIAL)}\n" * 2, RIS * 2, BIB * 2, NBIB * 2]
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
    whole = json.dumps(TRIAL | {name: "HERE"}).replace('"HERE"', deep)
    (tmp_path / "library.json").write_text(f"[{whole}, {json.dumps(TRIAL | {'title': 'Another title'})}]")
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
    (tmp_path / "library.json").write_text(json.dumps([TRIAL | odd]))
    found = library_of([tmp_path / "library.json"])
    check = found.library.check(parse_reference("Okafor N. Fluids in septic shock: a trial. J Invent Med. 2019."))

    assert check.verdict in ("match", "mismatch", "not_found")
