import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.evidence.quantities import Quantity, parse_unit, quantities


def one(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("0.5 g", "500 mg"),
        ("500 micrograms", "0.5 mg"),
        ("500 µg", "500 mcg"),
        ("0,5 mg", "0.5 mg"),
        ("1,000 mg", "1 g"),
        ("1 000 mg", "1000 mg"),
        ("twice daily", "every 12 hours"),
        ("b.i.d.", "twice a day"),
        ("q8h", "three times daily"),
        ("every other day", "every 48 hours"),
        ("once weekly", "every 7 days"),
        ("<30 mL/min", "below 30 ml per min"),
        ("≥ 65 years", "65 years or older"),
        ("at least 65 years", "65 years and over"),
        ("up to 4 g", "≤ 4000 mg"),
        ("between 5 and 10 mg", "5-10 mg"),
        ("5 to 10 mg", "5 mg – 10 mg"),
        ("22 percent", "22%"),
        ("thirty minutes", "0.5 hours"),
        ("twenty-five days", "25 d"),
        ("2 years", "24 months"),
        ("1·7 billion", "1,700,000,000"),
    ],
)
def test_two_ways_to_write_the_same(left: str, right: str) -> None:
    assert one(left).equals(one(right))
    assert one(left).sign == one(right).sign


@pytest.mark.parametrize(
    ("left", "right"),
    [("5 mg", "5 g"), ("5 mg", "5 mL"), ("5%", "50%"), ("5-10 mg", "5-15 mg"), ("twice daily", "twice weekly")],
)
def test_other_amounts_are_not_equal(left: str, right: str) -> None:
    assert not one(left).equals(one(right))


def test_places_hold_the_sign_and_the_unit() -> None:
    text = "Stop if eGFR falls below 30 mL/min/1.73 m² or if 5 mg twice daily was given."
    assert [text[q.start : q.end] for q in quantities(text)] == ["below 30 mL/min/1.73 m²", "5 mg", "twice daily"]


def test_names_confidence_levels_and_figures_are_no_quantities() -> None:
    assert quantities("COVID-19 in Table 2, SARS-CoV-2, vitamin B12") == []
    assert [q.low for q in quantities("(95% CI 1.2-3.4)")] == [1.2]
    assert one("p < 0.001").unit == "p"
    assert one("type 2 diabetes").unit == "type"


def test_unit_quotients() -> None:
    assert parse_unit("mg/kg/day") == parse_unit("mg/day/kg")
    assert parse_unit("per cent of") is None


@given(st.one_of(st.text(max_size=80), st.text(alphabet="0123456789.,-<≥ mg/%to½²٣daily", max_size=60)))
def test_any_text_gives_places_within_it(text: str) -> None:
    for quantity in quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)
        assert quantity.low <= quantity.high
