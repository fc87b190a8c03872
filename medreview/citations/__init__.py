"""References as they stand in a response: found in text or taken from a list, compared, and turned into addresses.

``extract`` finds them in text, ``from_list`` reads a structured list, ``cited_in`` both; ``canonical_key`` decides
whether two are the same source, ``fetch_url`` says what to fetch, ``domain`` gives the host. Under ``scoring`` and
``allow_list``: where they point, against a list of evidence domains; under ``reach``: whether something is there.
"""

from medreview.citations.canonical import canonical_key, domain, fetch_url
from medreview.citations.extract import cited_in, extract, from_list
from medreview.citations.model import Citation, Kind, Listed, Unusable

__all__ = [
    "Citation",
    "Kind",
    "Listed",
    "Unusable",
    "canonical_key",
    "cited_in",
    "domain",
    "extract",
    "fetch_url",
    "from_list",
]
