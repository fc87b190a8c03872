"""Sixty broken files of each producer; ``fuzz`` breaks more."""

from pathlib import Path

import pytest

from medreview.exchange.producers import producers
from tests.exchange.producers.conftest import Bring
from tests.exchange.producers.fuzz import faults
from tests.exchange.producers.samples import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_a_broken_file_is_read_or_refused_and_nothing_but_its_answers_comes_in(name: str, tmp_path: Path) -> None:
    ends, wrong = faults(name, 60, tmp_path)
    assert wrong == []
    assert sum(ends.values()) == 60


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_itself_is_read_by_its_producer(name: str, bring: Bring) -> None:
    text, answers = SAMPLES[name]
    brought = bring(text, "sample.txt")
    assert {answer.text for answer in brought.answers} <= set(answers)
    assert {answer.producer for answer in brought.answers} == {name.partition(",")[0]}


def test_every_producer_has_a_sample_to_break() -> None:
    assert {one.name for one in producers()} == {name.partition(",")[0] for name in SAMPLES}
