"""Ranking by keys: what each key does in each step, and what is stored of it."""

from itertools import accumulate

import pytest

from medreview.labels import is_label
from medreview.units.ranking import RankingEntry, shown_order

NUMBERS = (3, 1, 4, 2)
"""The outputs' stored numbers as they are shown."""


def keyed(*keys: str, numbers: tuple[int, ...] = NUMBERS) -> RankingEntry:
    return [*accumulate(keys, RankingEntry.press, initial=RankingEntry(numbers))][-1]


def test_four_digits_rank_four_outputs_by_their_stored_numbers_then_four_letters_rate_them() -> None:
    placed = keyed("2", "1", "4", "3")
    assert (placed.order, placed.phase, placed.rating) == ("1>3>2>4", "quality", 1)
    assert [placed.rank(place) for place in (1, 2, 3, 4)] == [2, 1, 4, 3]
    done = keyed("2", "1", "4", "3", "g", "1", "3", "o")
    assert (done.phase, done.rating) == ("done", None)
    assert done.labels == (
        ("rank", "1>3>2>4"),
        ("quality/3", "good"), ("quality/1", "good"), ("quality/4", "bad"), ("quality/2", "okay"),
    )  # fmt: skip
    assert all(is_label(axis, label) for axis, label in done.labels)


def test_a_tie_shares_the_rank_and_the_next_output_skips_it() -> None:
    tied = keyed("1", "=", "4", "2", "3")
    assert tied.order == "3=2>1>4"
    assert [tied.rank(place) for place in (1, 4, 2, 3)] == [1, 1, 3, 4]
    assert keyed("1", "=", "=", "4").tiers == ((1,), (4,))  # taken back by itself


@pytest.mark.parametrize(
    "keys", [("1",), ("1", "="), ("1", "=", "2"), ("2", "1", "4", "3"), ("2", "1", "4", "3", "g"), ("1", "2", "=", "3")]
)
def test_backspace_takes_back_exactly_the_last_thing_given(keys: tuple[str, ...]) -> None:
    before = [*accumulate(keys[:-1], RankingEntry.press, initial=RankingEntry(NUMBERS))][-1]
    taken_back = keyed(*keys, "backspace")
    # A tie that was taken up by an output is not asked for again.
    assert (taken_back.tiers, taken_back.qualities) == (before.tiers, before.qualities)


@pytest.mark.parametrize("key", ["0", "5", "2", "g", "=", "x", "enter", "²", "", "backspace"])
def test_a_key_that_means_nothing_changes_nothing(key: str) -> None:
    start = keyed("2") if key == "2" else RankingEntry(NUMBERS)
    assert start.press(key) == start
    assert start.labels == ()
    done = keyed("2", "1", "4", "3", "g", "g", "g", "g")
    assert done.press("1") == done


def test_a_stored_order_is_told_in_places_on_the_screen() -> None:
    assert shown_order("2>1=3", (3, 1, 2)) == "3>2=1"
    assert shown_order("2>7", (1, 2)) == "2>{7}"
    for keys in ("2143", "1234", "4321"):
        entry = keyed(*keys)
        assert entry.order is not None
        assert shown_order(entry.order, NUMBERS) == ">".join(keys)
