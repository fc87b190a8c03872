"""The program, and the sample study that it is run on."""

import shutil
from pathlib import Path

import pytest

from tests.support.commands import Program, in_process
from tests.support.shared import made_once


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    """The program in an empty folder: called, it runs in this process."""
    return Program(tmp_path)


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample study, made once."""

    def make(folder: Path) -> None:
        in_process(["demo", "--no-open", "--study", str(folder / "demo.medreview")], folder, {})

    return made_once(tmp_path_factory, "demo", make) / "demo.medreview"


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample study that a test may write to."""
    return shutil.copy(demo_file, tmp_path / "demo.medreview")
