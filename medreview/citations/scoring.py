"""Citation scoring without reading the sources: how many, of which kind, from which allowed domains.

The capability, its names (``has_citation``, ``n_url``, allowed over all, allowed over URLs) and the pass criteria are
those of a published notebook, "Clinical CDS Citation Accuracy Evaluation". Results that differ from it, on purpose:

==================================  ==============================  ===============================================
in the text                         the notebook                    here
==================================  ==============================  ===============================================
``DOI: 10.1056/NEJMoa055202``       the label is in the value       ``10.1056/nejmoa055202``
``https://www.ncbi.nlm.nih.gov/``   its domain is ``nih.gov``: an   matches ``ncbi.nlm.nih.gov``, or ``nih.gov``:
                                    entry ``ncbi.nlm.nih.gov`` can  the suffix of the host, cut at a dot
                                    never match
``https://doi.org/10.1000/x``       a URL not allowed and a DOI     one DOI
a PubMed address                    a URL and a PMID                one PMID
``(see https://who.int/x).``        the URL ends in ``).``          ``https://who.int/x``
``MRN 20240115``                    a PMID                          no citation: a PMID needs a label
``PMID: 12345``                     none: 7 or 8 digits only        a PMID, like any with a label
``PMC123456``, NCT, arXiv           none                            kinds of their own
one source named twice              two citations                   one for the figures, both places in the detail
``https://me@nih.gov/``             allowed                         never allowed: an address with a user name
``ftp://nih.gov/x``                 a URL                           none: nobody fetches it
an invented DOI                     allowed, 100%                   ``by_format``: counted as allowed, shown apart;
                                                                    with a link check, whether it exists
==================================  ==============================  ===============================================

As there, the kinds that are allowed by format count as allowed over all; the pass criterion is on URLs alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from medreview.citations.allow_list import AllowList, has_user_info
from medreview.citations.canonical import canonical_key, domain, fetch_url
from medreview.citations.extract import cited_in
from medreview.citations.model import Citation, Kind

Verdict = Literal["allowed", "by_format", "not_allowed"]
"""Allowed by its domain; allowed by the format of an identifier alone; neither."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
KIND_NAMES: Final[Mapping[str, str]] = {
    "url": "URL", "doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "nct": "NCT", "arxiv": "arXiv",
}  # fmt: skip
"""The kinds as they are displayed."""


@dataclass(frozen=True, slots=True)
class ScoredCitation:
    """One citation with its verdict.

    ``start`` and ``end``: code points in the response, ``None`` for one of the structured list only. ``domain``: the
    host that it points to, in ASCII. ``entry`` and ``group``: the matching entry of the allow-list, or ``""``. ``why``:
    the reason when not allowed, or ``""``. ``source``: the canonical key of the source; ``repeat``: a duplicate, the
    response cited this source before.
    """

    kind: Kind
    value: str
    start: int | None
    end: int | None
    domain: str
    verdict: Verdict
    entry: str
    group: str
    why: str
    source: str
    repeat: bool


@dataclass(frozen=True, slots=True)
class ResponseScore:
    """The citations of one response in order. Counts are of distinct sources; ``mentions`` counts duplicates, too.

    ``unusable``: entries of the structured list without a citation.
    """

    citations: tuple[ScoredCitation, ...]
    unusable: tuple[str, ...] = ()

    @property
    def mentions(self) -> int:
        """The number of citations, duplicates included."""
        return len(self.citations)

    @property
    def sources(self) -> tuple[ScoredCitation, ...]:
        """The first citation of each source."""
        return tuple(citation for citation in self.citations if not citation.repeat)

    @property
    def by_kind(self) -> Mapping[Kind, int]:
        """The number of sources of each kind, zeros included."""
        found = Counter(citation.kind for citation in self.sources)
        return {kind: found[kind] for kind in KINDS}

    def count(self, *verdicts: Verdict, kind: Kind | None = None) -> int:
        """The number of sources with one of these verdicts (and of one kind)."""
        return sum(c.verdict in verdicts and (kind is None or c.kind == kind) for c in self.sources)


def score(citations: Sequence[Citation], allow: AllowList, unusable: Sequence[str] = ()) -> ResponseScore:
    """The verdicts on the citations of one response."""
    seen: set[str] = set()
    scored = []
    for citation in citations:
        key = canonical_key(citation)
        scored.append(_scored(citation, key, allow, key in seen))
        seen.add(key)
    return ResponseScore(tuple(scored), tuple(unusable))


def score_text(text: str, allow: AllowList, listed: Sequence[str] = (), *, invalid: str = "") -> ResponseScore:
    """The verdicts on what a response cites in its text and in a structured list; nothing when it is ``invalid``."""
    cited = cited_in(text, listed, invalid=invalid)
    return score(cited.citations, allow, [item for _, item in cited.unusable])


def _scored(citation: Citation, key: str, allow: AllowList, repeat: bool) -> ScoredCitation:
    url = fetch_url(citation)
    verdict: Verdict = "not_allowed"
    why, entry = "", None
    if citation.kind in allow.identifiers:
        verdict = "by_format"
    elif (entry := allow.match(url)) is not None:
        verdict = "allowed"
    elif citation.kind == "url":
        why = "carries a user name" if has_user_info(url) else "not on the list"
    else:
        why = "kind not taken"
    return ScoredCitation(
        kind=citation.kind,
        value=citation.value,
        start=citation.start,
        end=citation.end,
        domain=domain(key.removeprefix("url:")) if citation.kind == "url" else domain(url),
        verdict=verdict,
        entry=str(entry) if entry else "",
        group=entry.group if entry else "",
        why=why,
        source=key,
        repeat=repeat,
    )
