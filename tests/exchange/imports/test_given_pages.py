"""Which texts of pages a field of a record gives, and of which address each is."""

from typing import Any

import pytest

from medreview.exchange.imports.listed_citations import GivenPage, document_entry, given_pages

PAGE, TEXT = "https://a.example/x", "Rest helps."


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([{"url": PAGE, "passages": [TEXT, "Drink."]}], [(PAGE, f"{TEXT}\n\nDrink.", "", False)]),
        ([{"url": PAGE, "snippet": TEXT}], [(PAGE, TEXT, "", False)]),
        ([{"pmid": 12345678, "text": TEXT, "title": " A\ntrial "}], [("PMID: 12345678", TEXT, "A trial", True)]),
        ({"URL": PAGE, "Content": TEXT}, [(PAGE, TEXT, "", True)]),
        ([{"url": PAGE, "text": TEXT}, {"url": "b.org"}], [(PAGE, TEXT, "", True), ("b.org", "", "", True)]),
        ([{"url": PAGE, "title": "Metformin"}], []),  # addresses without any text are citations, no pages
        ([{"title": "A guide", "text": TEXT}], [(document_entry("A guide", "A guide"), TEXT, "A guide", True)]),
        ([{"page_content": TEXT, "metadata": {"source": PAGE, "page": 3}}], [(PAGE, TEXT, "", True)]),
        ([{"content": TEXT, "meta": {"url": PAGE}, "score": 0.4}], [(PAGE, TEXT, "", True)]),
        ([{"content": TEXT, "meta": {"file_path": "in/ckd.pdf"}}],
         [(document_entry("ckd.pdf", "in/ckd.pdf"), TEXT, "", True)]),
        ([PAGE], []),
        ([TEXT], []),  # of texts alone only the name of the field can say that they are passages
    ],
)  # fmt: skip
def test_a_page_has_an_address_or_is_a_document_and_one_of_them_at_least_a_text(
    value: Any, found: list[tuple[str, str, str, bool]]
) -> None:
    assert given_pages(value) == [GivenPage(*each) for each in found]


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("contexts", [TEXT], (document_entry("", TEXT), TEXT, "")),
        ("Retrieved contexts", [TEXT], (document_entry("", TEXT), TEXT, "")),
        ("contexts", [{"url": PAGE, "text": TEXT}], (PAGE, TEXT, "")),
        ("source_nodes", [{"node": {"text": TEXT, "metadata": {"file_name": "ckd.pdf"}}, "score": 0.7}],
         (document_entry("ckd.pdf", "ckd.pdf"), TEXT, "")),
        ("source_documents", [{"kwargs": {"page_content": TEXT, "metadata": {"source": PAGE}}}], (PAGE, TEXT, "")),
    ],
)  # fmt: skip
def test_what_an_answer_was_given_to_read_are_passages(field: str, value: Any, found: tuple[str, str, str]) -> None:
    assert given_pages(value, field) == [GivenPage(*found, whole=False)]
