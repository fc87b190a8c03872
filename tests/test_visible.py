import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.visible import MARK, PLAIN, SOFT_MARK, combines, hidden_count, json_text, visible, visible_line

HIDDEN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_length_is_kept_and_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not [char for char in shown if char not in "\n\t" and unicodedata.category(char) in HIDDEN]
    assert hidden_count(text) == sum(before != after for before, after in zip(text, shown, strict=True))
    assert visible(shown) == shown
    assert visible(text, ascii_only=True) == "".join(
        "?" if before != after else before for before, after in zip(text, shown, strict=True)
    )


def test_every_code_point_behind_a_letter() -> None:
    every = [chr(code) for code in range(0x110000)]
    shown = visible("a".join(["", *every, ""]))[1::2]
    for before, after in zip(every, shown, strict=True):
        hidden = before not in "\n\t" and unicodedata.category(before) in HIDDEN
        assert (after != before) or not hidden, hex(ord(before))
        assert unicodedata.category(after) not in HIDDEN or after in "\n\t", hex(ord(before))


def test_plain_characters_are_left_alone() -> None:
    bounds = iter(PLAIN.replace(" -~", " -~", 1))
    plain: list[str] = []
    for char in bounds:
        if char == "-" and plain:
            plain.extend(map(chr, range(ord(plain[-1]) + 1, ord(next(bounds)) + 1)))
        else:
            plain.append(char)
    assert len(plain) > 2000
    assert [char for char in plain if unicodedata.category(char) in HIDDEN or combines(char)] == []
    assert [char for char in plain if unicodedata.east_asian_width(char) in "WF"] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]52;c;QQ==\x07b", "a\u241b]52;c;QQ==\u2407b"),
        ("\x7f\x00\r", "\u2421\u2400\u240d"),
        ("\x9b31m\x85", f"{MARK}31m{MARK}"),
        ("5\u200b0 mg", f"5{SOFT_MARK}0 mg"),
        ("Nieren\u00adfunktion", f"Nieren{SOFT_MARK}funktion"),
        ("\ufeffx\ufe0f", f"{SOFT_MARK}x{SOFT_MARK}"),
        ("\u202e\u2066\u200f\u061c", MARK * 4),
        ("\U000e0041\ud800\ufffe\u2028", MARK * 4),
        ("line\n\ttab [red]naïve – 日本", "line\n\ttab [red]naïve – 日本"),
    ],
)
def test_hostile_text(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_piles_of_combining_marks_are_cut() -> None:
    acute = "\u0301"
    assert visible("e" + acute) == "e" + acute
    assert visible("e" + acute * 9 + "x") == "e" + acute * 4 + SOFT_MARK * 5 + "x"
    assert visible(acute + "x\n" + acute) == SOFT_MARK + "x\n" + SOFT_MARK
    assert hidden_count("e" + acute * 9) == 5


def test_a_clean_text_is_not_copied() -> None:
    text = "Give 30 mL/kg – “most of it” in the first 3 hours.\n" * 50
    assert visible(text) is text


@given(ANY_TEXT)
def test_json_shows_nothing_hidden_and_stays_true(text: str) -> None:
    written = json_text({"said": text, text: [1, None]})
    assert visible(written) == written
    assert json.loads(written) == {"said": text, text: [1, None]}


@given(ANY_TEXT)
def test_a_line_stays_one_line(text: str) -> None:
    assert not set(visible_line(text)) & set("\n\t")
    assert len(visible_line(text)) == len(text)
