"""What a quotation loses by beginning too late or ending too early: ``Zinc helps colds`` of ``It is unclear whether
zinc helps colds``, ``placebo did`` of ``placebo did not``."""

import re
from typing import Final

from medreview.evidence.alignment import Token, tokens
from medreview.evidence.clashes.prefixes import CONTRARY
from medreview.evidence.differences import SENTENCE_END, Difference
from medreview.evidence.function_words import (
    FINITE,
    FINITE_AUXILIARIES,
    HARMLESS,
    PREPOSITIONS,
    RESTRICTING,
    word_set,
)
from medreview.evidence.lexicon import VERB_NEGATIONS, is_negation
from medreview.evidence.normalise import INVISIBLE
from medreview.evidence.omissions import CLAUSE
from medreview.text import Span

_PREFIX: Final = re.compile(
    rf"(?<![^\W_])(?P<prefix>{'|'.join(sorted({'non', 'anti', 'un', 'pseudo', 'co', 'sub'}.union(*CONTRARY)))})"
    r"[-\u2010\u2011\u2013]$",
    re.IGNORECASE,
)
"""A prefix that changes what the word says that it is joined to; a longer dash sets words apart."""
_LONGEST_PREFIX: Final = 12
_FURTHEST: Final = 120
"""In code points; how far before a quotation what takes it back is looked for."""
_LONGEST_END: Final = 40
_WITHIN_PHRASE: Final = 3
"""Words that may stand between a negation and the word that it belongs to."""
_BEFORE_NOUN: Final = HARMLESS - FINITE - PREPOSITIONS - {"that", "which", "who", "whom", "whose"} | word_set(
    "of to significant clinical relevant major serious severe such other further additional new single clear obvious"
    " more"
)
"""Words that may stand there, beside adverbs."""
_OR_NOT: Final = re.compile(r"\b(?:or|with\s+and)\s+$", re.IGNORECASE)
"""Before a negation that leaves both open: ``whether or not``, ``with or without``."""
_BARE: Final = re.compile(rf"[\s\"'“”‘’()\[\]*_{INVISIBLE}]*")
"""What may stand between a word and the one that it belongs to."""
_ASIDE: Final = re.compile(r",(?:[^,.;:]*,)?")
_FOR_ITSELF: Final = re.compile(rf"(?:{'|'.join(sorted(PREPOSITIONS))}|after|before)\b|{CLAUSE.pattern}", re.IGNORECASE)
"""The beginning of what says something for itself behind a denied verb."""

_CONDITIONS: Final = word_set("whether if")
"""Words before a clause that is not said to be true."""
_DOUBTS: Final = word_set(
    """
    unclear uncertain unknown unproven unlikely doubtful untrue false wrong incorrect myth misconception doubt question
    insufficient unsure debated disputed controversial
    """
)
_NEAR: Final = 6
"""In words; how far a doubt stands from the ``that`` of what is doubted."""
_LITTLE: Final = word_set("few little hardly scarcely barely rarely seldom")
"""Words that are nearly a negation, unless an article stands before them, or they are a surname."""
_WITHOUT: Final = _LITTLE | word_set("no without none neither nor lack absence")
"""Negations of the noun behind them."""
_OF_CLAUSE: Final = (_WITHOUT - {"without"}) | word_set("not never nobody nothing")
"""Negations that, at the head of a sentence, deny its clause."""
_PROOF: Final = word_set("evidence proof indication reason suggestion data study studies trial trials")
"""What shows that something is so; without it, it is not shown."""
_AFFIRMED: Final = _DOUBTS | word_set(
    """
    surprising surprise forget overlook overlooked ignore ignored deny
    denied secret only
    """
)
"""Words whose negation says that something is so."""
_ENDS_DENIAL: Final = _AFFIRMED | (FINITE - FINITE_AUXILIARIES)
"""Words behind which the negation of a sentence's head denies nothing more."""


def cut(quote: str, text: str, span: Span, *, goes_on: bool = False) -> Difference | None:
    """What stands right before or behind a passage and takes back what a quotation of it says; ``None`` for nothing.

    ``goes_on``: the quotation has words of its own behind the passage, in place of what stands there.
    """
    return _cut_beginning(quote, text, span) or _cut_end(quote, text, span, goes_on)


def _cut_beginning(quote: str, text: str, span: Span) -> Difference | None:
    """What a quotation loses that begins later: a prefix of its first word (``ST-elevation`` of ``non-ST-elevation``),
    or what its sentence says of it (``Give`` of ``Do not give``).

    A quotation that begins in the middle of a sentence, and shows that by a small letter, may leave out what its
    sentence says before, but not the negation of its first words.
    """
    prefix = _PREFIX.search(text, max(0, span.start - _LONGEST_PREFIX), span.start)
    if prefix:
        return Difference("word", Span(0, 0), Span(*prefix.span("prefix")))
    start = span.end - len(text[span.start : span.end].lstrip(", "))
    begin = max(0, start - _FURTHEST)
    *_, begin = (begin, *(match.end() for match in SENTENCE_END.finditer(text, begin, start)))
    before = [Token(t.key, t.start + begin, t.end + begin) for t in tokens(text[begin:start])]
    if not before:
        return None
    gap = text[before[-1].end : start]
    # A name keeps its capital within a sentence, but so begin the lines of a list and the cells of a table.
    if not text[start].islower() and gap.removeprefix(",") != " ":
        return None
    taken = _of_clause(before, text, start)
    if not taken and _BARE.fullmatch(gap):
        opening = next((char for char in quote if char.isalnum()), "")
        taken = _negation(before, text, start) or (_taken(before, text) if opening.isupper() else None)
    return Difference("negation", Span(0, 0), Span(taken.start, taken.end)) if taken else None


def _cut_end(quote: str, text: str, span: Span, goes_on: bool) -> Difference | None:
    """The negation that a quotation loses that ends before it, where either ends the sentence there: ``Placebo did`` of
    ``Placebo did not.``, ``It was seen.`` of ``It was seen in none.``; or that it has another word for."""
    behind = text[span.end : span.end + _LONGEST_END]
    following = tokens(behind)[:2]
    if not following or behind[: following[0].start].strip():
        return None
    if not is_negation(following[0].key) and following[0].key not in _LITTLE:
        return None
    if SENTENCE_END.search(text, max(span.start, span.end - 3), span.end + following[0].end):
        return None
    rest = behind[following[0].end : following[1].start if len(following) > 1 else None]
    at = len(quote.rstrip())
    if not goes_on and not quote[:at].endswith((".", "!", "?")) and not SENTENCE_END.match(rest + "\n\n"):
        return None
    return Difference("negation", Span(at, at), Span(span.end + following[0].start, span.end + following[0].end))


def _negation(before: list[Token], text: str, start: int) -> Token | None:
    """The negation of the phrase that a passage begins with, of its sentence's words before it: ``No`` of ``No
    clinically relevant``, ``None`` of ``None of the``; ``None`` if there is none.

    Only what may stand between a negation and its noun may stand between the two.
    """
    end = start
    for at in range(len(before) - 1, max(-1, len(before) - 2 - _WITHIN_PHRASE), -1):
        word = before[at]
        if not _BARE.fullmatch(text, word.end, end):
            return None
        if is_negation(word.key):
            return None if _OR_NOT.search(text, max(0, word.start - 20), word.start) else word
        if word.key in _LITTLE:
            return None if _is_some(before, at, text) else word
        if not (word.key.endswith("ly") or word.key in _BEFORE_NOUN):
            return None
        end = word.start
    return None


def _is_some(words: list[Token], at: int, text: str) -> bool:
    """Whether ``few`` or its like is no negation: ``a few``, or the surname ``Little``, with no border but a comma
    before it."""
    if not at:
        return False
    named = text[words[at].start].isupper() and not text[words[at - 1].end : words[at].start].strip(" ,")
    return named or words[at - 1].key in ("a", "the", "these", "only")


def _of_clause(before: list[Token], text: str, start: int) -> Token | None:
    """The negation that a sentence begins with, where a passage begins in the clause that it denies: ``Rarely`` of
    ``Rarely, zinc``, ``Nor`` of ``Nor does daily zinc``, ``Few`` of ``Few in vitro trials``; ``None`` for no such.

    An aside may stand behind it (``Few, if any, trials``). What stands behind a verb, or begins with a preposition or
    another clause, may be said for itself.
    """
    at = next((at for at, word in enumerate(before) if word.key not in _BEFORE_NOUN), len(before))
    if at == len(before) or before[at].key not in _OF_CLAUSE or _is_some(before, at, text):
        return None
    head, edge = before[at], before[at].end
    aside = _ASIDE.match(text, edge, start)
    if aside and head.key != "no":
        edge = aside.end()
    words = [word.key for word in before[at + 1 :] if word.start >= edge and word.key not in FINITE_AUXILIARIES]
    if len(words) > _WITHIN_PHRASE or CLAUSE.search(text, edge, start) or not {*words}.isdisjoint(_ENDS_DENIAL):
        return None
    return None if words and _FOR_ITSELF.match(text, start) else head


def _taken(before: list[Token], text: str) -> Token | None:
    """The word that narrows or doubts what follows, of its sentence's words before it; ``None`` if none does."""
    last = before[-1]
    if last.key in _CONDITIONS or last.key in RESTRICTING:
        return last
    if last.key != "that":
        return None
    edge = max((match.end() for match in CLAUSE.finditer(text, before[0].start, last.start)), default=0)
    clause = [word for word in before[:-1] if word.start >= edge]
    negated = [word for at, word in enumerate(clause) if _negates(clause, at)]
    doubted = [word for word in clause[-_NEAR:] if word.key in _DOUBTS and text[word.end] != "-"]
    if any(is_negation(word.key) for word in clause) and any(word.key in _AFFIRMED for word in clause):
        return None
    return next(iter(negated or doubted), None)


def _negates(clause: list[Token], at: int) -> bool:
    """Whether a word before ``that`` denies what follows: a verb's negation, or that of what would prove it."""
    key = clause[at].key
    if key in _WITHOUT:
        return any(word.key in _PROOF for word in clause[at + 1 :])
    if key == "not":
        return any(word.key in FINITE_AUXILIARIES for word in clause[:at])
    return key in VERB_NEGATIONS
