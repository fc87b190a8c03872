"""Phrases of a dialect that this project's pages and messages once had, each with plain words in its place.

A reader who knows English from papers and programs stops at them. The patterns are few and sure: phrases that are good
English in some sentences ("there is no interval") do not match.
"""

import re
from typing import Final

_NOUN: Final = r"(?:answer|evidence|file|judge|label|link|part|proof|statement|verdict|vote)s?\b"

DIALECT: Final = (
    (r"\banew\b", "again"),
    (r"(?i)(?<!there )\b(?:is|are|was|were) none\b", "is not one; or: there is no ..."),
    (r"(?i)(?<!there )\bis no " + _NOUN, "is not a ..."),
    (r"(?i)(?<!there )\bare no " + _NOUN, "are not ..."),
    (r"\bof no kind\b", "does not recognise"),
    (r"\btold(?! apart)\b", "recognised, shown, said, asked"),
    (r"\bbrought\b", "imported, added, fetched"),
    (r"\b(?:nothing|it) is said\b", "name the actor: medreview says"),
    (r"\botherwise than\b", "different from"),
    (r"\bno word (?:on|of)\b", "nothing about"),
    (r"(?:\A|[.!:] )Who (?:asks|does|gives|has|is|leaves|looks|marks|opens|reads|wants|was)\b[^?]*?[.;]", "If you ..."),
    (r"(?:\A|[.!:] )What (?:are|belongs|came|comes|ends|has|holds|is|stands|was|were)\b[^?:]*?[.;]", "Rows that ..."),
)  # fmt: skip
"""Pattern -> what to write instead. A paragraph, a cell of a table or a message is matched as one line."""

_PATTERNS: Final = tuple((re.compile(pattern), instead) for pattern, instead in DIALECT)


def dialect(text: str) -> list[str]:
    """Each phrase of the dialect in a text of one paragraph, with what to write instead."""
    line = " ".join(text.split())
    return [f"{found[0]!r}: {instead}" for pattern, instead in _PATTERNS if (found := pattern.search(line))]
