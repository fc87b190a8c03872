"""Citation extraction from a text, and from a structured list (SourceCheckup: the list first, else the text)."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from medreview.citations.canonical import canonical_key, clean_url, domain
from medreview.citations.identifiers import find_arxiv, find_dois, find_ncts, find_pmcids, find_pmids, resolver_end
from medreview.citations.model import Citation, ListedCitation, Unusable
from medreview.citations.resolvers import DOI_HOSTS, resolve
from medreview.citations.urls import find_urls
from medreview.text import Span, with_line_ends

_MARKDOWN_BETWEEN: Final = re.compile(r"[)*_`\"'\s]{0,4}\]\(\s{0,3}<?\Z")
_HTML_BETWEEN: Final = re.compile(r"[\"'][^<>]{0,200}>\s{0,20}(?:PMID:?\s?|doi:?\s?)?\Z", re.IGNORECASE)


def extract(text: str) -> list[Citation]:
    """Every citation of a text, in text order, with disjoint spans (half-open ranges of code points).

    A resolver URL is reported once, as the identifier it resolves to, with the span of the whole URL. A link whose
    visible text is its own target is one citation; the same identifier in two places of the text is two.
    """
    text = with_line_ends(text)
    found, taken = _urls(text)
    rest = _mask(text, taken)
    for finder in (find_dois, find_arxiv, find_ncts, find_pmcids, find_pmids):
        more = list(finder(rest))
        if more:
            found.extend(more)
            rest = _mask(rest, [_span(citation) for citation in more])
    return _merge_links(text, _disjoint(found))


def from_list(items: Sequence[str]) -> ListedCitation:
    """Citations of a structured list, by the same rules, without offsets; entries without any are ``unusable``.

    An entry that names one source twice (a DOI and its URL) counts once.
    """
    citations: list[Citation] = []
    unusable: list[Unusable] = []
    for index, item in enumerate(items):
        unique = {canonical_key(found): Citation(found.kind, found.value) for found in reversed(extract(item))}
        citations.extend(reversed(unique.values()))
        if not unique:
            unusable.append(Unusable(index, item))
    return ListedCitation(citations, unusable)


def cited_in(text: str, listed: Sequence[str] = (), *, invalid: str = "") -> ListedCitation:
    """The citations of a response: those in its text, then those of its structured list that the text does not name.

    Spans refer to the text; citations of the list alone have none. An invalid response (``labels.INVALID``) cites
    nothing: of what broke off nobody knows what it would have cited.
    """
    if invalid:
        return ListedCitation([], [])
    in_text, in_list = extract(text), from_list(listed)
    known = {canonical_key(citation) for citation in in_text}
    return ListedCitation(in_text + [c for c in in_list.citations if canonical_key(c) not in known], in_list.unusable)


def _urls(text: str) -> tuple[list[Citation], list[Span]]:
    found: list[Citation] = []
    taken: list[Span] = []
    for place, reported in find_urls(text):
        span = place
        if reported:
            if domain(clean_url(text[span.start : span.end])) in DOI_HOSTS:
                span = Span(span.start, resolver_end(text, span.start, span.end))
            url = text[span.start : span.end]
            kind, value = resolve(url) or ("url", url)
            found.append(Citation(kind, value, span.start, span.end))
        taken.append(span)
    return found, taken


def _span(citation: Citation) -> Span:
    assert citation.start is not None
    assert citation.end is not None
    return Span(citation.start, citation.end)


def _mask(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans replaced by NUL characters, so that all offsets stay the same."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            begin = max(at, start)
            parts.append(text[at:begin])
            parts.append("\0" * (end - begin))
            at = end
    parts.append(text[at:])
    return "".join(parts)


def _disjoint(found: list[Citation]) -> list[Citation]:
    kept: list[Citation] = []
    at = 0
    for citation in sorted(found, key=_span):
        span = _span(citation)
        if span.start >= at:
            kept.append(citation)
            at = span.end
    return kept


def _merge_links(text: str, found: list[Citation]) -> list[Citation]:
    kept: list[Citation] = []
    for citation in found:
        if kept and canonical_key(kept[-1]) == canonical_key(citation):
            between = text[_span(kept[-1]).end : _span(citation).start]
            if _MARKDOWN_BETWEEN.match(between):
                kept[-1] = citation
                continue
            if _HTML_BETWEEN.match(between):
                continue
        kept.append(citation)
    return kept
