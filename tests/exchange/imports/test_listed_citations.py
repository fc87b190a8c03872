"""The citations beside an answer, as other evaluators' files list them."""

import json
from typing import Any

import pytest

from medreview import pipeline
from medreview.citations.source_lists import own_numbers
from medreview.exchange.imports.listed_citations import citations_of
from medreview.study import Study

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


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("https://files.example/My Guideline 2024.pdf", "https://files.example/My%20Guideline%202024.pdf"),
        ("https://files.example/a?x=>y", "https://files.example/a?x=%3Ey"),
        ('https://files.example/a"b"<c>', "https://files.example/a%22b%22%3Cc%3E"),
        ("https://files.example/a_(b", "https://files.example/a_%28b"),
        ("https://files.example/a_(b)", "https://files.example/a_(b)"),
        ("https://files.example/Washington,_D.C.", "https://files.example/Washington,_D.C%2E"),
        ("https://files.example/Leitlinie „Sepsis“.pdf", "https://files.example/Leitlinie%20%E2%80%9ESepsis%E2%80%9C.pdf"),
        ("https://files.example/a%20b", "https://files.example/a%20b"),
        ("www.files.example/My Guideline.pdf", "https://www.files.example/My%20Guideline.pdf"),
    ],
)  # fmt: skip
def test_an_address_that_stands_in_a_field_is_encoded_and_never_cut(address: str, url: str, study: Study) -> None:
    for record in (
        {"response": "A.", "citations": [{"url": address}]},
        {"response": "B.", "citations": [{"link": address, "title": "A guideline", "year": 2024}]},
        {"response": "C.", "pages": {address: "A page."}},
        {"response": "D.", "sources": [{"url": address, "text": "A page."}]},
    ):
        path = study.path.with_name("a.json")
        path.write_text(json.dumps(record))
        pipeline.bring_in(study, path, {})
    assert [row[0] for row in study.reader.execute("SELECT url FROM source")] == [url]
    assert study.reader.execute("SELECT count(*), count(DISTINCT source_id) FROM citation").fetchone()[:] == (4, 1)
    assert study.reader.execute("SELECT count(*) FROM snapshot").fetchone()[0] == 1


def test_an_address_alone_in_a_list_is_not_cut_at_a_sign_either(study: Study) -> None:
    path = study.path.with_name("a.json")
    path.write_text(json.dumps({"response": "A.", "citations": ["https://a.example/x?y=>z", "https://b.example/x."]}))
    pipeline.bring_in(study, path, {})
    urls = [row[0] for row in study.reader.execute("SELECT url FROM source ORDER BY url")]
    assert urls == ["https://a.example/x?y=%3Ez", "https://b.example/x"]


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("https://f.example/My Guideline 2024.pdf", "https://f.example/My%20Guideline%202024.pdf"),
        ("https://f.example/WHO - Sepsis (2024).PDF?v=2", "https://f.example/WHO%20-%20Sepsis%20(2024).PDF?v=2"),
        ("https://f.example/My  Page.html.", "https://f.example/My%20Page.html"),
        ("https://f.example/find?q=heart failure&lang=en", "https://f.example/find?q=heart%20failure&lang=en"),
        ("https://f.example/x, accessed 3 May 2024", "https://f.example/x"),
        ("https://f.example/x accessed 3 May 2024", "https://f.example/x"),
        ("https://f.example/x (accessed 2024-05-03).", "https://f.example/x"),
        ("https://f.example/x, as in annex.pdf", "https://f.example/x"),
        ("https://f.example/x accessed 3 May 2024, see annex.pdf", "https://f.example/x"),
        ("https://f.example/x.pdf Guideline 2024.pdf", "https://f.example/x.pdf"),
        ("https://f.example/x from nice.org", "https://f.example/x"),
    ],
)
def test_an_address_with_blanks_is_told_from_an_address_with_words_after_it(
    address: str, url: str, study: Study
) -> None:
    json_file, table = study.path.with_name("a.jsonl"), study.path.with_name("b.csv")
    json_file.write_text(json.dumps({"response": "A.", "citations": [address]}))
    table.write_text(f'response,citations\nB.,"{address}"\n')
    for path in (json_file, table):
        pipeline.bring_in(study, path, {})
    assert [row[0] for row in study.reader.execute("SELECT value FROM citation")] == [url, url]
