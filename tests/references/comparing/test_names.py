"""Authors of a reference and of a record: who is the first one, and who else."""

import pytest

from medreview.references.comparing.authors import compare_authors
from medreview.references.model import Author, Record, Reference


def compared(printed, known, *, et_al=False, complete=True):
    reference = Reference("", authors=tuple(printed), et_al=et_al)
    return compare_authors(reference, Record("library", "1", authors=tuple(known), complete=complete))


ONE = [
    (Author("Müller", "H"), Author("Muller", "Hans")),
    (Author("Mueller", "H"), Author("Müller", "H")),
    (Author("van den Oever", "R"), Author("Oever", "R")),
    (Author("Von Hurst", "P"), Author("von Hurst", "PR")),
    (Author("Alvarez Lerma", "F"), Author("Alvarez-Lerma", "F")),
    (Author("Nolla", "J"), Author("Nolla-Salas", "J")),
    (Author("O’Brien", "K"), Author("O'Brien", "K")),
    (Author("Wei", "Zhang"), Author("Zhang", "Wei")),
    (Author("Bernhart", "H"), Author("Bernhardt", "H")),
    (Author("Zinman"), Author("Zinman", "Bernard")),
    (Author("Smith", "JA"), Author("Smith", "John Andrew")),
    (Author("Wright Jr", "J"), Author("Wright", "Jackson T")),
    (Author("WHO", body=True), Author("World Health Organization", body=True)),
    (Author("SPRINT Group", body=True), Author("SPRINT Research Group", body=True)),
    (Author("Lima", "Freitas"), Author("Freitas Lima", "LC")),
    (Author("Łukasz", "P"), Author("Lukasz", "P")),
]
OTHERS = [
    (Author("Smith", "J"), Author("Jones", "J")),
    (Author("Lee", "K"), Author("Li", "K")),
    (Author("Kim", "J"), Author("Kang", "J")),
    (Author("van Dam", "R"), Author("van Loon", "L")),
    (Author("Zinman", "B"), Author("Wanner", "C")),
    (Author("Liversidge", "GG"), Author("Merisko-Liversidge", "E")),
]


@pytest.mark.parametrize(("printed", "known"), ONE)
def test_one_author_written_in_two_ways_is_at_most_a_slip(printed, known):
    assert compared([printed], [known]).likeness in ("same", "slip")
    assert compared([known], [printed]).likeness in ("same", "slip")


@pytest.mark.parametrize(("printed", "known"), OTHERS)
def test_another_first_author_is_wrong(printed, known):
    found = compared([printed], [known])

    assert found.likeness == "wrong"
    assert found.why == "The record has another first author."


def test_authors_in_another_order_are_wrong_and_said_to_be():
    found = compared([Author("Wanner", "C"), Author("Zinman", "B")], [Author("Zinman", "B"), Author("Wanner", "C")])

    assert found.likeness == "wrong"
    assert found.why == "This author is in the record, but not the first one."


def test_authors_that_are_left_out_mislead_nobody():
    known = [Author(name) for name in ("Zinman", "Wanner", "Lachin", "Fitchett")]

    assert compared(known[:1], known, et_al=True).why == "et al."
    assert compared([known[0], known[2]], known).why == "not all authors"
    assert compared(known, known).likeness == "same"
    assert compared(known, known[:3], complete=False).likeness == "slip"


def test_a_first_author_among_strangers_is_wrong_when_the_record_names_all():
    known = [Author(name) for name in ("Zinman", "Wanner", "Lachin")]
    printed = [Author(name) for name in ("Zinman", "Smith", "Jones")]

    assert compared(printed, known).why == "Of the authors after the first one the record has none."
    assert compared(printed, known, complete=False).likeness == "slip"


def test_a_body_before_or_in_place_of_persons_accuses_nobody():
    persons = [Author("Wright", "JT"), Author("Williamson", "JD")]
    body = Author("SPRINT Research Group", body=True)

    assert compared(persons, [body, *persons]).likeness == "slip"
    assert compared([body], persons).likeness == "unknown"
    assert compared([], persons).likeness == "unknown"
    assert compared(persons, []).likeness == "unknown"


def test_names_without_letters_are_no_ones():
    assert compared([Author("…")], [Author("Smith")]).likeness == "wrong"
