"""Verdicts on references: their words, for lists and flags, and which sources are another work than the one named."""

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from medreview.references.model import Asked, WorkKind


Verdict = Literal["match", "mismatch", "other_work", "not_found", "ambiguous", "not_checkable"]
VERDICTS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        "match": "that work; what differs misleads nobody",
        "mismatch": "that work, described wrongly",
        "other_work": "the identifier is another work's",
        "not_found": "no authority that was asked has it, which does not prove that it was invented",
        "ambiguous": "several works fit",
        "not_checkable": "there is nothing to look up",
    }
)
"""How a reference compares with what authorities know, and what that means."""

ACCUSING: Final[tuple[Verdict, ...]] = ("other_work", "mismatch", "not_found")
"""The verdicts that speak against a reference, the gravest first."""

ON_REFERENCE: Final = "reference: "
"""How a badge begins that says what the rules found of a reference."""


# A verdict that tells no work tells nothing of the page. A reference that is of the page's work speaks for it, whatever
# another one makes of the same identifier. An address is no identifier: of it only its page could tell.
_NAMED: Final = """
SELECT n.response_id, n.source_id, max(n.verdict = 'other_work') AND NOT max(n.verdict <> 'other_work') AS other
FROM source_reference AS n JOIN source AS u USING (source_id)
WHERE n.verdict IN ('match', 'mismatch', 'other_work') AND u.kind <> 'url'
GROUP BY n.response_id, n.source_id"""


def pages_of_other_works(reader: sqlite3.Connection) -> dict[tuple[str, str], bool]:
    """By response and source: whether its page is another work than the one that the references of the response name.

    Only sources with an identifier that a checked reference names, where the check tells a work.
    """
    return {(row["response_id"], row["source_id"]): bool(row["other"]) for row in reader.execute(_NAMED)}


_LEVELS: Final[Mapping[Verdict, str]] = MappingProxyType({"ambiguous": "cannot_judge", "not_checkable": "cannot_judge"})
"""Where several works fit, and where nothing can be looked up, the rules cannot judge, as a reviewer says it."""

PARTLY_LISTED: "Final[tuple[WorkKind, ...]]" = (
    "guideline", "drug_label", "book", "chapter", "report", "web_page", "dataset",
)  # fmt: skip
"""Of these services list only some, so that it says little when one is not found."""


def level_of(verdict: Verdict) -> str:
    """The level of the axis ``reference`` that a verdict comes to."""
    return _LEVELS.get(verdict, verdict)


def unanswered_words(number: int) -> str:
    """How many references could not be looked up, and what follows from it."""
    return f"{number:,} could not be looked up, since services gave no answer; the same command asks again"


def bare_urls_words(number: int) -> str:
    """How many references are an address alone, and what follows from it."""
    return f"{number:,} {'is' if number == 1 else 'are'} an address alone, with nothing to check"


def outcome_words(asked: "Asked") -> str:
    """What came of asking an authority: one that is asked by the words of a reference gives works to compare, none of
    which need be the one that is meant."""
    if asked.outcome != "found":
        return asked.outcome
    return "has it" if asked.by == "identifier" else "works to compare"


AUTHORITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "library": "library",
        "pubmed": "PubMed",
        "europe_pmc": "Europe PMC",
        "crossref": "Crossref",
        "datacite": "DataCite",
        "clinical_trials": "ClinicalTrials.gov",
        "openalex": "OpenAlex",
    }
)
"""Names by what stands in records and checks."""


def authority_name(authority: str) -> str:
    """The name of an authority as it is shown; any other than these by the name that a record or a check has."""
    return AUTHORITIES.get(authority, authority)
