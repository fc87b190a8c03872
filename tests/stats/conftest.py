"""A small study that grows by hand."""

import pytest

from medreview.study import Study
from tests.stats.small_study import SmallStudy


@pytest.fixture
def small(study: Study) -> SmallStudy:
    return SmallStudy(study)
