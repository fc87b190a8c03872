"""Files of producers, imported into a real study and parsed."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from medreview import pipeline
from medreview.study import Study
from tests.exchange.producers.brought import Brought

Bring = Callable[..., Brought]


@pytest.fixture
def bring(tmp_path: Path) -> Iterator[Bring]:
    """Imports a file and splits its answers: ``bring(value)`` of JSON, ``bring(text, "stream.txt")`` of anything."""
    made: list[Study] = []

    def bring(content: Any, name: str = "answers.json") -> Brought:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
        made.append(Study.create(tmp_path / f"{len(made)}.medreview"))
        told = pipeline.bring_in(made[-1], path, {})
        pipeline.parse(made[-1])
        return Brought(made[-1], told)

    yield bring
    for study in made:
        study.close()
