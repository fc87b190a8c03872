"""Resolver URLs: those that name an identifier (doi.org, PubMed, PMC, ClinicalTrials.gov, arXiv)."""

import re
from typing import Final
from urllib.parse import unquote

from medreview.citations.canonical import clean_url, domain
from medreview.citations.model import Kind

DOI_HOSTS: Final = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_PUBMED_HOSTS: Final = frozenset(
    {"pubmed.ncbi.nlm.nih.gov", "pubmed.gov", "www.pubmed.gov", "pubmed.com", "www.pubmed.com"}
)
_NCBI_HOSTS: Final = frozenset({"ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "m.ncbi.nlm.nih.gov"})
_PMC_HOSTS: Final = frozenset({"pmc.ncbi.nlm.nih.gov"})
_EUROPE_HOSTS: Final = frozenset({"europepmc.org", "www.europepmc.org"})
_TRIAL_HOSTS: Final = frozenset(
    {"clinicaltrials.gov", "www.clinicaltrials.gov", "beta.clinicaltrials.gov", "classic.clinicaltrials.gov"}
)
_ARXIV_HOSTS: Final = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})

ARXIV_ID: Final = r"(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}|[A-Za-z][A-Za-z-]{1,15}(?:\.[A-Z]{2})?/\d{7})(?:[vV]\d{1,3})?"

_DOI: Final = re.compile(
    r"/+(?:doi:\s*|https?:/+(?:dx\.|www\.)?doi\.org/+){0,3}(10\.\d{4,9}(?:\.\d{1,9}){0,5}/[^\s\x00-\x1f]{1,500})",
    re.IGNORECASE,
)
_PUBMED: Final = re.compile(r"/+(\d{1,8})(?:/[^?#]*)?(?:[?#].*)?\Z")
_PUBMED_TERM: Final = re.compile(
    r"/*(?:\?|.*?&)term=(\d{5,8})(?:(?:\[|%5B)(?:uid|pmid)(?:\]|%5D))?(?:[&#].*)?\Z", re.IGNORECASE
)
_NCBI_PUBMED: Final = re.compile(r"/+(?:m/)?(?:pubmed|entrez/pubmed)(?=[/?])(.*)\Z", re.IGNORECASE)
_ENTREZ: Final = re.compile(
    r"/+entrez/query\.fcgi\?(?=.*db=pubmed)(?:.*?&)?list_uids=(\d{1,8})(?:[&#].*)?\Z", re.IGNORECASE
)
_PMC_PMID: Final = re.compile(r"/+(?:pmc/)?articles/pmid/(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_PMC: Final = re.compile(r"/+(?:pmc/)?articles?/(?:PMC)?(\d{1,8})(?:\.\d+)?(?:[/?#].*)?\Z", re.IGNORECASE)
_EUROPE_MED: Final = re.compile(r"/+(?:article|abstract)/med/(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_EUROPE_PMC: Final = re.compile(r"/+(?:articles?|abstract)/(?:pmc/)?PMC(\d{1,8})(?:[/?#].*)?\Z", re.IGNORECASE)
_TRIAL: Final = re.compile(
    r"/+(?:study/|(?:ct2/)?(?:show|history|results)/(?:(?:study|results|record)/)?)?(NCT\d{8})(?:[/?#].*)?\Z",
    re.IGNORECASE,
)
_ARXIV: Final = re.compile(rf"/+(?:abs|pdf|html|ps)/({ARXIV_ID})(?:\.pdf)?/?(?:[?#].*)?\Z", re.IGNORECASE)
_SICI_CHECK: Final = re.compile(r";\d-#\Z")


def resolve(url: str) -> tuple[Kind, str] | None:
    """Kind and value of the identifier in a resolver URL, or ``None`` for any other URL."""
    clean = clean_url(url)
    host = domain(clean)
    rest = clean.partition("://")[2]
    at = len(re.match(r"[^/?#]*", rest).group())  # type: ignore[union-attr]
    path = rest[at:]
    if "@" in rest[:at]:
        return None
    if host in DOI_HOSTS:
        return _doi(path)
    if host in _PUBMED_HOSTS:
        return _number("pmid", _PUBMED.match(path) or _PUBMED_TERM.match(path))
    if host in _NCBI_HOSTS:
        inner = _NCBI_PUBMED.match(path)
        if inner is not None:
            return _number("pmid", _PUBMED.match(inner[1]) or _PUBMED_TERM.match(inner[1]))
        return _number("pmid", _ENTREZ.match(path) or _PMC_PMID.match(path)) or (
            _number("pmcid", _PMC.match(path)) if path.lstrip("/")[:4].lower() == "pmc/" else None
        )
    if host in _PMC_HOSTS:
        return _number("pmid", _PMC_PMID.match(path)) or _number("pmcid", _PMC.match(path))
    if host in _EUROPE_HOSTS:
        return _number("pmid", _EUROPE_MED.match(path)) or _number("pmcid", _EUROPE_PMC.match(path))
    if host in _TRIAL_HOSTS:
        trial = _TRIAL.match(path)
        return None if trial is None else ("nct", trial[1].upper())
    if host in _ARXIV_HOSTS:
        paper = _ARXIV.match(path)
        return None if paper is None else ("arxiv", arxiv_value(paper[1]))
    return None


def arxiv_value(identifier: str) -> str:
    """An arXiv identifier in canonical case: a lower-case ``v`` before the version, the archive in lower case."""
    archive, slash, number = identifier.partition("/")
    if not slash:
        return identifier.lower()
    name, dot, subject = archive.partition(".")
    return f"{name.lower()}{dot}{subject}/{number.lower()}"


def _doi(path: str) -> tuple[Kind, str] | None:
    path = path.partition("?")[0]
    if not _SICI_CHECK.search(path):
        path = path.partition("#")[0]
    match = _DOI.fullmatch(unquote(path).rstrip("/ "))
    return None if match is None else ("doi", match[1].lower())


def _number(kind: Kind, match: re.Match[str] | None) -> tuple[Kind, str] | None:
    if match is None or not match[1].strip("0"):
        return None
    digits = match[1].lstrip("0")
    return kind, f"PMC{digits}" if kind == "pmcid" else digits
