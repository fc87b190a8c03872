"""pairs.csv: what is known of a statement beside each source of its response, and nothing of another source."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from medreview.exchange.exports.export import export
from medreview.judges.verdicts import refresh
from medreview.references.verdict import Verdict
from medreview.study import Study
from medreview.units.statement_view import load_statement_view
from tests.support.reference_rows import ReferenceRows
from tests.support.study_builder import StudyBuilder, build


@pytest.fixture
def pairs(study: Study, tmp_path: Path) -> dict[tuple[str, str], dict[str, str]]:
    build(study, _material)
    refresh(study)
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "pairs.csv").open(encoding="utf-8", newline="") as file:
        return {(row["unit_id"], row["source_id"]): row for row in csv.DictReader(file, strict=True)}


def _material(rows: StudyBuilder) -> None:
    rows.page("a", "Take 5 mg.", "https://one.example/a")
    rows.page("b", "Rest helps.", "https://one.example/b")
    rows.source("c")
    rows.response("r1", "Take 5 mg [3]. Rest.", statements=("Take 5 mg [3].", "Rest."), cites="abc", record_id="q7-x")
    for number, source in ((1, "a"), (2, "b"), (3, "b"), (4, "c")):
        rows.own_number("r1", number, source)
    for number, source in ((3, "b"), (9, None)):
        rows.marker("r1.1", source, number)
    rows.evidence("r1.1", "a@1", [[0, 4], [5, 9]], unsupported=0.1)
    rows.evidence("r1.1", "b@1", unsupported=0.8)
    rows.judgement("one", "r1.1", "a@1", "supported", "Take 5 mg.")
    rows.judgement("two", "r1.1", "a@1", "partial")
    rows.judgement("one", "r1.1", "b@1", "supported", "Take 50 mg.", "altered")
    rows.judgement("two", "r1.1", "b@1", "unsure")
    rows.response("r2", "Sleep.", statements=("Sleep.",), cites="ca")
    rows.response("r3", "Eat.", statements=("Eat.",))


def test_there_is_a_row_for_each_statement_and_source_in_the_order_of_the_study(pairs):
    assert list(pairs) == [
        ("r1.1", "a"), ("r1.1", "b"), ("r1.1", "c"), ("r1.2", "a"), ("r1.2", "b"), ("r1.2", "c"),
        ("r2.1", "c"), ("r2.1", "a"),
    ]  # fmt: skip
    row = pairs["r1.2", "c"]
    assert (row["response_id"], row["record_id"], row["statement_ordinal"], row["statement_text"]) == (
        "r1", "q7-x", "2", "Rest.",
    )  # fmt: skip


def test_the_answers_own_numbers_and_what_the_statement_points_to(pairs):
    said = {pair: (row["source_number"], row["markers"], row["cited_by_statement"]) for pair, row in pairs.items()}
    assert said["r1.1", "a"] == ("1", "3 9", "0")
    assert said["r1.1", "b"] == ("3", "3 9", "1")  # also [2], but the statement says [3]
    assert said["r1.2", "b"] == ("2", "", "0")
    assert said["r2.1", "a"] == ("", "", "")  # nothing in this response points to anything


def test_one_source_of_each_statement_is_shown_first_as_in_the_workbench(pairs, study):
    first = [pair for pair, row in pairs.items() if row["shown_first"] == "1"]
    assert first == [("r1.1", "b"), ("r1.2", "a"), ("r2.1", "a")]
    assert set(Counter(row["shown_first"] for row in pairs.values())) == {"0", "1"}
    for unit, source_id in first:
        opening = load_statement_view(study.reader, unit).opening_source
        assert opening is not None
        assert opening.source_id == source_id


def test_each_row_has_the_judges_words_on_its_own_page(pairs):
    names = ("judge", "judge_quote", "judge_quote_status", "verdict", "supported", "jury_for", "jury_abstained")
    said = {pair: tuple(row[name] for name in names) for pair, row in pairs.items()}
    assert said["r1.1", "a"] == ("one", "Take 5 mg.", "exact", "", "", "1", "0")
    assert said["r1.1", "b"] == ("one", "Take 50 mg.", "altered", "supported", "1", "1", "1")
    assert said["r1.1", "c"] == ("",) * 7
    assert [pairs["r1.1", source]["flagged"] for source in "abc"] == ["1"] * 3


def test_a_page_that_was_not_fetched_is_not_readable_and_has_no_score(pairs):
    told = {
        source: tuple(
            pairs["r1.1", source][name] for name in ("readable", "unsupported", "passage_start", "page_state")
        )
        for source in "abc"
    }
    assert told == {"a": ("1", "0.1", "0", "ok"), "b": ("1", "0.8", "", "ok"), "c": ("0", "", "", "")}


def test_a_page_of_another_work_than_the_one_named_says_so(study: Study, tmp_path: Path) -> None:
    build(study, _material)
    build(study, lambda rows: rows.connection.execute("UPDATE source SET kind = 'doi' WHERE source_id < 'c'") and None)
    verdicts: dict[str, Verdict] = {"a": "other_work", "b": "mismatch", "c": "other_work"}
    for source, verdict in verdicts.items():
        ReferenceRows(study).add("r1", verdict, source=source)
    refresh(study)
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "pairs.csv").open(encoding="utf-8", newline="") as file:
        told = {(row["unit_id"], row["source_id"]): row["page_of_other_work"] for row in csv.DictReader(file)}

    # An address tells no work; and what one response names says nothing of another's.
    assert [told["r1.1", source] for source in "abc"] == ["1", "0", ""]
    assert told["r2.1", "a"] == ""
