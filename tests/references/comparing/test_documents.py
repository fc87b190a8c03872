"""Pages, guidelines, labels and books: told by address, number, maker and edition beside their titles."""

from typing import Any

import pytest

from medreview.references.comparing.publication import address_key
from medreview.references.comparing.titles import bare_title, document_numbers, edition_number
from medreview.references.formats.csl import record_of
from medreview.references.library import Library
from medreview.references.printed.parse import parse_reference

NICE = [{"literal": "National Institute for Health and Care Excellence"}]
WHO = [{"literal": "World Health Organization"}]
WHO_PAGE = "https://www.who.int/news-room/fact-sheets/detail/hypertension"
ITEMS: list[dict[str, Any]] = [
    {
        "id": "ng28",
        "type": "report",
        "title": "Type 2 diabetes in adults: management",
        "author": NICE,
        "issued": 2015,
        "URL": "https://www.nice.org.uk/guidance/ng28",
        "number": "NG28",
    },
    {
        "id": "ng136",
        "type": "report",
        "title": "Hypertension in adults: diagnosis and management",
        "author": NICE,
        "issued": {"date-parts": [[2019]]},
        "number": "NG136",
    },
    {
        "id": "harrison20",
        "type": "book",
        "title": "Harrison's Principles of Internal Medicine",
        "author": [{"family": "Jameson", "given": "J. Larry"}, {"family": "Fauci", "given": "Anthony S."}],
        "issued": {"date-parts": [[2018]]},
        "publisher": "McGraw-Hill",
        "edition": "20",
    },
    {
        "id": "eliquis",
        "type": "webpage",
        "title": "Eliquis (apixaban) prescribing information",
        "author": [{"literal": "Bristol-Myers Squibb"}],
        "issued": {"date-parts": [[2012]]},
    },
    {"id": "who", "type": "webpage", "title": "Hypertension", "author": WHO, "issued": 2023, "URL": WHO_PAGE},
    {
        "id": "subtitle",
        "type": "article-journal",
        "title": "Deep brain stimulation for depression after stroke: a randomised trial",
        "author": [{"family": "Invented", "given": "A"}],
        "container-title": "Journal of Invented Medicine",
        "issued": 2019,
    },
    *(
        {
            "id": f"home{number}",
            "type": "webpage",
            "title": title,
            "author": [{"literal": "Invented Society"}],
            "issued": 2019,
            "URL": "https://society.example/journal/home",
        }
        for number, title in enumerate(("Sepsis", "Malaria"))
    ),
]
LIBRARY = Library(record_of(item, "library", number) for number, item in enumerate(ITEMS, 1))


def checked(text):
    return LIBRARY.check(parse_reference(text))


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("NICE. Type 2 diabetes in adults: management (NG28). 2022. https://www.nice.org.uk/guidance/ng28", "ng28"),
        ("NICE. Type 2 diabetes in adults: management. NICE guideline [NG28]. London: NICE; 2022.", "ng28"),
        (
            "National Institute for Health and Care Excellence (NICE). Type 2 diabetes in adults: management. 2022. "
            "http://nice.org.uk/guidance/NG28/chapter/Recommendations#drugs",
            "ng28",
        ),
        ("NICE guideline NG28: type 2 diabetes in adults. 2022.", "ng28"),
        ("NICE. Diabetes management guideline for adults. NG28. 2022.", "ng28"),
        ("NICE. Hypertension in adults: diagnosis and management. NICE guideline [NG136]. 2023.", "ng136"),
        (f"WHO. Hypertension. 2021. {WHO_PAGE}", "who"),
        (f"World Health Organization. Hypertension fact sheet. 2019. {WHO_PAGE}/", "who"),
        ("Eliquis [package insert]. Princeton, NJ: Bristol-Myers Squibb; 2021.", "eliquis"),
        ("Eliquis (apixaban) [package insert]. Bristol-Myers Squibb Company; 2021.", "eliquis"),
        ("Jameson JL, Fauci AS. Harrison's Principles of Internal Medicine. 20th ed. McGraw-Hill; 2018.", "harrison20"),
    ],
)
def test_a_work_that_is_updated_is_that_work_under_its_address_number_or_name(text, record):
    check = checked(text)

    assert (check.verdict, check.record and check.record.record_id) == ("match", record)
    assert check.wrong == ()


def test_another_disease_under_a_guidelines_number_is_a_title_that_differs():
    check = checked("NICE. Type 1 diabetes in adults: management (NG28). 2022. https://www.nice.org.uk/guidance/ng28")

    assert check.verdict == "mismatch"
    assert [difference.field for difference in check.wrong] == ["title"]


def test_a_guidelines_title_under_another_number_is_described_wrongly():
    check = checked("NICE. Hypertension in adults: diagnosis and management. NICE guideline [NG127]. 2019.")

    assert check.verdict == "mismatch"
    assert [(each.field, each.reference, each.record) for each in check.wrong] == [("identifier", "NG127", "NG136")]


def test_an_earlier_guideline_of_the_same_title_and_another_number_is_not_the_later_one():
    check = checked("NICE. Hypertension in adults: diagnosis and management. Clinical guideline [CG127]. 2011.")

    assert check.verdict == "not_found"
    assert "Another edition of it was found" in check.because


@pytest.mark.parametrize(
    "text",
    [
        "Jameson JL, Fauci AS, et al. Harrison's Principles of Internal Medicine. 21st ed. McGraw-Hill; 2022.",
        "Loscalzo J, Fauci A. Harrison's Principles of Internal Medicine, 21st Edition. McGraw Hill; 2022.",
        "Harrison's Principles of Internal Medicine, 21st Edition",
    ],
)
def test_a_book_in_another_edition_is_not_found_and_the_edition_that_is_there_is_named(text):
    check = checked(text)

    assert check.verdict == "not_found"
    assert [record.record_id for record in check.candidates] == ["harrison20"]
    assert "Another edition of it was found: “Harrison's Principles of Internal Medicine” (2018), edition 20." in (
        check.because
    )


def test_a_label_of_another_maker_is_not_the_label():
    assert checked("Eliquis [package insert]. New York, NY: Pfizer; 2021.").verdict == "not_found"


def test_a_page_of_another_subject_at_the_printed_address_is_another_work():
    check = checked(f"World Health Organization. Malaria. 2023. {WHO_PAGE}")

    assert (check.verdict, check.record and check.record.record_id) == ("other_work", "who")
    assert f"{WHO_PAGE} is the address of “Hypertension” (2023)." in check.because


def test_an_address_that_several_works_have_proves_nothing():
    check = checked("Invented Society. Tetanus. 2019. https://society.example/journal/home")

    assert check.verdict == "not_found"


@pytest.mark.parametrize(
    ("subtitle", "verdict"),
    [("a systematic review", "mismatch"), ("a systematic review and network meta-analysis of cohorts", "not_found")],
)
def test_another_subtitle_than_the_works_own_is_no_slip_and_the_work_is_shown(subtitle, verdict):
    check = checked(f"Invented A. Deep brain stimulation for depression after stroke: {subtitle}. J Invent Med. 2019.")

    assert check.verdict == verdict
    assert [work.record_id for work in (check.record, *check.candidates) if work] == ["subtitle"]


def test_a_subtitle_where_the_work_has_none_is_a_slip():
    check = checked("WHO. Hypertension: a global challenge. 2023.")

    assert (check.verdict, [slip.why for slip in check.slips if slip.field == "title"]) == (
        "match",
        ["with a subtitle"],
    )


def test_addresses_of_one_page_have_one_key():
    keys = {
        address_key(url)
        for url in (
            "https://www.nice.org.uk/guidance/ng28",
            "http://nice.org.uk/guidance/NG28/",
            "https://www.nice.org.uk/guidance/ng28/chapter/1-Recommendations#drugs",
            "www.nice.org.uk/guidance/ng28/?utm_source=mail",
        )
    }

    assert len(keys) == 1
    assert address_key("https://www.example.org/guidelines") == ""
    assert address_key("https://example.org/page/1?id=2") != address_key("https://example.org/page/1?id=3")


def test_numbers_count_where_their_body_is_named():
    assert document_numbers("NICE guideline [NG28]; see also NICE CG181") == {"NG28", "CG181"}
    assert document_numbers("Dose of 5 NG 28 and CG 181 in mice") == frozenset()
    assert document_numbers("World Health Organization. WHO/NMH/NVI/15.1.") == {"WHO/NMH/NVI/15.1"}


def test_a_title_without_what_is_no_title():
    assert bare_title("Eliquis [package insert]") == "Eliquis"
    assert bare_title("Harrison's Principles of Internal Medicine, 21st Edition") == (
        "Harrison's Principles of Internal Medicine"
    )
    assert bare_title("NICE guideline NG28: type 2 diabetes in adults") == "type 2 diabetes in adults"
    editions = [edition_number("Third edition"), edition_number("", "Surgery, 5th ed."), edition_number("Revised 2018")]
    assert editions == [3, 5, None]
