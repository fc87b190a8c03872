"""Advice: what one of the two says should be done, and the other should not be done, to the same."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from medreview.evidence.clashes.clash import Clash
from medreview.evidence.clashes.negations import narrowed_otherwise
from medreview.evidence.function_words import word_set
from medreview.evidence.sentence_analysis import SentenceAnalysis
from medreview.evidence.terms import stem
from medreview.text import Span

_DONE: Final = r"(?:given|used|offered|taken|prescribed|started|continued|administered)"
_FOR: Final = re.compile(
    r"\b(?:(?:is|are|be) (?:\w+ly )?"
    r"(?:recommended|advised|indicated|allowed|permitted|encouraged|first[- ](?:choice|line))"
    rf"|(?:should|must) (?:\w+ly )?be {_DONE}|can (?:safely )?be {_DONE})\b",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    rf"\b(?:(?:should|must|may|can|could) ?(?:not|n['’]t) be {_DONE}|cannot be {_DONE}"
    r"|do(?:es)? ?(?:not|n['’]t) (?:give|use|take)"
    r"|(?:is|are) ?(?:not|n['’]t) (?:\w+ly )?(?:recommended|advised|indicated|allowed|permitted)"
    r"|(?:is|are) contraindicated|(?:should|must) be (?:avoided|stopped|discontinued|withheld))\b",
    re.IGNORECASE,
)
_NARROWED: Final = word_set(
    """
    if unless except excluding until only without alone instead rather but however although other some all every
    routinely
    """
)
"""Words of advice that holds for a part, or for a case of its own."""
_OF_ADVICE: Final = frozenset(
    map(
        stem,
        word_set(
            """
            recommended advised indicated allowed permitted encouraged first choice line given used offered taken
            prescribed started continued administered give use take contraindicated avoided stopped discontinued
            withheld treatment
            """
        ),
    )
)
MOST: Final = 0.75
"""Share of the statement's content words besides those of advice that must stand in the passage."""
MOST_OF_PASSAGE: Final = 0.75
"""The same of the passage's words in the statement: what is said of fewer is no contradiction."""


def advice(claim: SentenceAnalysis, evidence: SentenceAnalysis) -> Iterator[Clash]:
    """Advice in one, advice against it in the other; none where either holds on a condition."""
    claimed = _advice(claim.text)
    written = _advice(evidence.text) if claimed is not None else None
    if claimed is None or written is None or claimed[0] == written[0]:
        return
    if not _NARROWED.isdisjoint(claim.keys | evidence.keys) or narrowed_otherwise(claim, evidence):
        return
    said, there = (sentence.content - _OF_ADVICE for sentence in (claim, evidence))
    shared = len(said & there)
    if shared >= 2 and shared >= MOST * len(said) and shared >= MOST_OF_PASSAGE * len(there):
        yield Clash("negation", claimed[1], written[1])


@lru_cache(maxsize=2_000)
def _advice(text: str) -> tuple[bool, Span] | None:
    """Whether a text advises something, or against it, and where; ``None`` for neither or both."""
    found_for, against = _FOR.search(text), _AGAINST.search(text)
    if (found_for is None) == (against is None):
        return None
    found = found_for or against
    return None if found is None else (found is found_for, Span(*found.span()))
