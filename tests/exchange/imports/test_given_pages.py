"""Which texts of pages a field of a record gives, and of which address each is."""

from typing import Any

import pytest

from medreview.exchange.imports.listed_citations import GivenPage, given_pages

PAGE, TEXT = "https://a.example/x", "Rest helps."


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([{"url": PAGE, "passages": [TEXT, "Drink."]}], [(PAGE, f"{TEXT}\n\nDrink.", "")]),
        ([{"pmid": 12345678, "text": TEXT, "title": " A\ntrial "}], [("PMID: 12345678", TEXT, "A trial")]),
        ({"URL": PAGE, "Content": TEXT}, [(PAGE, TEXT, "")]),
        ([{"url": PAGE, "text": TEXT}, {"url": "b.org"}], [(PAGE, TEXT, ""), ("b.org", "", "")]),
        ([{"url": PAGE, "title": "Metformin"}], []),  # addresses without any text are citations, no pages
        ([{"title": "Metformin: a guide", "text": TEXT}], []),  # a title is no address
        ([PAGE], []),
    ],
)  # fmt: skip
def test_a_page_has_an_address_and_one_of_them_at_least_a_text(value: Any, found: list[tuple[str, str, str]]) -> None:
    assert given_pages(value) == [GivenPage(*each) for each in found]
