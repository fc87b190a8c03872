"""An endpoint of a model, and a study that keeps what it was asked."""

from collections.abc import Iterator

import pytest

from medreview.llm.store import CallStore
from medreview.study import Study
from tests.support.judge_endpoint import JudgeEndpoint


@pytest.fixture
def model() -> Iterator[JudgeEndpoint]:
    with JudgeEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
def store(study: Study) -> CallStore:
    return CallStore(study)
