"""A small study that grows by hand."""

from collections.abc import Iterator

import pytest

from medreview.study import Study
from tests.stats.small_study import SmallStudy


@pytest.fixture
def small(study: Study) -> SmallStudy:
    return SmallStudy(study)


@pytest.fixture(scope="module")
def small_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStudy]:
    """One for figures that all tests of a module read."""
    with Study.create(tmp_path_factory.mktemp("small") / "study.medreview") as study:
        yield SmallStudy(study)
