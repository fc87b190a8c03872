"""Sentences of the first screen: how long ago, how long it takes, what a place is called."""

from datetime import UTC, datetime, timedelta

import pytest

from medreview.review.overview import about, ago, spoken_place, to_do
from medreview.review.queue_kinds import KINDS, QueueLine

NOW = datetime(2026, 11, 29, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (timedelta(seconds=30), "just now"),
        (timedelta(minutes=12), "12 minutes ago"),
        (timedelta(hours=1, minutes=5), "1 hour ago"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=60), "on 30 Sep 2026"),
        (timedelta(seconds=-90), "just now"),
    ],
)
def test_how_long_ago(before: timedelta, words: str) -> None:
    assert ago((NOW - before).isoformat(), NOW) == words


@pytest.mark.parametrize(
    ("units", "ms", "words"),
    [(1, 9_000, "about 1 minute"), (19, 60_000, "about 19 minutes"), (25, 61_000, "about 25 minutes"),
     (200, 60_000, "about 3 hours")],
)  # fmt: skip
def test_how_long_it_takes(units: int, ms: float, words: str) -> None:
    assert about(units, ms) == words


def test_what_waits_in_a_hidden_queue_is_not_told() -> None:
    lines = [QueueLine(KINDS[0], 3, 3, 0, 0, "", hidden) for hidden in (True, False)]
    assert to_do(lines) == lines[1:]


def test_a_place_is_spoken() -> None:
    assert spoken_place("R11 S5") == "statement 5 of answer 11"
    assert spoken_place("R03 S2a") == "statement 2a of answer 3"
    assert spoken_place("Q12") == "Q12"
