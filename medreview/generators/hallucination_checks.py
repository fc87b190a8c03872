"""Whether an answer with a planted hallucination may be used, by its type (MedHalu section 2.2; the rules are ours).

Any type: an answer of its own on what was asked, spans that stand in it word for word, under .95 alike to the correct
answer, and no word that gives it away. ``fact``: a span that the correct answer does not entail. ``context``: two spans
that clash within the answer, and the rest of the correct answer kept. ``input``: words of the question are absent, and
a span speaks of what neither question nor correct answer do.

What the correct answer entails is told by the offline rules (``medreview.evidence.assess``): the span's own words, or
all of its content words, most of them in one sentence, with its amounts, and without a clash with any sentence. They
can tell that a span brings another amount, another medicine or another direction. They cannot tell a paraphrase in
other words from something that is not said, nor whether a span that says more is false: that is for the reviewer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.evidence.assess import assess
from medreview.evidence.grounding import ground
from medreview.evidence.ranking import SourceIndex
from medreview.evidence.segment import segment
from medreview.evidence.sentence_analysis import analyse
from medreview.generators.clashing_spans import any_clash, clash
from medreview.labels import PROVEN_QUOTES, SAME_WORDS
from medreview.text import Span

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
