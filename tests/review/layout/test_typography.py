import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.review.highlight_index import Mark
from medreview.review.typography import SetRows, set_prose, typography, unseen_in
from medreview.review.wrapping import WrapTable
from tests.support.cost import LINEAR, growth

ANSWER = """\
## Fluid in *septic* shock ##

Give **30 mL/kg** within `3 hours` [1](https://who.example/a_(b)), see [the guideline](https://who.example/b).
* __Look__ again, 2*3*4 and a_b_c
- a 5 \\* 4 cm wound, https://who.example/long
```
**kept** as it is
```
| **Age** | Dose |
|---|---|
| Adult | *50* mg |
"""
SIGNS = ["**", "__", "*", "_", "`", "```\n", "# ", "## a ##\n", "- ", "[1](u)", "[x](y z)", "[a](b_(c))", "\\*"]
PIECES = st.sampled_from([*SIGNS, "| a | b |\n", "|---|---|\n", "word ", " ", "\n", "患者 ", "é"])


def of_kind(text: str, kind: str) -> list[str]:
    return [text[start:end] for start, end, _ in typography(text).of_kind(kind)]


def drawn(text: str, width: int) -> str:
    rows = SetRows(text, unseen_in(typography(text)), width)
    index = typography(text)
    shown = []
    for row in range(len(rows)):
        for start, end, _ in rows.runs(row):
            pieces = [one for one in index.pieces(start, end) if "syntax" not in one.kinds]
            shown.append("".join(text[one.start : one.end] for one in pieces))
    return "\n".join(shown)


def test_what_markdown_means_is_marked_and_its_signs_are_not_drawn() -> None:
    assert of_kind(ANSWER, "heading") == ["Fluid in *septic* shock"]
    assert of_kind(ANSWER, "strong") == ["30 mL/kg", "3 hours", "Look", "Age"]
    assert of_kind(ANSWER, "emphasis") == ["septic", "50"]
    assert of_kind(ANSWER, "link") == ["1", "the guideline"]
    assert of_kind(ANSWER, "address") == ["https://who.example/long"]
    assert of_kind(ANSWER, "bullet") == ["*", "-"]
    shown = drawn(ANSWER, 200)
    assert "Give 30 mL/kg within 3 hours [1], see the guideline." in shown
    assert "2*3*4 and a_b_c" in shown
    assert "a 5 * 4 cm wound" in shown
    assert "**kept** as it is" in shown
    assert "who.example/b" not in shown


def test_plain_text_has_no_marks() -> None:
    assert typography("Give 30 mL/kg, at once.\n\nThen look again.").pieces(0, 9) == [(0, 9, ())]


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(4, 60))
def test_every_place_has_its_row_whatever_is_not_drawn(text: str, width: int) -> None:
    unseen = unseen_in(typography(text))
    rows = SetRows(text, unseen, width)
    short = "".join(char for at, char in enumerate(text) if not any(start <= at < end for start, end in unseen))
    plain = WrapTable(short, width)
    assert len(rows) == len(plain)
    last = -1
    for row in range(len(rows)):
        for start, end, _ in rows.runs(row):
            assert last <= start <= end
            last = max(last, end)
            for offset in range(start, end):
                if not any(left <= offset < right for left, right in unseen):
                    assert rows.row_of(offset) == row
        assert rows.first_of(row) <= rows.end_of(row) <= len(text)
    assert [rows.row_of(offset) for offset, _ in unseen] == sorted(rows.row_of(offset) for offset, _ in unseen)


def test_a_short_text_is_prose_with_its_marks_where_they_belong() -> None:
    text = "Give **50 mL/kg** of fluid [1](https://a.example/b)"
    number = text.index("50")
    rows = set_prose(text, 40, [Mark(number, number + 2, "clash")])
    assert ["".join(words for words, _ in row).strip() for row in rows] == ["Give 50 mL/kg of fluid [1]"]
    assert ("50", "clash strong") in rows[0]
    assert set_prose("", 10) == [[]]
    assert "".join(words for words, _ in set_prose("| a | b |", 20)[0]) == "| a | b |", "a statement is prose"


@pytest.mark.parametrize("sign", ["** a", "`", "# #", "[a", "_a", "*a", "[a](", "\\\\*", "- ", "https://("])
def test_many_signs_cost_in_proportion(sign: str) -> None:
    assert growth(lambda size: typography.__wrapped__(sign * size), 4_000) <= LINEAR
