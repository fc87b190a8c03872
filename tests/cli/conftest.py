"""The program, and a sample study to run it on."""

import shutil
from pathlib import Path

import pytest

from tests.support.commands import Program


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    """The program in an empty folder: called, it runs in this process."""
    return Program(tmp_path)


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample study that a test may write to."""
    return Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))
