"""Where a statement is cut: words and clauses, never outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.errors import UserError
from medreview.review.statement_editing import KEYS, CutEdit, moved_cut

TEXT = "Take 500 mg twice daily, unless you have kidney disease, and drink a glass of water."


def after(cut: CutEdit) -> str:
    return cut.parts[1].split()[0]


def test_it_begins_at_the_clause_nearest_to_the_middle_and_moves_by_clauses_and_words() -> None:
    cut = CutEdit.of(TEXT)
    assert cut.parts == (
        "Take 500 mg twice daily, unless you have kidney disease,", "and drink a glass of water.",
    )  # fmt: skip
    assert after(moved_cut(cut, "B")) == "unless"
    assert after(moved_cut(cut, "b")) == "disease,"
    assert after(moved_cut(moved_cut(cut, "w"), "w")) == "a"
    assert moved_cut(cut, "W") == cut
    with pytest.raises(KeyError):
        moved_cut(cut, "o")


@pytest.mark.parametrize("text", ["Aspirin.", "", "…"])
def test_one_word_cannot_be_cut(text: str) -> None:
    with pytest.raises(UserError, match="one word"):
        CutEdit.of(text)


@given(st.text("ab ,.и本5/", min_size=3), st.lists(st.sampled_from(KEYS), max_size=12))
def test_both_sides_always_hold_words_of_the_text(text: str, keys: list[str]) -> None:
    try:
        cut = CutEdit.of(text)
    except UserError:
        return
    for key in keys:
        cut = moved_cut(cut, key)
        before, behind = cut.parts
        assert any(letter.isalnum() for letter in before)
        assert any(letter.isalnum() for letter in behind)
        assert text.startswith(before)
        assert text.endswith(behind)
