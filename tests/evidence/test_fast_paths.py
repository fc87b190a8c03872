"""Short ways through the rules on words and numbers find what the long ones find."""

import random

import pytest

from medreview.evidence.alignment import token_keys, tokens
from medreview.evidence.assess import assess
from medreview.evidence.clashes import clashes
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.quantities import quantities
from medreview.evidence.sentence_analysis import claims_significance, denies_significance
from medreview.evidence.source_highlights import matches, matches_in
from medreview.evidence.terms import Vocabulary, terms, vocabulary
from medreview.text import Span

PIECES = """
less than|at most|up to|no more than|maximum dose of|more than|at least|above|exceeding|about|approx.|< =|>=|~|p <
p-value of|P =|type|Grade|Table|fig.|pp.|between|and|to|-|or more|do not take|mg|mL|g/day|%|% CI|patients|every|hours
significantly|no difference|didn't|blood pressure|heart attack|(|)|,|.|;|1|5|0.5|.05|1,000|12 000|2019|95|1/2|-
"""


def made(count: int) -> list[str]:
    """Texts of ASCII characters without a number in words."""
    luck = random.Random(17)
    pieces = [piece for line in PIECES.strip().split("\n") for piece in line.split("|") if piece]
    gaps = (" ", " ", " ", "", "\n")
    return ["".join(luck.choice(pieces) + luck.choice(gaps) for _ in range(luck.randint(2, 10))) for _ in range(count)]


def test_a_text_of_ascii_characters_has_the_words_it_has_beside_another_character() -> None:
    for text in made(500):
        assert tokens(text) == tokens(f"{text} ; é")[: len(tokens(text))]
        assert token_keys(text) == [token.key for token in tokens(text)]
        assert list(terms(text)) == [term for term in terms(f"{text} ; é") if term.end <= len(text)]
        assert sorted(vocabulary().keys(text)) == sorted(term.key for term in terms(text))


def test_figures_are_found_whether_or_not_a_number_in_words_stands_in_the_text() -> None:
    read = [quantities(text) for text in made(500)]
    assert read == [quantities(f"{text} . one") for text in made(500)]
    assert sum(map(len, read)) > 300


BOUNDS = {
    "<=": "less than or equal to|AT MOST|up to|not exceeding|≤|maximum dose of|höchstens|bis zu|au plus|jusqu’à|hasta|"
    "como máximo|até|do not take more than",
    ">=": "> =|no less than|mindestens|minimum of|au moins|pelo menos|≥",
    "<": "fewer than|below|under|weniger als|moins de|unter|<",
    ">": "above|over|exceeds|exceed|exceeding|más de|mehr als|plus de|>",
    "~": "about|approx.|approximately|nearly|∼|some|circa|around|roughly|almost",
    "=": "it was|for|of",
}


@pytest.mark.parametrize(
    ("sign", "before"), [(sign, each) for sign, all_ in BOUNDS.items() for each in all_.split("|")]
)
def test_what_stands_before_a_number_says_which_bound_it_is(sign: str, before: str) -> None:
    assert [(found.sign, found.low) for found in quantities(f"Take {before}  40 mg.")] == [(sign, 40)]


@pytest.mark.parametrize("label", ["p value of", "P =", "p was", "p-values were", "p <"])
def test_a_number_behind_a_p_is_a_p_value(label: str) -> None:
    assert [found.unit for found in quantities(f"It fell, {label} 0.03 here.")] == ["p"]


@pytest.mark.parametrize("label", ["Table", "figs.", "page", "pp.", "no.", "version", "Step", "refs", "appendix"])
def test_a_number_behind_the_name_of_a_place_is_no_amount(label: str) -> None:
    assert quantities(f"See {label} 3 for more.") == []


@pytest.mark.parametrize(
    "text", ["No significant difference.", "It was N.S. here", "p = ns", "Failed to show it.", "They did not differ."]
)
def test_a_denied_significance_is_seen_in_any_case(text: str) -> None:
    assert denies_significance(text)
    assert denies_significance(text.upper())
    assert not claims_significance("Deaths fell by half, as before.")


def test_a_passage_that_shares_little_with_a_statement_contradicts_nothing() -> None:
    statement = "Ibuprofen 400 mg relieves a headache within an hour."
    assert clashes(statement, "Ibuprofen 800 mg relieves a headache within an hour.")
    assert clashes(statement, "Ibuprofen 800 mg is a white tablet that must be kept dry.") == []


def test_shared_words_of_some_passages_are_those_of_each_of_them() -> None:
    source = "Aspirin after a heart attack. Keep tablets dry. Give aspirin: a myocardial infarction is treated so."
    index = SourceIndex(source)
    statement = "Aspirin is given after a heart attack [1]."
    passages = [Span(passage.start, passage.end) for passage in index.passages]
    found = matches_in(statement, index, passages)
    assert [source[start:end] for start, end in found] == [
        "Aspirin", "heart attack", "aspirin", "myocardial infarction"
    ]  # fmt: skip
    assert found == matches(statement, source)


def test_a_phrase_of_a_vocabulary_counts_wherever_its_words_stand_in_order() -> None:
    words = Vocabulary([["oral", "by mouth"], ["unchanged", "as it is"], ["fever", "raised body temperature"]])
    texts = {
        "Take it by\nmouth, (by mouth)": ["take", "mouth", "mouth", "~oral", "~oral"],
        "It is left as it is": ["left", "~unchang"],
        "A raised body-temperature": ["rais", "bodi", "temperatur", "~fever"],
        "Of the mouth, by all": ["mouth"],
        "Temperature of the raised body": ["temperatur", "rais", "bodi"],
    }
    for text, keys in texts.items():
        assert words.keys(text) == keys
        assert sorted(term.key for term in words.terms(text)) == sorted(keys)


def test_a_piece_of_text_of_any_length_has_its_words() -> None:
    long = "-".join(["heart", "attack"] * 30)
    assert sorted(vocabulary().keys(long)) == sorted(term.key for term in terms(long))


def test_a_source_that_was_asked_before_answers_as_one_that_was_not() -> None:
    page = "Results\nAspirin 500 mg reduced pain by 30%.\nDrug\tDose\nIbuprofen\t400 mg\nIt did not reduce fever."
    statements = ["Aspirin reduced fever.", "Ibuprofen 200 mg is given.", "Aspirin 0.5 g increased pain.", "Pain fell."]
    asked = SourceIndex(page)
    for statement in statements * 2:
        assert assess(statement, asked) == assess(statement, SourceIndex(page))


@pytest.mark.parametrize(
    "unit",
    ["mg", "MG", "-mg", "per cent", "mm Hg", "µg", "μg/kg", "années", "días", "m2", "m²", "°C", "%", "mL/kg per day"],
)
def test_a_unit_behind_a_number_is_read_however_it_begins(unit: str) -> None:
    assert [found.written for found in quantities(f"Take 5 {unit}, then rest.")] == [unit.removeprefix("-")]


@pytest.mark.parametrize("word", ["groups", "h'ours", "dayś", "per", "-", "patients"])
def test_another_word_behind_a_number_is_no_unit(word: str) -> None:
    assert [found.written for found in quantities(f"There were 5 {word} left.")] == [""]


@pytest.mark.parametrize(
    ("text", "rate"),
    [("Take it 3x daily.", 3), ("Take it every\n12 hours.", 2), ("Take it q6h for 5 days.", 4), ("Take it B.I.D.", 2),
     ("Zweimal täglich nehmen.", 2), ("One tablet 8-hourly.", 3), ("Take it twice\u00a0a day.", 2)],
)  # fmt: skip
def test_a_frequency_is_found_however_it_is_written(text: str, rate: float) -> None:
    assert rate in [round(found.low, 6) for found in quantities(text) if found.unit == "/day"]
