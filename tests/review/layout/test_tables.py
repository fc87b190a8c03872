import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from medreview.review.cell_width import width
from medreview.review.wrapping import TableFrame, WrapTable
from medreview.visible import visible
from tests.support.cost import seconds

CELL = st.one_of(
    st.sampled_from(
        ["", "30 mL/kg", "≥ 18 years", "1,000 mg", "Contraindicated", "- 5 %", "患者 5 mg", "e\u0301tat", "a|b"]
    ),
    st.text("ab 5日\u0301\u200b,", max_size=30),
)
FRAMED = st.lists(CELL, min_size=1, max_size=5).map(lambda cells: f"| {' | '.join(cells)} |")
LINE = st.one_of(
    FRAMED, FRAMED, FRAMED, st.just("|---|---|"), st.lists(CELL, min_size=2, max_size=4).map(" | ".join),
    st.text("ab |\n", max_size=20), st.text("ab 5日", max_size=40).map("- {}".format),
    st.text("ab\u0301 ", max_size=40).map("  12. {}".format),
)  # fmt: skip
TEXTS = st.lists(LINE, max_size=12).map("\n".join).map(visible)


def drawn(table: WrapTable, text: str) -> list[str]:
    """The screen: each row as it is drawn."""
    screen = []
    for row in range(len(table)):
        line = ""
        frame = table.frame(row)
        for start, end, column in table.runs(row):
            line += _between(frame, width(line), column) + text[start:end].rstrip(" \t\u3000")
        line += _between(frame, width(line), frame.width if frame else 0)
        screen.append(line.rstrip())
    return screen


def _between(frame: TableFrame | None, start: int, end: int) -> str:
    if frame is None:
        return " " * (end - start)
    return "".join(
        ("┼" if frame.rule else "│") if at in frame.bars else "─" if frame.rule else " " for at in range(start, end)
    )


@given(TEXTS, st.integers(4, 60), st.booleans())
@example("| a | b |\n| c |\n\n| d | e |", 12, False)
def test_every_code_point_is_drawn_once_in_a_row_that_row_of_names(text: str, cells: int, hang: bool) -> None:
    table = WrapTable(text, cells, hang=hang)
    seen: dict[int, int] = {}
    for row in range(len(table)):
        for start, end, _ in table.runs(row):
            for offset in range(start, end):
                assert offset not in seen
                seen[offset] = row
    for offset, char in enumerate(text):
        if offset in seen:
            assert table.row_of(offset) == seen[offset]
        else:
            line = text[text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
            before, after = text[: offset + 1].rstrip(" \t")[-1:], text[offset:].lstrip(" \t")[:1]
            bar = char == "|" and table.frame(table.row_of(offset)) is not None
            rule = not line.strip("-:| ")
            assert char == "\n" or bar or rule or (char in " \t" and {before, after} & {"", "|", "\n"})


@given(TEXTS, st.integers(8, 60), st.booleans())
def test_rows_are_in_order_and_never_wider_than_the_pane(text: str, cells: int, hang: bool) -> None:
    table = WrapTable(text, cells, hang=hang)
    for row, line in enumerate(drawn(table, text)):
        assert width(line) <= cells
        runs = [run for run in table.runs(row) if run.start < run.end]
        assert all(before.end <= after.start and before.column < after.column for before, after in pairwise(runs))
        assert not runs or table.row_of(table.first_of(row)) == row
    reached = [table.end_of(row) for row in range(len(table))]
    assert reached == sorted(reached)
    rows = [table.row_of(offset) for offset in range(len(text) + 1) if text[offset : offset + 1] == "\n"]
    assert rows == sorted(rows)


@given(TEXTS, st.integers(8, 60))
def test_inside_a_cell_rows_follow_each_other(text: str, cells: int) -> None:
    table = WrapTable(text, cells)
    for found in re.finditer(r"[^|\n]+", text):
        rows = [table.row_of(offset) for offset in range(*found.span())]
        assert all(0 <= after - before <= 1 for before, after in pairwise(rows))


TABLE = (
    "| Drug | What happens | What to do |\n"
    "| Dolutegravir | Blocks OCT2 and MATE1; metformin exposure rises | Limit metformin to 1,000 mg a day |\n"
    "| Cimetidine | Blocks tubular secretion | |\n"
)


@pytest.mark.parametrize(
    ("text", "cells", "screen"),
    [
        (
            "| Weight | First bolus |\n| 50 kg | 500 mL |\n|  | 5,000 mL |",
            40,
            ["Weight │ First bolus", "───────┼────────────", "50 kg  │ 500 mL", "       │ 5,000 mL"],
        ),
        (
            "| Dose | In words |\n|---|:--|\n| 5 mg | once |",
            40,
            ["Dose │ In words", "─────┼─────────", "5 mg │ once"],
        ),
        (
            TABLE.replace("| |", "|  |"),
            56,
            [
                "Drug         │ What happens        │ What to do",
                "─────────────┼─────────────────────┼────────────────────",
                "Dolutegravir │ Blocks OCT2 and     │ Limit metformin to",
                "             │ MATE1; metformin    │ 1,000 mg a day",
                "             │ exposure rises      │",
                "Cimetidine   │ Blocks tubular      │",
                "             │ secretion           │",
            ],
        ),
        (  # a line across the table, and rows of different lengths
            "| Group | n |\n| Adults, all of them over eighteen |\n| men | 5 | 7 |\n| women | 12 |",
            40,
            ["Group │ n  │", "Adults, all of them over eighteen", "men   │ 5  │ 7", "women │ 12 │"],
        ),
        (
            "Age | Dose | Route\n6 to 12 | 300 micrograms | im\nNot | a table",
            40,
            ["Age     │ Dose           │ Route", "6 to 12 │ 300 micrograms │ im", "Not | a table"],
        ),
        ("| one | row |\nthe end", 40, ["| one | row |", "the end"]),
        ("yes | no\neither | or", 40, ["yes | no", "either | or"]),
        ("if | x | is small\nor | not", 40, ["if | x | is small", "or | not"]),
        ("| 患者 | 50 mg |\n| a | b |", 30, ["患者 │ 50 mg", "a    │ b"]),
        ("| a | b |\n| c | d |", 8, ["a │ b", "c │ d"]),
        ("| a | b |\n| c | d |", 4, ["| a", "| b", "|", "| c", "| d", "|"]),
    ],
)
def test_tables(text: str, cells: int, screen: list[str]) -> None:
    assert drawn(WrapTable(text, cells), text) == screen


def test_a_table_of_too_many_columns_is_prose() -> None:
    text = "\n".join("| " + " | ".join(f"measure {n} of the trial" for n in range(9)) + " |" for _ in range(3))
    assert drawn(WrapTable(text, 76), text)[0].startswith("| measure 0 of the trial | measure 1 of the trial |")
    assert len({len(line) for line in drawn(WrapTable(text, 300), text)}) == 1


@given(
    st.integers(12, 40), st.lists(st.sampled_from(["30 mL/kg", "≥ 18 years", "up to", "slowly by vein"]), max_size=9)
)
def test_no_row_ends_between_a_number_and_its_unit(cells: int, words: list[str]) -> None:
    text = f"| {' '.join(words)} | {' '.join(words)} |\n| a | b |"
    table = WrapTable(text, 2 * cells + 7)
    for number in re.finditer(r"30 mL/kg|≥ 18 years", text):
        assert len({table.row_of(offset) for offset in range(*number.span())}) == 1


def test_long_tables_are_laid_out_in_bounded_time() -> None:
    rows = "\n".join(
        f"| {n} kg | give it slowly by vein over {n} hours, then look again and again | {n} mL |" for n in range(5000)
    )
    one = "| " + "crystalloid " * 20_000 + "| " + "by vein " * 30_000 + "|\n| a | b |"
    wide = "| " + "a | " * 120_000 + "|\n| b | c |"
    open_ended = "\n".join("| a" + " | b" * 30 for _ in range(4000))
    for text in (rows, one, wide, open_ended, "| a | b |\n" * 50_000):
        assert any(seconds(lambda text=text: WrapTable(text, 76)) < 1.0 for _ in range(3))


def test_a_row_of_a_long_table_is_found_and_drawn_at_once() -> None:
    text = "\n".join(f"| {n} kg | give it slowly by vein | {n} mL |" for n in range(50_000))
    table = WrapTable(text, 76)

    def draw() -> None:
        for offset in range(0, len(text), len(text) // 500):
            table.runs(table.row_of(offset))

    assert any(seconds(draw) < 0.2 for _ in range(3))


def test_the_further_rows_of_an_item_hang_below_its_words() -> None:
    text = (
        "Look again:\n- pulse pressure and capillary refill\n  2. lactate, every two hours at least\n- short\nthe end"
    )
    shown = drawn(WrapTable(text, 20, hang=True), text)
    assert shown == [
        "Look again:", "- pulse pressure and", "  capillary refill", "  2. lactate, every", "     two hours at",
        "     least", "- short", "the end",
    ]  # fmt: skip
    assert [line for line in drawn(WrapTable(text, 20), text) if line.startswith("capillary")], "only where it is asked"
