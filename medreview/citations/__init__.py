"""Citations of a response: extracted from text or from a list, compared, and resolved to URLs.

In the order of use: ``citation`` (what a citation is, whether two name the same source, and what to fetch);
``extract`` finds them, in text through ``identifiers``, and in a structured list; ``stage`` does this for a study,
and for the pairs of a table. ``source_lists`` reads what a response's own numbers stand for, ``markers``
finds where its text refers to them. About the sources: ``hosts`` (their groups and paywalls) and
``allow_list`` (whether they are allowed by a list of evidence domains).
"""

from medreview.citations.citation import Citation, Kind, ListedCitation, Unusable, canonical_key, domain, fetch_url
from medreview.citations.extract import cited_in, extract, from_list

__all__ = [
    "Citation",
    "Kind",
    "ListedCitation",
    "Unusable",
    "canonical_key",
    "cited_in",
    "domain",
    "extract",
    "fetch_url",
    "from_list",
]
