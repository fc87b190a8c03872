"""A path in the place of a text, as it is typed or as terminals give a file that is dropped on them."""

from pathlib import Path
from urllib.parse import quote

import pytest

from medreview.review.text_entry import file_in


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "my answers, ward 3.txt"
    path.write_text("An answer.")
    return path


def test_a_file_is_found_however_its_path_is_given(answers: Path) -> None:
    escaped = str(answers).replace(" ", "\\ ").replace(",", "\\,")
    for text in (f"{answers}", f"'{answers}' ", f'"{answers}"', f"{escaped} ", f"file://{quote(str(answers))}"):
        assert file_in(text) == answers, text


@pytest.mark.parametrize(
    "text", ["", "Warfarin " * 40, "a" * 600, "~nobody-of-this-name", "one\ntwo", "it's", "file://"]
)
def test_any_other_text_is_no_file(text: str) -> None:
    assert file_in(text) is None
