"""What may enter the study file."""

import pytest

from medreview.storable import is_damaged, storable_text, unstorable


@pytest.mark.parametrize(
    "value", ["", "µg \U0001f600", 2**63 - 1, -(2**63), 0.5, True, None, [1, {"a": ["b"]}], {"k": None}]
)
def test_what_sqlite_and_json_take_is_storable(value: object) -> None:
    assert unstorable(value) == ""


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("dose \ud800", "half a character"),
        ({"\udfff": 1}, "half a character"),
        ([[2**63]], "64 bits"),
        (-(2**63) - 1, "64 bits"),
        ({"a": float("nan")}, "finite"),
        (float("inf"), "finite"),
    ],
)
def test_what_they_refuse_is_named(value: object, why: str) -> None:
    assert why in unstorable(value)


def test_depth_is_bounded_without_recursion() -> None:
    deep: object = "x"
    for _ in range(50_000):
        deep = [deep]
    assert "deep" in unstorable(deep)


def test_a_text_of_a_file_is_damaged_by_half_characters_and_nul() -> None:
    assert [is_damaged(text) for text in ("dose \ud800", "a\0b", "µg \U0001f600\n")] == [True, True, False]


def test_half_characters_are_replaced_and_pairs_joined() -> None:
    assert storable_text("a\ud800b") == "a\ufffdb"
    assert storable_text("\ud83d\ude00") == "\U0001f600"
    assert storable_text("plain µg") == "plain µg"
