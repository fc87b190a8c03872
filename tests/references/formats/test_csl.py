"""Works in CSL-JSON: what of an item is read, in the forms in which programs write it."""

import pytest

from medreview.references.formats.csl import record_of
from medreview.references.model import Author, Identifier

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
