"""References in line mode: what stands beside a source, the way to the reference and back."""

from pathlib import Path

import pytest

from medreview.study import Study
from tests.support.commands import Program
from tests.support.reference_study import fill_references


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "r.medreview"
    with Study.create(path) as made:
        fill_references(made)
    return path


def test_line_mode_says_what_the_reference_is_and_goes_there_and_back(medreview: Program, study: Path) -> None:
    said = medreview("review", study, "--plain", "--queue", "flagged", input="L\n]\n1\nL\nq\n").stdout
    before, _, after = " ".join(said.split()).partition("REFERENCE:")
    assert "reference is ANOTHER WORK: “Statins and the eye: a cohort of drivers” 2011 (L opens it)" in before
    assert "source [3] (another work), one by one-model: supported, 90% sure. quote on page" in before
    assert "rules: other work; no a, say 1-5" in after or "rules: other work; a accepts it" in after
    assert "title: Statins and the eye: a cohort of drivers, not Early fluids" in after
    assert "reference is ANOTHER WORK · you: match" in after


def test_a_blind_queue_says_nothing_of_it(medreview: Program, study: Path) -> None:
    said = medreview("review", study, "--plain", "--queue", "responses", "--blind", input="]\n]\nL\n]\nq\n").stdout
    assert "REFERENCE:" in said
    for word in ("reference is", "OTHER WORK", "other work:", "mismatch:", "differs"):
        assert word not in said, word
