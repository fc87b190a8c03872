"""Retractions, corrections and expressions of concern as plain sentences.

Kinds: NLM, "MEDLINE/PubMed XML Element Descriptions" (RefType, PublicationType). Europe PMC and JATS
write the same kinds with other spaces and capitals.
"""

import re
from typing import Final, Literal, NamedTuple

# In order of severity. The keys are kinds in lower case, letters only.
_NOTICES: Final = {
    "retractionin": "This article was retracted",
    "partialretractionin": "A part of this article was retracted",
    "retractedandrepublishedin": "This article was retracted and published anew",
    "expressionofconcernin": "An expression of concern about this article was published",
    "correctedandrepublishedin": "This article was corrected and published anew",
    "erratumin": "A correction to this article was published",
    "updatein": "A newer version of this article was published",
    "retractionof": "This is a notice that another article was retracted",
    "partialretractionof": "This is a notice that a part of another article was retracted",
    "expressionofconcernfor": "This is an expression of concern about another article",
    "erratumfor": "This is a correction to another article",
}
_TYPES: Final = {
    "retractedpublication": ("retractionin", "This article was retracted, by its publication type."),
    "retractionofpublication": ("retractionof", "This is a notice that another article was retracted."),
    "retractionnotice": ("retractionof", "This is a notice that another article was retracted."),
    "preprintwithdrawal": ("retractionin", "This preprint was withdrawn."),
    "preprintremoval": ("retractionin", "This preprint was removed."),
    "expressionofconcern": ("expressionofconcernfor", "This is an expression of concern about another article."),
    "publishederratum": ("erratumfor", "This is a correction to another article."),
}
_NOTICE_TITLE: Final = re.compile(
    r"\W*(?:retraction(?:\s+not(?:e|ice))?|withdrawal\s+not(?:e|ice))\s*(?::|\b(?:to|of):|\bto\b|$)", re.IGNORECASE
)
_RETRACTED_TITLE: Final = re.compile(
    r"\W{0,3}((retracted|withdrawn)(?:\s(?:article|paper))?)\s*(?:[\])”\"]\s*[:.\u2013\u2014-]?|[:.\u2013\u2014]|-\s)\s*",
    re.IGNORECASE,
)


def ordered_notices(corrections: list[tuple[str, str]], publication_types: list[str]) -> list[str]:
    """Sentences for corrections, given as (kind, reference), and publication types: most severe first, no duplicates.

    Comments, summaries and other kinds that do not affect what the article says give no sentence.
    """
    normalised = [(correction_of(kind), reference) for kind, reference in corrections]
    sentences = [(kind, _sentence(kind, reference)) for kind, reference in normalised if kind in _NOTICES]
    seen = {kind for kind, _ in sentences}
    for publication_type in publication_types:
        known = _TYPES.get(_letters(publication_type))
        if known and known[0] not in seen:
            sentences.append(known)
    order = list(_NOTICES)
    return list(dict.fromkeys(text for _, text in sorted(sentences, key=lambda pair: order.index(pair[0]))))


def notice_of_title(title: str) -> str:
    """A sentence for a title that begins with "Retracted:", "Withdrawn:" or "Retraction:", ``""`` for any other."""
    if _NOTICE_TITLE.match(title):
        return "This is a notice that another article was retracted, by its title."
    mark = retraction_mark(title)
    return f"This article was {mark.kind}, by its title." if mark else ""


class RetractionMark(NamedTuple):
    """What publishers put before the title of a retracted work: its ``kind``, its words, the title behind it."""

    kind: Literal["retracted", "withdrawn"]
    words: str
    title: str


def retraction_mark(title: str) -> RetractionMark | None:
    """The mark before a title ("RETRACTED ARTICLE: ..."); ``None`` without one."""
    found = _RETRACTED_TITLE.match(title)
    if found is None:
        return None
    kind: Literal["retracted", "withdrawn"] = "withdrawn" if found[2].lower() == "withdrawn" else "retracted"
    return RetractionMark(kind, found[1], title[found.end() :])


def correction_of(kind: str) -> str:
    """A kind of correction as all services mean it: lower case, letters only (``Retraction in``: ``retractionin``)."""
    return _letters(kind)


def type_of(publication_type: str) -> str:
    """The kind of correction that a publication type speaks of, ``""`` for any other type."""
    known = _TYPES.get(_letters(publication_type))
    return known[0] if known else ""


def _sentence(kind: str, reference: str) -> str:
    reference = " ".join(reference.split()).rstrip(". ")
    return f"{_NOTICES[kind]}{': ' + reference if reference else ''}."


def _letters(kind: str) -> str:
    return re.sub(r"[^a-z]", "", kind.lower())
