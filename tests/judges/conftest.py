"""A study, and endpoints of models whose answers a test decides prompt by prompt."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from medreview.study import Study
from tests.judges.renal_study import ANSWER, QUESTION, RENAL, STATEMENTS, VITAMIN, careful, fill
from tests.support.judge_endpoint import JudgeEndpoint, by_prompt

Serve = Callable[..., JudgeEndpoint]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts an endpoint for what is answered to a prompt."""
    with ExitStack() as running:

        def start(reply: Callable[[str], object] = careful) -> JudgeEndpoint:
            return running.enter_context(JudgeEndpoint(by_prompt(reply)))

        yield start


@pytest.fixture
def study(study: Study) -> Study:
    fill(study, [(QUESTION, ANSWER, list(STATEMENTS.items()))], {"p1": RENAL, "p2": VITAMIN})
    return study
