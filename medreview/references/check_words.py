"""The words for a check's outcome: verdicts as levels of the axis ``reference``, names of authorities, counts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from medreview.references.verdict import Verdict

if TYPE_CHECKING:
    from medreview.references.model import Asked, WorkKind


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
