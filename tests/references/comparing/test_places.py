"""Year, volume, pages and identifiers of a reference and of a record."""

import pytest

from medreview.references.comparing.publication import (
    compare_identifiers,
    compare_numbers,
    compare_year,
    page_range,
    printed_place,
    same_identifier,
    same_number,
    same_pages,
)
from medreview.references.model import Field, Identifier, Record, Reference
from medreview.text import Span


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1243-9", "1243-1249", True),
        ("1243–1249", "1243-49", True),
        ("837-53", "837-853", True),
        ("S65-84", "S65-S84", True),
        ("H1555-H1562", "H1555-62", True),
        ("e13", "E13", True),
        ("1243", "1243-1249", True),
        ("1243-9", "1244-1249", False),
        ("S65", "65", False),
        ("1243-1248", "1243-1249", False),
    ],
)
def test_page_ranges_are_compared_as_they_are_meant(one, other, same):
    assert same_pages(one, other) is same


def test_an_abbreviated_last_page_is_written_out():
    assert page_range("1243-9") == ("1243", "1249")
    assert page_range("x") == ("x", "x")


@pytest.mark.parametrize(("year", "slip"), [(2015, None), (2016, None), (2014, True), (2017, True), (2012, False)])
def test_a_year_off_by_one_is_a_slip(year, slip):
    found = compare_year(Reference("", year=year), Record("library", "1", years=(2015, 2016)))

    assert (found and found.slip) is slip
    assert found is None or (found.reference, found.record) == (str(year), "2015 or 2016")


def test_numbers_that_differ_are_named_and_make_no_verdict():
    record = Record("library", "1", volume="352", issue="9131", pages="837-853")

    assert compare_numbers(Reference("", volume="352(suppl)", issue="9131", pages="837-53"), record) == []
    found = compare_numbers(Reference("", volume="16"), record)
    assert [(each.field, each.slip, each.why) for each in found] == [
        ("volume", True, "another number"),
        ("pages", True, "left out"),
    ]
    assert same_number("Suppl", "suppl")


def test_numbers_read_within_the_title_say_nothing_of_the_place():
    places: dict[Field, Span] = {"title": Span(0, 50), "volume": Span(10, 11), "pages": Span(12, 13)}
    reference = Reference("", volume="2", pages="3", places=places)

    assert printed_place(reference, Record("library", "1", volume="5", pages="1-12")) == 0
    assert printed_place(Reference("", volume="2", pages="3"), Record("library", "1", volume="5", pages="1-12")) == -1
    assert printed_place(Reference("", pages="1-9"), Record("library", "1", volume="5", pages="1-12")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("doi", "10.1056/NEJMoa1504720"), ("doi", "10.1056/nejmoa1504720")),
        (("doi", "https://doi.org/10.1056/NEJMoa1504720"), ("doi", "10.1056/nejmoa1504720.")),
        (("pmid", "009742976"), ("pmid", "9742976")),
        (("pmcid", "PMC123"), ("pmcid", "pmc123")),
        (("isbn", "978-0-306-40615-7"), ("isbn", "0306406152")),
        (("arxiv", "2101.00001v2"), ("arxiv", "arXiv:2101.00001")),
        (("nct", "nct01234567"), ("nct", "NCT01234567")),
    ],
)
def test_one_identifier_in_two_ways_is_the_same(one, other):
    assert same_identifier(Identifier(*one), Identifier(*other))


def test_an_identifier_is_wrong_only_where_the_record_has_another_one_of_that_kind():
    doi, other = Identifier("doi", "10.1000/a"), Identifier("doi", "10.1000/b")
    reference = Reference("", identifiers=(doi,))

    assert compare_identifiers(reference, Record("library", "1"), ()) == []
    assert compare_identifiers(reference, Record("library", "1", identifiers=(doi,)), ()) == []
    (found,) = compare_identifiers(reference, Record("library", "1", identifiers=(other,)), ())
    assert found[:4] == ("identifier", "doi:10.1000/a", "doi:10.1000/b", False)
    (found,) = compare_identifiers(reference, Record("library", "1"), (doi,))
    assert found.why == "It is another work's."


def test_another_edition_of_a_review_has_another_identifier_that_misleads_nobody():
    record = Record("library", "1", identifiers=(Identifier("doi", "10.1002/14651858.CD001321.pub5"),))
    reference = Reference("", identifiers=(Identifier("doi", "10.1002/14651858.cd001321.pub4"),))

    (found,) = compare_identifiers(reference, record, ())
    assert (found.slip, found.why) == (True, "another version")
