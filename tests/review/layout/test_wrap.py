import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.review.cell_width import width
from medreview.review.wrapping import WrapTable, wrapped
from medreview.visible import visible
from tests.support.cost import seconds

TEXTS = st.one_of(st.text("ab \n\t日e\u0301|"), st.text("abc  \n"), st.text().map(visible))


@given(TEXTS, st.integers(1, 12))
def test_rows_cover_the_text(text: str, cells: int) -> None:
    table = WrapTable(text, cells)
    rebuilt, done = [], 0
    for start, end in table.rows:
        assert set(text[done:start]) <= {"\n"}
        assert start - done <= 1
        assert "\n" not in text[start:end]
        rebuilt.append(text[done:end])
        done = end
        row = text[start:end].rstrip(" \t\u3000")
        assert width(row) <= max(cells, 2 if cells == 1 else 1)
    assert text[done:] in ("", "\n")
    assert "".join(rebuilt) + text[done:] == text


@given(TEXTS, st.integers(1, 12))
def test_each_code_point_is_in_the_row_that_row_of_names(text: str, cells: int) -> None:
    table = WrapTable(text, cells)
    for offset in range(len(text) + 1):
        start, end = table.rows[table.row_of(offset)]
        inside = start <= offset < end
        assert inside or (offset == end and text[offset : offset + 1] in ("", "\n")) or (text[offset:] == "")


@given(st.text("ab cd\n", max_size=80), st.integers(1, 9))
def test_both_ways_of_wrapping_agree(text: str, cells: int) -> None:
    """A combining mark sends a line down the other way; where it adds no width the rows must be the same."""
    marked = text.replace("a", "a\u0301")
    rows = [text[start:end] for start, end in WrapTable(text, cells).rows]
    assert [marked[start:end].replace("\u0301", "") for start, end in WrapTable(marked, cells).rows] == rows


@pytest.mark.parametrize(
    ("text", "cells", "rows"),
    [
        ("give 30 mL/kg or more", 10, ["give 30 ", "mL/kg or ", "more"]),
        ("a\n\nb\n", 5, ["a", "", "b"]),
        ("", 5, [""]),
        ("see https://who.example/x now", 10, ["see ", "https://", "who.exampl", "e/x now"]),
        ("low-molecular-weight heparin", 19, ["low-molecular-", "weight heparin"]),
        ("low-molecular-weight 日", 19, ["low-molecular-", "weight 日"]),
        ("see 10.5555/jwh.2018.0201", 18, ["see ", "10.5555/jwh.2018.", "0201"]),
        ("a-aminobutyrate", 9, ["a-aminobu", "tyrate"]),
        ("abcde     fgh", 5, ["abcde     ", "fgh"]),
        ("| 50 kg | 500 mL |", 9, ["| 50 kg | ", "500 mL |"]),
        ("患者血圧", 5, ["患者", "血圧"]),
        ("50 mg 患者", 8, ["50 mg 患", "者"]),
        ("x日", 1, ["x", "日"]),
    ],
)
def test_rows(text: str, cells: int, rows: list[str]) -> None:
    assert [text[start:end] for start, end in WrapTable(text, cells).rows] == rows


def test_a_long_text_is_wrapped_in_a_tenth_of_a_second() -> None:
    text = "Begin with fluid – give 30 mL/kg or more of a crystalloid, naïve or not.\n" * 7000
    assert len(text) > 500_000
    assert any(seconds(lambda: WrapTable(text, 77)) < 0.1 for _ in range(5))


def test_the_rows_of_a_text_are_kept_for_its_width_and_few_texts_are_held() -> None:
    first = wrapped("one two three", 7)
    assert wrapped("".join(["one two ", "three"]), 7) is first
    assert wrapped("one two three", 5).rows != first.rows
    for number in range(8):
        wrapped(f"another text {number}", 7)
    assert wrapped("one two three", 7) is not first
    assert wrapped("one two three", 7).rows == WrapTable("one two three", 7).rows == first.rows
