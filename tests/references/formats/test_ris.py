"""RIS as the programs write it."""

from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.tagged import read_ris
from medreview.references.model import Author, Identifier

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


def read(text: str) -> list:
    return list(read_ris(text.split("\n")))


def test_a_record_of_zotero_has_its_fields():
    (record,) = read(ZOTERO)

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
    (record,) = read(ENDNOTE)

    assert record.title == "Economic impact of an invented infection"
    assert [notice.kind for notice in record.notices] == ["retracted"]
    assert record.authors == (Author("Olaechea", "PM"),)
    assert not record.complete
    assert record.containers == ("European Journal of Inventions", "Eur J Invent")
    assert record.identifiers == (Identifier("pmid", "90000001"), Identifier("pmcid", "PMC9000001"))


def test_an_accession_number_of_another_database_is_no_pmid_and_a_note_on_another_work_names_none():
    text = "TY  - JOUR\nTI  - A\nAN  - 90000001\nDB  - Embase\nN1  - Comment in: J Invent. 2020. PMID: 90000002\nER  -"
    (record,) = read(text)

    assert record.identifiers == ()


def test_a_chapter_has_its_book_as_container_and_a_book_its_isbn():
    chapter, book = read(
        "TY  - CHAP\nT1  - Shock\nT2  - Invented Medicine\nPY  - 2011//\nSN  - 978-3-16-148410-0\nER  -\n"
        "TY  - BOOK\nBT  - Invented Medicine\nET  - 2nd\nPB  - Press\nSN  - 1234-5678\nER  -\n"
    )

    assert (chapter.kind, chapter.title, chapter.containers) == ("chapter", "Shock", ("Invented Medicine",))
    assert chapter.identifiers == (Identifier("isbn", "9783161484100"),)
    assert (book.kind, book.title, book.edition, book.publisher) == ("book", "Invented Medicine", "2nd", "Press")
    assert book.identifiers == ()


def test_a_record_without_an_end_is_kept_and_one_without_anything_is_named_with_its_line():
    text = "Provider: nobody\nTY  - JOUR\nTI  - One\n\nTY  - JOUR\nAU  - Lee, K\nER  - \nTY  - JOUR\nTI  - Three"
    one, bad, three = read(text)

    assert (one.title, three.title) == ("One", "Three")
    assert bad == BadRecord(5, "has neither a title nor an identifier")


def test_a_tag_without_a_value_says_nothing():
    (record,) = read("TY  - JOUR\nTI  - One\nJO  -\nDO  - \nPY  -\nER  -")

    assert (record.title, record.containers, record.years, record.identifiers) == ("One", (), (), ())


def test_a_value_that_never_ends_is_cut():
    (record,) = read("TY  - JOUR\nTI  - T\n" + "word word word\n" * 50_000)

    assert len(record.title) < 30_000
