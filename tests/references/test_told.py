"""What a model says of a reference is taken in the reference's own words, or not at all."""

from dataclasses import replace

import pytest

from medreview.references.model import Author, Reference
from medreview.references.model_reading import as_told, in_doubt
from medreview.references.printed.find import find_references
from medreview.references.printed.parse import parse_reference
from medreview.text import Span

SAID = "Vale  D and Okafor N; Heparin – a plan for 2011; J Test Med; 2011; 12; 3-9; doi:10.5555/found.4"
NOTHING = dict.fromkeys(("title", "container", "year", "volume", "issue", "pages", "publisher", "edition"), "")
TOLD = {
    **NOTHING,
    "authors": ["Vale D", "Okafor N"],
    "title": "Heparin - a plan for 2011",
    "container": "J Test Med",
    "year": "2011",
    "volume": "12",
    "pages": "3–9",
}


def test_each_field_has_its_place_in_the_text_and_the_texts_own_words() -> None:
    read = replace(parse_reference("x" * 10 + SAID), text=SAID, start=10, end=10 + len(SAID))
    made = as_told(read, TOLD, "m reference_parsing/1")
    assert made is not None
    assert (made.title, made.year, made.pages) == ("Heparin – a plan for 2011", 2011, "3-9")
    assert made.authors == (Author("Vale", "D"), Author("Okafor", "N"))
    assert (made.identifiers, made.kind, made.unsure) == (read.identifiers, "article", ())
    text = " " * 10 + SAID
    assert {name: text[slice(*place)] for name, place in made.places.items() if name not in ("identifier", "url")} == {
        "authors": "Vale  D and Okafor N",
        "title": made.title,
        "container": "J Test Med",
        "year": "2011",
        "volume": "12",
        "pages": "3-9",
    }
    year = made.places["year"]
    assert year.start > made.places["container"].start, "the year in the title is the title's"
    assert made.read_by == "m reference_parsing/1"


@pytest.mark.parametrize(
    "changed",
    [
        {"title": "Heparin - a plan for 2012"},
        {"title": "Hepar"},
        {"authors": ["Vale D", "Vale D"]},
        {"authors": ["Vale D", "Smith J"]},
        {"container": "Journal of Test Medicine"},
        {"year": "12"},
        {"year": "11"},
        {"volume": "10"},
        {"title": "J Test Med"},
        {"authors": ["Vale D", "3-9"], "pages": ""},
        {"authors": [], "title": " ", "container": ""},
    ],
)
def test_an_answer_with_one_wrong_word_is_not_taken(changed: dict[str, object]) -> None:
    assert as_told(parse_reference(SAID), {**TOLD, **changed}, "m") is None


def test_what_was_not_told_stays_empty() -> None:
    made = as_told(parse_reference(SAID), {**NOTHING, "authors": [], "title": "Heparin - a plan for 2011"}, "m")
    assert made is not None
    assert (made.authors, made.container, made.year, made.url) == ((), "", None, "")
    assert made.places["title"] == Span(SAID.index("Heparin"), SAID.index("; J Test"))


def test_only_what_is_read_with_doubt_is_in_doubt() -> None:
    sure = parse_reference('Vale D. "Heparin, a plan." J Test Med. 2011;12:3-9.')
    assert not in_doubt(sure)
    assert in_doubt(replace(sure, unsure=("title",)))
    assert in_doubt(Reference("one two three four five six"))
    assert not in_doubt(Reference("one two three"))
    assert not any(map(in_doubt, find_references("", ["https://a.example/one"])))
