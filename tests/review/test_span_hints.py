"""One or two letters for every word in sight."""

from hypothesis import given
from hypothesis import strategies as st

from medreview.review.span_editing import LETTERS, hints_left, with_hints, word_hints


def test_words_in_sight_have_letters_of_the_home_row_first_and_no_digits() -> None:
    text = "Give 30 mL/kg of crystalloid by vein"
    hints = word_hints(text, (5, 28))
    assert [(text[hint.start : hint.end], hint.letters) for hint in hints] == [
        ("30", "a"), ("mL/kg", "s"), ("of", "d"), ("crystalloid", "f"),
    ]  # fmt: skip
    assert with_hints(text, hints) == "Give a0 sL/kg df frystalloid by vein"
    assert not any(letter.isdigit() for letter in LETTERS)


@given(st.integers(0, 900), st.integers(0, 40))
def test_each_names_one_word_and_what_was_typed_leaves_those_that_begin_so(count: int, first: int) -> None:
    text = "ab " * count
    hints = word_hints(text, (first, len(text)))
    names = [hint.letters for hint in hints]
    assert len(set(names)) == len(names)
    assert not any(one != other and other.startswith(one) for one in names for other in names if len(one) == 1)
    assert all(len(name) <= 2 for name in names)
    if count <= 26:
        assert all(len(name) == 1 for name in names)
    for letter in {name[0] for name in names}:
        left = hints_left(hints, letter)
        assert left
        assert len(with_hints(text, left, letter)) == len(text)


def test_a_word_without_room_for_its_letters_has_none() -> None:
    text = "本" * 40
    hints = word_hints(text, (0, 40))
    assert all(hint.end - hint.start == 1 and len(hint.letters) == 1 for hint in hints[:-1])
