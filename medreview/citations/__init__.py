"""Citations of a response: extracted from text or from a list, compared, and resolved to URLs.

In the order of use: ``model`` (what a citation is); ``extract`` finds them, in text through ``urls``, ``identifiers``
and ``resolvers``, and in a structured list; ``canonical`` decides whether two are the same source, and what to fetch;
``stage`` does this for a study, ``listed_pairs`` for the pairs of a table. ``own_numbers`` reads what a response's own
numbers stand for, ``markers`` finds where its text refers to them. About the sources: ``hosts`` (how they are grouped,
who has a paywall), ``allow_list`` and ``scoring`` (whether they are allowed by a list of evidence domains).
"""

from medreview.citations.canonical import canonical_key, domain, fetch_url
from medreview.citations.extract import cited_in, extract, from_list
from medreview.citations.model import Citation, Kind, ListedCitation, Unusable

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
