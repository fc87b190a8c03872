"""What was shown as saved is in the study, whatever happens to the program."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "bench" / "kill_rounds.py"


def test_no_saved_decision_is_lost_to_a_kill_a_hang_up_or_a_closed_terminal():
    done = subprocess.run([sys.executable, SCRIPT, "--rounds", "2"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["kill", "hup", "close"]
