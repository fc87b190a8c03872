"""What a text says and another lacks, of the things that decide: numbers, units, medicines, negations.

Compared are amounts (0.5 g is 500 mg), numbers in figures and letters, medicines by the lists and word endings of the
program and by their synonyms, and words that negate. A class of medicines (antibiotics, a vaccine) is no medicine. It
cannot tell a medicine whose name neither has a known end nor is listed, nor what the words mean together.
"""

import re
from collections.abc import Iterator
from math import isclose
from typing import Final

from medreview.evidence.alignment import tokens
from medreview.evidence.drug_names import names_medicine
from medreview.evidence.function_words import word_set
from medreview.evidence.lexicon import is_negation, negated_forms
from medreview.evidence.meaning_words import meaning_words
from medreview.evidence.quantities import Quantity
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.statements.content import names_drug

NUMBER: Final = "number_not_in_quote"
UNIT: Final = "unit_not_in_quote"
MEDICINE: Final = "drug_not_in_quote"
NEGATION: Final = "negation_not_in_quote"
_WITHOUT_STEM: Final = word_set(
    "adrenaline epinephrine codeine allopurinol valproate naloxone nitroglycerin albumin iron calcium potassium oxygen"
)
_CLASS: Final = re.compile(
    "anti|vaccin|vitamin|hormon|contracepti|steroid|corticosteroid|painkill|analges|opioid|opiate|diuretic|inhibitor"
    "|sedativ|laxativ|immunoglob"
)
"""How words for a kind of medicine begin."""


def lacking(text: str, quote: str) -> tuple[str, ...]:
    """The codes of what the text says and the quote lacks, each once; empty when the quote has all of it."""
    said, given = SentenceAnalysis(text), SentenceAnalysis(quote)
    return tuple(dict.fromkeys((*_amounts(said, given), *_medicines(said, given), *_negations(said, given))))


def numbers_of(text: str) -> set[str]:
    """The numbers of a text by their value, in figures or letters, without those that number the items of a list."""
    words = meaning_words(tokens(text), text)
    return {form for word in words for form in word.forms if form.startswith("#")}


def _amounts(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    for amount in said.quantities:
        if not any(_same(amount, other) for other in given.quantities):
            yield UNIT if any(_same_number(amount, other) for other in given.quantities) else NUMBER
    known = numbers_of(given.text)
    for word in meaning_words(tokens(said.text), said.text):
        within = any(amount.start < word.token.end and word.token.start < amount.end for amount in said.quantities)
        if not within and any(form.startswith("#") for form in word.forms) and not word.forms & known:
            yield NUMBER


def _same(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are one; a bound in one direction is not one in the other."""
    if {one.sign[0], other.sign[0]} == {"<", ">"}:
        return False
    return one.equals(other) or one.restates(other) or _is_end_of(one, other)


def _is_end_of(one: Quantity, other: Quantity) -> bool:
    """Whether an amount is one end of a range, be it without its unit: age 50, of 50 to 75 years."""
    if one.is_range or not other.is_range or one.unit not in ("", other.unit):
        return False
    factor = other.number / other.low if other.low and not one.unit else 1.0
    return any(isclose(one.low, end * factor, rel_tol=1e-6) for end in (other.low, other.high))


def _same_number(one: Quantity, other: Quantity) -> bool:
    return one.unit != other.unit and bool(one.unit) and one.number == other.number


def _medicines(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    known = {word.term for word in given.words}
    if any(_is_medicine(word.key) and word.term not in known for word in said.words):
        yield MEDICINE


def _is_medicine(word: str) -> bool:
    listed = names_medicine(word) or word in _WITHOUT_STEM
    return listed or (len(word) > 3 and names_drug(word) and not _CLASS.match(word))


def _negations(said: SentenceAnalysis, given: SentenceAnalysis) -> Iterator[str]:
    if any(map(is_negation, said.keys)) and not any(map(is_negation, given.keys)):
        yield NEGATION
    for word in said.words:
        if word.is_content and word.key not in given.keys and negated_forms(word.key) & given.keys:
            yield NEGATION
