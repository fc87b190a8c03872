"""Axes of a study's own: what a file may say, and what of it may change once there are labels."""

import shutil
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.study import Study
from medreview.study.check import check
from medreview.study.merge import merge
from medreview.study.own_axes import (
    EXAMPLE,
    LONGEST,
    MOST_AXES,
    MOST_LEVELS,
    add_axis,
    axes_text,
    own_axes,
    parse,
    set_axes,
    shipped_text,
)
from tests.support.study_builder import build
from tests.support.unit_study import decide

AXIS = """\
[[axis]]
name = "tone"
units = ["statement"]

[[axis.level]]
level = "calm"
key = "1"

[[axis.level]]
level = "alarming"
key = "2"
"""
MANY = AXIS.replace('units = ["statement"]', "many = true")
AXES = "\n".join(AXIS.replace('"tone"', f'"tone{number}"') for number in range(MOST_AXES + 1))
LEVELS = AXIS + "\n".join(f'[[axis.level]]\nlevel = "l{key}"\nkey = "{key}"' for key in "abcdefgh")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (AXIS.replace('"tone"', '"evidence"'), "line 2, name", "an axis of the program"),
        (AXIS.replace('"tone"', '"dispute"'), "line 2, name", "an axis of the program"),
        (AXIS.replace('"tone"', '"The tone"'), "line 2, name", "not a name"),
        (AXIS + "\n" + AXIS, "line 14, name", "'tone' is used already, in line 2"),
        (AXIS.replace('key = "2"', 'key = "1"'), "line 11, key", "'1' is used already, in line 7"),
        (AXIS.replace('"alarming"', '"calm"'), "line 10, level", "'calm' is used already, in line 6"),
        (AXIS.replace('key = "2"', 'key = "u"'), "line 11, key", "a key that the workbench needs"),
        (AXIS.replace('key = "2"', 'key = "F1"'), "line 11, key", "it has 2 characters"),
        (AXIS.replace('key = "2"', 'key = "?"'), "line 11, key", "one small letter or one digit"),
        (AXIS.replace('key = "2"', "key = 2"), "line 11, key", "a text in quotation marks"),
        (AXIS.replace('"statement"', '"sentence"'), "line 3, units", "no kind of unit 'sentence'"),
        (AXIS.replace('["statement"]', '"statement"'), "line 3, units", "a list"),
        (MANY.replace('"calm"', '"none"'), "line 6, level", "means something else"),
        (MANY.replace("many = true", 'many = true\nordered = true'), "line 4, ordered", "cannot be ordered"),
        (AXIS.replace('units =', 'unit ='), "line 3, unit", "unknown key"),
        (AXIS[: AXIS.rindex("[[")], "line 1, level", "it has 1 level; give 2 to 9"),
        (LEVELS, "line 1, level", f"it has {MOST_LEVELS + 1} levels; give 2 to {MOST_LEVELS}"),
        (AXES, "line 73, axis", f"{MOST_AXES} axes"),
        ("axis = 1", "line 1, axis", "each axis begins with [[axis]]"),
        (AXIS + "x y", "is not TOML", "at line 12"),
        ("[" * 20_000, "is not TOML", ""),
        ("a" * (LONGEST + 1), "more than 60,000 bytes", ""),
        ("a = '\0'", "is damaged", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named_with_its_line_and_key(text: str, line: str, words: str) -> None:
    with pytest.raises(UserError) as told:
        parse(text, "axes.toml", ["statement", "answer"])
    assert line in str(told.value)
    assert words in str(told.value)


def test_the_shipped_files_are_axes_and_a_label_of_many_levels_is_one_text_in_their_order() -> None:
    (harm,) = parse(shipped_text("harm"))
    assert [level.name for level in harm.levels] == ["no harm", "mild", "moderate", "severe", "death", "cannot judge"]
    assert [level.key for level in harm.levels] == list("012345")
    assert harm.ordered
    _, missing = parse(shipped_text(EXAMPLE))
    assert missing.label_of(["warning", "dose"]) == "dose;warning"
    assert (missing.label_of([]), missing.levels_in("none"), missing.words("none")) == ("none", (), "none of them")
    right = {"dose": True, "none": True, "dose;warning": True, "warning;dose": False, "dose;dose": False, "x": False}
    assert {label: missing.is_label(label) for label in right} == right
    assert not harm.is_label("mild;severe")


@pytest.fixture
def study(empty_study: Study) -> Study:
    build(empty_study, lambda rows: rows.response("r1", statements=["One.", "Two."]))
    return empty_study


def test_axes_are_an_event_of_the_study_and_the_same_ones_are_not_written_twice(study: Study) -> None:
    assert own_axes(study.reader) == {}
    set_axes(study, "kb", AXIS)
    set_axes(study, "kb", AXIS + "\n\n")
    add_axis(study, "kb", "harm")
    add_axis(study, "kb", "harm")
    assert [*own_axes(study.reader)] == ["own.tone", "own.harm"]
    assert [*own_axes(study.reader, "answer")] == ["own.harm"]
    assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'axes'").fetchone()[0] == 2
    assert axes_text(study.reader).startswith(AXIS)
    assert check(study.reader) == []


def test_words_change_and_levels_come_but_none_that_has_labels_goes(study: Study) -> None:
    set_axes(study, "kb", AXIS)
    decide(study, "kb", "r1.1", "own.tone", "calm")
    more = AXIS.replace('level = "calm"', 'level = "calm"\nname = "quiet"')
    more += '[[axis.level]]\nlevel = "shrill"\nkey = "3"\n'
    (tone,) = set_axes(study, "kb", more).values()
    assert tone.words("calm") == "quiet"
    set_axes(study, "kb", more.replace("shrill", "loud"))
    with pytest.raises(UserError, match="'calm' was given 1 time on the axis 'tone'"):
        set_axes(study, "kb", AXIS.replace('"calm"', '"quiet"'))
    with pytest.raises(UserError, match="the axis 'tone' is missing, and 1 label of this study are on it"):
        set_axes(study, "kb", shipped_text("harm"))


def test_a_copy_brings_axes_and_labels_with_it_and_labels_that_no_axis_has_do_not_come_in(
    study: Study, tmp_path: Path
) -> None:
    ours, theirs = study.path, tmp_path / "theirs.medreview"
    study.close()
    shutil.copy(ours, theirs)
    with Study.open(theirs) as copy:
        set_axes(copy, "bo", AXIS)
        decide(copy, "bo", "r1.1", "own.tone", "alarming")
    with Study.open(ours) as mine:
        assert merge(mine, theirs).added == 2
        assert [*own_axes(mine.reader)] == ["own.tone"]
    with Study.open(theirs) as copy:
        set_axes(copy, "bo", AXIS + '[[axis.level]]\nlevel = "shrill"\nkey = "3"\n')
        decide(copy, "bo", "r1.2", "own.tone", "shrill")
    with Study.open(ours) as mine:
        set_axes(mine, "ada", AXIS + "# the newest\n")
        with pytest.raises(UserError, match=r"'shrill' was given 1 time .* `medreview plan axes .* merge again"):
            merge(mine, theirs)
        assert mine.reader.execute("SELECT count(*) FROM event WHERE label = 'shrill'").fetchone()[0] == 0
