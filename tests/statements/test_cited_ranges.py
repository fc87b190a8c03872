"""Own citations by what a producer says that stretches of its answer cite."""

import json
from pathlib import Path

import pytest

from medreview.citations.stage import extract_all
from medreview.exchange.imports.listed_citations import document_entry
from medreview.exchange.producers.given import placed
from medreview.statements.own_citations import of_response
from medreview.statements.stage import mark_all, parse_all
from medreview.study import Study
from tests.support.study_builder import build, rows_of

GUIDELINE, REVIEW = "https://guideline.example/renal", "https://review.example/metformin"
TEXT = "Metformin is contraindicated below an eGFR of 30. It may be continued at 40. Nausea is its most common harm."
CLAIM = (0, TEXT.index(" It may"))


def own(study: Study, ranges: list[list[object]], text: str = TEXT, listed: tuple[str, ...] = (GUIDELINE, REVIEW)):
    """By the first words of each statement, the addresses and documents that are its own."""
    told = {"listed": json.dumps(listed), "ranges": json.dumps(ranges)}
    build(study, lambda rows: rows.response("r1", text, cited=0, parser=None, **told))
    extract_all(study)
    parse_all(study)
    mark_all(study)
    names = {row["source_id"]: row["url"] or row["value"] for row in rows_of(study, "SELECT * FROM source")}
    texts = {row["statement_id"]: row["text"] for row in rows_of(study, "SELECT * FROM statement")}
    found = of_response(study.reader, "r1")
    return {texts[name].split()[0]: [names[source] for source in cited.sources] for name, cited in found}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "s.medreview")


def test_a_stretch_that_holds_a_claim_is_of_the_statements_that_it_covers(study: Study) -> None:
    nausea = TEXT.index("Nausea")
    ranges = [[*CLAIM, [GUIDELINE], ""], [nausea, len(TEXT), [REVIEW], "Nausea"]]
    assert own(study, ranges) == {"Metformin": [GUIDELINE], "It": [], "Nausea": [REVIEW]}


def test_a_stretch_over_two_statements_is_of_both_and_a_few_letters_of_a_third_are_none_of_it(study: Study) -> None:
    until = TEXT.index("Nausea") + 6
    assert own(study, [[0, until, [GUIDELINE], ""]]) == {"Metformin": [GUIDELINE], "It": [GUIDELINE], "Nausea": []}


@pytest.mark.parametrize(
    "mark", [f"([a]({GUIDELINE}))", f"[Guideline 2024]({GUIDELINE})", "【7†Guideline】", "[1]", ""]
)
def test_a_stretch_that_is_a_mark_is_of_the_statement_before_it(study: Study, mark: str) -> None:
    first = TEXT[: CLAIM[1]].removesuffix(".")
    text = f"{first} {mark}.{TEXT[CLAIM[1] :]}" if mark else TEXT
    place = (len(first) + 1, len(first) + 1 + len(mark)) if mark else (CLAIM[1], CLAIM[1])
    assert own(study, [[*place, [GUIDELINE], ""]], text) == {"Metformin": [GUIDELINE], "It": [], "Nausea": []}


def test_a_document_without_an_address_is_a_source_that_nobody_fetches(study: Study) -> None:
    entry = document_entry("Ward policy.pdf", "Stop metformin below 30.")
    assert own(study, [[*CLAIM, [entry], ""]], listed=(entry,))["Metformin"] == [entry.removeprefix("document:")]
    (source,) = rows_of(study, "SELECT kind, url, domain FROM source")
    assert source == {"kind": "document", "url": "", "domain": ""}


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("Dose ≤ 5 mg daily.", [(9, 13, "5 mg")], ["5 mg"]),  # bytes
        ("Dose 💊 5 mg daily.", [(8, 12, "5 mg")], ["5 mg"]),  # UTF-16
        ("Dose 💊 5 mg daily.", [(7, 11, "5 mg")], ["5 mg"]),  # code points
        ("Dose: 5 mg daily.", [(0, 4, "5 mg")], ["5 mg"]),  # wrong: found by its words
        ("Dose: 5 mg daily.", [(0, 4, "7 mg"), (6, 10, "")], [None, "5 mg"]),
        ("Dose: 5 mg daily.", [(6, 99, "")], [None]),
        ("5 mg, later 5 mg.", [(11, 15, "5 mg")], ["5 mg"]),
    ],
)
def test_places_are_counted_in_the_unit_in_which_they_say_what_they_should(
    text: str, wanted: list[tuple[int, int, str]], found: list[str | None]
) -> None:
    places = placed(text, wanted)
    assert [text[slice(*place)] if place else None for place in places] == found
    assert text != "5 mg, later 5 mg." or places == [(12, 16)]


@pytest.mark.parametrize("name", ["renal guideline 2024.pdf", "renal-2.pdf#page=4", "Leitlinie (Niere).docx"])
def test_the_name_of_a_file_in_brackets_is_a_mark_and_no_part_of_a_statement(study: Study, name: str) -> None:
    text = f"Metformin is contraindicated below an eGFR of 30. [{name}]. It may be continued at 40 [{name}]."
    first, second = text.index("["), text.rindex("[")
    cited = document_entry(name)
    ranges = [[at, at + len(name) + 2, [cited], ""] for at in (first, second)]
    document = [cited.removeprefix("document:")]
    assert own(study, ranges, text, (cited,)) == {"Metformin": document, "It": document}
    texts = [row["text"] for row in rows_of(study, "SELECT text FROM statement ORDER BY ordinal")]
    assert texts == ["Metformin is contraindicated below an eGFR of 30.", "It may be continued at 40"]
