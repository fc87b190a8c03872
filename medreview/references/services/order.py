"""Who is asked for what, and in which order: what knows medicine best comes first."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from medreview.references.model import Identifier, IdentifierKind, WorkKind
from medreview.references.services.client import Way

_BY_IDENTIFIER: Final[Mapping[IdentifierKind, tuple[str, ...]]] = {
    "doi": ("crossref", "datacite", "europe_pmc", "openalex"),
    "pmid": ("pubmed", "europe_pmc", "openalex"),
    "pmcid": ("europe_pmc", "pubmed"),
    "nct": ("clinical_trials",),
    "arxiv": ("datacite",),
    "isbn": ("crossref",),
}
_WHERE_NOBODY_HAS_IT: Final = frozenset({"datacite", "openalex"})
"""These are asked for an identifier only as long as nobody has it: a DOI is registered in one place."""
_OF_DATACITE: Final = ("10.48550/", "10.5281/", "10.6084/", "10.5061/", "10.17605/")
"""arXiv, Zenodo, figshare, Dryad and OSF."""


class Step(NamedTuple):
    """A service, and how it is asked for a citation."""

    authority: str
    way: Way = "search"


_ARTICLE: Final = (
    Step("pubmed", "place"),
    *(Step("europe_pmc"), Step("pubmed"), Step("crossref"), Step("openalex")),
)
_BY_CITATION: Final[Mapping[WorkKind, tuple[Step, ...]]] = {
    "article": _ARTICLE,
    "unknown": _ARTICLE,
    "preprint": (Step("europe_pmc"), Step("crossref"), Step("datacite"), Step("openalex")),
    "trial": (Step("clinical_trials"), Step("europe_pmc"), Step("crossref"), Step("openalex")),
    "dataset": (Step("datacite"), Step("crossref"), Step("openalex")),
    "book": (Step("crossref"), Step("pubmed"), Step("openalex")),
    "chapter": (Step("crossref"), Step("pubmed"), Step("openalex")),
    "guideline": (Step("europe_pmc"), Step("pubmed"), Step("crossref"), Step("openalex")),
    "report": (Step("europe_pmc"), Step("crossref"), Step("openalex")),
    "drug_label": (Step("europe_pmc"), Step("crossref")),
    "web_page": (Step("europe_pmc"), Step("crossref")),
}


def asked_for(identifier: Identifier) -> tuple[str, ...]:
    """The authorities that know such identifiers, in order."""
    chain = _BY_IDENTIFIER[identifier.kind]
    if identifier.kind == "doi" and identifier.value.startswith(_OF_DATACITE):
        return ("datacite", *(name for name in chain if name != "datacite"))
    return chain


def is_superfluous(authority: str, *, somebody_has_it: bool) -> bool:
    """Whether an authority has nothing to add on an identifier that another one has."""
    return somebody_has_it and authority in _WHERE_NOBODY_HAS_IT


def asked_by_citation(kind: WorkKind) -> tuple[Step, ...]:
    """The steps of a search for a work of this kind, in order."""
    return _BY_CITATION[kind]
