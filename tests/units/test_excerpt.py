"""Places of a long text with the words around them."""

from hypothesis import given
from hypothesis import strategies as st

from medreview.units.documents import Piece, excerpt

TEXT = "one two three four five six seven eight nine ten"


def test_a_place_stands_between_whole_words_and_what_is_left_out_is_known():
    start = TEXT.index("five")
    pieces, goes_on = excerpt(TEXT, [(start, start + 4)], around=6)
    assert pieces == [Piece("four ", gap=True), Piece("five", marked=True), Piece(" six")]
    assert goes_on


def test_places_that_are_near_stand_in_one_piece_and_overlapping_ones_are_one():
    assert excerpt(TEXT, [(4, 7), (0, 3), (2, 3)], around=100) == (
        [Piece("one", marked=True), Piece(" "), Piece("two", marked=True), Piece(TEXT[7:])],
        False,
    )
    pieces, _ = excerpt(TEXT, [(0, 6), (4, 13)], around=0)
    assert [piece.text for piece in pieces if piece.marked] == [TEXT[:13]]
    assert excerpt(TEXT, []) == ([], False)


@given(st.text("ab \n", max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_every_marked_word_is_there_and_nothing_twice(text, places):
    spans = [(start, end) for start, end in places if start < end <= len(text)]
    pieces, goes_on = excerpt(text, spans, around=5)
    marked = {place for start, end in spans for place in range(start, end)}
    assert sum(len(piece.text) for piece in pieces if piece.marked) == len(marked)
    assert sum(len(piece.text) for piece in pieces) <= len(text)
    if not any(piece.gap for piece in pieces) and not goes_on and spans:
        assert "".join(piece.text for piece in pieces) == text
