"""Instructions and recommendations that the notes of a case do not have: out of scope for a brief (MedAgentBrief, 3.2).

Found by rules on words: a statement that tells somebody what to do, and of which no place in its notes has the words.
Notes may say it in others, or in abbreviations, so that the judge that verifies the statement has the last word.
"""

import re
from collections.abc import Sequence
from typing import Final

from medreview.evidence.ranking import SourceIndex
from medreview.generators.brief.validators import figures

_ADVISES: Final = re.compile(
    r"\b(?:should|must|ought to|needs? to|needs|(?:is|are) to|has to|have to|please|ensure|avoid\w*|recommend\w*"
    r"|advis\w*|suggest\w*|consider\w*|encourag\w*|instruct\w*|counsel\w*|seek|call|return (?:to|if|for)"
    r"|follow[- ]?up|monitor\w*|repeat\w*|continu\w*|refer(?:red|ral)?|schedul\w*|planned|due)\b",
    re.IGNORECASE,
)
_FOUND: Final = 0.4
"""Share of a statement's weight, without the words that advise, that two passages in a row must have together."""


def advises(text: str) -> bool:
    """Whether a text reads like an instruction, a recommendation or a plan."""
    return _ADVISES.search(text) is not None


def is_own_advice(text: str, notes: Sequence[str]) -> bool:
    """Whether a statement gives advice that none of its notes has: no place there has enough of its words, or its
    numbers are not in that note. Each part of it between semicolons is looked at by itself."""
    parts = [part for part in text.split(";") if advises(part)]
    return not all(any(_says(note, part) for note in notes) for part in parts)


def _says(note: str, text: str) -> bool:
    source = SourceIndex(note)
    query = source.query(_ADVISES.sub(" ", text))
    places = range(len(source.passages))
    found = max((source.covered(query, [at, at + 1]) for at in places), default=0.0)
    return found >= _FOUND and figures(text) <= figures(note)
