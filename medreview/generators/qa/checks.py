"""Whether a drafted item may be used: the rules of its type, its lengths, and its grounding in the passage.

Rules on words, numbers and quotes; what the text means is the reviewer's to judge. Where they err, a good draft is
asked for again, and no bad one gets through that they can tell.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from medreview.evidence.assess import Assessment, assess
from medreview.evidence.clashes import clashes
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.quantities import quantities
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.sentence_analysis import analyse, only_negated
from medreview.generators.ask import Checked
from medreview.generators.checks import numbers_missing, points_at_its_text, quote_codes, words
from medreview.generators.clashing_spans import clash
from medreview.generators.qa.reading import Draft, draft_of
from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.statements.sentences import sentence_spans
from medreview.text import Span
from medreview.units.qa_item import QAItem, faults, folded
from medreview.units.stored import NewPassage

_LONGEST: Final = 2_048 * 6
"""Characters of a whole answer: a token of English has four or five, a longer answer more than 2,048 tokens."""
_QUESTION: Final = (4, 60)
"""How many words a question or a statement has, at least and at most."""
MOST_WORDS: Final[Mapping[str, int]] = {"option": 25, "step": 60, "answer": 40, "flaw": 80}
"""How many words a part has at most."""
_MOST_PARTS: Final = 8
"""How many options, and how many steps."""
_SAID: Final = 0.6
"""Share of an answer's content words that the passage must have."""
_ABOUT: Final = 0.25
"""The same of the question."""


def check_item(kind: str, value: Mapping[str, Any], passage: NewPassage) -> Checked:
    """The codes of what is wrong with an item of a type, and the item, with the place of its first quote."""
    if len(json.dumps(value, ensure_ascii=False)) > _LONGEST:
        return Checked(("too_long",))
    draft = draft_of(kind, value, passage.passage_id)
    codes = dict.fromkeys(_codes(draft, passage.text))
    return Checked(tuple(codes), _placed(draft, passage.text))


def clashes_with(wrong: str, right: str, passage: str) -> bool:
    """Whether a wrong answer cannot be true together with the right one, or with the passage, as far as words tell.

    By a clash of the rules (an amount, a direction, a negation ...) or a number that neither has; else when each says
    something that the other does not, and the passage does not say the wrong one.
    """
    if numbers_missing(wrong, f"{passage}\n{right}"):
        return True
    sentences = (passage[slice(*span)] for span in sentence_spans(passage))
    if clash(wrong, right) or any(clashes(wrong, one) or clashes(one, wrong) for one in sentences):
        return True
    claimed, true = analyse(wrong), analyse(right)
    if not (claimed.content - true.content and true.content - claimed.content):
        return False
    return not _has_its_words(assess(wrong, SourceIndex(passage)))


def _codes(draft: Draft, passage: str) -> Iterator[str]:
    item = draft.item
    if not item.question:
        yield "no_question"
    if not (item.answers or item.wrong_answer):
        yield "no_answer"
    yield from (fault.code for fault in faults(item))
    yield from _form(item)
    for quote in draft.quotes or ("",):
        yield from quote_codes(quote, passage)
    if not _share_said(item.question, passage) >= _ABOUT:
        yield "not_about_passage"
    if item.type == "true_false":
        yield from _truth(item, draft.quotes, passage)
    else:
        yield from _answers(item, draft.quotes, passage)
    if item.type.startswith("multi_hop"):
        yield from _hops(draft, passage)
    if item.inverse:
        yield from _inverse(item, passage)


def _form(item: QAItem) -> Iterator[str]:
    asks = item.question.endswith("?")
    if item.type == "true_false":
        if asks:
            yield "statement_is_question"
        if any(word in ("true", "false") for word in folded(item.question).replace("(", " ").replace(")", " ").split()):
            yield "answer_in_question"
    elif not asks:
        yield "no_question_mark"
    if not _QUESTION[0] <= words(item.question) <= _QUESTION[1]:
        yield "question_length"
    if points_at_its_text(item.question):
        yield "points_at_text"
    if item.inverse and len(item.wrong_answer) > 3 and folded(item.wrong_answer) in folded(item.question):
        yield "wrong_answer_in_question"
    parts = {
        "option": [text for _, text in item.options],
        "step": [*item.steps, *item.wrong_steps],
        "answer": [*item.answers, item.wrong_answer],
        "flaw": [item.flaw],
    }
    for name, texts in parts.items():
        if any(words(text) > MOST_WORDS[name] for text in texts):
            yield f"{name}_length"
    if max(len(item.options), len(item.steps), len(item.wrong_steps)) > _MOST_PARTS:
        yield "too_many_parts"


def _truth(item: QAItem, quotes: tuple[str, ...], passage: str) -> Iterator[str]:
    """A statement against the passage: a true one may not clash with it, a false one may not stand in it."""
    if not any(_share_said(item.question, quote) for quote in quotes):
        yield "quote_off_topic"
    found = assess(item.question, SourceIndex(passage))
    if not item.answers or folded(item.answers[0]) == "false":
        if ground(item.question, passage).status in PROVEN_QUOTES or _is_said(item.question, found, passage):
            yield "false_but_in_passage"
        return
    if found.label == "contradicted":
        yield "true_but_contradicted"
    elif _share_said(item.question, passage) < _SAID:
        yield "true_but_not_in_passage"
    if numbers_missing(item.question, passage):
        yield "number_not_in_passage"


def _answers(item: QAItem, quotes: tuple[str, ...], passage: str) -> Iterator[str]:
    """Each answer's words and numbers stand in the passage; those of one short answer in its quote."""
    quoted = "\n".join(quotes)
    for answer in item.answers:
        if _share_said(answer, passage) < _SAID:
            yield "answer_not_in_passage"
        if numbers_missing(answer, passage):
            yield "number_not_in_passage"
        elif numbers_missing(answer, quoted):
            yield "number_not_in_quote"
        if not _share_said(answer, quoted) and not item.type.startswith("multi_hop"):
            yield "quote_off_topic"


def _hops(draft: Draft, passage: str) -> Iterator[str]:
    """Quotes from two sentences at least."""
    if len(_sentences_of(draft.quotes, passage)) < 2:
        yield "steps_cite_one_sentence"


def _inverse(item: QAItem, passage: str) -> Iterator[str]:
    right = item.answers[0] if item.answers else ""
    if item.wrong_answer and not clashes_with(item.wrong_answer, right, passage):
        yield "wrong_answer_fits"
    if not item.wrong_steps:
        yield "no_wrong_reasoning"
    elif set(map(folded, item.wrong_steps)) <= set(map(folded, item.steps)):
        yield "wrong_steps_are_right"
    flaw = analyse(item.flaw).content
    if flaw and not flaw & (analyse(item.wrong_answer).content | analyse("\n".join(item.wrong_steps)).content):
        yield "flaw_of_something_else"
    shown = folded(" ".join((item.question, *item.wrong_steps, item.wrong_answer)))
    if len(item.flaw) > 3 and folded(item.flaw) in shown:
        yield "flaw_given_away"


def _is_said(statement: str, found: Assessment, passage: str) -> bool:
    """Whether the passage says a statement, as far as words tell: neither or both of the two are negated."""
    return _has_its_words(found) and not only_negated(statement, passage[slice(*found.spans[0][:2])])


def _has_its_words(found: Assessment) -> bool:
    """Whether one sentence has most words of a statement and all its amounts, and none that clashes."""
    pair = found.features
    if pair is None or pair.clashes or pair.missing or pair.denied_finding:
        return False
    return pair.covered >= _SAID


def _share_said(text: str, within: str) -> float:
    """The share of a text's content words that another one has; without any, whether it stands there as it is."""
    content = analyse(text).content
    if not content:
        there = quantities(text) and not numbers_missing(text, within)
        return float(bool(there) or f" {folded(text)} " in f" {folded(within)} ")
    return len(content & _content(within)) / len(content)


def _content(text: str) -> frozenset[str]:
    return frozenset().union(*(analyse(text[slice(*span)]).content for span in sentence_spans(text)))


def _sentences_of(quotes: tuple[str, ...], passage: str) -> set[int]:
    """The numbers of the passage's sentences in which the quotes stand."""
    index, places = QuoteIndex(passage), sentence_spans(passage)
    spans = [span for quote in quotes for span in _first(quote, index)]
    return {at for at, place in enumerate(places) if any(place.overlap(span) for span in spans)}


def _first(quote: str, index: QuoteIndex) -> tuple[Span, ...]:
    found = ground(quote, index)
    return found.spans[:1] if found.status in SAME_WORDS else ()


def _placed(draft: Draft, passage: str) -> QAItem:
    span = next((span for quote in draft.quotes[:1] for span in _first(quote, QuoteIndex(passage))), None)
    return replace(draft.item, span=span)
