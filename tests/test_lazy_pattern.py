"""Patterns that are compiled when they are used: the same answers, and nothing before."""

import re

import pytest

from medreview.text import lazy_pattern


def test_it_answers_as_the_compiled_pattern_does() -> None:
    lazy, compiled = lazy_pattern(r"(?P<dose>\d+) mg", re.IGNORECASE), re.compile(r"(?P<dose>\d+) mg", re.IGNORECASE)
    text = "Give 5 MG, then 20 mg."
    for _ in range(2):
        assert [found.group("dose") for found in lazy.finditer(text)] == ["5", "20"]
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert lazy.search("none") is None
    assert (lazy.pattern, lazy.flags) == (compiled.pattern, compiled.flags)


def test_a_mistake_shows_at_the_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("text")
