"""Markers in a text, and which of them are a statement's own."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medreview.citations import extract
from medreview.citations.markers import find_markers, markers_of
from medreview.citations.source_lists import OwnNumbers, own_numbers
from medreview.text import Span

OWN = OwnNumbers(
    {number: (f"url:https://{number}.org/",) for number in range(1, 8)},
    {("smith", "2019"): ("pmid:1",), ("jones", "2020"): ("pmid:2",)},
)


def numbers(text: str, own: OwnNumbers = OWN) -> list[int | None]:
    found = find_markers(text, own, extract(text))
    assert all(text[marker.start : marker.end].strip() for marker in found)
    return [reference.number for marker in found for reference in marker.references]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take it [3].", [3]),
        ("Take it [3][4].", [3, 4]),
        ("Take it [3] [4].", [3, 4]),
        ("Take it [1, 3-5; 7].", [1, 3, 4, 5, 7]),
        ("Take it [2–4].", [2, 3, 4]),
        ("Take it[^2].", [2]),
        ("Take it [^2^].", [2]),
        ("Take it.【2†source】", [2]),
        ("Take it.【2†L3-L9】", [2]),
        ("Take it<sup>1,2</sup>.", [1, 2]),
        ("Take it.¹", [1]),
        ("Take it.¹,²", [1, 2]),
        ("Take it.¹²", [1, 2]),  # the list ends at 7
        ("Take it.²⁻⁴", [2, 3, 4]),
        ("Take it (3).", [3]),
        ("Headache (1) and nausea (2, 3) occur.", [1, 2, 3]),
        ("Take it [9].", [9]),  # no such entry: still a marker
        ("Take it [1-200].", [1, 200]),  # no list is read that far
        ("Take it [1](https://1.org).", [1]),
        ("Take it [[1]](https://1.org).", [1]),
        ("Take it [1 and 3].", [1, 3]),
        ("Take it [2, p. 12] or [3: Table 4].", [2, 3]),
        ("Take it [web:3][post:12].", [None, None]),
        ("HbA1c falls with vitamin B12² and SpO2³.", [2, 3]),
        ("Take it [ref. 2] (Source 3).", [2, 3]),
        ("Take it (Smith 2019).", [None]),
        ("Take it (see Smith et al., 2019; Jones & Doe, 2020).", [None, None]),
        ("Smith et al. (2019) found it.", [None]),
        ("Take it (https://a.org/x) or https://doi.org/10.1000/x.", [None, None]),
        ("Take it ([CDC](https://a.org/x)).", [None]),
    ],
)
def test_markers_are_read_in_every_usual_form(text: str, expected: list[int | None]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The index is 24 kg/m².",
        "Below 30 mL/min/1.73m² or 1.2 L min⁻¹ m⁻² and 5 x10³.",
        "Platelets of 10<sup>9</sup>/L in 2 m<sup>2</sup>.",
        "Risk fell (RR 2 [1, 3]) in adults.",
        "Platelets of 10⁹ per litre.",
        "Ca²⁺ falls.",
        "The fit was good (R² 0.4).",
        "In 2019 (since May 2020).",
        "Smith [2019] said so.",
        "Take one (1) tablet.",
        "Pain was grade (3).",
        "(1) Rest, (2) drink.",
        "1) Rest.\n2) Drink.",
        "Do as follows: (1) rest and (2) drink.",
        "Take 5 (2) tablets.",
        "Pain fell (95% CI [1, 5]).",
        "The median was 2 [1-3] days.",
        "Give [1H]-water and [2]A.",
        "Take it (9).",
        "Take it (Doe 2019).",
        "Take 500 mg (2 tablets).",
    ],
)
def test_amounts_powers_intervals_and_labels_are_no_markers(text: str) -> None:
    assert numbers(text) == []


def test_round_brackets_and_superscripts_count_only_where_the_list_has_the_number() -> None:
    assert numbers("Rest (3) helps.¹", OwnNumbers()) == []
    assert numbers("Rest [3] helps.", OwnNumbers()) == [3]


def test_round_brackets_are_no_markers_where_square_ones_are() -> None:
    assert numbers("Rest (3) helps [1].") == [1]


def own(text: str, statement: str, following: str = "") -> list[str]:
    """The markers of the one statement; the text after it up to ``following`` is not part of it."""
    listing = ["https://1.org", "https://2.org", "https://3.org"]
    start = text.index(statement)
    limit = text.index(following) if following else len(text)
    found = find_markers(text, own_numbers(text, listing), extract(text))
    return [text[m.start : m.end] for m in markers_of(text, found, Span(start, start + len(statement)), limit)]


@pytest.mark.parametrize(
    ("text", "statement", "following", "expected"),
    [
        ("Rest [1]. Drink [2].", "Rest", "Drink", ["[1]"]),
        ("Rest daily. [1] Drink [2].", "Rest daily.", "Drink", ["[1]"]),
        ("Rest daily. [1] Drink [2].", "Drink", "", ["[2]"]),
        ("Rest daily.[1][2] Drink.", "Rest daily.", "Drink", ["[1]", "[2]"]),
        ("Rest [1] daily [2].", "Rest [1] daily", "", ["[1]", "[2]"]),
        ("Causes are [1]:\n- Stress [2]\n- Cold", "Stress", "Cold", ["[2]"]),
        ("Causes are [1]:\n- Stress [2]\n- Cold", "Cold", "", []),
        ("Rest daily.\n[1]\n\nDrink.", "Rest daily.", "Drink", ["[1]"]),
        ("Rest daily.\n\n[1]\n\nDrink.", "Rest daily.", "Drink", []),
        ("Rest daily.\n[1] Drink.", "Rest daily.", "Drink", []),
        ("Rest daily.\n[1] Drink.", "Drink.", "", ["[1]"]),
        ("- **Stress**[1] [2], a cause.\n- Cold.", "Stress**[1] [2], a cause.", "Cold", ["[1]", "[2]"]),
        ("Rest daily. Source: https://1.org/x", "Rest daily.", "", ["https://1.org/x"]),
        ("Rest daily (NHS guide: https://1.org/x). Drink.", "Rest daily", "Drink", ["https://1.org/x"]),
        ("Rest daily ([CDC](https://1.org/x)). Drink.", "Rest daily", "Drink", ["[CDC](https://1.org/x"]),
        ("Rest daily. Ask me if you wish [2]. Drink.", "Rest daily.", "Drink", []),
        (f"Rest daily.{' ' * 400}[2]", "Rest daily.", "", []),
    ],
)
def test_a_marker_is_a_statements_own_inside_it_or_right_after_it(
    text: str, statement: str, following: str, expected: list[str]
) -> None:
    assert own(text, statement, following) == expected


def test_the_few_words_of_a_link_are_part_of_its_marker_and_a_linked_sentence_is_not() -> None:
    few, many = "[CDC](https://1.org/x)", "[Rest for three days or as long as it hurts](https://1.org/x)"
    assert own(few, few) == ["[CDC](https://1.org/x"]
    assert own(many, many) == ["https://1.org/x"]


@given(st.text(alphabet="[]()¹²3 4,-–.†【】\n^https:/aSmith2019", max_size=80))
def test_markers_are_disjoint_ranges_of_any_text(text: str) -> None:
    found = find_markers(text, OWN, extract(text))
    assert all(0 <= marker.start < marker.end <= len(text) and marker.references for marker in found)
    assert all(one.end <= after.start for one, after in pairwise(found))
