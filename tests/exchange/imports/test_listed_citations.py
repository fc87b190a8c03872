"""The citations beside an answer, as other evaluators' files list them."""

from typing import Any

import pytest

from medreview.citations.own_numbers import own_numbers
from medreview.exchange.imports.listed_citations import citations_of

ONE, TWO = "https://a.example/one", "https://b.example/two"


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([[{"url": ONE}], [TWO, None]], (ONE, TWO)),
        ([{"number": 2, "url": TWO}, {"number": 1, "url": ONE}], (f"[2] {TWO}", f"[1] {ONE}")),
        ([{"marker": "[2]", "url": TWO}, {"marker": "[1]", "url": ONE}], (f"[2] {TWO}", f"[1] {ONE}")),
        ([{"number": 2, "url": TWO}, {"url": ONE}], (TWO, ONE)),
        ([{"index": 0, "url": ONE}, {"index": 1, "url": TWO}], (ONE, TWO)),
        ({"2": TWO, "[1]": {"url": ONE}}, (f"[2] {TWO}", f"[1] {ONE}")),
        ([{"title": "A book", "text": f"Smith 2019. {ONE}"}], (f"Smith 2019. {ONE}",)),
        ([{"title": "A page", "url": ONE}, {"title": "A book"}], (f"Title: A page; URL: {ONE}", "A book")),
        ([{"url": ONE, "doi": "10.5555/x"}, {"pmid": 123.0, "year": 2020}], (ONE, "PMID: 123")),
        ([{"title": "A  page", "source": ONE, "number": 4}], (f"[4] Title: A page; URL: {ONE}",)),
        ([{"citation": f"Roe A. 2019. {ONE}", "url": ONE, "pmid": "12"}], (f"Roe A. 2019. {ONE} PMID: 12",)),
        ([{"title": "A book", "authors": {"name": "Roe A"}, "pages": {}}], ("Authors: Roe A; Title: A book",)),
        (
            {
                "DOI": "10.5555/x",
                "title": ["Heparin"],
                "container-title": "J Test Med",
                "volume": 12,
                "url": ONE,
                "author": [{"family": "Roe", "given": "Ann"}, "Lee K", {"literal": "WHO"}, 3],
                "issued": {"date-parts": [[2019, 5]]},
            },
            (
                f"Authors: Roe, Ann; Lee K; WHO; Title: Heparin; Journal: J Test Med; Year: 2019; Volume: 12; "
                f"DOI: 10.5555/x; URL: {ONE}",
            ),
        ),
        (f"['{ONE}', '{TWO}']", (ONE, TWO)),
        (f'[{{"url": "{ONE}"}}, "{TWO}"]', (ONE, TWO)),
        (f"[1] {ONE}", ("[1] " + ONE,)),
        (f"{ONE}; {TWO}\nPMID: 12 doi: 10.5555/x", (ONE, TWO, "PMID: 12", "doi: 10.5555/x")),
        (f"{ONE},{TWO}", (ONE, TWO)),
        (f"{ONE} | {TWO}", (ONE, TWO)),
        (f"[1] Roe A; Poe B. Metformin. {ONE}\n[2] {TWO}", (f"[1] Roe A; Poe B. Metformin. {ONE}", f"[2] {TWO}")),
        (f"[1] {ONE} [2] Poe B. 2020. {TWO}", (f"[1] {ONE}", f"[2] Poe B. 2020. {TWO}")),
        (f"Roe A. 2019. {ONE}; Poe B. 2020. {TWO}", (f"Roe A. 2019. {ONE}", f"Poe B. 2020. {TWO}")),
    ],
)
def test_each_citation_is_one_entry_with_its_own_number(listed: Any, found: tuple[str, ...]) -> None:
    assert citations_of({"citations": listed}) == found


@pytest.mark.parametrize(
    "listed",
    [
        [{"number": 2, "url": TWO}, {"number": 1, "url": ONE}],
        f"[1] Roe A; Poe B. Metformin. {ONE}\n[2] {TWO}",
        f"['{ONE}', '{TWO}']",
        {"2": TWO, "1": ONE},
    ],
)
def test_markers_of_the_answer_find_them(listed: Any) -> None:
    numbers = own_numbers("Yes [1]. No [2].", citations_of({"citations": listed})).numbers
    assert numbers == {1: (f"url:{ONE}",), 2: (f"url:{TWO}",)}
