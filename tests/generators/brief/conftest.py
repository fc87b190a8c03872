"""A study with one case of four notes, and the models that write about it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from tests.support import brief_sample


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "s.medreview", "briefs") as made:
        brief_sample.fill(made)
        yield made


SAMPLE = Path(__file__).parents[3] / "sample_data"


def recorded(name: str, model: str) -> JudgeSettings:
    """A model whose answers are those of the sample data."""
    return JudgeSettings(name, model, "recorded:", price_input=1.0, price_output=2.0, recorded=SAMPLE / "recorded")
