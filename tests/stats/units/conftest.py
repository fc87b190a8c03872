"""An empty study, which each test fills with units of a kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "a.medreview") as opened:
        yield opened
