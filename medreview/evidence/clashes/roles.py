"""Who does what to whom: warfarin increases the effect of X against X increases the effect of warfarin."""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.comparisons import comparison
from medreview.evidence.function_words import word_set
from medreview.evidence.lexicon import PREPOSITIONS
from medreview.evidence.sentence_analysis import SentenceAnalysis, Word
from medreview.evidence.terms import stem
from medreview.text import Span

_ACTIONS: Final = word_set(
    """
    increase raise enhance potentiate elevate decrease reduce lower diminish impair inhibit block suppress
    antagonise antagonize activate induce stimulate cause trigger provoke prevent treat lead result displace
    replace precede follow predict mask mimic worsen exacerbate improve prolong shorten delay accelerate convert
    infect transmit counteract reverse affect produce release
    """
)
"""Verbs with somebody who does it before them, and somebody it is done to after them."""
_BE: Final = word_set("is are was were be been being")
_BREAKS: Final = word_set("and but although though whereas while because if which so that")
_ADVERBS: Final = word_set("often sometimes seldom mostly usually")
_BEFORE_NOUNS: Final = PREPOSITIONS | word_set("a an the no any")
REACH: Final = 7
"""Words on each side of the verb that may be who or whom."""


@cache
def actions() -> frozenset[str]:
    """The stems of the verbs that say a deed; made when they are first asked for."""
    return frozenset(map(stem, _ACTIONS))


class Deed(NamedTuple):
    """What a verb says: the terms of who does it, and of whom it is done to; its span from the first to the last."""

    doer: frozenset[str]
    done_to: frozenset[str]
    negated: bool
    span: Span


def roles(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """The same verb in both, with who and whom exchanged; what two comparisons say is for ``comparisons`` to tell."""
    claimed = _deeds(claim)
    if not claimed or (comparison(claim) is not None and comparison(evidence) is not None):
        return
    written = _deeds(evidence)
    for verb, deed in claimed.items():
        other = written.get(verb)
        if (
            other is not None
            and other.negated == deed.negated
            and deed.doer & other.done_to
            and deed.done_to & other.doer
            and not deed.doer & other.doer
            and not (deed.done_to & other.done_to) & (deed.doer | other.doer)
        ):
            yield Clash("roles", deed.span, other.span)


def _deeds(sentence: SentenceAnalysis) -> dict[str, Deed]:
    """By verb, what is said with it; a verb that is there twice is left out."""
    found: dict[str, Deed] = {}
    twice: set[str] = set()
    words = sentence.words
    for at, word in enumerate(words):
        if not _is_action(word) or _says_no_deed(words, at):
            continue
        before, after = _side(words, range(at - 1, -1, -1)), _side(words, range(at + 1, len(words)))
        if not before or not after:
            continue
        if word.term in found:
            twice.add(word.term)
        span = Span(min(w.start for w in before), max(w.end for w in after))
        left, right = (frozenset(w.term for w in side) for side in (before, after))
        by = [w.key in ("by", "with") for w in words[at + 1 : at + 4]]
        # a cough caused by it, a cough is best treated with it; not: reduced the cough by half
        passive = any(by[:1]) or (any(by) and any(w.key in _BE for w in words[max(0, at - 3) : at]))
        found[word.term] = Deed(right, left, word.negated, span) if passive else Deed(left, right, word.negated, span)
    return {verb: deed for verb, deed in found.items() if verb not in twice}


def _side(words: list[Word], indices: range) -> list[Word]:
    found = []
    for at in indices[:REACH]:
        if words[at].key in _BREAKS:
            break
        if words[at].is_content and not _is_action(words[at]) and not _is_adverb(words[at]):
            found.append(words[at])
    return found


def _is_action(word: Word) -> bool:
    """Whether a word is one of the verbs; ``lower`` is an adjective more often than not."""
    return word.is_content and word.key != "lower" and stem(word.key) in actions()


def _is_adverb(word: Word) -> bool:
    return word.key in _ADVERBS or word.key.endswith("ly")


def _says_no_deed(words: list[Word], at: int) -> bool:
    """Whether a form in -ed stands before a noun (``by improved sleep``) or without an object (``improved in``)."""
    if not words[at].key.endswith("ed"):
        return False
    return words[at - 1 if at else at].key in _BEFORE_NOUNS or any(
        word.key in PREPOSITIONS - {"by", "with"} for word in words[at + 1 : at + 2]
    )
