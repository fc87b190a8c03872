"""The sepsis study, and an environment in which the workbench looks the same everywhere."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.study import Study
from tests.screens.sepsis_study import make_study
from tests.support.shared import made_once

NAME = "sepsis.medreview"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name in ("NO_COLOR", "COLORTERM", "EDITOR") or name.startswith("TEXTUAL"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def study_path(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed study file: a copy of one that is made once."""
    made = made_once(tmp_path_factory, "sepsis", lambda folder: make_study(folder / NAME).close())
    return Path(shutil.copy(made / NAME, tmp_path))


@pytest.fixture
def study(study_path: Path) -> Iterator[Study]:
    """The same study, open for writing."""
    with Study.open(study_path) as opened:
        yield opened
