"""A small study that grows by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.study import Study
from tests.stats.small_study import SmallStudy


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallStudy]:
    with Study.create(tmp_path / "a.medreview") as study:
        yield SmallStudy(study)
