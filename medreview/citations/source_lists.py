"""What tells a list of sources in a response: its title, its footnotes, what references are made of."""

import re
from typing import Final

SOURCES_TITLE: Final = re.compile(
    r"""[\W_]{0,8} (?:(?:key|main|selected|additional|useful|cited|primary|all|my|your)\s)?
    (?:sources?(?:\s(?:and|&)\s\w{1,20}|\scited|\sused)?|references?(?:\scited)?|refs?\.?(?=[\s*_]{0,6}[:：])|citations?|bibliography|works\scited|reference\slist|literature(?:\scited)?
      |(?:further|suggested|recommended)\sreading|see\salso|links?|for\s(?:more|further)\sinformation(?:,?\ssee)?(?=[\s*_]{0,6}[:：])
      |resources|useful\slinks|quellen(?:angaben|verzeichnis)?|quelle|(?:weiterführende\s)?literatur(?:verzeichnis|angaben)?|belege|nachweise
      |références(?:\sbibliographiques)?|bibliographie|fuentes|referencias|bibliografía)
    (?:\[\d{1,3}\])? [\s*_]{0,6} (?P<colon>[:：])? [\s*_]{0,6} (?P<rest>.*)\Z""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""The title of a list of sources, at the start of a line; ``rest`` is what stands after it in the line."""
NOTE: Final = re.compile(r"\s*(?:[-*•]\s+)?\[\^?\w{1,4}\^?\](?::|\s)")
"""A footnote: ``[^1]: ...``."""
BIBLIOGRAPHIC: Final = re.compile(
    r"\b(?:19|20)\d\d\s?;\s?\d|\bet al\b|\((?:19|20)\d\d[a-z]?\)|\b\d{1,4}\(\d{1,3}\)[:,]"
    r"|\bvol\.|\bpp\.|\bAccessed\b|\b(?:19|20)\d\d\.?\s{0,3}\Z"
)
"""What stands in references and hardly elsewhere: year and volume, "et al", pages, the day of access."""


def is_sources_title(sentence: str) -> bool:
    """Whether a sentence is the title of a list of sources, perhaps with a mark put to it: "References[20]:"."""
    title = SOURCES_TITLE.match(sentence)
    return title is not None and not title["rest"].strip()
