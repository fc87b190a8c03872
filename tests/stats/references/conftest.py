"""A study whose references are made row by row."""

import pytest

from tests.stats.small_study import SmallStudy
from tests.support.reference_rows import ReferenceRows


@pytest.fixture
def references(small: SmallStudy) -> ReferenceRows:
    return ReferenceRows(small.study)
