"""The glossary has every word of a list that the screens print, and fits every width."""

import re

import pytest

from medreview.labels import EVIDENCE, FLAGS, PAGE_STATES, QUOTE_STATUSES, quote_doubt_words
from medreview.review.cell_width import width
from medreview.review.glossary import GLOSSARY, page
from medreview.review.judge_words import passage_words, state_words
from medreview.review.why_flagged import every_reason
from medreview.units.kind import DocumentPassage

NAMES = {name.strip() for term in GLOSSARY for name in (term.name, *term.name.split(","))}


@pytest.mark.parametrize(
    "word", [*map(state_words, (*PAGE_STATES, "not fetched")), *(label.name for label in EVIDENCE)]
)
def test_every_state_of_a_page_and_every_verdict_is_explained(word: str) -> None:
    assert word in NAMES


def test_every_reason_for_a_flag_is_explained() -> None:
    assert {reason.short for reason in every_reason()} <= NAMES


def test_a_verdict_means_what_the_key_says() -> None:
    told = {term.name: term.meaning for term in GLOSSARY}
    assert {"dispute", "badly parsed"} <= {*told, *(flag.name for flag in FLAGS)}
    for label in EVIDENCE[:-1]:
        assert told[label.name] == label.definition.replace("The source", "The page")


def test_no_term_stands_twice_and_none_takes_more_than_three_sentences() -> None:
    assert len({term.name.casefold() for term in GLOSSARY}) == len(GLOSSARY)
    for term in GLOSSARY:
        assert term.meaning.endswith((".", "?")), term
        assert len(re.findall(r"[.?](?= [A-Z]|$)", term.meaning)) <= 3, term


@pytest.mark.parametrize("columns", [30, 57, 60, 77, 160])
def test_the_page_fits_its_columns_and_loses_no_word(columns: int) -> None:
    text = page(columns)
    assert max(map(width, text.split("\n"))) <= columns
    shown = text.split()
    for term in GLOSSARY:
        assert set(term.meaning.replace("`", "").split()) <= set(shown)


@pytest.mark.parametrize("status", [*QUOTE_STATUSES, "off_topic", "hidden"])
def test_what_a_quote_is_worth_is_explained_in_the_words_of_the_card(status: str) -> None:
    passage = DocumentPassage("page", "words", status if status in QUOTE_STATUSES else "exact")
    said = passage_words(passage._replace(doubt=quote_doubt_words(status)))
    assert said.casefold() in NAMES or said == "no quote"
