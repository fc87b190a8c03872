import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.review.span_editing import KEYS, SpanEdit, moved

TEXT = "Give 0.5 mg/kg (<5%) now. Patients need 2.5-5 mg of it, e.g. daily! Stop then."


def _edit(exact: str) -> SpanEdit:
    start = TEXT.index(exact)
    return SpanEdit(TEXT, start, start + len(exact))


def _after(edit: SpanEdit, keys: str) -> str:
    for key in keys:
        edit = moved(edit, key)
    return edit.exact


@pytest.mark.parametrize(
    ("exact", "keys", "after"),
    [
        ("Give", "w", "Give 0.5"),
        ("Give", "ww", "Give 0.5 mg/kg"),
        ("Give", "www", "Give 0.5 mg/kg (<5%"),
        ("Give 0.5 mg/kg", "bb", "Give"),
        ("Give", "b", "Give"),
        ("need 2.5-5 mg", "owo", "2.5-5 mg"),
        ("need 2.5-5 mg", "ob", "Patients need 2.5-5 mg"),
        ("need", "W", "need 2.5-5 mg of it, e.g. daily!"),
        ("need", "oB", "Patients need"),
        ("need", "oBB", "Give 0.5 mg/kg (<5%) now. Patients need"),
        ("then.", "wW", "then."),
        ("then.", "b", "then"),
    ],
)
def test_motion(exact: str, keys: str, after: str) -> None:
    assert _after(_edit(exact), keys) == after


@given(st.text("ab 1.,%/\n日é"), st.data())
def test_the_span_stays_in_the_text_and_only_one_end_moves(text: str, data: st.DataObject) -> None:
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    edit = SpanEdit(text, start, data.draw(st.integers(start + 1, len(text))))
    for key in data.draw(st.lists(st.sampled_from(KEYS), max_size=8)):
        after = moved(edit, key)
        assert 0 <= after.start < after.end <= len(text)
        if edit.moving == "end":
            assert after.start == edit.start
            assert after.end >= edit.end if key in "wW" else after.end <= edit.end
        else:
            assert after.end == edit.end
            assert after.start >= edit.start if key in "wW" else after.start <= edit.start
        edit = after


def test_forward_reaches_the_end_of_a_long_text() -> None:
    text = "One two three. " * 400
    edit = SpanEdit(text, 0, 3)
    presses = 0
    while (after := moved(edit, "W")) != edit:
        edit, presses = after, presses + 1
    assert presses == 400
    assert edit.end == len(text.rstrip())


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="not a range"):
        SpanEdit("abc", 2, 2)
    with pytest.raises(KeyError):
        moved(SpanEdit("abc", 0, 1), "x")


ROWS = (
    "Doses\n| eGFR 45 to 59 | 500 mg | 2000 mg |\n| eGFR 30 to 44 | Start low. Go slow. |\n"
    "Measure it yearly. Then stop."
)


@pytest.mark.parametrize(
    ("exact", "keys", "after"),
    [
        ("500 mg", "W", "500 mg | 2000 mg |"),
        ("500 mg", "WW", "500 mg | 2000 mg |\n| eGFR 30 to 44 | Start low."),
        ("500 mg", "oB", "| eGFR 45 to 59 | 500 mg"),
        ("Go", "W", "Go slow."),
        ("Measure", "W", "Measure it yearly."),
        ("Measure", "oB", "|\nMeasure"),
    ],
)
def test_a_row_of_a_table_is_a_sentence_of_its_own(exact: str, keys: str, after: str) -> None:
    start = ROWS.index(exact)
    assert _after(SpanEdit(ROWS, start, start + len(exact)), keys) == after
