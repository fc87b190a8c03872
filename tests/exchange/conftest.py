"""Files to read and a small study to write, both real."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from medreview.study import Study
from tests.exchange.example_study import ExampleStudy


@pytest.fixture
def new_example(tmp_path: Path) -> Iterator[Callable[[str], ExampleStudy]]:
    """Makes empty studies by name."""
    made: list[Study] = []

    def make(name: str) -> ExampleStudy:
        made.append(Study.create(tmp_path / f"{name}.medreview"))
        return ExampleStudy(made[-1])

    yield make
    for study in made:
        study.close()


@pytest.fixture
def example(new_example: Callable[[str], ExampleStudy]) -> ExampleStudy:
    """The study with its material, page and judgements."""
    example = new_example("study")
    example.fill()
    example.machine()
    return example


@pytest.fixture
def study(new_example: Callable[[str], ExampleStudy]) -> Study:
    """An empty study."""
    return new_example("empty").study


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file and says where."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
