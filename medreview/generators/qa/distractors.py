"""Whether the wrong options of a question are hard to tell from the right ones, and other options in their place."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from medreview.evidence.drug_names import names_medicine
from medreview.evidence.quantities import quantities
from medreview.evidence.terms import STOP_WORDS, stem
from medreview.generators.ask import Checked
from medreview.generators.checks import numbers_missing, words
from medreview.generators.hallucination_checks import similarity
from medreview.generators.qa.checks import MOST_WORDS
from medreview.generators.qa.reading import clean_list
from medreview.statements.content import names_condition
from medreview.statements.sentences import sentence_spans
from medreview.units.qa_item import QAItem, folded, with_letters

LIKENESS: Final = (0.4, 0.9)
"""How alike a wrong option is to the right one nearest to it, by its characters (Indel similarity, 0..1)."""
_MOST_REPLACEMENTS: Final = 20
"""Of those that a model writes so many are looked at."""
_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_NUMERAL: Final = re.compile(r"\d.*|[ivxlcdm]+|[a-k]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def weak_options(item: QAItem, passage: str) -> list[str]:
    """The wrong options of an item that are too far from the right ones or too near, of another class, or not wrong."""
    return [text for _, text in item.options if not _is_right(text, item) and any(_codes(text, item, passage))]


def check_replacements(value: Mapping[str, Any], item: QAItem, weak: Sequence[str], passage: str) -> Checked:
    """The item with the first new options that will do in the place of its weak ones; codes where there are too few."""
    good: list[str] = []
    taken = {folded(text) for _, text in item.options}
    codes: dict[str, None] = {}
    for text in clean_list(value["replacements"][:_MOST_REPLACEMENTS]):
        found = _faults(text, taken, item, passage)
        if not found:
            good.append(text)
            taken.add(folded(text))
        codes |= dict.fromkeys(found)
    if len(good) < len(weak):
        return Checked(tuple(codes) or ("few_distractors",))
    new = dict(zip(weak, good, strict=False))
    return Checked((), replace(item, options=with_letters(new.get(text, text) for _, text in item.options)))


def _faults(text: str, taken: Collection[str], item: QAItem, passage: str) -> list[str]:
    if words(text) > MOST_WORDS["option"]:
        return ["option_length"]
    return ["option_twice"] if folded(text) in taken else list(_codes(text, item, passage))


def likeness(one: str, other: str) -> float:
    """How alike two options are by their characters, 0..1, whatever their case."""
    return similarity(folded(one), folded(other))


def class_of(option: str) -> str:
    """What kind of thing an option is, as far as words tell: an amount by its unit, a number, a medicine, a condition,
    else ``text``."""
    amounts = quantities(option)
    if amounts:
        return f"amount in {amounts[0].unit}" if amounts[0].unit else "number"
    found = _WORD.findall(option.casefold())
    if any(map(names_medicine, found)):
        return "medicine"
    return "condition" if found and names_condition(found[-1]) else "text"


def _codes(option: str, item: QAItem, passage: str) -> Iterator[str]:
    nearest = max((likeness(option, answer) for answer in item.answers), default=0.0)
    if nearest < LIKENESS[0]:
        yield "distractor_too_far"
    if any(likeness(option, answer) > LIKENESS[1] and not _other_numeral(option, answer) for answer in item.answers):
        yield "distractor_too_near"
    if class_of(option) not in {class_of(answer) for answer in item.answers}:
        yield "distractor_of_other_class"
    if _is_said(option, passage):
        yield "distractor_in_passage"


def _other_numeral(one: str, other: str) -> bool:
    """Whether two options differ in a number or numeral only, as ``Factor V`` and ``Factor VII`` do."""
    differ = set(_TOKEN.findall(one.casefold())) ^ set(_TOKEN.findall(other.casefold()))
    return bool(differ) and all(map(_NUMERAL.fullmatch, differ))


def _is_right(option: str, item: QAItem) -> bool:
    return folded(option) in map(folded, item.answers)


def _is_said(option: str, passage: str) -> bool:
    """Whether one sentence of the passage has all of an option's words and amounts: then it may well be right."""
    amounts = quantities(option)
    within = {at for one in amounts for at in range(one.start, one.end)}
    wanted = _stems("".join(" " if at in within else char for at, char in enumerate(option)))
    if not (wanted or amounts):
        return False
    sentences = (passage[slice(*span)] for span in sentence_spans(passage))
    return any(wanted <= _stems(one) and not numbers_missing(option, one) for one in sentences)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS)
