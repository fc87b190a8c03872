"""The sample study, opened by the API."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import medreview


@pytest.fixture
def demo(demo_file: Path, tmp_path: Path) -> Iterator[medreview.OpenStudy]:
    """A copy of the sample study, open for writing."""
    with medreview.open_study(shutil.copy(demo_file, tmp_path / "demo.medreview")) as study:
        yield study


@pytest.fixture
def sample(demo_file: Path, tmp_path: Path) -> Iterator[medreview.OpenStudy]:
    """A copy of the sample study, open for reading."""
    with medreview.open_study(shutil.copy(demo_file, tmp_path / "sample.medreview"), read_only=True) as study:
        yield study


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings but those that a test writes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
