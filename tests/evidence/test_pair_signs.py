"""The signs of a pair that a reviewer's labels may weigh, and what of the statement the page does not have."""

import pytest

from medreview.evidence.assess import assess
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sign_names import GROUPS, OF_MODELS, SIGNS

PAGE = """Zanubrutinib in chronic lymphocytic leukaemia.

Zanubrutinib lowered the risk of progression in 654 patients. Nausea, headache and rash were common.
Dr. Maria Lang of Leipzig led the trial. Diarrhoea was not seen."""


def signs(statement: str, page: str = PAGE) -> tuple[dict[str, float], list[str]]:
    index = SourceIndex(page)
    found = assess(statement, index).pair
    return dict(zip(SIGNS, found.values, strict=True)), [statement[start:end] for start, end in found.lacking]


@pytest.mark.parametrize(
    ("statement", "lacking"),
    [
        ("Zanubrutinib lowered the risk of progression in 654 patients.", []),
        ("Ibrutinib lowered the risk of progression in 654 patients.", ["Ibrutinib"]),
        ("The trial was led by Maria Lang of Dresden.", ["Dresden"]),
        ("The trial was led by Peter Holm Jensen of Leipzig.", ["Peter Holm Jensen"]),
        ("Progression was less likely in 37% of 654 patients.", ["37"]),
        ("The N2 trial had 654 patients.", ["N2"]),
        ("Nausea, headache, sore throat and rash were common.", ["sore throat"]),
        ("Common were nausea, rash and hair loss.", ["hair loss"]),
        ("Moreover the risk of progression was lower.", []),  # a word with which a sentence begins is no name
        ("", []),
    ],
)
def test_names_numbers_and_list_items_that_the_page_does_not_have_are_told(statement: str, lacking: list[str]) -> None:
    found, told = signs(statement)
    assert told == lacking
    assert all(0 <= found[name] <= 1 for name in SIGNS if name.endswith("_lacking") and name != "run_lacking")


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("words", "Nausea was common.", "Nausea was common in all of the patients who took it for a year."),
        ("names_lacking", "Zanubrutinib was studied in Leipzig.", "Ibrutinib was studied in Dresden."),
        ("numbers_lacking", "There were 654 patients.", "There were 655 patients."),
        ("terms_lacking", "Zanubrutinib lowered the risk.", "Oranges lowered the price."),
        ("run_lacking", "Zanubrutinib lowered the risk.", "Sweet green oranges lowered the risk."),
        ("negated", "Diarrhoea was seen.", "Diarrhoea was not seen."),
        ("negated_alone", "Diarrhoea was not seen.", "Diarrhoea was seen."),
        ("opposed", "Zanubrutinib lowered the risk of progression.", "Zanubrutinib raised the risk of progression."),
        ("opposed", "The risk of progression did not rise.", "The risk of progression rose."),
        ("hedged", "Rash was common.", "Rash may be common."),
        ("sweeping", "Rash was common.", "Rash was always common."),
    ],
)
def test_a_sign_rises_with_what_it_is_named_for(name: str, low: str, high: str) -> None:
    assert signs(low)[0][name] < signs(high)[0][name]


def test_a_negation_in_any_of_the_best_passages_is_one_of_the_page() -> None:
    page = "Diarrhoea was seen in rats. In people diarrhoea was not seen."
    assert signs("Diarrhoea was not seen in rats.", page)[0]["negated_alone"] == 0


def test_one_shared_word_says_less_of_the_direction_than_several() -> None:
    few, many = (
        signs(statement, "Zanubrutinib lowered the risk of progression.")[0]["opposed"]
        for statement in ("The risk rose.", "Zanubrutinib raised the risk of progression.")
    )
    assert 0 < few < many <= 1


def test_every_sign_has_a_group_and_an_empty_page_gives_numbers() -> None:
    assert sorted((*SIGNS, *OF_MODELS)) == sorted(name for names in GROUPS.values() for name in names)
    found, told = signs("Zanubrutinib lowered the risk.", "")
    assert told == ["Zanubrutinib"]
    assert (found["terms_lacking"], found["page_length"]) == (1, 0)
