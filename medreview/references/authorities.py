"""The authorities that are asked about references, as sentences name them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

AUTHORITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "library": "the library",
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
    """The name of an authority in a sentence; that of a library of one's own is the one it was given."""
    return AUTHORITIES.get(authority, authority)
