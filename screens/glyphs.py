"""Glyphs that stand before words, never instead of them."""

from typing import Final

from medreview.labels import level_named

VERDICT: Final = {
    "supported": "✓",
    "partial": "~",
    "contradicted": "✗",
    "not_addressed": "○",
    "cannot_judge": "?",
}
STYLE: Final = {"supported": "good", "contradicted": "bad"}
"""Style of a verdict's word where it has one of its own."""


def verdict_words(level: str) -> str:
    """A verdict as it is always shown: glyph and word."""
    return f"{VERDICT[level]} {level_named('evidence', level).name}"
