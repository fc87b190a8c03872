"""Type checkers and editors see the API: its types, and what is not in it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_mypy_sees_what_the_api_gives():
    # strict, so that a "type: ignore" that nothing needs is an error: the mistakes in the file are found
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "tests/api/typed_use.py"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
