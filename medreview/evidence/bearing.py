"""Whether a quotation bears on a statement: a passage may be in the page word for word and prove another thing.

By words, numbers and names only, so that it errs on the side of the quotation: a passage bears on a statement when it
shares with it more than the page's topic, or when the sentence beside it does. A heading, another amount, another
medicine do not bear; nor does a passage that shares little where another passage of the page says the statement nearly
in its words.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from medreview.evidence.alignment import tokens
from medreview.evidence.differences import is_number, number_value
from medreview.evidence.lexicon import HARMLESS, is_negation, names_medicine
from medreview.evidence.passage_ranking import Query, SourceIndex
from medreview.evidence.sentence_analysis import analyse
from medreview.evidence.terms import terms
from medreview.text import Span

TOPIC: Final = 0.3
"""Share of a page's passages from which on a word is the page's topic."""
_TOPIC_LEAST: Final = 3
"""Passages in which a topic stands at least."""
_SAYS_IT: Final = 0.85
"""Share of the statement's weight from which on a passage says the statement nearly in its words."""
_MUCH_LESS: Final = 0.5
"""Of what another passage covers; a quotation below it is not the page's word on such a statement."""
_LITTLE: Final = 0.08
"""Share of the statement's weight below which a quotation that has a word or two of it does not bear on it."""
_LITTLE_AROUND: Final = 0.12
"""The same of the quotation with the sentences beside it, which may hold what it refers to."""
_SEVERAL: Final = 2
"""Words that a quotation shares with the statement by more than chance."""
_MANY: Final = 8
"""Words from which on a quotation speaks of the statement's matter, though it gives another amount."""
_TOPICS_ONLY: Final = 1 / 3
"""Of what the best passage covers; a quotation that shares topics only must cover so much."""
_ENGLISH: Final = 0.15
"""Share of function words from which on a page is in English."""
_SAMPLE: Final = 6_000
"""In characters; the beginning of a longer page shows its language."""
_ROOT: Final = 6
"""Letters that two long words share when they are of one root: ``pregnant``, ``pregnancy``."""
_INNER: Final = 5
"""Letters of the shortest stem that is looked for inside of longer words."""
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|they|them|these|this|those|such|both|the (?:drug|medicine|treatment))\b", re.IGNORECASE
)


class Bearing:
    """Tells for the quotations of one page whether they bear on statements; holds the page's index."""

    def __init__(self, source: SourceIndex, title: str = "") -> None:
        self._source = source
        self._title = _letters(title)
        self._titled = _medicines(title)
        self._english = _is_english(source.text[:_SAMPLE])

    def is_off_topic(self, statement: str, quote: str, spans: Sequence[Span]) -> bool | None:
        """Whether a located quotation says nothing on a statement; ``None`` where words cannot tell.

        That is for a statement without a word that counts, and for a page in another language than English.
        """
        source = self._source
        query = source.query(statement)
        own = [at for at, p in enumerate(source.passages) if any(p.start < s.end and s.start < p.end for s in spans)]
        if not query.total or not own or not self._english:
            return None
        near = sorted({at + step for at in own for step in (-1, 0, 1)} & set(range(len(source.passages))))
        quoted = self._covered(query, [quote])
        if self._is_heading(quote, own):
            return quoted < _SAYS_IT
        if _cut_from_negation(source.text, spans, statement):
            return True
        if self._is_beaten(query, quote, own, near):
            return True
        if _shares_a_number(statement, quote):
            return self._names_another(statement, quote, own) and not (
                _restates(query, quote) and self._specific(query, [quote], words_only=True) >= _SEVERAL
            )
        around = [self._text(at) for at in near]
        another = _has_another_amount(query, quote, around) and self._specific(query, [quote]) < _MANY
        return another or self._names_another(statement, quote, own) or self._shares_too_little(query, quote, own, near)

    def covered(self, statement: str, quote: str) -> float:
        """Share 0..1 of the weight of the statement's words in this page that a quotation has."""
        query = self._source.query(statement)
        return self._covered(query, [quote]) if query.total else 0.0

    def _shares_too_little(self, query: Query, quote: str, own: Sequence[int], near: Sequence[int]) -> bool:
        here, beside = ([quote, *(self._text(at) for at in places)] for places in (own, near))
        if self._specific(query, here) or len(query.weights) == 1:
            return False
        if not self._specific(query, beside):
            return not self._shares_topics(query, here)
        return self._covered(query, here) < _LITTLE and self._covered(query, beside) < _LITTLE_AROUND

    def _shares_topics(self, query: Query, texts: Sequence[str]) -> bool:
        """Whether some texts have several of the statement's words, and no other passage far more of them."""
        roots = _roots(texts)
        if sum(_stands_in(key, roots) for key in query.weights) < _SEVERAL:
            return False
        most = max((match.coverage for match in self._source.match(query)), default=0.0)
        return self._covered(query, texts) >= _TOPICS_ONLY * most

    def _specific(self, query: Query, texts: Iterable[str], *, words_only: bool = False) -> int:
        """How many of the statement's words are in some texts, without those that are the page's topic, or (with
        ``words_only``) numbers."""
        least, roots = max(_TOPIC_LEAST, TOPIC * len(self._source.passages)), _roots(texts)
        return sum(
            _stands_in(key, roots)
            and self._source.frequency(key) < least
            and key not in self._titled
            and not (words_only and is_number(key))
            for key in query.weights
        )

    def _is_beaten(self, query: Query, quote: str, own: Sequence[int], near: Sequence[int]) -> bool:
        """Whether a passage apart from it says the statement nearly in its words, and the quotation far less."""
        found = self._source.match(query)
        beside = {at for at in near if at in own or self._same_paragraph(at, own)}
        elsewhere = max((match.coverage for match in found if match.passage not in beside), default=0.0)
        covered = self._covered(query, [quote, *(self._text(at) for at in own)])
        return elsewhere >= _SAYS_IT and covered < _MUCH_LESS * elsewhere

    def _same_paragraph(self, passage: int, own: Sequence[int]) -> bool:
        """Whether no empty line stands between a passage and the quotation's."""
        first, last = min(passage, own[0]), max(passage, own[-1])
        text = self._source.text[self._source.span(first)[0] : self._source.span(last)[1]]
        return "\n\n" not in text

    def _covered(self, query: Query, texts: Iterable[str]) -> float:
        """Share 0..1 of the statement's weight whose words, or words of one root with them, are in some texts."""
        roots = _roots(texts)
        return sum(weight for key, weight in query.weights.items() if _stands_in(key, roots)) / query.total

    def _text(self, passage: int) -> str:
        return self._source.text[slice(*self._source.span(passage))]

    def _is_heading(self, quote: str, own: Sequence[int]) -> bool:
        said = _letters(quote)
        return said == self._title or all(self._source.passages[at].kind == "heading" for at in own)

    def _names_another(self, statement: str, quote: str, own: Sequence[int]) -> bool:
        """Whether the quotation is about a medicine, and the statement about others only."""
        meant, named = _medicines(statement), _medicines(quote)
        row = all(self._source.passages[at].kind == "row" for at in own)
        if not meant or not named or row or _PRONOUN.search(quote):
            return False
        return not meant & (named | {key for at in own for key in _medicines(self._text(at))})


def _roots(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(form for text in texts for term in terms(text) for form in (term.key, _root(term.key)))


def _root(key: str) -> str:
    return key[:_ROOT] if key.isalpha() and len(key) > _ROOT else key


def _stands_in(key: str, roots: frozenset[str]) -> bool:
    """Whether a word, or one of its root, is among some; also inside a longer one: ``muscle``, ``intramuscular``."""
    if key in roots or _root(key) in roots:
        return True
    inner = _root(key)
    return len(inner) >= _INNER and inner.isalpha() and any(root.find(inner) > 0 for root in roots)


def _medicines(text: str) -> frozenset[str]:
    return frozenset(term.key for term in terms(text) if names_medicine(text[term.start : term.end].lower()))


def _letters(text: str) -> str:
    return "".join(char.casefold() for char in text if char.isalnum())


def _is_english(text: str) -> bool:
    words = [token.key for token in tokens(text) if token.key.isalpha()]
    return not words or sum(word in HARMLESS for word in words) >= _ENGLISH * len(words)


def _has_another_amount(query: Query, quote: str, around: Iterable[str]) -> bool:
    """Whether the quotation gives amounts of the statement's kind, and no sentence there any of its."""
    of_kind = [found for found in analyse(quote).quantities if any(found.unit == own.unit for own in query.amounts)]
    beside = [found for text in (quote, *around) for found in analyse(text).quantities]
    return bool(of_kind) and not any(
        own.restates(found) or found.includes(own) or own.includes(found) for own in query.amounts for found in beside
    )


def _restates(query: Query, quote: str) -> bool:
    """Whether the quotation gives one of the statement's amounts."""
    return any(own.restates(found) for own in query.amounts for found in analyse(quote).quantities)


def _shares_a_number(statement: str, quote: str) -> bool:
    said, meant = (
        {number_value(token.key) for token in tokens(text) if is_number(token.key)} for text in (quote, statement)
    )
    return bool(said & meant)


def _cut_from_negation(text: str, spans: Sequence[Span], statement: str) -> bool:
    """Whether the quotation begins right after the negation that governs it, and the statement has none."""
    if not spans or any(is_negation(token.key) for token in tokens(statement)):
        return False
    before = text[max(0, spans[0].start - 60) : spans[0].start]
    line = before.rpartition("\n")[2]
    last = tokens(line)[-1:]
    return bool(last) and is_negation(last[0].key) and line[last[0].end :].isspace()
