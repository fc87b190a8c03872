"""Lists of words that stand as data: each is used, and each that is asked for is there."""

import re
import tomllib
from pathlib import Path

import pytest

import medreview
from medreview.text import first_words, word_lists

FILES = sorted(Path(medreview.__file__).parent.rglob("words.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_each_list_has_its_module_and_each_module_uses_all_of_its_lists(file: Path) -> None:
    modules = [path for path in sorted(file.parent.glob("*.py")) if "word_lists(__file__)" in path.read_text("utf-8")]
    for module in modules:
        code = module.read_text("utf-8")
        lists = word_lists(str(module))
        asked = set(re.findall(r'(?:_LISTS\[|word_lists\(__file__\)\[|_phrases\()"(\w+)"', code))
        assert lists.keys() == (asked or lists.keys())
        assert all(lists.values())
    headings = re.findall(r"^\[(\w+)", file.read_text("utf-8"), re.MULTILINE)
    assert sorted(dict.fromkeys(headings)) == [module.stem for module in modules]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_the_lists_are_those_that_toml_has(file: Path) -> None:
    tables = tomllib.loads(file.read_text("utf-8"))
    assert tables == {name: word_lists(str(file.with_name(f"{name}.py"))) for name in tables}


def test_the_words_of_a_line_stand_for_its_first() -> None:
    assert first_words("versus vs\nman men\n") == {"versus": "versus", "vs": "versus", "man": "man", "men": "man"}
