"""Whether what a model made of an unsupported statement may become a revision (SourceCleanup).

A revision has a quote that stands in the page and bears on it, nothing that the quote lacks (``lacking``), and nothing
that clashes with it; it is not the statement that it revises, and at most 1.5 times as long. Of a removal only its form
can be told: whether something could have been kept is for the reviewer.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from medreview.evidence.clashes import clashes
from medreview.generators.lacking import NEGATION, NUMBER, UNIT, lacking
from medreview.judges.quote_grounding import Grounded
from medreview.labels import DISPROVING_DOUBTS, PROVEN_QUOTES
from medreview.units.revision import is_the_original, is_too_long

Ground = Callable[[str, str], Grounded]
"""Looks up a quote in the page, as one that is to support a text."""

REMOVE: Final = "remove"
_CLASHING: Final = {"number": NUMBER, "range": NUMBER, "comparison": NUMBER, "unit": UNIT, "negation": NEGATION}


def revision_faults(value: Mapping[str, Any], original: str, ground: Ground) -> tuple[str, ...]:
    """The validation codes of one answer, each once; empty when it can be used."""
    return tuple(dict.fromkeys(_faults(value, original, ground)))


def _faults(value: Mapping[str, Any], original: str, ground: Ground) -> Iterator[str]:
    text, quote = value["text"].strip(), value["quote"].strip()
    if not value["changed"].strip():
        yield "no_explanation"
    if value["action"] == REMOVE:
        if text:
            yield "removal_with_text"
        return
    if not text:
        yield "no_text"
        return
    if is_the_original(text, original):
        yield "unchanged"
    if is_too_long(text, original):
        yield "too_long"
    found = ground(quote, text)
    if found.status not in PROVEN_QUOTES:
        yield "quote_not_grounded"
    elif found.doubt in DISPROVING_DOUBTS:
        yield "quote_proves_nothing"
    yield from lacking(text, quote)
    yield from (_CLASHING.get(clash.kind, "clashes_with_quote") for clash in clashes(text, quote))
