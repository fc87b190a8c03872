"""The authorities that are asked about references, as they call themselves."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

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
