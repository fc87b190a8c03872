"""Whether two places of one answer clash: what of it rules on words can tell.

Told are: amounts of the same thing that differ, a no or an advice against in one of two places that speak of the same,
and words of opposite meaning (this list and those of ``medreview.evidence``). Not told are contradictions that need
knowledge (a drug of one class and advice against the class): those are taken for no clash, so that an answer with such
a contradiction is asked for again.
"""

import re
from typing import Final

from medreview.evidence.clashes import agrees, clashes, comparable
from medreview.evidence.function_words import word_set
from medreview.evidence.lexicon import OPPOSITES, POSSIBLE, REQUIRED, is_negation
from medreview.evidence.quantities import Quantity
from medreview.evidence.segment import segment
from medreview.evidence.sentence_analysis import SentenceAnalysis, analyse
from medreview.text import Span

_CONTRARY: Final = tuple(
    tuple(word_set(side) for side in pair.split("|"))
    for pair in (
        "start starts begin begins continue continued | stop stops discontinue discontinued",
        "immediately soon promptly early first | wait waits delay delays delayed later last",
        "before | after",
        "with | without",
        "always every each any must | never rarely seldom sometimes unless",
        "safe harmless fine freely | dangerous unsafe harmful risky fatal forbidden",
        "common often usually most | rare uncommon seldom unusual rarely",
        "empty fasting fasted | full food meal meals breakfast",
        "cold cool | hot warm",
        "inside fridge refrigerated | outside",
        "night evening bedtime | morning",
        "plenty freely | restrict limit limited restricted",
        "virus viruses viral | bacteria bacterial bacterium",
        "yes | no",
        "same | other different",
        "whole | crushed crush chewed chew broken split halved",
    )
)
_AGAINST: Final = word_set("avoid avoids avoided contraindicated forbidden banned")
_CLAUSES: Final = re.compile(r"[.;:!?()]|\b(?:but|however|although|whereas|while)\b", re.IGNORECASE)
_CONDITIONS: Final = word_set("if unless when whenever until")
_AT_ONCE: Final = re.compile(r"\b(?:at once|straight away|right away|as soon as possible)\b", re.IGNORECASE)
_HOURS: Final = {"h": 1.0, "month": 730.5}
"""Times are of two units, since a month has no fixed number of days."""


def clash(one: str, other: str) -> bool:
    """Whether two pieces of an answer clash, as far as rules can tell."""
    if clashes(one, other) or clashes(other, one):
        return True
    first, second = (analyse(_AT_ONCE.sub("immediately", text)) for text in (one, other))
    if _amounts(first, second):
        return True
    if not first.content & second.content:
        return False
    return _denies(one, other) or _denies(other, one) or _opposed(first, second)


def any_clash(text: str, spans: list[Span]) -> bool:
    """Whether two of some places of a text clash, or the sentences that they stand in."""
    sentences = [Span(*passage[:2]) for passage in segment(text)]

    def sentence(span: Span) -> str:
        around = [found for found in sentences if found.overlap(span)]
        return text[around[0].start : around[-1].end] if around else text[span.start : span.end]

    for at, one in enumerate(spans):
        for other in spans[at + 1 :]:
            if one.overlap(other):
                continue
            if clash(text[one.start : one.end], text[other.start : other.end]):
                return True
            if sentence(one) != sentence(other) and clash(sentence(one), sentence(other)):
                return True
    return False


def _amounts(one: SentenceAnalysis, other: SentenceAnalysis) -> bool:
    """Whether both speak of the same, be it by another amount that they share, and an amount of each has nothing in the
    other that agrees with it."""
    first, second = (tuple(map(_in_hours, text.quantities)) for text in (one, other))
    pairs = [(a, b) for a in first for b in second if comparable(a, b)]
    agreeing = {amount for a, b in pairs if agrees(a, b) for amount in (a, b)}
    if not agreeing and not one.content & other.content:
        return False
    return any(a not in agreeing and b not in agreeing for a, b in pairs)


def _in_hours(amount: Quantity) -> Quantity:
    factor = _HOURS.get(amount.unit)
    return amount._replace(low=amount.low * factor, high=amount.high * factor, unit="h") if factor else amount


def _denies(one: str, other: str) -> bool:
    """Whether a clause of one says no to something that the other speaks of without a no."""
    affirmed = [clause.content for clause in _clauses(other) if not _says_no(clause)]
    for clause in _clauses(one):
        denied = frozenset(word.term for word in clause.words if word.is_content and word.key not in _AGAINST)
        if not denied or not _says_no(clause) or clause.keys & _CONDITIONS:
            continue
        if any(len(denied & content) >= min(2, len(denied)) for content in affirmed):
            return True
    return False


def _clauses(text: str) -> list[SentenceAnalysis]:
    return [analyse(clause) for clause in _CLAUSES.split(text) if clause.strip()]


def _says_no(clause: SentenceAnalysis) -> bool:
    return any(is_negation(word) or word in _AGAINST for word in clause.keys)


def _opposed(one: SentenceAnalysis, other: SentenceAnalysis) -> bool:
    """Whether each has a word of opposite meaning to one of the other's, apart from the words that both have."""
    first, second = one.keys - other.keys, other.keys - one.keys
    for left, right in (*OPPOSITES, (REQUIRED, POSSIBLE), *_CONTRARY):
        for side, opposite in ((left, right), (right, left)):
            if first & side and second & opposite and not (first & opposite or second & side):
                return True
    return False
