"""A library of one's own: what references are found in it, and by what."""

from dataclasses import replace

import pytest

from medreview.references.formats.csl import record_of
from medreview.references.library import Library
from medreview.references.model import Author, Identifier, Record, Reference
from tests.references.works import EMPA_REG, SPRINT, UKPDS, WORKS

LIBRARY = Library(WORKS)


def zinman(**fields) -> Reference:
    known = Reference(
        "",
        authors=(Author("Zinman", "B"),),
        et_al=True,
        title=EMPA_REG.title,
        container="N Engl J Med",
        year=2015,
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
