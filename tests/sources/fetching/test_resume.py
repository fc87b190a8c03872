"""A fetch that is killed half-way goes on where it was."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "fetch_pages.py"


def test_a_killed_fetch_asks_for_no_stored_page_again_and_ends_whole():
    command = [sys.executable, SCRIPT, "--only-kill", "--pages", "32", "--hosts", "16", "--latency", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "32 stored" in done.stdout
