"""Statistical significance as a sentence reports it: in words, or by a p value against the level of 0.05."""

import re
from typing import Final

from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.text import Span

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
    """Where a text says that a difference is not significant, or that there is none."""
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
