"""Analysis of one sentence for comparison: words with stems, negation scope, quantities, statistical significance.

Significance is what the sentence reports in words, or by a p value against the level of 0.05.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial, wraps
from typing import Any, Final, Literal, NamedTuple, TypeVar

from medreview.citations.markers import without_markers
from medreview.evidence.alignment import Token, token_keys, tokens
from medreview.evidence.lexicon import NEGATIONS, FoundMember, contrasts, is_negation
from medreview.evidence.quantities import Quantity, quantities
from medreview.evidence.terms import STOP_WORDS, Vocabulary, stem, vocabulary
from medreview.text import Span

_Answer = TypeVar("_Answer")

SCOPE: Final = 5
"""Negation scope, in words."""

LONGEST_COMPARED: Final = 4_000
"""In characters; of a longer text only the beginning is compared: the work on a pair stays bounded."""

_BREAK: Final = re.compile(
    r"[;:.,()\[\]]|\b(?:but|however|although|though|whereas|while|and|because|if|unless|when)\b", re.I
)
_NOT_ONLY: Final = frozenset({"only", "necessarily", "just", "merely", "simply", "alone", "least"})


def compared_part(statement: str) -> str:
    """What of a statement is compared: its beginning, with blanks in the place of its markers; places stay true."""
    return without_markers(statement[:LONGEST_COMPARED])


def not_compared(statement: str) -> str:
    """What to say of a statement that is compared in part; ``""`` of any other."""
    if len(statement) <= LONGEST_COMPARED:
        return ""
    return f"too long to compare: first {LONGEST_COMPARED:,} characters of {len(statement):,}"


class Word(NamedTuple):
    """A word: its normalised form, the term it is compared by, its range, and whether it is in a negation's scope."""

    key: str
    term: str
    start: int
    end: int
    negated: bool
    is_content: bool
    """Whether it is a content word: not a stop word, number, sign, unit or negation."""


class SentenceAnalysis:
    """A sentence's words and quantities, each computed lazily."""

    def __init__(self, text: str, words: Vocabulary | None = None) -> None:
        self.text = text
        self._single = (words or vocabulary()).single

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The quantities in text order."""
        return quantities(self.text)

    @cached_property
    def _tokens(self) -> list[Token]:
        return tokens(self.text)

    @cached_property
    def _in_order(self) -> list[str]:
        """The normalised words in order: most passages are asked for no more than these."""
        return token_keys(self.text)

    @cached_property
    def words(self) -> list[Word]:
        """The words, numbers and signs in order."""
        negated = _negated(self.text, self._tokens) if self.is_negated else frozenset()
        forms = [_FORMS[token.key] for token in self._tokens]
        inside, single = self._inside, self._single
        return [
            _word((key, single.get(term, term), start, end, at in negated, counts and at not in inside))
            for at, ((key, start, end), (term, counts)) in enumerate(zip(self._tokens, forms, strict=True))
        ]

    @cached_property
    def _inside(self) -> frozenset[int]:
        return _inside(self._tokens, self.quantities) if self.quantities else frozenset()

    @cached_property
    def contrasting(self) -> list[FoundMember]:
        """The words and phrases that exclude others (``contrasts.toml``), by indices of ``words``."""
        table = contrasts()
        return [] if table.first_words.isdisjoint(self.keys) else list(table.found(self._in_order))

    @cached_property
    def content(self) -> frozenset[str]:
        """The terms of the content words."""
        if not self._inside:
            return self.may_be_content
        forms = map(_FORMS.__getitem__, self._in_order)
        found = [term for at, (term, counts) in enumerate(forms) if counts and at not in self._inside]
        return frozenset([self._single.get(term, term) for term in found])

    @cached_property
    def keys(self) -> frozenset[str]:
        """The normalised words."""
        return frozenset(self._in_order)

    @cached_property
    def may_be_content(self) -> frozenset[str]:
        """``content`` and the terms of units within amounts: known without the amounts."""
        forms = map(_FORMS.__getitem__, self.keys)
        return frozenset([self._single.get(term, term) for term, counts in forms if counts])

    @cached_property
    def is_negated(self) -> bool:
        """Whether any of the words is a negation."""
        return _may_negate(self.text) and not NEGATIONS.isdisjoint(self.keys)

    def around(self, members: frozenset[str], width: int, most: int) -> list[tuple[str, bool, frozenset[str]]]:
        """The words among ``members``, whether each is negated, and the content terms ``width`` words around it; of a
        long sentence the first ``most`` words are looked at. Units within amounts count as content: so no amount has
        to be read."""
        if self.keys.isdisjoint(members):
            return []
        negated = _negated(self.text, self._tokens[:most]) if self.is_negated else frozenset()
        keys = self._in_order[:most]
        forms = [(self._single.get(term, term), counts) for term, counts in map(_FORMS.__getitem__, keys)]
        return [
            (key, at in negated, frozenset([t for t, counts in forms[max(0, at - width) : at + width + 1] if counts]))
            for at, key in enumerate(keys)
            if key in members
        ]

    def context(self, start: int, end: int, width: int) -> frozenset[str]:
        """The content terms within ``width`` words before and after a range, the range itself excluded."""
        before = [word for word in self.words if word.end <= start][-width:]
        after = [word for word in self.words if word.start >= end][:width]
        return frozenset(word.term for word in (*before, *after) if word.is_content)


def once(work: Callable[[SentenceAnalysis], _Answer]) -> Callable[[SentenceAnalysis], _Answer]:
    """A function of a sentence whose answer is kept with the sentence, so as long as it."""
    name = f"{work.__module__}.{work.__name__}"

    @wraps(work)
    def answer(sentence: SentenceAnalysis) -> _Answer:
        kept: dict[str, Any] = sentence.__dict__
        if name not in kept:
            kept[name] = work(sentence)
        found: _Answer = kept[name]
        return found

    return answer


@lru_cache(maxsize=2_000)
def analyse(text: str, words: Vocabulary | None = None) -> SentenceAnalysis:
    """The analysis of a sentence by a vocabulary or the package's; cached, since statements share passages."""
    return SentenceAnalysis(text, words)


def only_negated(statement: str, passage: str, words: Vocabulary | None = None) -> Literal["", "statement", "passage"]:
    """Which of a statement and a passage has a negation when only one has; of a long passage its beginning is read.

    Words alone cannot show what such a negation changes: shared words then do not prove that the passage says it.
    """
    one, other = (analyse(text, words).is_negated for text in (statement, passage[:LONGEST_COMPARED]))
    return "" if one == other else "statement" if one else "passage"


_N_WORDS: Final = re.compile(r"n(?<![a-z]n)(?:o(?:t|r|ne?|body|thing)?(?![a-z])|e(?:ver|ither))")
"""It begins with a letter, not with a border: so it is searched many times as fast."""
_OTHER_NEGATIONS: Final = (
    *("n't", "'nt", "n`t", " cant"),
    *sorted(word for word in NEGATIONS - {"cant"} if not _N_WORDS.fullmatch(word)),
)


def _may_negate(text: str) -> bool:
    """Whether there can be a negation in a text: without this, every text would have to be taken apart."""
    if not text.isascii() or "-\n" in text:
        return True
    lowered = text.lower()
    return _N_WORDS.search(lowered) is not None or any(cue in lowered for cue in _OTHER_NEGATIONS)


_word = partial(tuple.__new__, Word)
"""``Word`` of a tuple, in a third of the time."""


class _FormCache(dict[str, tuple[str, bool]]):
    """By normalised word its stem, and whether it can be a content word; emptied when it is full."""

    def __missing__(self, key: str) -> tuple[str, bool]:
        if len(self) >= _CACHE_SIZE:
            self.clear()
        term = stem(key) if key[0].isalnum() else key
        form = self[key] = (term, key[0].isalpha() and key not in STOP_WORDS and not is_negation(key))
        return form


_CACHE_SIZE: Final = 100_000
_FORMS: Final = _FormCache()


def _inside(found: Sequence[Token], amounts: Sequence[Quantity]) -> frozenset[int]:
    """The indices of the tokens that are within an amount."""
    inside: set[int] = set()
    ahead = iter(sorted((amount.start, amount.end) for amount in amounts))
    amount = next(ahead, None)
    for at, token in enumerate(found):
        while amount is not None and amount[1] <= token.start:
            amount = next(ahead, None)
        if amount is None:
            break
        if amount[0] <= token.start:
            inside.add(at)
    return frozenset(inside)


def _negated(text: str, found: Sequence[Token]) -> frozenset[int]:
    """The indices of the tokens in the scope of a negation."""
    negated: set[int] = set()
    scope_left, last = 0, 0
    for at, token in enumerate(found):
        if scope_left and _BREAK.search(text, last, token.end):
            scope_left = 0
        if scope_left:
            negated.add(at)
        after = found[at + 1].key if at + 1 < len(found) else ""
        if is_negation(token.key) and after not in _NOT_ONLY:
            scope_left = SCOPE + 1
        scope_left = max(0, scope_left - 1)
        last = token.end
    return frozenset(negated)


_NOT_SIGNIFICANT: Final = re.compile(
    r"\b(?:no|not|non|without|neither|nor|n['’]t)\b[\s-]+(?:\w+\s+){0,3}?(?:statistically\s+)?significan(?:t|tly|ce)\b"
    r"|\bnonsignifican(?:t|tly)\b|\binsignifican(?:t|tly)\b|\bno (?:\w+ )?differences?\b|\b(?:not|n['’]t) differ\b"
    r"|\bN\.?S\.?(?=[\s),;]|$)|\bsimilar (?:in|between|across|among|for)\b|\bfailed to (?:show|reach|find)\b",
    re.IGNORECASE,
)
_MAY_DENY: Final = re.compile(r"significan|differ|similar |failed to |n(?<!\wn)\.?s")
"""One of these is in every denial, in lower case. It begins with letters, not with a border of a word: so it is
searched many times as fast."""
_SIGNIFICANT: Final = re.compile(
    r"\bsignifican(?:t|tly)\b(?!\s(?:number|amount|part|portion|proportion|role|concern|burden)s?\b)", re.IGNORECASE
)
SIGNIFICANCE_LEVEL: Final = 0.05


@once
def significance(sentence: SentenceAnalysis) -> tuple[bool, Span] | None:
    """Whether a sentence reports a significant finding, and the span; ``None`` when it reports none, or both kinds."""
    denials = significance_denials(sentence.text)
    claims = _claims(sentence.text)
    claims = [span for span in claims if not any(span.overlap(denial) for denial in denials)]
    for quantity in sentence.quantities:
        if quantity.unit == "p" and 0 <= quantity.high <= 1:
            small = quantity.high < SIGNIFICANCE_LEVEL or (
                quantity.high <= SIGNIFICANCE_LEVEL and quantity.sign in ("<", "<=")
            )
            (claims if small and quantity.sign[0] != ">" else denials).append(Span(quantity.start, quantity.end))
    if bool(claims) == bool(denials):
        return None
    return (True, claims[0]) if claims else (False, denials[0])


def significance_denials(text: str) -> list[Span]:
    """Where a text says that a difference is not significant or does not exist."""
    if not _MAY_DENY.search(text.lower()):
        return []
    return [Span(*match.span()) for match in _NOT_SIGNIFICANT.finditer(text)]


def denies_significance(text: str) -> bool:
    """Whether a text says that a difference is not significant, or that there is no difference."""
    return bool(significance_denials(text))


def claims_significance(text: str) -> bool:
    """Whether a text says in words that something is significant."""
    return bool(_claims(text))


def _claims(text: str) -> list[Span]:
    """Where a text says in words that something is significant."""
    # most texts do not have the word at all
    return [Span(*match.span()) for match in _SIGNIFICANT.finditer(text)] if "significan" in text.lower() else []
