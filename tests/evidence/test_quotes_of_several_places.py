"""Quotes whose parts stand at several places of a page: each is found, and the worst part decides."""

from typing import Final

import pytest

from medreview.evidence.grounding import QuoteIndex, ground
from medreview.labels import PROVEN_QUOTES

FIRST: Final = "Metformin is the first choice in type 2 diabetes."
STOP: Final = "It is stopped below an eGFR of 30 mL/min."
B12: Final = "Vitamin B12 falls in one user of ten."
CHILDREN: Final = "It is not given to children under 10 years of age."
TRIAL: Final = "In the trial, weight fell by 2 kg with metformin, and no patient had lactic acidosis."
GUIDE: Final = "It is recommended in most countries that kidney function is measured once a year."
PAGE: Final = (
    f"# Metformin\n\n{FIRST[:-1]} [1]. {STOP}\n\n"
    + "Ask a doctor about other medicines. " * 60
    + f"\n\n{B12} {CHILDREN} Check it yearly.\n\nDo not use metformin in\n\n- severe renal impairment\n"
    + f"- heavy drinking\n\n{TRIAL} {GUIDE} This study was paid for by a public fund.\n"
)
INDEX: Final = QuoteIndex(PAGE)

JOINED: Final = {
    "ellipsis": "{} ... {}",
    "sign": "{} […] {}",
    "line": "{}\n{}",
    "paragraph": "{}\n\n{}",
    "list": "- {}\n- {}",
    "numbers": "1. {}\n2. {}",
    "quotation marks": "“{}” “{}”",
    "and": '"{}" and "{}"',
    "bar": "{} | {}",
    "space": "{} {}",
}


def lit(quote: str) -> list[str]:
    return [PAGE[slice(*span)] for span in ground(quote, INDEX).spans]


def bare(*texts: str) -> list[str]:
    return [text.rstrip("[1]. ") for text in texts]


@pytest.mark.parametrize("join", JOINED.values(), ids=JOINED)
def test_whole_sentences_prove_in_any_order_however_they_are_joined(join: str) -> None:
    for one, other in ((FIRST, B12), (B12, FIRST), (TRIAL, FIRST), (FIRST, GUIDE)):
        found = ground(join.format(one, other), INDEX)
        assert found.status == "normalised", (one, other)
        assert bare(*lit(join.format(one, other))) == bare(one, other)


@pytest.mark.parametrize("join", [join for name, join in JOINED.items() if name not in ("space", "and")])
def test_without_their_full_stops_they_prove_where_a_joint_is_seen(join: str) -> None:
    assert ground(join.format(B12[:-1], FIRST[:-1]), INDEX).status == "normalised"


@pytest.mark.parametrize("join", JOINED.values(), ids=JOINED)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        # a number changed, a negation left out, a word changed, at either place
        (FIRST, B12.replace("ten", "two")),
        (TRIAL.replace("2 kg", "3 kg"), FIRST),
        (TRIAL.replace("no patient", "patient"), FIRST),
        (FIRST, TRIAL.replace("fell", "rose")),
        # part of a sentence
        ("Metformin is the first choice", B12),
        (B12, "Metformin is the first choice in type 2"),
        ("weight fell by 2 kg with metformin", FIRST),
        # a heading or an item of a list, which says nothing by itself
        (FIRST, "severe renal impairment"),
        ("severe renal impairment", FIRST),
        ("Do not use metformin in", "heavy drinking"),
    ],
)
def test_a_part_that_says_another_thing_by_itself_makes_all_of_it_altered(join: str, one: str, other: str) -> None:
    assert ground(join.format(one, other), INDEX).status not in PROVEN_QUOTES


@pytest.mark.parametrize(
    ("one", "other"),
    [(FIRST, CHILDREN), (FIRST, f"However, {CHILDREN[0].lower()}{CHILDREN[1:]}"), (TRIAL, STOP)],
)
@pytest.mark.parametrize("name", JOINED)
def test_what_points_back_proves_only_as_a_quotation_of_its_own(name: str, one: str, other: str) -> None:
    alone = name in ("line", "paragraph", "list", "numbers", "quotation marks", "and") and "However" not in other
    assert (ground(JOINED[name].format(one, other), INDEX).status in PROVEN_QUOTES) is alone


@pytest.mark.parametrize(
    ("quote", "places", "changed"),
    [
        (f"{B12.replace('ten', 'two')}\n{FIRST}", [B12, FIRST], ("two", "ten")),
        (
            f"{B12}\nMetformin is the first choice.",
            [B12, "Metformin is the first choice"],
            ("", " in type 2 diabetes [1]"),
        ),
        (f"{FIRST} ... {CHILDREN}", [FIRST, CHILDREN], ("", B12)),
        (f"{GUIDE} ... {FIRST} ... {TRIAL.replace('2 kg', '3 kg')}", [GUIDE, FIRST, TRIAL], ("3", "2")),
    ],
)
def test_every_place_is_lit_and_the_fault_is_that_of_its_part(
    quote: str, places: list[str], changed: tuple[str, str]
) -> None:
    found = ground(quote, INDEX)
    assert found.status == "altered"
    assert bare(*lit(quote)) == bare(*places)
    (difference,) = found.differences
    assert (quote[slice(*difference.quote)], PAGE[slice(*difference.source)]) == changed


@pytest.mark.parametrize(
    ("quote", "proves"),
    [
        # an ellipsis within a sentence, of which nothing that decides is left out, beside another place
        (f"In the trial, weight fell ... with metformin, and no patient had lactic acidosis. ... {FIRST}", True),
        (f"In the trial, weight fell ... patient had lactic acidosis. ... {FIRST}", False),
        (f"In the trial, ... 2 kg with metformin, and no patient had lactic acidosis. ... {FIRST}", False),
        # sentences that follow each other stay together, and may point back
        (f"{B12} {CHILDREN} ... {FIRST}", True),
        (f"{FIRST}\n{B12}\n{CHILDREN}", True),
        # what points to the page itself
        (f"{FIRST}\nThis study was paid for by a public fund.", True),
        # near: function words differ
        (f"{TRIAL.replace('In the trial', 'In this trial')}\n{FIRST}", True),
        (f"{FIRST}\nAspirin is a first choice in migraine of adults.", False),
    ],
)
def test_parts_of_sentences_and_of_paragraphs(quote: str, proves: bool) -> None:
    assert (ground(quote, INDEX).status in PROVEN_QUOTES) is proves
