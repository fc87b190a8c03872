"""Signs of a statement and a page that a reviewer's own labels may weigh, and what of the statement the page lacks.

Some are weighed by the triage of every study (``weights.toml``, fitted to annotated cases of others): what the page
lacks, and polarity. What tells support from its lack in one study is learned there from all of them
(``medreview.review.learned_order``): in one the names that a page does not have, in another the length of the page.
These are the signs that help there, by ``tests/bench/learning_curve.py``. They are of the words alone: no judge has a
part in them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import log1p
from typing import Final, NamedTuple

from medreview.evidence.lexicon import BETTER, DOWN, UP, WORSE, names_medicine
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import SentenceAnalysis, analyse
from medreview.evidence.sign_names import SIGNS
from medreview.evidence.terms import ContentTerm, terms
from medreview.text import Span, word_lists, word_set

_LISTS: Final = word_lists(__file__)
_HEDGES: Final = word_set(_LISTS["hedges"])
_SWEEPING: Final = word_set(_LISTS["sweeping"])
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_BEGINS: Final = re.compile(r"(?:^|[.!?:]\s+|\n\s*)[\"“(\[]*")
_LIST: Final = re.compile(r"(?:[^,;.()]{2,60},\s+){1,12}(?:[^,;.()]{2,60}\s)?(?:and|or)\s+[^,;.()]{2,60}")
_BETWEEN: Final = re.compile(r",\s+(?:(?:and|or|as well as|such as|including)\s+)?|\s+(?:and|or|as well as)\s+")
_HEAD: Final = 3
"""Words with which an item of a list begins that are its own: further ones may be of the sentence around it."""
_NEAR: Final = 8
"""Words on each side of a word of direction that tell what it is about."""
_COMPARED: Final = 3
"""The best passages, in which directions and negations are looked for."""
_DOUBT: Final = 2
"""Shared words about which directions would have to stand the same way and the other way before any was seen: one
word that is shared by chance says little."""
_MOST_WORDS: Final = 400
"""Of a passage so many words are compared: a longer one is a page that could not be cut."""


class PairSigns(NamedTuple):
    """The signs of a pair, in the order of :data:`SIGNS`, and the places in the statement of the names, numbers and
    list items that the page does not have, in order."""

    values: tuple[float, ...]
    lacking: tuple[Span, ...]


def pair_signs(statement: str, index: SourceIndex, passages: Sequence[int]) -> PairSigns:
    """The signs of a statement, without its markers, and a page; ``passages``: those that bear on it, best first.

    ``*_lacking`` is the share of what is named that no passage of the page has (of names as if there were one more,
    which it has: one of one says less than three of three), of ``terms`` that of the words that count, of ``run`` how
    many of them follow one another. ``negated_alone``: the statement has a negation and none of the best passages, or
    one of those and not the statement. ``opposed``, -1..1: words of rise and fall, better and worse that stand near
    the same words point the other way (1) or the same way (-1); a negation turns them. Counts are logarithms.
    """
    found = terms(statement, index.words)
    lacks = {term.key for term in found if not index.has(term.key)}
    words = [Span(*match.span()) for match in _WORD.finditer(statement)]
    keys = [statement[word.start : word.end].lower() for word in words]
    names = list(_names(statement, words))
    names_lacking = [name for name in names if _lacks(found, name, lacks)]
    alone = [term for term in found if term.key[0].isdigit() and not any(_holds(name, _span(term)) for name in names)]
    numbers_lacking = [_span(term) for term in alone if term.key in lacks]
    items = [item for match in _LIST.finditer(statement) for item in _items(statement, Span(*match.span()))]
    items_lacking = [item for item in items if _lacks(found, item, lacks)]
    best = [index.analysis(at) for at in passages[:_COMPARED]]
    claim = analyse(statement, index.words)
    values = {
        "words": log1p(len(words)),
        "names": log1p(len(names)),
        "names_lacking": len(names_lacking) / (len(names) + 1),
        "numbers": log1p(len(alone)),
        "numbers_lacking": len(numbers_lacking) / max(1, len(alone)),
        "terms_lacking": len(lacks) / max(1, len({term.key for term in found})),
        "run_lacking": log1p(_longest_run(found, lacks)),
        "negated": float(claim.is_negated),
        "negated_alone": float(claim.is_negated != any(passage.is_negated for passage in best)),
        "opposed": _opposed(claim, best),
        "hedged": float(not _HEDGES.isdisjoint(keys)),
        "sweeping": float(not _SWEEPING.isdisjoint(keys)),
        "page_length": log1p(len(index.text)),
        "page_passages": log1p(len(index.passages)),
    }
    told = _joined(statement, sorted({*names_lacking, *numbers_lacking, *items_lacking}))
    return PairSigns(tuple(round(values[name], 4) for name in SIGNS), tuple(told))


def _span(term: ContentTerm) -> Span:
    return Span(term.start, term.end)


def _lacks(found: Sequence[ContentTerm], place: Span, lacks: set[str]) -> bool:
    """Whether there are terms in a place of the statement, and the page has none of them."""
    keys = [term.key for term in found if place.start <= term.start and term.end <= place.end]
    return bool(keys) and lacks.issuperset(keys)


def _names(statement: str, words: Sequence[Span]) -> Iterator[Span]:
    """Words with a capital that no sentence begins with, those with a capital or digit inside, medicines."""
    begins = {match.end() for match in _BEGINS.finditer(statement)}
    for word in words:
        text = statement[word.start : word.end]
        if text.isupper() and len(text) == 1:
            continue
        mixed = any(char.isupper() for char in text[1:]) or (not text.isalpha() and any(map(str.isdigit, text[1:])))
        if any(map(str.isalpha, text)) and (
            mixed or (text[0].isupper() and word.start not in begins) or names_medicine(text.lower())
        ):
            yield word


def _items(statement: str, span: Span) -> Iterator[Span]:
    """The first words of a list's items; not of its first, which begins nobody knows where."""
    for cut in _BETWEEN.finditer(statement, span.start, span.end):
        words = [match.span() for match in islice(_WORD.finditer(statement, cut.end(), span.end), _HEAD)]
        after = next(_BETWEEN.finditer(statement, cut.end(), span.end), None)
        own = [word for word in words if after is None or word[1] <= after.start()]
        if own:
            yield Span(own[0][0], own[-1][1])


def _longest_run(found: Sequence[ContentTerm], lacks: set[str]) -> int:
    """How many terms that the page lacks follow one another."""
    longest = here = 0
    for term in found:
        here = here + 1 if term.key in lacks else 0
        longest = max(longest, here)
    return longest


_UP: Final = UP | BETTER
_DOWN: Final = DOWN | WORSE


def _directions(sentence: SentenceAnalysis) -> list[tuple[int, frozenset[str]]]:
    """The words of direction, 1 up or better and -1 down or worse, a negated one the other way; each with the content
    words around it."""
    if sentence.keys.isdisjoint(_UP) and sentence.keys.isdisjoint(_DOWN):
        return []
    words = sentence.words[:_MOST_WORDS]
    return [
        (
            1 if (word.key in _UP) is not word.negated else -1,
            frozenset(near.term for near in words[max(0, at - _NEAR) : at + _NEAR + 1] if near.is_content),
        )
        for at, word in enumerate(words)
        if word.key in _UP or word.key in _DOWN
    ]


def _opposed(claim: SentenceAnalysis, passages: Sequence[SentenceAnalysis]) -> float:
    """How the directions of statement and passages stand, by the words that both have around them."""
    own = _directions(claim)
    if not own:
        return 0.0
    against = together = 0
    for passage in passages:
        for way, near in _directions(passage):
            for mine, around in own:
                shared = len(near & around)
                against -= shared * way * mine
                together += shared
    return against / (together + _DOUBT)


def _joined(statement: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, with one for those that overlap or follow one another: a name of several words is said once."""
    found: list[Span] = []
    for span in spans:
        if found and not statement[found[-1].end : span.start].strip():
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
