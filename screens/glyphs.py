"""Glyphs before words, never instead of them."""

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
"""The style of a verdict, for verdicts with a style."""


def verdict_words(level: str) -> str:
    """A verdict as displayed everywhere: glyph and word."""
    return f"{VERDICT[level]} {level_named('evidence', level).name}"
