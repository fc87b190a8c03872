"""References of a study: listed by a file, stored under ids that stay, with checks and what models say of them."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medreview.citations.stage import extract_all
from medreview.exchange.imports.answer_records import import_responses
from medreview.references.library import Library
from medreview.references.model import (
    Asked,
    Author,
    Identifier,
    Record,
    Reference,
    ReferenceCheck,
    check_of,
    reference_of,
    to_json,
)
from medreview.references.model_reading import as_told, in_doubt
from medreview.references.printed.find import find_references
from medreview.references.printed.parse import parse_reference
from medreview.references.stage import find_all
from medreview.references.study_references import CheckedBy, store_check, store_references, waiting, without_verdict
from medreview.study import Study
from medreview.study.check import check, check_study
from medreview.text import Span, sha256
from tests.references.works import EMPA_REG
from tests.support.meddling import meddle
from tests.support.study_builder import build, rows_of

TEXT = "Aspirin helps [1]. Or not [2].\n\n1. Moreno A. Drug X. 2019. doi:10.5555/x.1\n2. Lind K. Drug Y. 2020."
FIRST, SECOND = "Moreno A. Drug X. 2019. doi:10.5555/x.1", "Lind K. Drug Y. 2020."
LIBRARY = CheckedBy("rules-1", "abc", online=False)


def placed(text: str, number: int, **more: object) -> Reference:
    start = TEXT.index(text)
    return Reference(text, start, start + len(text), "list", number, **more)  # type: ignore[arg-type]


FOUND = (placed(FIRST, 1, year=2019, identifiers=(Identifier("doi", "10.5555/x.1"),)), placed(SECOND, 2))
GIVEN = Reference("Okafor B. Drug Z. https://z.example/a", standing="given", title="Drug Z", url="https://z.example/a")


@pytest.fixture
def study(study: Study) -> Study:
    build(study, lambda to: [to.source("u1"), to.source("u2"), to.response("r1", TEXT, cites=["u1", "u2"])])
    cited = [("doi", "10.5555/x.1", "u1"), ("url", "https://z.example/a", "u2")]  # whatever key a source has kept
    cites = "UPDATE citation SET kind = ?, value = ? WHERE source_id = ?"
    study.write(lambda connection: connection.executemany(cites, cited))
    study.write(lambda connection: store_references(connection, "r1", (*FOUND, GIVEN, GIVEN), "finder-1"))
    return study


def ids(study: Study) -> list[str]:
    return [
        row["reference_id"] for row in rows_of(study, "SELECT reference_id FROM reference_current ORDER BY ordinal")
    ]


def test_what_was_found_is_stored_with_its_place_its_reading_and_the_sources_that_it_names(study: Study) -> None:
    rows = rows_of(study, "SELECT * FROM reference_current ORDER BY ordinal")
    assert [reference_of(json.loads(row["reading"])) for row in rows] == [*FOUND, GIVEN]
    assert [TEXT[row["start_cp"] : row["end_cp"]] for row in rows[:2]] == [FIRST, SECOND]
    assert (rows[2]["start_cp"], rows[2]["end_cp"], rows[2]["number"]) == (None, None, None)
    assert [row["text_sha256"] for row in rows] == [sha256(one.text) for one in (*FOUND, GIVEN)]
    named = rows_of(study, "SELECT * FROM reference_source")
    assert {(row["reference_id"], row["source_id"]) for row in named} == {(ids(study)[0], "u1"), (ids(study)[2], "u2")}
    assert check(study.reader) == []


def test_other_rules_read_the_same_words_anew_and_what_they_do_not_find_stays_as_a_row(study: Study) -> None:
    first, second, _ = ids(study)
    study.write(lambda connection: store_check(connection, first, ReferenceCheck("match"), LIBRARY))
    longer = placed(f"2. {SECOND}", 2)
    read = replace(FOUND[0], year=2018)
    study.write(lambda connection: store_references(connection, "r1", (read, longer), "finder-2"))
    assert ids(study)[0] == first
    assert second not in ids(study)
    rows = rows_of(study, "SELECT reference_id, parser, reading FROM reference")
    assert {row["reference_id"]: row["parser"] for row in rows}[second] == "finder-1"
    assert {row["reference_id"]: json.loads(row["reading"]).get("year") for row in rows}[first] == 2018
    assert rows_of(study, "SELECT verdict FROM reference_checked") == [{"verdict": "match"}]
    assert rows_of(study, "SELECT * FROM source_reference WHERE verdict IS NOT NULL") == [
        {"response_id": "r1", "source_id": "u1", "reference_id": first, "verdict": "match"}
    ]


def test_the_newest_check_counts_and_the_same_is_not_stored_again(study: Study) -> None:
    (one, *_) = ids(study)
    record = Record("library", "x1", title="Drug X")

    def store(made: ReferenceCheck, by: CheckedBy = LIBRARY) -> bool:
        return study.write(lambda connection: store_check(connection, one, made, by))

    match, mismatch = ReferenceCheck("match", record), ReferenceCheck("mismatch", record)
    assert [store(match), store(match), store(mismatch), store(match)] == [True, False, True, True]
    assert store(match, LIBRARY._replace(online=True))
    assert check_of(json.loads(rows_of(study, "SELECT result FROM reference_checked")[0]["result"])) == match
    assert len(rows_of(study, "SELECT * FROM reference_check")) == 4
    for change in ("UPDATE reference_check SET verdict = 'match'", "DELETE FROM reference_check"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            study.write(lambda connection, change=change: connection.execute(change))  # type: ignore[misc]


def test_an_address_alone_is_a_reference_that_waits_for_no_check_until_more_is_read_of_it(study: Study) -> None:
    bare = replace(GIVEN, title="")
    study.write(lambda connection: store_references(connection, "r1", (bare,), "finder-2"))
    assert [row["bare_url"] for row in rows_of(study, "SELECT * FROM reference_current")] == [1]
    assert waiting(study.reader, LIBRARY) == []
    study.write(lambda connection: store_references(connection, "r1", (GIVEN,), "finder-3"))
    assert [reference_id for reference_id, _ in waiting(study.reader, LIBRARY)] == ids(study)


def test_a_reference_waits_until_the_same_rules_and_authorities_have_looked_at_it(study: Study) -> None:
    one, two, three = ids(study)

    def wait(by: CheckedBy) -> list[str]:
        return [reference_id for reference_id, _ in waiting(study.reader, by)]

    def store(reference_id: str, made: ReferenceCheck, by: CheckedBy) -> None:
        study.write(lambda connection: store_check(connection, reference_id, made, by))

    assert wait(LIBRARY) == [one, two, three]
    store(one, ReferenceCheck("match"), LIBRARY)
    online = LIBRARY._replace(online=True)
    store(two, ReferenceCheck("not_found", asked=(Asked("pubmed", "citation", "nothing"),)), online)
    store(three, ReferenceCheck("not_found", asked=(Asked("pubmed", "citation", "failed", "no answer"),)), online)
    assert wait(LIBRARY) == []
    assert wait(online) == [one, three]
    assert wait(LIBRARY._replace(library="def")) == wait(LIBRARY._replace(rules="rules-2")) == [one, two, three]


def test_without_the_verdict_the_records_stay_in_an_order_that_tells_nothing() -> None:
    found, other = Record("library", "b", title="B"), Record("library", "a", title="A")
    made = ReferenceCheck(
        "other_work", found, candidates=(other,), because="So.", asked=(Asked("library", "identifier", "found"),)
    )
    kept = check_of(json.loads(without_verdict(json.dumps(to_json(made)))))
    assert kept == ReferenceCheck("not_checkable", candidates=(other, found), asked=made.asked)


def test_a_reference_that_was_moved_is_named_by_the_check(study: Study) -> None:
    one = ids(study)[0]
    study.close()
    meddle(study.path, f"UPDATE reference SET start_cp = 0 WHERE reference_id = '{one}'", seals=True)
    with Study.open(study.path, read_only=True) as again:
        assert f"Reference {one} does not stand where it is said to stand in its response." in check_study(again).faults


DOI = "10.1056/nejmoa1504720"
INVENTED = "Heparin in children. A plan: title and all"
CITED = {"title": INVENTED, "authors": ["Vale, Dora", "Okafor N"], "journal": "Lancet", "year": 2011, "doi": DOI}
ADDRESS = "https://www.nejm.example/empagliflozin"
Given = Callable[..., list[Reference]]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """The references of a study after one more import of an answer that lists these citations."""
    path = tmp_path / "s.medreview"

    def read(*cited: object) -> list[Reference]:
        record = {"id": 1, "response": "Heparin is safe [1].", "citations": cited}
        (tmp_path / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
        with Study.open(path) if path.exists() else Study.create(path) as study:
            import_responses(study, tmp_path / "a.jsonl")
            extract_all(study)
            find_all(study)
            rows = rows_of(study, "SELECT reading FROM reference_current ORDER BY ordinal")
        return [reference_of(json.loads(row["reading"])) for row in rows]

    return read


def test_a_real_doi_beside_an_invented_title_is_another_work(given: Given) -> None:
    (read,) = given(CITED)
    assert (read.standing, read.number, read.title, read.container, read.year) == ("given", 1, INVENTED, "Lancet", 2011)
    assert [author.family for author in read.authors] == ["Vale", "Okafor"]
    assert [identifier.value for identifier in read.identifiers] == [DOI]
    assert read.text[slice(*read.places["title"])] == INVENTED
    assert Library([EMPA_REG]).check(read).verdict == "other_work"


def test_the_same_work_said_rightly_is_that_work(given: Given) -> None:
    authors = [{"given": author.given, "family": author.family} for author in EMPA_REG.authors]
    (read,) = given({"marker": "[3]", "title": EMPA_REG.title, "authors": authors, "year": "2015", "url": DOI})
    assert (read.number, len(read.authors)) == (3, len(authors))
    assert Library([EMPA_REG]).check(read).verdict == "match"


def test_words_take_the_place_of_an_address_that_was_kept_alone(given: Given) -> None:
    assert [read.title for read in given({"url": ADDRESS}, {"url": ADDRESS + "/2"})] == ["", ""]
    now = given({"url": ADDRESS, "title": INVENTED}, {"url": ADDRESS + "/2"})
    assert [(read.number, read.title, read.url) for read in now] == [(1, INVENTED, ADDRESS), (2, "", ADDRESS + "/2")]


def test_a_label_before_named_fields_is_no_part_of_them() -> None:
    said = f"[7] Title: {INVENTED}; Authors: Vale D; Year: 2011"
    (read,) = find_references("Heparin is safe [7].", [said])
    assert (read.text, read.number, read.title) == (said, 7, INVENTED)
    assert said[slice(*read.places["title"])] == INVENTED


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
    assert (made.authors, made.container, made.year, made.url) == ((), "", None, "")
    assert made.places["title"] == Span(SAID.index("Heparin"), SAID.index("; J Test"))


def test_only_what_is_read_with_doubt_is_in_doubt() -> None:
    sure = parse_reference('Vale D. "Heparin, a plan." J Test Med. 2011;12:3-9.')
    assert not in_doubt(sure)
    assert in_doubt(replace(sure, unsure=("title",)))
    assert in_doubt(Reference("one two three four five six"))
    assert not in_doubt(Reference("one two three"))
    assert not any(map(in_doubt, find_references("", ["https://a.example/one"])))
