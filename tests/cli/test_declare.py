"""``declare``: each text is set, changed, cleared, and goes with every copy."""

import json
import shutil
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.merge import merge
from medreview.study.study_acts import DECLARED, declarations
from tests.support.commands import Program


def _texts(path: Path) -> dict[str, str]:
    with Study.open(path, read_only=True) as study:
        assert check_study(study).faults == []
        return {one.field: one.text for one in declarations(study.reader)}


def test_a_field_is_said_changed_and_taken_back_with_who_and_when(medreview: Program, demo: Path) -> None:
    nothing = medreview("plan", "declare", demo).stdout
    assert nothing.startswith("not declared yet: ethics, ")
    medreview("plan", "declare", demo, "--ethics", "Waived.", "--funding", "None.", "--reviewer", "kb")
    again = medreview(
        "plan", "declare", demo, "--ethics", "Board of B, 12/26.", "--funding", " None. ", "--reviewer", "ann"
    )
    assert "1 field changed" in again.stderr + again.stdout
    told = {one["field"]: one for one in json.loads(medreview("plan", "declare", demo, "--json").stdout)}
    assert {name: (one["text"], one["by"], one["changes"]) for name, one in told.items()} == {
        "ethics": ("Board of B, 12/26.", "ann", 2),
        "funding": ("None.", "kb", 1),
    }
    assert all(one["at"].startswith("20") for one in told.values())
    medreview("plan", "declare", demo, "--funding", "")
    assert _texts(demo) == {"ethics": "Board of B, 12/26."}
    assert "4,000 characters" in medreview("plan", "declare", demo, "--data", "x" * 4_001, check=2).stderr


def test_every_field_has_an_option_and_the_help_shows_it(medreview: Program) -> None:
    told = medreview("plan", "declare", "--help").stdout
    assert [one.name for one in DECLARED if f"--{one.name}" not in told] == []


@pytest.mark.parametrize("way", ["package", "export"])
def test_a_copy_has_what_was_declared_also_without_others_labels_and_notes(
    medreview: Program, demo: Path, tmp_path: Path, way: str
) -> None:
    medreview("plan", "declare", demo, "--funding", "A grant of B.", "--reviewer", "kb")
    copy = tmp_path / "copy.medreview"
    if way == "package":
        medreview("team", "package", demo, copy, "--reviewer", "ann")
    else:
        medreview("export", demo, tmp_path / "folder")
        medreview("import", copy, tmp_path / "folder")
    assert _texts(copy) == {"funding": "A grant of B."}


def test_a_merge_brings_the_newest_word_of_either_copy(medreview: Program, demo: Path, tmp_path: Path) -> None:
    theirs = Path(shutil.copy(demo, tmp_path / "theirs.medreview"))
    medreview("plan", "declare", theirs, "--funding", "Theirs.", "--conflicts", "None.", "--reviewer", "ann")
    with Study.open(demo) as study:
        assert merge(study, theirs).added == 2
    assert _texts(demo) == {"funding": "Theirs.", "conflicts": "None."}
    medreview("plan", "declare", demo, "--funding", "Ours, later.")
    with Study.open(theirs) as study:
        merge(study, demo)
    assert _texts(theirs) == {"funding": "Ours, later.", "conflicts": "None."}
