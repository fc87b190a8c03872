"""Glyphs before words, never instead of them."""

from typing import Final

from medreview.labels import is_order
from medreview.units.asks import STATEMENT, Asks

VERDICT: Final = {
    "supported": "✓",
    "partial": "~",
    "contradicted": "✗",
    "not_addressed": "○",
    "cannot_judge": "?",
    "yes": "✓",
    "no": "✗",
    "none": "✓",
    "fact": "✗",
    "input": "✗",
    "context": "✗",
    "other": "✗",
    "good": "✓",
    "okay": "~",
    "bad": "✗",
    "present": "✓",
    "absent": "○",
    "both": "≠",
    "kept": "✓",
    "discarded": "✗",
    "edited": "~",
    "answerable": "✓",
    "not_answerable": "✗",
    "not_self_contained": "~",
    "not_supported": "✗",
    "meaning_lost": "~",
    "removal_right": "✓",
    "removal_wrong": "✗",
    "match": "✓",
    "mismatch": "~",
    "other_work": "✗",
    "not_found": "○",
}
"""A label's glyph; of scales whose levels are numbers or orders, those stand for themselves."""

STYLE: Final = {
    "supported": "good", "yes": "good", "none": "good", "good": "good", "present": "good", "answerable": "good",
    "contradicted": "bad", "no": "bad", "fact": "bad", "input": "bad", "context": "bad", "bad": "bad",
    "not_answerable": "bad", "not_supported": "bad", "removal_wrong": "bad", "match": "good", "other_work": "bad",
}  # fmt: skip
"""The style of a verdict, for verdicts with a style."""


def glyph(level: str) -> str:
    """What stands before a label's word; an order of outputs has no glyph of its own."""
    return "#" if is_order(level) else VERDICT.get(level, level)


def verdict_words(level: str, asks: Asks = STATEMENT) -> str:
    """A verdict as displayed everywhere: glyph and word."""
    name = asks.level_named(level).name
    return f"{glyph(level)} {name}" if glyph(level) != name else name
