"""What was shown as saved is in the study, whatever happens to the program."""

import random
import shutil
from pathlib import Path

import pytest

from tests.bench.kill_rounds import ENDS, rounds
from tests.bench.killed_commands import JudgeRing


@pytest.mark.parametrize("how", ENDS)
def test_no_saved_decision_is_lost_to_a_kill_a_hang_up_or_a_closed_terminal(
    demo_file: Path, tmp_path: Path, how: str
) -> None:
    study = Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))
    seen, faults = rounds(study, how, 2, random.Random(ENDS.index(how)))

    assert faults == []
    assert seen


def test_a_judge_that_was_killed_keeps_its_answers_and_asks_nothing_twice_but_what_was_on_its_way(
    demo_file: Path, tmp_path: Path
) -> None:
    result = JudgeRing(tmp_path / "judge", demo_file).strike(random.Random(3))

    assert result.hit
    assert result.lost == 0
    assert result.faults == ()
