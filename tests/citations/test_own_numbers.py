"""What the numbers of a response stand for, by its own list of sources."""

import pytest

from medreview.citations import extract
from medreview.citations.source_lists import OwnNumbers, own_numbers
from medreview.statements.blocks import blocks
from medreview.statements.marker_stage import lists_of_sources
from medreview.statements.marks import CitationIndex

A, B, C = (f"url:https://{name}.org/" for name in "abc")
IN_TEXT = [
    "Sources\n[1] https://a.org\n[2] https://b.org",
    "**References**\n\n1. https://a.org\n\n2. Book. https://b.org",
    "Bibliography:\n(1) https://a.org\n(2) https://b.org",
    "[^1]: https://a.org\n[^2]: https://b.org",
    '[1]: https://a.org "A title"\n[2]: https://b.org',
    "Sources: [1] https://a.org [2] https://b.org",
    "References\n¹ https://a.org\n² https://b.org",
    "## Sources\n- https://a.org\n- https://b.org",
    '[^1^]: https://a.org "A title"\n[^2^]: https://b.org "Another"',
    "---\n¹ https://a.org\n² https://b.org",
    "Rest helps most. References: [1] Smith J. A trial. https://a.org [2] https://b.org",
    "Rest helps most [2].References:[1] https://a.org [2] https://b.org",
    "References:\n1. Smith J. A trial.\n   https://a.org\n2. [The second](https://b.org)",
]


def found(text: str, *listed: str) -> OwnNumbers:
    places = blocks(text, CitationIndex(text, extract(text)))
    return own_numbers(text, listed, lists_of_sources(text, places))


@pytest.mark.parametrize(
    "listed",
    [
        ["https://a.org", "https://b.org"],
        ["[1] https://a.org", "[2] https://b.org"],
        ["2. Book. https://b.org", "1. https://a.org"],
        ["(2) https://b.org", "(1) https://a.org"],
    ],
)
def test_a_list_beside_the_text_has_its_numbers_or_its_places(listed: list[str]) -> None:
    assert found("Rest.", *listed).numbers == {1: (A,), 2: (B,)}


@pytest.mark.parametrize("listing", IN_TEXT)
def test_a_list_in_the_text_is_read_in_every_usual_form(listing: str) -> None:
    assert found(f"Metformin lowers vitamin B12 [1].\n\n{listing}").numbers == {1: (A,), 2: (B,)}


def test_numbers_that_are_links_need_no_list() -> None:
    assert found("Rest [1](https://a.org), drink [[2]](https://b.org/(x)).").numbers == {1: (A,), 2: (f"{B}(x)",)}


def test_two_numbers_may_be_one_source_one_may_be_several_and_one_none() -> None:
    own = found("Rest.", "[1] https://a.org", "[2] https://a.org", "[3] doi:10.1000/x, PMID 123", "[4] A book, 2nd ed.")
    assert own.numbers == {1: (A,), 2: (A,), 3: ("doi:10.1000/x", "pmid:123"), 4: ()}


def test_the_numbers_of_the_text_come_before_those_of_the_list_beside_it() -> None:
    text = "Rest.\n\nSources\n[1] https://a.org"
    assert found(text, "https://b.org", "https://a.org").numbers == {1: (A,)}
    assert found(text, "[1] https://b.org", "[2] https://b.org").numbers == {1: (A,), 2: (B,)}
    assert found(f"See [1](https://c.org). {text}").numbers == {1: (A,)}


def test_an_entry_without_an_address_takes_it_from_the_list_beside_the_text() -> None:
    text = "Rest [1].\n\nReferences:\n1. Smith J. A trial. 2019\n2. Doe K. Another. 2020"
    assert found(text, "https://a.org", "https://b.org").numbers == {1: (A,), 2: (B,)}
    assert found(text, "https://a.org").numbers == {1: (), 2: ()}  # which of the two it is, nobody knows


def test_entries_are_also_found_by_author_and_year() -> None:
    text = (
        "Rest.\n\nReferences\n"
        "- Smith, J., & Jones, K. (2019a). A trial. https://a.org\n"
        "- van der Berg K, et al. Another. Lancet. 2018;392:1. https://b.org\n"
        "- World Health Organization. A guideline. 2021. https://c.org\n"
    )
    own = found(text)
    assert own.of_name("Smith", "2019a") == own.of_name("SMITH", "2019a") == (A,)
    assert own.of_name("Berg", "2018") == own.of_name("Berg", "2018b") == (B,)
    assert own.of_name("WHO", "2021") == own.of_name("World Health Organization", "2021") == (C,)
    assert own.of_name("Smith", "2018") == own.of_name("Smith", "2019") == ()
