"""The pictures in ``docs`` are what the workbench draws today."""

from pathlib import Path

import pytest

from tests.tools.pictures import FOLDER, PICTURES, draw


@pytest.mark.parametrize("name", [name for name, picture in PICTURES.items() if not picture.moves])
def test_a_picture_is_true(sample_file: Path, tmp_path: Path, name: str) -> None:
    made = draw(PICTURES[name], sample_file, tmp_path)
    assert made == (FOLDER / f"{name}.svg").read_text(encoding="utf-8"), "python -m tests.tools.pictures draws it"
