"""What makes a paragraph no passage to ask about, whatever it says: its length, boilerplate, structural noise."""

import re
from collections.abc import Iterator
from typing import Final

from medreview.evidence.segment import is_row
from medreview.statements.kinds import is_disclaimer

LEAST_TOKENS: Final = 15
LEAST_SENTENCES: Final = 2
MOST_TOKENS: Final = 1_000
"""Ours: what is longer is no paragraph but a text whose paragraphs were lost, and too long for one question."""
TABULAR: Final = 0.3
"""Share of lines."""

_NAVIGATION: Final = re.compile(
    r"""\b(?:
        (?:skip|go|jump|return|back)\s(?:back\s)?to\s(?:the\s)?(?:main\s)?(?:content|top|index|contents|start|home|menu|navigation)
      | (?:previous|next)\s(?:chapter|section|page|article|topic|post)
      | table\sof\scontents | click\s(?:here|on|the) | read\smore | sign\s(?:in|up) | log\s?in | subscribe
      | share\s(?:this|on) | follow\sus | print\sthis | download\s(?:pdf|citation|the) | accept\s(?:all\s)?cookies
      | (?:search|browse)\sthis\s(?:site|book) | you\sare\shere | site\s?map
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LINK_TARGET: Final = re.compile(r"(?<=\])\([^()\s]*\)")
_IMPRINT: Final = re.compile(
    r"""\b(?:e-?)?ISBN(?:-1[03])?\b[\s:]*[\dX-] | \bISSN\b[\s:]*\d | © | \(c\)\s(?:19|20)\d\d
      | \bcopyright\b\s*(?:©|\(c\)|by\b|(?:19|20)\d\d|of\b|holder|notice|is\sheld)
      | \ball\srights\sreserved\b | \bno\spart\sof\sthis\b | \bprinted\s(?:and\sbound\s)?in\b | \bcreative\scommons\b
      | \b(?:publishers?|authors?|editors?)\b[^.]{0,80}\b(?:accepts?\sno|disclaims?
          |(?:is|are)\snot\s(?:liable|responsible))""",
    re.IGNORECASE | re.VERBOSE,
)
_CAPTION: Final = re.compile(
    r"[\W_]*(?:supplementary\s|online\s)?(?:figure|fig\.?|table|box|plate|panel|scheme|chart|exhibit|algorithm)\s"
    r"(?:[A-Z]?\d{1,3}(?:[.–-]\d{1,3})*[A-Za-z]?|[IVX]{1,5})[\s*_]*(?:[.:|–—-](?=\s|\Z|[*_])|\)|\Z|\n)",
    re.IGNORECASE,
)
_LATEX: Final = re.compile(
    r"\\(?:[a-zA-Z]+\*?\s*[{\[]|(?:alpha|beta|gamma|delta|Delta|mu|sigma|times|cdot|leq?|geq?|pm|sum|int|infty|approx|sim"
    r"|rightarrow|left|right|quad|item|hline|noindent|degree|circ)(?![a-zA-Z])|[\[\]()](?=.*\\[\[\]()]))"
    r"|\$\$|\$(?=\S)[^$\n]{0,200}?[\\^_={}][^$\n]{0,200}?(?<=\S)\$|\$[A-Za-z]\$",
)


def noise(text: str, tokens: int, sentences: list[str]) -> Iterator[str]:
    """The codes of the rules that a paragraph fails; ``sentences`` are its own."""
    if tokens < LEAST_TOKENS:
        yield "few_tokens"
    if len(sentences) < LEAST_SENTENCES:
        yield "few_sentences"
    if tokens > MOST_TOKENS:
        yield "too_long"
        return
    if _is_boilerplate(text, sentences):
        yield "boilerplate"
    lines = [line for line in text.split("\n") if line.strip()]
    if sum(map(is_row, lines)) >= TABULAR * len(lines):
        yield "table"
    if _CAPTION.match(text):
        yield "caption"
    if _LATEX.search(text):
        yield "latex"


def _is_boilerplate(text: str, sentences: list[str]) -> bool:
    """An imprint anywhere; disclaimers or navigation in half of the sentences."""
    if _IMPRINT.search(text):
        return True
    cues = sum(is_disclaimer(sentence) or _is_navigation(sentence) for sentence in sentences)
    return cues * 2 >= max(1, len(sentences))


def _is_navigation(sentence: str) -> bool:
    """Whether a sentence is cues of navigation for the greater part, not counting where its links lead."""
    bare = _LINK_TARGET.sub("", sentence)
    return sum(len(found[0]) for found in _NAVIGATION.finditer(bare)) * 2 >= len(bare)
