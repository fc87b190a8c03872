"""A whole response: its statements and sources, and the judges' roll-up beside the decision."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.judges.verdicts import refresh
from medreview.study import Study
from medreview.units.kind import Machines, TextMark
from medreview.units.whole_response import WholeResponse
from tests.support.study_builder import StudyBuilder, build

KIND = WholeResponse()


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "t.medreview", "t") as made:
        build(made, _material)
        refresh(made)
        yield made


def _material(rows: StudyBuilder) -> None:
    rows.page("a", "Warfarin is monitored by the INR.")
    rows.source("never")
    text = "Warfarin is monitored by the INR. Vitamin K reverses it."
    statements = ("Warfarin is monitored by the INR.", "Vitamin K reverses it.")
    rows.response("r1", text, statements=statements, cites=("never", "a"), question="And warfarin?")
    rows.own_number("r1", 7, "a")
    rows.response("r2", "Rest.", statements=("Rest.",), cites=("a",))
    rows.response("r3", "None.")


def judged(study: Study, *labels: tuple[str, str, str]) -> None:
    """Labels (judge, statement, label) on the one page."""

    def add(rows: StudyBuilder) -> None:
        for judge, statement, label in labels:
            rows.judgement(judge, statement, "a@1", label)

    build(study, add)
    refresh(study)


def test_the_statements_are_listed_before_the_sources_which_bear_the_responses_own_numbers(study: Study) -> None:
    assert [row["unit"] for row in study.reader.execute(KIND.rows)] == ["response:r1", "response:r2"]
    shown = KIND.load(study.reader, "response:r1")
    assert [(one.key, one.title) for one in shown.documents] == [
        ("statements", "statements"),
        ("source:never", "[a] never.example"),
        ("source:a", "[7] a.example"),
    ]
    assert shown.documents[0].text == "S1  Warfarin is monitored by the INR.\n\nS2  Vitamin K reverses it."
    assert (shown.documents[1].text, shown.documents[1].state) == ("", "not fetched")
    with pytest.raises(KeyError):
        KIND.load(study.reader, "response:r9")


def test_the_roll_up_says_which_statements_fail_and_where_they_are(study: Study) -> None:
    before = KIND.load(study.reader, "response:r1")
    assert KIND.machines(study.reader, "response:r1").words == ""
    judged(study, ("one", "r1.1", "supported"), ("one", "r1.2", "not_addressed"))
    found = KIND.machines(study.reader, "response:r1")
    assert (found.level, found.words) == ("no", "roll-up: 1 of 2 statements supported")
    assert [(one.judge, one.said, one.reason) for one in found.opinions] == [
        ("S2", "not addressed", "Vitamin K reverses it.")
    ]
    assert found.marks == (
        ("statements", TextMark(39, 65, "clash")),
        ("response", TextMark(34, 56, "clash")),
    )
    assert before.documents[0].text[39:65] == "S2  Vitamin K reverses it."
    assert KIND.load(study.reader, "response:r1") == before


def test_every_roll_up_is_a_rating_and_the_offline_rules_are_named_as_what_they_are(study: Study) -> None:
    judged(study, ("one", "r1.1", "supported"), ("offline", "r2.1", "supported"))
    assert next(iter(KIND.machine_ratings(study.reader)))[1:] == (
        "r2", "all_supported", "offline (words only)", True, "", "yes",
    )  # fmt: skip
    assert KIND.machines(study.reader, "response:r2").level is None
    judged(study, ("one", "r1.2", "supported"))
    assert [(one.cluster, one.rater, one.value) for one in KIND.machine_ratings(study.reader)] == [
        ("r1", "judges", "yes"),
        ("r2", "offline (words only)", "yes"),
    ]


def test_an_invalid_response_is_one_of_them_and_says_what_it_is(study: Study) -> None:
    build(study, lambda rows: rows.response("r4", "It beg", invalid="incomplete", parser=None, question="And heparin?"))
    assert [row["unit"] for row in study.reader.execute(KIND.rows)][-1] == "response:r4"
    shown = KIND.load(study.reader, "response:r4")
    assert [(part.label, part.text) for part in shown.parts] == [
        ("asked", "And heparin?"),
        ("invalid", "incomplete: the model's answer broke off, or cannot be used as one"),
    ]
    assert shown.beside is not None
    assert shown.beside.text == "It beg"
    assert KIND.machines(study.reader, "response:r4") == Machines()
