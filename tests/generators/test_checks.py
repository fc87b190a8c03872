"""Rules that validators share."""

import pytest

from medreview.generators.answer_rules import numbers_missing


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("At most 1,000 mg a day", "the total for the day is at most 1,000 mg"),
        ("4 doses", "no more than 4 doses are given in any 24 hours"),
        ("At least 30 mL per kg", "at least 30 mL of crystalloid per kg of body weight within the first 3 hours"),
        ("7", "stopped 7 days before"),
        ("0.5 g", "500 mg"),
        ("twice daily", "30 mg twice daily"),
        ("10 to 15 minutes", "for 10 to 15 minutes without letting go"),
        ("No.", "Nobody needs a bridge."),
    ],
)
def test_a_number_is_there_as_it_is_written_or_in_another_notation(claim, source):
    assert numbers_missing(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("5 days before", "stopped 7 days before", ["5 days"]),
        ("7 hours before", "stopped 7 days before", ["7 hours"]),
        ("10 to 20 minutes", "for 10 to 15 minutes", ["10 to 20 minutes"]),
        ("500 micrograms", "500 mg", ["500 micrograms"]),
        ("below 30", "above 30", ["below 30"]),
        ("8", "stopped 7 days before", ["8"]),
    ],
)
def test_another_value_another_unit_and_the_other_side_are_missing(claim, source, missing):
    assert numbers_missing(claim, source) == missing
