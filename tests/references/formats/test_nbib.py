"""The file that PubMed saves."""

from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.tagged import read_nbib
from medreview.references.model import Author, Identifier, Notice

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


def read(text: str) -> list:
    return list(read_nbib(text.split("\n")))


def test_an_article_has_its_fields_and_what_was_said_of_it_later():
    (record,) = read(ARTICLE)

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
    (record,) = read("PMID- 90000001\nTI  - [An invented fever].\nTT  - Ein erfundenes Fieber.\n")

    assert (record.title, record.other_titles) == ("An invented fever", ("Ein erfundenes Fieber",))


def test_a_preprint_names_what_it_was_published_as_and_an_article_its_preprint():
    preprint, article = read(
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
    chapter, bad = read(
        "PMID- 90000001\nTI  - Shock\nBTI - Invented Medicine\nISBN- 978-3-16-148410-0\nPB  - Press\n\nOWN - NLM\n"
    )

    assert (chapter.kind, chapter.containers, chapter.publisher) == ("chapter", ("Invented Medicine",), "Press")
    assert bad == BadRecord(7, "has neither a title nor an identifier")
