"""Authors, journals, years, pages and identifiers of a reference and of a record: the same, or not."""

import pytest

from medreview.references.comparing.names import compare_authors, compare_containers
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
from medreview.references.model import Author, Field, Identifier, Record, Reference
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
OTHER_NAMES = [
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


@pytest.mark.parametrize(("printed", "known"), OTHER_NAMES)
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


SAME = [
    ("N Engl J Med", "The New England Journal of Medicine"),
    ("NEJM", "New England Journal of Medicine"),
    ("NEJM", "N. Engl. J. Med."),
    ("BMJ", "British Medical Journal"),
    ("Br Med J", "BMJ"),
    ("Br Med J (Clin Res Ed)", "BMJ"),
    ("JAMA: The Journal of the American Medical Association", "JAMA"),
    ("Journal of the American Medical Association", "JAMA"),
    ("PNAS", "Proc Natl Acad Sci U S A"),
    ("Proceedings of the National Academy of Sciences USA", "Proc. Natl. Acad. Sci. U.S.A."),
    ("AJRCCM", "Am J Respir Crit Care Med"),
    ("American Journal of Respiratory & Critical Care Medicine", "Am J Respir Crit Care Med"),
    ("Am. J. Physiol.", "American Journal of Physiology"),
    ("Lancet", "The Lancet"),
    ("Lancet (London, England)", "Lancet"),
    ("Lancet Diabetes Endocrinol", "The Lancet Diabetes & Endocrinology"),
    ("J Bone Joint Surg Am", "The Journal of Bone and Joint Surgery. American Volume"),
    ("Arch Intern Med", "JAMA Internal Medicine"),
    ("Int J Obes (Lond)", "International Journal of Obesity and Related Metabolic Disorders"),
    ("Dtsch Arztebl Int", "Deutsches Ärzteblatt International"),
    ("Natl Med J India", "National Medical Journal of India"),
    ("Arch Dis Child Fetal Neonatal Ed", "Archives of Disease in Childhood. Fetal and Neonatal Edition"),
    ("Acta Pædiatr", "Acta Paediatrica"),
    ("J Paediatr Child Health", "Journal of Pediatrics and Child Health"),
    ("Diabetologica", "Diabetologia"),
    ("Ann NY Acad Sci", "Annals of the New York Academy of Sciences"),
    ("Ann N Y Acad Sci", "Ann NY Acad Sci"),
    ("Cochrane Database Syst Rev", "Cochrane Database of Systematic Reviews (Online)"),
    ("BMJ (Clinical research ed", "BMJ"),
    ("PLoS ONE 9", "PLoS One"),
    ("J Bone Joint Surg", "J Bone Joint Surg Am"),
    ("BJOG", "BJOG : an international journal of obstetrics and gynaecology"),
    ("Acta Orthop Scand Suppl", "Acta orthopaedica Scandinavica. Supplementum"),
    ("JACC", "Journal of the American College of Cardiology"),
]
OTHER_JOURNALS = [
    ("Lancet", "Lancet Oncol"),
    ("JAMA", "JAMA Internal Medicine"),
    ("J Physiol", "Am J Physiol"),
    ("Am J Med", "American Journal of the Medical Sciences"),
    ("J Immunol", "Journal of Immunotoxicology"),
    ("Am J Epidemiol", "European Journal of Epidemiology"),
    ("Int J Cardiol", "Int J Radiol"),
    ("J Neurosci", "Journal of Neuroscience Research"),
    ("J Bone Joint Surg Am", "J Bone Joint Surg Br"),
    ("Pain", "European Journal of Pain"),
    ("J Neurol", "Journal of Neurology, Neurosurgery, and Psychiatry"),
    ("Circulation", "Circulation. Heart failure"),
    ("Neurology", "Nephrology"),
    ("Ann Surg", "Annals of Medicine"),
    ("Circulation", "Circulation: Heart Failure"),
    ("BMJ", "BMJ Open"),
    ("Sports Med.", "Clin. Med."),
]


@pytest.mark.parametrize(("printed", "name"), SAME)
def test_names_of_one_journal_are_at_most_a_slip(printed, name):
    assert compare_containers(printed, [name]).likeness in ("same", "slip")
    assert compare_containers(name, [printed]).likeness in ("same", "slip")


@pytest.mark.parametrize(("printed", "name"), OTHER_JOURNALS)
def test_names_of_two_journals_are_told_apart(printed, name):
    found = compare_containers(printed, [name])

    assert found.likeness == "wrong"
    assert found.why == "The record has another journal."
    assert compare_containers(name, [printed]).likeness == "wrong"


def test_any_of_a_records_names_will_do_and_a_missing_one_says_nothing():
    assert compare_containers("Lancet", ["J. Physiol.", "The Lancet"]).likeness == "same"
    assert compare_containers("", ["The Lancet"]).likeness == "unknown"
    assert compare_containers("Lancet", []).likeness == "unknown"
    assert compare_containers("Lancet", ["", " "]).likeness == "unknown"


def test_an_end_of_the_title_before_a_journals_name_is_no_other_journal():
    name = "Results of operative debridement and subacromial decompression. J Bone Joint Surg Am"

    assert compare_containers("J Bone Joint Surg Am", [name]).likeness == "slip"
