"""Signs of a statement and a page that a reviewer's own labels may weigh, and what of the statement the page lacks.

Some are weighed by the triage of every study (``weights.toml``, fitted to annotated cases of others): what the page
lacks, and polarity. What tells support from its lack in one study is learned there from all of them
(``medreview.review.learned_order``): in one the names that a page does not have, in another the length of the page.
These are the signs that help there, by ``tests/bench/learning_curve.py``. They are of the words alone: no judge has a
part in them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import log1p
from typing import Final, NamedTuple

from medreview.evidence.lexicon import BETTER, DOWN, UP, WORSE, names_medicine
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import SentenceAnalysis, analyse, once
from medreview.evidence.sign_names import SIGNS
from medreview.evidence.terms import Vocabulary, terms
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
    said = _said(statement, index.words)
    lacks = index.lacking(said.distinct)
    names_lacking, numbers_lacking, items_lacking = (
        [name.span for name in names if name.keys and name.keys <= lacks] if lacks else []
        for names in (said.names, said.numbers, said.items)
    )
    best = [index.analysis(at) for at in passages[:_COMPARED]]
    negated = said.claim.is_negated
    of_pair = {
        "names_lacking": len(names_lacking) / (len(said.names) + 1),
        "numbers_lacking": len(numbers_lacking) / max(1, len(said.numbers)),
        "terms_lacking": len(lacks) / max(1, len(said.distinct)),
        "run_lacking": log1p(_longest_run(said.terms, lacks)) if lacks else 0.0,
        "negated_alone": float(negated != any(passage.is_negated for passage in best)),
        "opposed": _opposed(said.directions, best) if said.directions else 0.0,
        "page_length": log1p(len(index.text)),
        "page_passages": log1p(len(index.passages)),
    }
    told = _joined(statement, sorted({*names_lacking, *numbers_lacking, *items_lacking}))
    values = said.signs | {name: round(value, 4) for name, value in of_pair.items()}
    return PairSigns(tuple([values[name] for name in SIGNS]), tuple(told))


_Directions = Sequence[tuple[int, frozenset[str]]]
"""Words of direction: 1 up or better, -1 down or worse, each with the content words around it."""


class _Named(NamedTuple):
    """A name, number or list item: its place in the statement, and the terms there."""

    span: Span
    keys: frozenset[str]


class _Said(NamedTuple):
    """What a statement says, whatever the page: the same for all the pages that it is compared with."""

    claim: SentenceAnalysis
    terms: tuple[str, ...]
    distinct: frozenset[str]
    names: tuple[_Named, ...]
    numbers: tuple[_Named, ...]
    items: tuple[_Named, ...]
    directions: _Directions
    signs: dict[str, float]
    """Those of the signs that are of the statement alone, rounded."""


@lru_cache(maxsize=2_000)
def _said(statement: str, vocabulary: Vocabulary | None) -> _Said:
    found = terms(statement, vocabulary)
    words = [Span(*match.span()) for match in _WORD.finditer(statement)]
    keys = {statement[start:end].lower() for start, end in words}
    names = list(_names(statement, words))
    numbers = [
        Span(start, end)
        for key, start, end in found
        if key[0].isdigit() and not any(name.start <= start and end <= name.end for name in names)
    ]
    items = [item for match in _LIST.finditer(statement) for item in _items(statement, Span(*match.span()))]

    def named(spans: Sequence[Span]) -> tuple[_Named, ...]:
        return tuple(
            _Named(span, frozenset([key for key, start, end in found if span.start <= start and end <= span.end]))
            for span in spans
        )

    claim = analyse(statement, vocabulary)
    keys_in_order = tuple([term.key for term in found])
    return _Said(
        claim,
        keys_in_order,
        frozenset(keys_in_order),
        named(names),
        named(numbers),
        named(items),
        _directions(claim),
        {
            "words": round(log1p(len(words)), 4),
            "names": round(log1p(len(names)), 4),
            "numbers": round(log1p(len(numbers)), 4),
            "negated": float(claim.is_negated),
            "hedged": float(not _HEDGES.isdisjoint(keys)),
            "sweeping": float(not _SWEEPING.isdisjoint(keys)),
        },
    )


def _names(statement: str, words: Sequence[Span]) -> Iterator[Span]:
    """Words with a capital that no sentence begins with, those with a capital or digit inside, medicines."""
    begins = {match.end() for match in _BEGINS.finditer(statement)}
    for word in words:
        text = statement[word.start : word.end]
        if text.islower() and text.isalpha():  # most words
            if names_medicine(text):
                yield word
            continue
        if (text.isupper() and len(text) == 1) or not any(map(str.isalpha, text)):
            continue
        mixed = any(map(str.isupper, text[1:])) or (not text.isalpha() and any(map(str.isdigit, text[1:])))
        if mixed or (text[0].isupper() and word.start not in begins) or names_medicine(text.lower()):
            yield word


def _items(statement: str, span: Span) -> Iterator[Span]:
    """The first words of a list's items; not of its first, which begins nobody knows where."""
    for cut in _BETWEEN.finditer(statement, span.start, span.end):
        words = [match.span() for match in islice(_WORD.finditer(statement, cut.end(), span.end), _HEAD)]
        after = next(_BETWEEN.finditer(statement, cut.end(), span.end), None)
        own = [word for word in words if after is None or word[1] <= after.start()]
        if own:
            yield Span(own[0][0], own[-1][1])


def _longest_run(found: Sequence[str], lacks: set[str]) -> int:
    """How many terms that the page lacks follow one another."""
    longest = here = 0
    for key in found:
        here = here + 1 if key in lacks else 0
        longest = max(longest, here)
    return longest


_UP: Final = UP | BETTER
_DIRECTIONS: Final = _UP | DOWN | WORSE


@once
def _directions(sentence: SentenceAnalysis) -> _Directions:
    """The words of direction of a sentence; a negated one points the other way."""
    found = sentence.around(_DIRECTIONS, _NEAR, _MOST_WORDS)
    return [(1 if (key in _UP) is not negated else -1, near) for key, negated, near in found]


def _opposed(own: _Directions, passages: Sequence[SentenceAnalysis]) -> float:
    """How the directions of statement and passages stand, by the words that both have around them."""
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
