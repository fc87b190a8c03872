import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.review.highlight_index import KINDS, HighlightIndex, Mark

MARKS = st.lists(
    st.builds(
        lambda start, length, kind: Mark(start, start + length, kind),
        st.integers(0, 40),
        st.integers(0, 40),
        st.sampled_from(KINDS),
    )
)


@given(MARKS, st.integers(0, 50), st.integers(0, 30))
def test_pieces_are_the_row_and_know_every_mark(marks: list[Mark], start: int, length: int) -> None:
    pieces = HighlightIndex(marks).pieces(start, start + length)
    covered = [offset for piece in pieces for offset in range(piece.start, piece.end)]
    assert covered == list(range(start, start + length))
    for piece in pieces:
        for offset in range(piece.start, piece.end):
            there = {mark.kind for mark in marks if mark.start <= offset < mark.end}
            assert piece.kinds == tuple(kind for kind in KINDS if kind in there)


@given(MARKS, st.integers(-1, 60), st.sets(st.sampled_from(KINDS)))
def test_next_and_previous(marks: list[Mark], offset: int, kinds: set[str]) -> None:
    index = HighlightIndex(marks)
    real = [mark for mark in marks if mark.end > mark.start and mark.kind in kinds]
    after = index.next(offset, kinds)
    before = index.previous(offset, kinds)
    assert (after and after.start) == min((mark.start for mark in real if mark.start > offset), default=None)
    assert (before and before.start) == max((mark.start for mark in real if mark.start < offset), default=None)


@given(MARKS, MARKS)
def test_replacing_a_kind_is_building_all_of_it(marks: list[Mark], others: list[Mark]) -> None:
    spans = [(mark.start, mark.end) for mark in others]
    replaced = HighlightIndex(marks).replaced("search", spans)
    built = HighlightIndex(
        [mark for mark in marks if mark.kind != "search"] + [Mark(*span, "search") for span in spans]
    )
    assert replaced.pieces(0, 90) == built.pieces(0, 90)
    assert replaced.of_kind("search") == built.of_kind("search")


def test_a_mark_that_starts_far_before_the_row_is_found() -> None:
    short = [Mark(place, place + 1, "quote") for place in range(10, 9_000, 10)]
    index = HighlightIndex([Mark(0, 10_000, "quote"), *short])
    assert index.pieces(9_500, 9_510) == [(9_500, 9_510, ("quote",))]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind of mark"):
        HighlightIndex([Mark(0, 1, "colour")])


def test_an_index_over_another_has_the_marks_of_both_and_shares_them():
    below = HighlightIndex([Mark(0, 5, "heading"), Mark(2, 3, "search")])
    index = HighlightIndex([Mark(1, 4, "quote")]).over(below.only("heading"))

    assert [piece.kinds for piece in index.pieces(0, 5)] == [("heading",), ("quote", "heading"), ("heading",)]
    assert index._layers["heading"] is below._layers["heading"]
