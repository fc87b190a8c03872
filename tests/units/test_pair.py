"""A statement beside one source: what is shown, the statement's label from pairs, and experts' labels from a file."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview.exchange.exports.label_rows import LABELS, label_rows
from medreview.exchange.exports.pair_rows import pair_rows
from medreview.judges.rollup import SourceOpinion
from medreview.judges.verdicts import refresh
from medreview.replays.papers.sourcecheckup import REPLAY
from medreview.review.decision import last_act
from medreview.study import Study
from medreview.study.check import check
from medreview.study.events import NewEvent, Recorder
from medreview.units.derived_label import derive, derived_label, derived_labels
from medreview.units.kind import Rating, TextMark
from medreview.units.pair import PairKind
from tests.support.bringing import bring
from tests.support.study_builder import StudyBuilder, build, new_version, rows_of

PAIR = PairKind()
TEXT = "Metformin is stopped below an eGFR of 30. It may cause a lack of vitamin B12."


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "t.medreview", "t") as made:
        build(made, _material)
        yield made


def _material(rows: StudyBuilder) -> None:
    for name, text in (
        ("a", "Stop metformin when the eGFR falls below 30."),
        ("b", "Metformin can lower vitamin B12."),
        ("c", "Metformin is continued down to an eGFR of 15."),
    ):
        rows.page(name, text)
    rows.snapshot(rows.source("dead"), "", page_state="http_error", status=404)
    statements = ("Metformin is stopped below an eGFR of 30.", "It may cause a lack of vitamin B12.")
    rows.response("r1", TEXT, statements=statements, cites=("b", "dead", "a", "a", "c"), question="Metformin?")
    rows.own_number("r1", 3, "a")
    rows.evidence("r1.1", "a@1", highlights=[[0, 4]], lexical=[[5, 14], [24, 28]])
    rows.response("r2", "Rest helps.", statements=("Rest helps.",), cites=("a",), model="borealis-1")
    rows.add("listed_pair", statement_id="r1.2", source_id="b")


def judged(study: Study) -> None:
    def add(rows: StudyBuilder) -> None:
        rows.judgement("one", "r1.1", "a@1", "supported", "Stop metformin when the eGFR falls below 30.")
        rows.judgement("two", "r1.1", "a@1", "supported", "Start metformin.", "absent")
        rows.judgement("one", "r1.1", "c@1", "contradicted", "down to an eGFR of 15")
        rows.judgement("offline", "r1.1", "a@1", "unsure")
        rows.judgement("two-way", "r1.1", "b@1", "not found")
        rows.judgement("offline", "r2.1", "a@1", "not_addressed")

    build(study, add)
    refresh(study)


def label(study: Study, reviewer: str, *given: tuple[str, str, str], mode: str = "blind") -> None:
    """Labels (unit, axis, level) of one sitting."""
    recorder = Recorder(reviewer)

    def write(connection: sqlite3.Connection) -> None:
        for unit, axis, level in given:
            exposure = {"judge_verdict": "no" if mode == "blind" else "before"}
            snapshot = f"{unit.rpartition(':')[2]}@1"
            event = NewEvent("decide", unit, {"axis": axis, "label": level, "exposure": exposure}, snapshot)
            recorder.append(connection, event, block="pairs", mode=mode)

    study.write(write)


def test_the_pairs_are_those_that_judges_are_asked_about_each_once_in_the_order_of_the_responses(study: Study) -> None:
    rows = study.reader.execute(f"SELECT * FROM ({PAIR.rows}) ORDER BY cluster, ordinal").fetchall()
    assert [row["unit"] for row in rows] == [
        "pair:r1.1:b", "pair:r1.1:a", "pair:r1.1:c", "pair:r1.2:b", "pair:r2.1:a",
    ]  # fmt: skip
    assert tuple(rows[-1])[3:] == ("Rest helps.", "borealis-1", "forum", "")


def test_a_pair_shows_the_statement_one_source_and_the_response_with_the_statement_marked(study: Study) -> None:
    shown = PAIR.load(study.reader, "pair:r1.1:a")
    assert (shown.name, shown.group, shown.response_id) == ("R01 S1 [3]", "R01", "r1")
    assert [(part.label, part.text, part.main) for part in shown.parts] == [
        ("statement", "Metformin is stopped below an eGFR of 30.", True),
        ("asked", "Metformin?", False),
    ]
    (page,) = shown.documents
    assert (page.key, page.title, page.state, page.snapshot_id) == ("source", "[3] a.example", "ok", "a@1")
    assert page.marks == (TextMark(5, 14, "lexical"), TextMark(24, 28, "lexical"))
    assert page.opens == 5
    assert shown.beside.marks == (TextMark(0, 41, "statement"),)
    assert PAIR.cluster(study.reader, shown.unit) == "r1"
    for unknown in ("pair:r2.1:b", "pair:r9.1:a"):
        with pytest.raises(KeyError):
            PAIR.load(study.reader, unknown)
    assert PAIR.load(study.reader, "pair:r1.1:dead").missing


def test_nothing_that_is_shown_before_the_decision_depends_on_the_judges(study: Study) -> None:
    units = [row[0] for row in study.reader.execute(PAIR.rows)]
    before = [PAIR.load(study.reader, unit) for unit in units]
    judged(study)
    assert [PAIR.load(study.reader, unit) for unit in units] == before


def test_the_machines_of_a_pair_are_the_votes_on_its_source_with_their_quotes(study: Study) -> None:
    judged(study)
    here = PAIR.machines(study.reader, "pair:r1.1:a")
    assert [(one.judge, one.said, one.label, one.counts) for one in here.opinions] == [
        ("one", "supported", "supported", True),
        ("two", "supported", "supported", True),
        ("offline (words only)", "unsure", None, False),
    ]
    assert (here.level, here.words, here.badges) == ("supported", "judges 2-0", "quote absent")
    assert here.opinions[0].passages[0].spans == ((0, 44),)
    assert ("source", TextMark(0, 4, "evidence")) in here.marks
    other = PAIR.machines(study.reader, "pair:r1.1:c")
    assert (other.level, other.words, other.badges) == ("contradicted", "", "contradicted")
    assert PAIR.machines(study.reader, "pair:r1.1:b").opinions[0].said == "not supported"
    assert [
        PAIR.machines(study.reader, "pair:r1.1:b").agree("evidence", mine) for mine in ("supported", "partial")
    ] == [False, True]
    rules = PAIR.machines(study.reader, "pair:r2.1:a")
    assert (rules.opinions[0].label, rules.level, rules.agree("evidence", "supported")) == ("not_addressed", None, None)
    nobody = PAIR.machines(study.reader, "pair:r1.2:b")
    assert (nobody.opinions, nobody.level, nobody.badges) == ((), None, "")


def test_each_vote_is_a_rating_and_a_two_way_word_has_an_axis_of_its_own(study: Study) -> None:
    judged(study)
    ratings = list(PAIR.machine_ratings(study.reader))
    assert Rating("pair:r1.1:c", "r1", "evidence", "one", True, "", "contradicted") in ratings
    assert [one[2:] for one in ratings if one.unit == "pair:r1.1:b"] == [
        ("support", "two-way", True, "", "not_supported")
    ]
    assert Rating("pair:r2.1:a", "r2", "evidence", "offline (words only)", True, "", "not_addressed") in ratings


YES, NO, PART = SourceOpinion("supported", True), SourceOpinion("not_addressed", False), SourceOpinion("partial", False)
AGAINST, NOT = SourceOpinion("contradicted", False), SourceOpinion(None, False)
CANNOT = SourceOpinion("cannot_judge", None)


@pytest.mark.parametrize(
    ("words", "label", "supported"),
    [
        ([NO, YES, AGAINST], "supported", True),
        ([YES], "supported", True),
        ([NO, AGAINST], None, None),
        ([NO, PART, AGAINST], "contradicted", False),
        ([NO, PART, NO], "partial", False),
        ([NO, NO, NO], "not_addressed", False),
        ([NO, NOT, NO], None, False),
        ([NO, NO, CANNOT], "not_addressed", None),
        ([CANNOT, CANNOT, CANNOT], "cannot_judge", None),
        ([], None, None),
    ],
)
def test_a_statements_label_from_its_pairs_is_the_judges_rule_over_sources_once_all_are_labelled(
    words: list[SourceOpinion], label: str | None, supported: bool | None
) -> None:
    found = derive(dict(zip("abc", words, strict=False)), "abc")
    assert found == (label, supported, len(words), 3)


def test_the_derived_label_is_told_for_one_statement_and_for_all(study: Study) -> None:
    label(study, "anna", ("pair:r1.1:a", "evidence", "partial"), ("pair:r1.1:b", "support", "not_supported"))
    found = derived_label(study.reader, "r1.1", "anna")
    assert found.words == "2 of 3 pairs labelled"
    assert derived_label(study.reader, "r1.1", "bert") is None
    label(study, "bert", ("pair:r1.1:c", "evidence", "supported"), mode="open")
    label(study, "anna", ("pair:r1.1:c", "evidence", "not_addressed"), ("pair:r1.2:b", "evidence", "supported"))
    every = {(one.statement_id, one.reviewer): one for one in derived_labels(study.reader)}
    assert {key: (one.mode, one.current.words) for key, one in every.items()} == {
        ("r1.1", "anna"): ("blind", "derived from 3 of 3 pairs: not supported"),
        ("r1.1", "bert"): ("assisted", "derived from 1 of 3 pairs: supported"),
        ("r1.2", "anna"): ("blind", "derived from 1 of 1 pairs: supported"),
    }
    assert (
        every["r1.1", "anna"].current == every["r1.1", "anna"].counting == derived_label(study.reader, "r1.1", "anna")
    )
    new_version(study, "c", "Metformin is stopped at an eGFR of 30.")
    changed = derived_label(study.reader, "r1.1", "anna")
    assert changed.words == "2 of 3 pairs labelled"


def test_an_export_has_the_label_from_pairs_beside_the_one_given_directly(study: Study) -> None:
    label(study, "anna", ("pair:r1.2:b", "evidence", "supported"), ("pair:r1.1:a", "evidence", "partial"))
    label(study, "anna", ("r1.2", "evidence", "partial"))
    (table,) = PAIR.tables
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.read(study.reader)]
    assert [(row["unit_id"], row["label_from_pairs"], row["pairs_labelled"], row["pairs"]) for row in rows] == [
        ("r1.1", None, 1, 3),
        ("r1.2", "supported", 1, 1),
    ]
    (direct,) = label_rows(study.reader)
    told = dict(zip((column.name for column in LABELS.columns), direct, strict=True))
    assert (told["verdict_final"], told["label_from_pairs"], told["supported_from_pairs"], told["pairs"]) == (
        "partial", "supported", 1, 1,
    )  # fmt: skip
    assert any("pair:r1.2:b" in row for row in pair_rows(study.reader))


FIRST = {"response": "a17", "statement": "Warfarin is monitored by the INR.", "source": "https://a.example/"}


@pytest.fixture
def answers(empty_study: Study) -> Study:
    def material(rows: StudyBuilder) -> None:
        rows.page("a", "Warfarin is monitored by the INR.")
        rows.source("b")
        for name, record in (("r1", "a17"), ("r2", "a18")):
            statements = ("Warfarin is monitored by the INR.", f"This is answer {record}.")
            rows.response(name, " ".join(statements), statements=statements, cites=("a", "b"), record_id=record)
        rows.own_number("r1", 4, "b")

    build(empty_study, material)
    return empty_study


def test_labels_of_several_experts_come_in_once_and_say_what_they_were_given_on(answers: Study) -> None:
    records: list[dict[str, Any]] = [
        {"reviewer": "Expert 1", **FIRST, "label": "Supported", "exposure": "blind"},
        {"reviewer": "Expert 2", **FIRST, "label": "partial", "reason": "stronger than source", "note": "Only once."},
        {"reviewer": "Expert 1", "statement": "This is answer a17.", "source": "[4]", "label": "not found"},
        {"reviewer": "Expert 2", "statement": "r2.2", "source": "a", "label": "contradicted", "reason": "It is a18."},
    ]
    done = bring(answers, *records)
    assert (done.kind, done.read, done.labels, done.bad) == ("pair", 4, 4, [])
    assert rows_of(
        answers, "SELECT reviewer, unit, axis, label, snapshot, mode FROM event WHERE kind = 'decide' ORDER BY seq"
    ) == [
        dict(zip(("reviewer", "unit", "axis", "label", "snapshot", "mode"), row, strict=True))
        for row in (
            ("Expert 1", "pair:r1.1:a", "evidence", "supported", "a@1", "blind"),
            ("Expert 1", "pair:r1.2:b", "support", "not_supported", None, "open"),
            ("Expert 2", "pair:r1.1:a", "evidence", "partial", "a@1", "open"),
            ("Expert 2", "pair:r2.2:a", "evidence", "contradicted", "a@1", "open"),
        )
    ]
    assert [row["mode"] for row in rows_of(answers, "SELECT mode FROM reviewer_label ORDER BY reviewer, unit")] == [
        "blind", "assisted", "assisted",
    ]  # fmt: skip
    said = rows_of(answers, "SELECT kind, payload FROM event WHERE kind IN ('note', 'reason') ORDER BY seq")
    assert [(row["kind"], json.loads(row["payload"]).get("text", "")) for row in said] == [
        ("note", "Only once."), ("reason", ""), ("note", "It is a18."),
    ]  # fmt: skip
    assert bring(answers, *records).labels == 0
    assert check(answers.reader) == []
    own = derived_label(answers.reader, "r1.2", "Expert 1")
    assert own.words == "1 of 2 pairs labelled"
    last = last_act(answers.reader, "Expert 1", 1)
    assert (last.unit, last.words) == ("pair:r1.2:b", "support not supported")


def test_the_same_file_says_nothing_new_of_a_page_that_has_changed(answers: Study) -> None:
    record = {"reviewer": "kb", **FIRST, "label": "supported"}
    assert bring(answers, record).labels == 1
    new_version(answers, "a", "Warfarin is monitored by the anti-Xa activity.")
    assert bring(answers, record).labels == 0
    assert len(rows_of(answers, "SELECT * FROM decision_stale")) == 1
    unlabelled = "nobody has labelled a pair yet (queue pairs)"
    assert unlabelled in [row.missing for row in REPLAY.table(answers)]


def test_what_is_no_label_or_is_not_in_the_study_is_named_with_its_line(answers: Study) -> None:
    good = {"reviewer": "kb", **FIRST, "label": "supported"}
    done = bring(
        answers,
        good,
        {**good, "label": "perhaps"},
        {**good, "label": "unsure"},
        {**good, "reviewer": " "},
        {**good, "response": ""},
        {**good, "response": "a99"},
        {**good, "statement": "Nobody said this."},
        {**good, "source": "https://c.example/"},
        {**good, "exposure": "half"},
    )
    assert done.labels == 1
    assert {bad.line: bad.reason.partition(";")[0] for bad in done.bad} == {
        2: "has the label 'perhaps'",
        3: "has the label 'unsure'",
        4: "has no reviewer",
        5: "has a statement that 2 of the study are: R01 S1, R02 S1",
        6: "names the response 'a99', which the study does not have",
        7: "has a statement that the response 'a17' does not have (2 statements): 'Nobody said this.'",
        8: "has a source that its response does not cite: 'https://c.example/'",
        9: "has 'half' as its exposure",
    }
