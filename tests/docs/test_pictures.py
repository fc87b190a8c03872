"""The pictures in ``docs`` are what the workbench draws today."""

from pathlib import Path

import pytest

from medreview.demo import make_demo
from medreview.progress import SILENT
from tests.tools.pictures import FOLDER, PICTURES, draw


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = tmp_path_factory.mktemp("sample") / "demo.medreview"
    make_demo(study, SILENT).close()
    return study


@pytest.mark.parametrize("name", [name for name, picture in PICTURES.items() if not picture.moves])
def test_a_picture_is_true(sample: Path, tmp_path: Path, name: str) -> None:
    made = draw(PICTURES[name], sample, tmp_path)
    assert made == (FOLDER / f"{name}.svg").read_text(encoding="utf-8"), "python -m tests.tools.pictures draws it"
