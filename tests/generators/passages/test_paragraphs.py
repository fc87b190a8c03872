"""Texts are parted into paragraphs whose places in the text are true."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.generators.passage_candidates import paragraphs


def parts(text: str) -> list[str]:
    return [text[slice(*span)] for span in paragraphs(text)]


LONG = "What the table says about the doses of warfarin is explained"
WRAPPED = (
    "Digoxin is cleared by the kidneys, and its level rises\n"
    "when they fail. The dose is reduced then, and the level is\n"
    "measured after a week, or sooner when the patient feels\n"
    "sick.\n"
    "Loop diuretics lower the potassium in the blood, which\n"
    "makes the heart more sensitive to digoxin.\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\n  Two.  \n\n\n\nThree.", ["One.", "Two.", "Three."]),
        ("## Title\nA paragraph.\n## Next\nAnother.", ["## Title", "A paragraph.", "## Next", "Another."]),
        ("A heading of a page\nThe first paragraph of it.\nThe second paragraph.",
         ["A heading of a page", "The first paragraph of it.", "The second paragraph."]),
        ("The signs are:\n- fever\n- rash\n\nAfter.", ["The signs are:\n- fever\n- rash", "After."]),
        (f"{LONG} below.\n| a | b |\n| 1 | 2 |\n{LONG} above.",
         [f"{LONG} below.", "| a | b |\n| 1 | 2 |", f"{LONG} above."]),
        ("| a | b |\nleft over\n| 1 | 2 |", ["| a | b |\nleft over\n| 1 | 2 |"]),
        ("First page.\fSecond page.", ["First page.", "Second page."]),
        ("", []), (" \n\n \t", []),
    ],
)  # fmt: skip
def test_blank_lines_headings_and_tables_part_paragraphs(text, expected):
    assert parts(text) == expected


def test_lines_of_a_hard_wrapped_text_are_one_paragraph_until_a_short_one_ends_it():
    first, second = parts(WRAPPED)
    assert first.endswith("feels\nsick.")
    assert second.startswith("Loop diuretics")


@given(st.text(alphabet="ab.A |#-\n\f\t", max_size=200))
def test_all_that_is_not_white_space_is_in_exactly_one_paragraph(text):
    spans = list(paragraphs(text))
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(text[slice(*span)] == text[slice(*span)].strip() != "" for span in spans)
    assert "".join("".join(text[slice(*span)].split()) for span in spans) == "".join(text.split())
