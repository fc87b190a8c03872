"""Whether a drafted QA item may be used: read from the model's output, the rules of its type, and its options.

Its lengths, its grounding in the passage, and whether wrong options are hard to tell from the right ones.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from medreview.evidence.assess import Assessment, assess
from medreview.evidence.clashes import clashes
from medreview.evidence.grounding import QuoteIndex, ground
from medreview.evidence.lexicon import names_medicine
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.quantities import quantities
from medreview.evidence.sentence_analysis import analyse, only_negated
from medreview.evidence.terms import STOP_WORDS, stem
from medreview.generators.answer_rules import clash, numbers_missing, points_at_its_text, quote_codes, words
from medreview.generators.generator import ValidatorResult
from medreview.generators.hallucinations import similarity
from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.statements.kinds import names_condition
from medreview.statements.sentences import sentence_spans
from medreview.text import Span
from medreview.units.qa import QAItem, faults, folded, spelled, with_letters
from medreview.units.stored import NewPassage

_MOST_LABELS: Final = 5
"""Around one text; more are not a model's slip."""
_FENCE: Final = re.compile(r"\A```[\w ]*\n?(.*?)\n?```\Z", re.DOTALL)
_LABEL: Final = re.compile(
    r"\A(?:[*_#>\s]*)(?:(?:correct|right|final|wrong|false|incorrect)\s)?"
    r"(?:(?:question|answer|statement|option|distractor|flaw|reasoning|step)(?:\s?(?:\d{1,2}|[A-H]))?|q|a"
    r"|true\sor\sfalse|t/f)[*_]{0,2}\s?[:.)–—-](?!\w)[*_]{0,2}\s*",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"\A[*_\s]*(?:\(?[A-Ha-h]\)|\(?\d{1,2}[.)]|[-*•])[*_]{0,2}\s+(?=\S)")
_LETTER_AND_POINT: Final = re.compile(r"\s*([A-Ha-h])\.\s+(?=\S)")
_LETTER_ALONE: Final = re.compile(r"\(?([A-Ha-h])[.)]")
_BOLD: Final = re.compile(r"\A(\*\*|__|[*_`\"“])(.+?)(\*\*|__|[*_`\"”])\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DraftItem:
    """An item as it was written, and the quotes that it rests on."""

    item: QAItem
    quotes: tuple[str, ...]


def draft_of(kind: str, value: Mapping[str, Any], passage_id: str) -> DraftItem:
    """The item of a type in an answer that satisfies the schema of its prompt: labels, letters and fences taken off."""
    options = with_letters(clean_list(value.get("options", ())))
    answers = [clean(_unlettered(answer, options)) for answer in value.get("answers", [value.get("answer", "")])]
    if kind == "true_false":
        answers = [answer.capitalize() for answer in answers]
    wrong = value.get("wrong_steps") or [value.get("wrong_reasoning", "")]
    item = QAItem(
        type=kind,
        question=clean(value["statement"] if kind == "true_false" else value["question"]),
        options=options,
        answers=tuple(dict.fromkeys(spelled(answer, options) for answer in answers if answer)),
        steps=clean_list(value.get("steps", ())),
        wrong_answer=clean(value.get("wrong_answer", "")),
        wrong_steps=clean_list(wrong),
        flaw=clean(value.get("flaw", "")),
        passage=passage_id,
    )
    quotes = value["quotes"] if "quotes" in value else [value["quote"]]
    return DraftItem(item, tuple(quote.strip() for quote in quotes))


def clean(text: str) -> str:
    """A text on one line without what a model puts around it: a code fence, ``Answer:``, ``B)``, ``**``."""
    found = _FENCE.sub(r"\1", text.strip())
    for _ in range(_MOST_LABELS):
        bare = _LABEL.sub("", _LETTER.sub("", " ".join(found.split()), count=1), count=1)
        inner = _BOLD.fullmatch(bare)
        bare = inner[2].strip() if inner and inner[1] not in inner[2] else bare
        if alone := _LETTER_ALONE.fullmatch(bare):
            return alone[1]
        if bare == found:
            break
        found = bare
    return found


def clean_list(texts: Sequence[str]) -> tuple[str, ...]:
    """Each of some texts, cleaned; empty ones are left out. Letters with a point go where they count all of them:
    ``E. coli`` alone is a name."""
    found = [_LETTER_AND_POINT.match(text) for text in texts]
    if texts and [one and one[1].upper() for one in found] == [letter for letter, _ in with_letters(texts)]:
        texts = [text[one.end() :] for text, one in zip(texts, found, strict=True) if one]
    return tuple(filter(None, map(clean, texts)))


def _unlettered(answer: str, options: Sequence[tuple[str, str]]) -> str:
    """An answer without the letter of its option and a point before it."""
    found = _LETTER_AND_POINT.match(answer)
    bare = answer[found.end() :] if found else answer
    return bare if folded(bare) in [folded(text) for _, text in options] else answer


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


def check_item(kind: str, value: Mapping[str, Any], passage: NewPassage) -> ValidatorResult:
    """The codes of what is wrong with an item of a type, and the item, with the place of its first quote."""
    if len(json.dumps(value, ensure_ascii=False)) > _LONGEST:
        return ValidatorResult(("too_long",))
    draft = draft_of(kind, value, passage.passage_id)
    codes = dict.fromkeys(_codes(draft, passage.text))
    return ValidatorResult(tuple(codes), _placed(draft, passage.text))


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


def _codes(draft: DraftItem, passage: str) -> Iterator[str]:
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


def _hops(draft: DraftItem, passage: str) -> Iterator[str]:
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


def _placed(draft: DraftItem, passage: str) -> QAItem:
    span = next((span for quote in draft.quotes[:1] for span in _first(quote, QuoteIndex(passage))), None)
    return replace(draft.item, span=span)


LIKENESS: Final = (0.4, 0.9)
"""How alike a wrong option is to the right one nearest to it, by its characters (Indel similarity, 0..1)."""
_MOST_REPLACEMENTS: Final = 20
"""Of those that a model writes so many are looked at."""
_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_NUMERAL: Final = re.compile(r"\d.*|[ivxlcdm]+|[a-k]")
_WORD: Final = re.compile(r"[^\W\d_]+")


def weak_options(item: QAItem, passage: str) -> list[str]:
    """The wrong options of an item that are too far from the right ones or too near, of another class, or not wrong."""
    return [text for _, text in item.options if not _is_right(text, item) and any(_option_codes(text, item, passage))]


def check_replacements(value: Mapping[str, Any], item: QAItem, weak: Sequence[str], passage: str) -> ValidatorResult:
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
        return ValidatorResult(tuple(codes) or ("few_distractors",))
    new = dict(zip(weak, good, strict=False))
    return ValidatorResult((), replace(item, options=with_letters(new.get(text, text) for _, text in item.options)))


def _faults(text: str, taken: Collection[str], item: QAItem, passage: str) -> list[str]:
    if words(text) > MOST_WORDS["option"]:
        return ["option_length"]
    return ["option_twice"] if folded(text) in taken else list(_option_codes(text, item, passage))


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


def _option_codes(option: str, item: QAItem, passage: str) -> Iterator[str]:
    nearest = max((likeness(option, answer) for answer in item.answers), default=0.0)
    if nearest < LIKENESS[0]:
        yield "distractor_too_far"
    if any(likeness(option, answer) > LIKENESS[1] and not _other_numeral(option, answer) for answer in item.answers):
        yield "distractor_too_near"
    if class_of(option) not in {class_of(answer) for answer in item.answers}:
        yield "distractor_of_other_class"
    if _is_option_said(option, passage):
        yield "distractor_in_passage"


def _other_numeral(one: str, other: str) -> bool:
    """Whether two options differ in a number or numeral only, as ``Factor V`` and ``Factor VII`` do."""
    differ = set(_TOKEN.findall(one.casefold())) ^ set(_TOKEN.findall(other.casefold()))
    return bool(differ) and all(map(_NUMERAL.fullmatch, differ))


def _is_right(option: str, item: QAItem) -> bool:
    return folded(option) in map(folded, item.answers)


def _is_option_said(option: str, passage: str) -> bool:
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
