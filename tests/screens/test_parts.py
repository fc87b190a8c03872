import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size

from medreview.config import Config
from medreview.errors import UserError
from medreview.labels import PAGE_STATES
from medreview.review.actions import PAUSE_S, KeyRepeat, actions_for, shown_key
from medreview.review.cell_width import width
from medreview.review.highlight_index import KINDS
from medreview.review.text_entry import LineEdit
from medreview.screens.environment import check_terminal, look, replace_unencodable
from medreview.screens.key_rows import Hints, key_rows, offered
from medreview.screens.last_rows import foot_rows
from medreview.screens.layout import SOURCE_ROWS, Needs, arrange
from medreview.screens.source_rows import NOTHING_TO_READ, date_words, size_words
from medreview.screens.widgets.painted import COLOURS, PALETTE
from medreview.units.statement import STATEMENT_ASKS

sizes = st.builds(Size, st.integers(40, 220), st.integers(24, 70))
# Of a named tuple itself, also what need not be given would be made.
needs = st.builds(
    lambda *rows, strip: Needs(*rows, strip=strip),
    st.integers(1, 12), st.integers(0, 3), st.integers(1, 2), st.booleans(), strip=st.integers(0, 11),
)  # fmt: skip


@given(sizes, needs)
def test_parts_never_overlap_and_stay_on_the_screen(size: Size, need: Needs) -> None:
    plan = arrange(size, need)
    regions = list(plan.regions.values())
    assert all(region.area and size.region.contains_region(region) for region in regions)
    for number, region in enumerate(regions):
        assert not any(region.overlaps(other) for other in regions[number + 1 :])
    assert {"header", "statement", "judges", "foot"} <= set(plan.regions)
    if plan.shape == "one":
        assert ("response" in plan.regions) == need.response
        assert plan.statement_rows + plan.question_rows <= plan.regions["statement"].height


@given(needs)
def test_the_source_keeps_its_rows_at_80x24(need: Needs) -> None:
    plan = arrange(Size(80, 24), need)
    if not need.response:
        above = plan.regions["bar"].height - 1
        assert above in (0, need.strip)
        assert plan.regions["source"].height >= max(4, SOURCE_ROWS - above)
    if need.statement <= 5:
        assert plan.statement_rows == need.statement


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((80, 24), "one"),
        ((99, 50), "one"),
        ((110, 30), "two"),
        ((119, 50), "two"),
        ((120, 26), "three"),
        ((160, 25), "one"),
    ],
)
def test_shapes(size: tuple[int, int], shape: str) -> None:
    assert arrange(Size(*size), Needs(2, 1, 2)).shape == shape


TABLE = actions_for(STATEMENT_ASKS, {})


@given(st.integers(40, 200), st.sets(st.sampled_from(sorted(TABLE))), st.sampled_from(["", "supported 2-0"]))
def test_key_rows_fit_and_always_end_with_what_leads_to_everything(
    columns: int, refused: set[str], accept: str
) -> None:
    hints = Hints(words=(("view", "response"),), accept=accept)
    may = offered(TABLE, lambda name: "no" if name in refused - {"palette", "help"} else "", hints)
    hints = hints._replace(offered=may)
    first, second = (
        [(text, style) for text, style in row if "fill" not in style] for row in key_rows(TABLE, columns, hints)
    )
    one, two = ("".join(text for text, _ in row) for row in (first, second))
    assert width(one) <= columns
    assert width(two) <= columns
    assert two.endswith(": all  ? keys ")
    shown = {text for text, style in (*first, *second) if style == "key"}
    assert not shown & {shown_key(TABLE[name].keys[0]) for name in refused - {"palette", "help"}}
    if columns >= 72 and not refused:
        assert "5 cannot judge" in one
    if columns >= 60:
        assert (f"a accept: {accept}" in one + two) == (bool(accept) and "accept" not in refused)


def test_what_is_said_takes_the_rows_it_needs() -> None:
    keys = [[("one", "")], [("two", "")]]
    assert foot_rows(keys, "saved", "", False, 20) == [*keys, [(" saved", "receipt")]]
    rows = foot_rows(keys, "saved", "a sentence that is longer than one row", True, 20)
    assert [text for row in rows for text, _ in row] == [" a sentence that is", " longer than one", " row"]


def test_every_kind_of_mark_has_its_style_and_those_of_one_pane_differ_without_colour() -> None:
    assert set(KINDS) <= set(PALETTE)
    plain = {kind: str(PALETTE[kind].without_color) for kind in ("search", "clash", "quote", "span", "evidence")}
    assert len(set(plain.values())) == len(plain)


MEANINGS = {
    "the page says so": {"says"},
    "the page says otherwise": {"against", "clash"},
    "take care": {"badge", "doubted", "doubtful", "error", "missing"},
    "the nearest passage": {"evidence", "near"},
    "yours": {"own", "span"},
    "the workbench": {"bar", "key", "gutter", "hint", "search", "statement"},
    "in the background": {"dim", "rule", "address", "syntax"},
}


def test_each_colour_has_one_meaning_and_the_nearest_passage_is_never_bold() -> None:
    colours = {role: style.color.name for role, style in PALETTE.items() if style.color is not None}
    told = {role: meaning for meaning, roles in MEANINGS.items() for role in roles}
    assert set(colours) <= set(told), "every coloured role says what it means"
    meanings: dict[str, set[str]] = {}
    for role, colour in colours.items():
        meanings.setdefault(colour, set()).add(told[role])
    assert {len(found) for found in meanings.values()} == {1}
    assert len({*map(str, meanings.values())}) == len(meanings), "and no meaning has two colours"
    assert set(COLOURS) == set(meanings)
    assert not PALETTE["evidence"].bold
    assert not PALETTE["active"].bold, "it is drawn over the nearest passage"


def test_every_page_state_has_its_sentence() -> None:
    assert set(NOTHING_TO_READ) == set(PAGE_STATES)


def test_sizes_and_days_in_words() -> None:
    assert [size_words(size) for size in (12, 14_200, 2_500_000)] == ["12 B", "14 kB", "2.5 MB"]
    assert date_words("2026-10-09T08:00:00+00:00") == "9 Oct 2026"
    assert date_words("some time") == "some time"[:10]


@given(
    st.text(max_size=30), st.lists(st.sampled_from(["left", "right", "home", "end", "backspace", "delete", "ctrl+w"]))
)
def test_a_typed_line_is_safe_and_its_window_fits(text: str, keys: list[str]) -> None:
    line = LineEdit.of(text)
    for key in keys:
        assert line.press(key, None)
        assert 0 <= line.cursor <= len(line.text)
        before, under, after = line.window(12)
        assert width(before + under + after) <= 13
        at_the_end = line.cursor == len(line.text)  # under the cursor stands nothing, shown as a space
        assert before + ("" if at_the_end else under) + after in line.text
    assert not [char for char in line.text if ord(char) < 32]


def test_typing() -> None:
    assert LineEdit.of("abcdefghijk").window(12) == ("abcdefghijk", " ", "")
    line = LineEdit.of("50 mg")
    for key, character in (
        ("left", None),
        ("left", None),
        ("x", "µ"),
        ("backspace", "\x7f"),
        ("end", None),
        ("full_stop", "."),
    ):
        line.press(key, character)
    assert line.text == "50 mg."
    line.press("ctrl+w", "\x17")
    assert line.text == "50"
    assert not line.press("f5", None)


def test_a_key_that_decided_is_held_until_it_was_silent_or_another_came() -> None:
    now = 10.0
    held = KeyRepeat(lambda: now)
    assert not held.is_held("1", 9.5)
    held.decided("1")  # at 10.0 the screen shows it
    for at in (9.7, 10.4, 11.4, 12.5):  # typed ahead, after the first delay of a keyboard, then as slow as may be
        assert held.is_held("1", at)
    assert not held.is_held("1", 12.5 + PAUSE_S)
    held.decided("1")
    assert not held.is_held("j", 10.1)
    assert not held.is_held("1", 10.2)


def test_enter_pressed_again_is_never_held_and_a_held_one_is() -> None:
    now = 10.0
    held = KeyRepeat(lambda: now)
    held.decided("enter")
    for _ in range(5):  # an easy pace: never in silence for as long as another key needs
        now += 0.4
        assert not held.is_held("enter", now)
        held.decided("enter")
    now += 0.01
    assert not held.is_held("enter", now)  # twice at once
    held.decided("enter")
    for _ in range(5):  # as a keyboard repeats it
        now += 0.09
        assert held.is_held("enter", now)


def test_the_look_follows_the_environment() -> None:
    environ = {"TERM": "xterm", "NO_COLOR": ""}
    found = look(Config(theme="light"), environ, "utf-8")
    assert (found.theme, found.ansi_color, found.ascii_only) == ("textual-light", False, False)
    assert "NO_COLOR" not in environ
    plain = look(Config(theme="light"), {"TERM": "xterm", "NO_COLOR": "1"}, "ISO-8859-1")
    assert (plain.theme, plain.ansi_color, plain.ascii_only) == ("ansi-dark", True, True)
    for term in ({}, {"TERM": "dumb"}):
        with pytest.raises(UserError, match=r"cannot be drawn on .*`medreview review 'my study.medreview' --plain`"):
            check_terminal(Path("my study.medreview"), term)


def test_a_terminal_without_unicode_gets_a_question_mark_for_each_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = io.BytesIO()
    terminal = io.TextIOWrapper(sent, encoding="ascii")
    monkeypatch.setattr(sys, "__stderr__", terminal)
    replace_unencodable()
    terminal.write("5 mg\u00b7e\u0301 700 \u6beb\u5347|")
    terminal.flush()
    assert sent.getvalue() == b"5 mg?e 700 ????|"


def test_an_accent_that_is_typed_after_its_letter_is_kept() -> None:
    line = LineEdit.of("caf")
    line.press("e", "e")
    assert line.press("combining_acute_accent", "\u0301")
    assert line.text == "cafe\u0301"
