"""Answers with a planted hallucination of a known type, answers with none, and the rules for both (MedHalu, 2.2).

The rules (:func:`hallucination_faults`) are ours. Any type: an answer of its own on what was asked, spans that stand in
it word for word, under .95 alike to the correct answer, and no word that gives it away. ``fact``: a span that the
correct answer does not entail. ``context``: two spans that clash within the answer, and the rest of the correct answer
kept. ``input``: words of the question are absent, and a span speaks of what neither question nor correct answer do.

The offline rules (``medreview.evidence.assess``) find what the correct answer entails: the span's own words, or all of
its content words, most of them in one sentence, with its amounts, and without a clash with any sentence. They detect
another amount, another medicine or another direction in a span. They cannot distinguish a paraphrase in other words
from something that is not said. The reviewer decides whether a span that says more is false.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from medreview.errors import UserError
from medreview.evidence.assess import assess
from medreview.evidence.grounding import ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.segment import segment
from medreview.evidence.sentence_analysis import analyse
from medreview.exchange.imports.answer_records import AnswerRecord, response_row
from medreview.generators.answer_rules import any_clash, clash
from medreview.generators.correct_answers import (
    MADE,
    NONE,
    PLANTED,
    AnsweredQuestion,
    answered_questions,
    dealt,
)
from medreview.generators.generator import Generator, InputResult, Item, ModelQuestion, ValidatorResult, Work
from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.llm.settings import JudgeSettings
from medreview.study import Study
from medreview.study.ids import content_id, unit_id
from medreview.text import Span, normalise_newlines
from medreview.units.kind import Gold
from medreview.units.new_units import ImportRecord

MOST_ALIKE: Final = 0.95
"""Similarity to the correct answer from which on an answer is that (similarity of Indel, by characters)."""
LEAST_ABSENT: Final = 1 / 3
"""Share of the question's content words that an answer to something else must lack."""
MOST_LONGER: Final = 3
"""Times the length of the correct answer, or of 200 characters where that is shorter."""

_TELLING: Final = re.compile(
    r"\b(?:hallucinat\w*|incorrect\w*|inaccura\w+|fabricat\w+|fictitious|made[- ]up|untrue|falsehood|misinform\w*"
    r"|false (?:answer|claim|statement|information)|(?:correct|wrong|right|reference|original) answer"
    r"|(?:fact|input|context)[- ]conflicting)\b",
    re.IGNORECASE,
)


def hallucination_faults(kind: str, value: Mapping[str, Any], question: str, correct: str) -> tuple[str, ...]:
    """The validation codes of one answer of a type, each once; empty when it can be used."""
    return tuple(dict.fromkeys(_faults(kind, value, question, correct)))


def planted_spans(value: Mapping[str, Any]) -> list[Span]:
    """The place of each span that stands in the answer word for word: the first that no span before it has."""
    text, found = value["answer"].strip(), list[Span]()
    for words in (span.strip() for span in value["spans"]):
        places = [Span(at, at + len(words)) for at in _places(words, text)]
        free = (place for place in places if not any(place.overlap(other) for other in found))
        found += [place for place in [next(free, None) or next(iter(places), None)] if place]
    return found


def similarity(one: str, other: str) -> float:
    """How alike two texts are by their characters, 0..1, whatever their case and white space."""
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity(_plain(one), _plain(other))


def entails(text: str, span: str) -> bool:
    """Whether a text says what a span says, as far as rules on words can tell: sentence by sentence of the span."""
    if ground(span, text).status in SAME_WORDS:
        return True
    index = SourceIndex(text)
    return all(_is_said(span[passage.start : passage.end], index) for passage in segment(span))


def _faults(kind: str, value: Mapping[str, Any], question: str, correct: str) -> Iterator[str]:
    text, words = value["answer"].strip(), [span.strip() for span in value["spans"]]
    if not text:
        yield "empty"
        return
    if not value["how"].strip():
        yield "no_explanation"
    if similarity(text, correct) >= MOST_ALIKE:
        yield "correct_answer_again"
    if similarity(text, question) >= MOST_ALIKE:
        yield "question_again"
    if len(text) > MOST_LONGER * max(200, len(correct)):
        yield "too_long"
    own = {found.casefold() for found in _TELLING.findall(f"{question} {correct}")}
    if any(found.casefold() not in own for found in _TELLING.findall(text)):
        yield "gives_itself_away"
    spans = planted_spans(value)
    if not words:
        yield "no_span"
    elif len(spans) < len(words):
        yield "span_not_in_answer"
    else:
        yield from _OF_TYPE[kind](text, spans, question, correct)


def _fact(text: str, spans: Sequence[Span], question: str, correct: str) -> Iterator[str]:
    if all(entails(correct, text[span.start : span.end]) for span in spans):
        yield "entailed_by_correct_answer"


def _input(text: str, spans: Sequence[Span], question: str, correct: str) -> Iterator[str]:
    asked = analyse(question).content
    if asked and len(asked - analyse(text).content) < LEAST_ABSENT * len(asked):
        yield "keeps_to_question"
    known = asked | analyse(correct).content
    if not any(analyse(text[span.start : span.end]).content - known for span in spans):
        yield "nothing_else_named"


def _context(text: str, spans: Sequence[Span], question: str, correct: str) -> Iterator[str]:
    if not any_clash(text, list(spans)):
        yield "no_clash_within"
    sentences = [correct[passage.start : passage.end] for passage in segment(correct)]
    lost = sum(not _stands_in(sentence, text) for sentence in sentences)
    if lost > (1 if len(sentences) > 1 else 0):
        yield "rest_not_kept"


_OF_TYPE: Final = {"fact": _fact, "input": _input, "context": _context}


def _places(words: str, text: str) -> Iterator[int]:
    at = text.find(words) if words else -1
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_said(sentence: str, index: SourceIndex) -> bool:
    if analyse(sentence).content - analyse(index.text).content or assess(sentence, index).label != "supported":
        return False
    return not any(clash(sentence, index.text[passage.start : passage.end]) for passage in index.passages)


def _stands_in(sentence: str, text: str) -> bool:
    status = ground(sentence, text).status
    return status in PROVEN_QUOTES or (status == "too_short" and sentence.casefold().strip(" .") in text.casefold())


ALL: Final = "all"
CHOICES: Final = (*PLANTED, NONE, ALL)
_PROMPTS: Final = {kind: f"hallucination_{kind}" for kind in PLANTED}
_KEEPING: Final = ("copy_of_input",)
"""An answer that contradicts itself keeps the correct one, however long that is."""
_AXIS: Final = "hallucination"
_TARGET: Final = "response"


class Hallucinations(Generator):
    """``generate hallucinations``: the inputs are questions with a known correct answer; each product is a response of
    the model ``NAME/halu``, with its type and spans as the hidden right label of the unit ``answer:RESPONSE``.

    ``kind`` is one type for all of them, or ``all``: the types are dealt by ``seed``. For ``none`` the answer is the
    correct one itself, and nothing is asked.
    """

    name = "hallucinations"
    noun = "question"
    mixed = True
    prompt_names: ClassVar[tuple[str, ...]] = tuple(_PROMPTS.values())
    deviations: ClassVar[tuple[str, ...]] = (
        "each type has a definition and an example of its own; the paper gives the same example for fact and input.",
        "an input-conflicting answer departs from the question; in the paper's prompt also from the correct answer.",
        "an answer is kept only when it does what its type says, as far as rules can tell; the paper kept all.",
        "its correct answers stand unchanged as answers of the type none; the paper does not say what its 538 are.",
    )

    def __init__(
        self, study: Study, model: JudgeSettings, prompts: Path | None = None, kind: str = ALL, seed: int = 1
    ) -> None:
        """Raises also for a type that there is not."""
        super().__init__(study, model, prompts)
        if kind not in CHOICES:
            raise UserError(f"There is no type {kind!r}; there are {', '.join(CHOICES)}.")
        self._kind, self._seed = kind, seed
        asked = answered_questions(study.reader)
        kinds = dealt(asked, seed) if kind == ALL else [kind] * len(asked)
        self._inputs = {
            content_id("q", one.question, one.correct, of): (one, of) for one, of in zip(asked, kinds, strict=True)
        }

    @property
    def options(self) -> Mapping[str, Any]:
        """Type and seed."""
        return {"type": self._kind} | ({"seed": self._seed} if self._kind == ALL else {})

    @property
    def planned(self) -> list[tuple[str, str]]:
        """(data set, type) of each input."""
        return [(one.origin, kind) for one, kind in self._inputs.values()]

    def items(self) -> Sequence[Item]:
        """The questions, in the order in which their correct answers came."""
        return [Item(item_id, one.name) for item_id, (one, _) in self._inputs.items()]

    def steps(self, item: Item) -> int:
        """One, and none where the correct answer is taken."""
        return int(self._inputs[item.item_id][1] != NONE)

    def work(self, item: Item) -> Work:
        """One answer of the model, or none."""
        one, kind = self._inputs[item.item_id]
        report = {"origin": one.origin, "type": kind}
        if kind == NONE:
            return InputResult(planted(one, kind, None, self.model.name), report=report)
        prompt = self.prompts[_PROMPTS[kind]]
        texts = {"question": one.question, "correct_answer": one.correct}

        def check(value: Mapping[str, Any]) -> ValidatorResult:
            given = {name: _plain_value(value[name]) for name in ("answer", "spans", "how")}
            return ValidatorResult(hallucination_faults(kind, given, one.question, one.correct), given)

        ask = ModelQuestion("answer", prompt, texts, check, allowed=_KEEPING if kind == "context" else ())
        made = yield from self.put(ask, report)
        return InputResult(planted(one, kind, made, self.model.name), report=report)


def planted(one: AnsweredQuestion, kind: str, value: Mapping[str, Any] | None, model: str) -> ImportRecord:
    """The response with its hidden type and spans; without ``value`` it is the correct answer.

    Nothing in the response shows the type, so that no judge that is asked about it can know it.
    """
    record = AnswerRecord(
        line=0,
        question=one.question,
        response=value["answer"].strip() if value else one.correct,
        citations=(),
        model=f"{model}{MADE}",
        origin=one.origin,
        record_id=one.record_id,
    )
    spans = tuple((_TARGET, span, kind) for span in planted_spans(value)) if value else ()
    gold = Gold(_AXIS, kind, spans, why=value["how"].strip() if value else "")
    unit = unit_id("answer", response_row(record, "")["response_id"])
    return ImportRecord(answers=(record,), references=((one.question, one.correct),), gold=((unit, gold),))


def _plain_value(value: Any) -> Any:
    return [normalise_newlines(each) for each in value] if isinstance(value, list) else normalise_newlines(value)
