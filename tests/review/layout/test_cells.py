import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size

from medreview.review.cell_width import NOT_SINGLE_CELL, char_width, fit, fitting, width
from medreview.visible import visible


def test_every_shown_character_is_as_wide_as_textual_takes_it_to_be() -> None:
    # Between these Unicode has nothing; the planes for private use are all alike.
    codes = (*range(0x20, 0x34000), *range(0xE0000, 0xE1000), *range(0x10FF00, 0x110000))
    every = "".join(f"a{chr(code)}" for code in codes)
    shown = set(visible(every)) - set("\n\t")
    # Only what this Python knows: an unassigned character is shown as a mark in any case.
    wrong = [
        char
        for char in shown
        if char_width(char) != get_character_cell_size(char, "17") and unicodedata.category(char) != "Cn"
    ]
    assert wrong == []
    assert [char for char in shown if char_width(char) != 1 and NOT_SINGLE_CELL.search(char) is None] == []


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("naïve – x", 9), ("日本", 4), ("e\u0301", 1), ("", 0), ("\t", 1)]
)
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells


@given(st.text("ab 日e\u0301…"), st.integers(0, 12))
def test_fit_is_exact_and_fitting_is_the_most(text: str, cells: int) -> None:
    assert width(fit(text, cells)) == cells
    count = fitting(text, cells)
    assert width(text[:count]) <= cells
    assert count == len(text) or width(text[: count + 1]) > cells


def test_fit_says_that_it_cut() -> None:
    assert fit("crystalloid", 6) == "cryst…"
    assert fit("crystalloid", 6, "...") == "cry..."
    assert fit("日本語", 4) == "日… "
    assert fit("fluid", 7) == "fluid  "
