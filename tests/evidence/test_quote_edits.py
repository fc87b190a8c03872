"""Which edits of a quotation leave it a proof: none that changes what is said, nearly all that do not."""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from medreview.evidence.grounding import ground
from medreview.labels import PROVEN_QUOTES

EDITS: Final = tomllib.loads(Path(__file__).with_name("quote_edits.toml").read_text("utf-8"))
PARAPHRASES: Final = tomllib.loads(Path(__file__).with_name("quote_paraphrases.toml").read_text("utf-8"))

BEGINNINGS: Final = tomllib.loads(Path(__file__).with_name("quote_beginnings.toml").read_text("utf-8"))


def status(passage: str, quote: str, of: dict[str, Any] = EDITS) -> str:
    """The quote's status in a page that has the passage in its middle."""
    before, after = of["filler"]
    return ground(quote, f"{before}\n\n{of['passages'][passage]}\n\n{after}\n").status


@pytest.mark.parametrize(("kind", "passage", "quote"), EDITS["meaning"])
def test_an_edit_that_changes_the_meaning_proves_nothing(kind: str, passage: str, quote: str) -> None:
    assert status(passage, quote) == "altered"


def test_honest_edits_stay_proven() -> None:
    lost = [case for case in EDITS["honest"] if status(*case[1:]) not in PROVEN_QUOTES]
    assert len(EDITS["honest"]) == len(EDITS["meaning"]) == 60
    assert len(lost) <= 3, lost


@pytest.mark.parametrize(("source", "quote"), BEGINNINGS["meaning"])
def test_a_quote_that_leaves_out_what_its_sentence_says_first_is_altered(source: str, quote: str) -> None:
    assert ground(quote, f"{EDITS['filler'][0]}\n\n{source}\n\n{EDITS['filler'][1]}\n").status == "altered"


@pytest.mark.parametrize(("source", "quote"), BEGINNINGS["honest"])
def test_a_quote_that_leaves_out_only_who_says_so_is_proven(source: str, quote: str) -> None:
    assert ground(quote, f"{EDITS['filler'][0]}\n\n{source}\n\n{EDITS['filler'][1]}\n").status in PROVEN_QUOTES


def test_of_two_places_only_the_one_that_says_it_is_the_quotes() -> None:
    source = "Do not give aspirin to children.\n\nGive aspirin to adults. Also, give aspirin early."

    assert [source[span.start - 4 : span.start] for span in ground("Give aspirin to adults", source).spans] == [
        "n.\n\n"[:4]
    ]
    assert [span.start for span in ground("give aspirin", source).spans] == [source.index("give aspirin early")]


def test_what_judges_make_of_a_passage_proves_where_it_says_the_same_and_only_there() -> None:
    proven, lost = (
        [case for case in PARAPHRASES[side] if (status(case[1], case[2], PARAPHRASES) in PROVEN_QUOTES) is wrong]
        for side, wrong in (("meaning", True), ("honest", False))
    )

    assert len(PARAPHRASES["meaning"]) + len(PARAPHRASES["honest"]) == 200
    assert proven == []
    assert len(lost) <= 8, lost


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        # A parallel clause lends its end to the first subject.
        ("Carbimazole is used before surgery, and iodine after surgery.", "Carbimazole is used … after surgery."),
        ("Avoid timolol in asthma, and pilocarpine in iritis.", "Avoid timolol in … iritis."),
        ("Scabies is spread by contact, and malaria by mosquitoes.", "Scabies is spread … by mosquitoes."),
        ("Warts are treated with salicylic acid; cautery is for large ones.", "Warts are treated with … cautery"),
        ("The rash fell from 12% to 4% in a week.", "The rash fell from 4% to 12% in a week."),
        (
            "Interferon-α was given for hepatitis in two trials.",
            "Interferon-beta was given for hepatitis in two trials.",
        ),
    ],
)
def test_further_edits_that_change_the_meaning_prove_nothing(source: str, quote: str) -> None:
    assert ground(quote, f"{EDITS['filler'][0]}\n\n{source}\n\n{EDITS['filler'][1]}\n").status not in PROVEN_QUOTES


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("IFN-γ release assays find latent infection.", "IFN-gamma release assays find latent infection."),
        ("A count below 20 × 10⁹/L is dangerous.", "A count below 20 x 10^9/L is dangerous."),
        ("You are at risk if you are over 50 and smoke.", "You're at risk if you're over 50 and smoke."),
        ("Exercise improves mood and reduces fatigue.", "exercise improved mood and reduced fatigue"),
        ("Nobody slept. The men who were given the drug slept well.", "The men given the drug slept well."),
        ("The men woke. The men who were given the drug slept well.", "The men given the drug slept well."),
        ("The drug helped the men who slept. Others slept.", "The drug helped the men who had slept."),
        ("Flushing occurs in 3–12% of the users.", "Flushing occurs in 3% to 12% of the users."),
        (
            "Falls were fewer (rate ratio 0.71, 95% CI 0.58 to 0.87; 112 vs 158; P = .01) in the trained group at home",
            "Falls were fewer in the trained group at home.",
        ),
    ],
)
def test_further_honest_edits_stay_proven(source: str, quote: str) -> None:
    assert ground(quote, f"{EDITS['filler'][0]}\n\n{source}\n\n{EDITS['filler'][1]}\n").status in PROVEN_QUOTES


@pytest.mark.parametrize(
    ("source", "quote", "found"),
    [
        # A marker at the end of what is quoted is the page's where it has one there, and the answer's own where not.
        (
            "Vegans should take vitamin B12 [5]. Eggs have some.",
            "vegans should take  vitamin B12 [5]",
            ["vitamin B12 [5]"],
        ),
        (
            "Vegans should take the vitamins [5]. Eggs have some.",
            "Vegans should take the vitamin [5].",
            ["the vitamins [5]."],
        ),
        (
            "Iron is low in young women [3], in vegetarians [4] and in children [7].",
            "Iron is low in young women [3] ... and in children [7].",
            ["young women [3]", "in children [7]."],
        ),
        (
            "Iron is low in young women, in vegetarians and in children [7].",
            "Iron is low in young women [4] ... and in children [2].",
            ["young women", "in children"],
        ),
        (
            "Children's,[5] parents' and nurses' views agreed.",
            "children's,[5] parents' and [8] nurses' views",
            ["views"],
        ),
        (
            "The mean was 0.8 ± 0.1 mmol/L in this group.",
            "0.8 +/- 0.1 mmol/L in this group",
            ["0.8 ± 0.1 mmol/L in this group"],
        ),
        (
            "The mean was 0.8+/-0.1 mmol/L in this group.",
            "0.8 ± 0.1 mmol/L in this group",
            ["0.8+/-0.1 mmol/L in this group"],
        ),
    ],
)
def test_markers_and_signs_differ_and_nothing_is_lost_of_the_place(source: str, quote: str, found: list[str]) -> None:
    grounding = ground(quote, source)

    assert grounding.status in PROVEN_QUOTES
    assert all(source[span.start : span.end].endswith(end) for span, end in zip(grounding.spans, found, strict=True))


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The dose [20] was given daily to adults.", "the dose [10] was given daily to adults"),
        ("The mean was 0.8 ± 0.1 mmol/L in this group.", "0.8 + 0.1 mmol/L in this group"),
        ("Of 12 500 women in this cohort, 40 had asthma.", "Of 12,600 women in this cohort, 40 had asthma."),
    ],
)
def test_another_number_is_no_marker_and_no_other_way_to_write_it(source: str, quote: str) -> None:
    assert ground(quote, source).status == "altered"
