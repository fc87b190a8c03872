"""The sepsis study, and an environment in which the workbench looks the same everywhere."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.study import Study
from tests.screens.sepsis_study import make_study


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name in ("NO_COLOR", "COLORTERM", "EDITOR") or name.startswith("TEXTUAL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def study_path(tmp_path: Path) -> Path:
    """A closed study file."""
    path = tmp_path / "sepsis.medreview"
    make_study(path).close()
    return path


@pytest.fixture
def study(study_path: Path) -> Iterator[Study]:
    """The same study, open for writing."""
    with Study.open(study_path) as opened:
        yield opened
