"""Guidelines: which text is in force, that every label carries it, and who has to read it when."""

import json
import re
import shutil
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.labels import EVIDENCE
from medreview.review.cell_width import width
from medreview.review.guidelines import default_guidelines, in_force, must_read, note_read, set_guidelines, versions
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.review.set_markdown import set_markdown
from medreview.review.wrapping import readable_markdown
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import merge
from medreview.units.registry import KINDS

FIRST, SECOND = "# Rules\n\nWholly means every number.\n", "# Rules\n\nWholly means every number and unit.\n"


def stamps(study: Study) -> list[str]:
    rows = study.reader.execute("SELECT payload FROM event WHERE kind IN ('decide', 'revise') ORDER BY event_id")
    return [json.loads(row[0])["guideline"] for row in rows]


def test_there_is_always_a_text_and_a_study_that_sets_none_asks_nobody_to_read(study: Study) -> None:
    text = in_force(study.reader)
    assert (text.number, text.set_by) == (0, "")
    assert all(label.definition in text.text for label in EVIDENCE)
    assert must_read(study.reader, "kb") is None
    for name, kind in KINDS.items():
        own = in_force(study.reader, name)
        assert kind.about in own.text
        assert all(label.definition in own.text for label in kind.levels)
        assert own.stamp != text.stamp


def test_every_label_carries_the_version_it_was_given_by(study: Study) -> None:
    session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
    before = in_force(study.reader)
    session.decide("supported")
    first = set_guidelines(study, "lead", FIRST)
    session.decide("contradicted")
    second = set_guidelines(study, "lead", SECOND)
    session.note("see version 2")
    session.decide_also("hallucination", "fact")

    assert stamps(study) == [before.stamp, first.stamp, second.stamp]
    assert [(one.number, one.text, one.set_by) for one in versions(study.reader)] == [
        (1, FIRST, "lead"),
        (2, SECOND, "lead"),
    ]
    assert check(study.reader) == []


def test_a_new_version_has_to_be_read_once_by_each_and_the_same_text_again_is_no_version(study: Study) -> None:
    first = set_guidelines(study, "lead", FIRST)
    assert must_read(study.reader, "kb") == first
    note_read(study, "kb", first)
    note_read(study, "kb", first)
    assert must_read(study.reader, "kb") is None
    assert must_read(study.reader, "anna") == first
    assert set_guidelines(study, "lead", FIRST.replace("\n", "\r\n")) == first

    set_guidelines(study, "lead", SECOND)
    assert must_read(study.reader, "kb").text == SECOND
    back = set_guidelines(study, "lead", FIRST)
    assert (back.number, back.stamp) == (3, first.stamp)
    assert must_read(study.reader, "kb") is None  # read already
    assert len(study.reader.execute("SELECT 1 FROM event WHERE kind = 'guideline_read'").fetchall()) == 1


@pytest.mark.parametrize(
    ("text", "says"), [("  \n", "are empty"), ("a\0b", "is damaged"), ("x" * 200_001, "are the most")]
)
def test_what_is_no_text_is_refused(study: Study, text: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        set_guidelines(study, "lead", text)
    assert versions(study.reader) == []


def test_versions_merge_and_the_newest_of_both_copies_is_in_force(study: Study, tmp_path: Path) -> None:
    set_guidelines(study, "lead", FIRST)
    copy = tmp_path / "copy.medreview"
    shutil.copy(study.path, copy)
    with Study.open(copy) as theirs:
        note_read(theirs, "anna", in_force(theirs.reader))
        set_guidelines(theirs, "anna", SECOND)
    assert merge(study, copy).added == 2
    assert in_force(study.reader).text == SECOND
    assert must_read(study.reader, "anna").text == SECOND
    assert check(study.reader) == []


def test_markdown_is_read_as_plain_text_with_its_headings_marked() -> None:
    text = (
        "# Rules #\n\nOne\nparagraph of *words*.\n\n- an item that is too long for the row\n"
        "2. second\n\n| a | b |\n\n```\ncode  x\n```\n\x1b[2J"
    )
    assert readable_markdown(text, 24).split("\n") == [
        "Rules", "=====", "", "One paragraph of", "*words*.", "", "- an item that is too", "  long for the row",
        "2. second", "", "| a | b |", "", "```", "code  x", "```", "␛[2J",
    ]  # fmt: skip


LABELS_TEXT = (
    "# Rules\n\nRead **all** of it.\n\n- `1` supported: It says so. Example: \u201cwholly\u201d.\n"
    "- `12` not at all: No.\n- an item\n\n> a quotation\n\n| a | b |\n\x1b[2J"
)


def test_labels_are_set_as_a_table_and_what_is_bold_is_marked() -> None:
    made = set_markdown(LABELS_TEXT, 60)

    assert made.text.split("\n") == [
        "Rules", "", "Read all of it.", "",
        "   1  supported   It says so.", "                  Example: \u201cwholly\u201d.", "  12  not at all  No.",
        "  \u2022 an item", "", "    \u2502 a quotation", "", "| a | b |", "\u241b[2J",
    ]  # fmt: skip
    bold = [made.text[mark.start : mark.end] for mark in made.marks if mark.kind == "heading"]
    assert bold == ["Rules", "all", "supported", "not at all"]


@pytest.mark.parametrize("columns", [30, 44, 80, 200])
def test_the_definitions_fit_their_columns_and_lose_no_word(columns: int) -> None:
    for kind in ("statement", *KINDS):
        text = default_guidelines(kind)
        made = set_markdown(text, columns)
        assert max(map(width, made.text.split("\n"))) <= columns
        assert set(re.findall(r"\w+", text)) == set(re.findall(r"\w+", made.text))
        assert all(0 <= mark.start < mark.end <= len(made.text) for mark in made.marks)
