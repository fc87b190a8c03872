"""What a quotation loses by beginning too late: ``Zinc helps colds`` of ``It is unclear whether zinc helps colds``."""

import re
from typing import Final

from medreview.evidence.alignment import Token, tokens
from medreview.evidence.clashes.prefixes import CONTRARY
from medreview.evidence.differences import Difference
from medreview.evidence.function_words import FINITE_AUXILIARIES, RESTRICTING, word_set
from medreview.evidence.lexicon import VERB_NEGATIONS, is_negation
from medreview.evidence.omissions import CLAUSE, SENTENCE_END
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
_BARE: Final = re.compile(r"[\s\"'“”‘’(\[*_]*")
"""What may stand between a word and the one that it belongs to."""

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
_LITTLE: Final = word_set("few little")
"""Quantities that are nearly a negation, unless an article stands before them, or they are a surname."""
_WITHOUT: Final = _LITTLE | word_set("no without none neither nor lack absence hardly scarcely")
"""Negations of the noun behind them."""
_PROOF: Final = word_set("evidence proof indication reason suggestion data study studies trial trials")
"""What shows that something is so; without it, it is not shown."""
_AFFIRMED: Final = _DOUBTS | word_set(
    """
    surprising surprise forget overlook overlooked ignore ignored deny
    denied secret only
    """
)
"""Words whose negation says that something is so."""


def cut_beginning(quote: str, text: str, span: Span) -> Difference | None:
    """What stands before a passage and is taken from it by a quotation that begins later: a prefix of its first word
    (``ST-elevation`` of ``non-ST-elevation``), or what its sentence says of it (``Give`` of ``Do not give``).

    ``None`` when there is none. A quotation that begins in the middle of a sentence, and shows that by a small letter,
    may leave out what its sentence says before.
    """
    prefix = _PREFIX.search(text, max(0, span.start - _LONGEST_PREFIX), span.start)
    if prefix:
        return Difference("word", Span(0, 0), Span(*prefix.span("prefix")))
    opening = next((char for char in quote if char.isalnum()), "")
    if not opening.isupper():
        return None
    begin = max(0, span.start - _FURTHEST)
    *_, begin = (begin, *(match.end() for match in SENTENCE_END.finditer(text, begin, span.start)))
    before = [Token(t.key, t.start + begin, t.end + begin) for t in tokens(text[begin : span.start])]
    if not before or not _BARE.fullmatch(text, before[-1].end, span.start):
        return None
    # A name keeps its capital within a sentence, but so begin the lines of a list and the cells of a table.
    if not text[span.start].islower() and text[before[-1].end : span.start] != " ":
        return None
    taken = _taken(before, text)
    return Difference("negation", Span(0, 0), Span(taken.start, taken.end)) if taken else None


def _taken(before: list[Token], text: str) -> Token | None:
    """The word that takes back or narrows what follows, of its sentence's words before it; ``None`` if none does."""
    last = before[-1]
    if last.key in _CONDITIONS or is_negation(last.key) or last.key in RESTRICTING:
        return last
    if last.key in _LITTLE:
        some = before[-2:-1] and (before[-2].key in ("a", "the", "these") or text[last.start].isupper())
        return None if some else last
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
