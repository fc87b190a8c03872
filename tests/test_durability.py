"""What was shown as saved is in the study, whatever happens to the program."""

import random
import shutil
from pathlib import Path

import pytest

from tests.bench.kill_rounds import ENDS, rounds


@pytest.mark.parametrize("how", ENDS)
def test_no_saved_decision_is_lost_to_a_kill_a_hang_up_or_a_closed_terminal(
    demo_file: Path, tmp_path: Path, how: str
) -> None:
    study = Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))
    seen, faults = rounds(study, how, 2, random.Random(ENDS.index(how)))

    assert faults == []
    assert seen
