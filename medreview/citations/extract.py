"""Citation extraction from a text, and from a structured list (SourceCheckup: the list first, else the text).

URLs: ``http``, ``https`` and ``ftp`` are reported, and an address that begins with ``www.``; a name alone (``who.int``)
is not. In an address with another scheme nothing else is searched for. A bar in a query belongs to the URL, but not in
a row of a Markdown table, where it ends a cell. Time is linear in the text: brackets are paired once for each run of
characters that a URL may contain.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from medreview.citations.citation import (
    Citation,
    ListedCitation,
    Unusable,
    canonical_key,
    clean_url,
    document_in,
    domain,
)
from medreview.citations.identifiers import (
    BRACKET,
    DOI_HOSTS,
    OPENING,
    find_arxiv,
    find_dois,
    find_ncts,
    find_pmcids,
    find_pmids,
    resolve,
    resolver_end,
)
from medreview.text import NOT_IN_ADDRESS, Span, with_line_ends

# Excludes what URLs in prose do not contain: space, quotes, angle brackets, table bars, controls, invisible format
# characters, CJK and typographic punctuation. A backslash only where Markdown escapes a character. Bars: see ``_runs``.
_RUN: Final = re.compile(rf"(?:[^\\{NOT_IN_ADDRESS}]|\\[_*&#~|-])++")
_ADDRESS: Final = re.compile(r"://|www\.", re.IGNORECASE)
_TABLE_RULE: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[ \t:|-]*$", re.MULTILINE)
_BARE: Final = re.compile(
    r"(?<![\w@./%~+-])[Ww]{3}\.(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:[^\W\d_]{2,24}|xn--[\w-]{1,59})(?![\w-]|\.[^\W_]|@)"
)
_SCHEME_MARK: Final = re.compile("://")
_SCHEME_TAIL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_SCRIPT: Final = re.compile(
    r"(?<![a-z0-9])(?:javascript|vbscript|mailto|data(?=:[a-z]{1,20}/[a-z0-9.+-]{1,40}[;,])):(?!https?://)",
    re.IGNORECASE,
)
_ENTITY_END: Final = re.compile(
    r"&(?:lt|gt|quot|apos|nbsp|[lr]dquo|[lr]squo|[lr]aquo|hellip|#0*(?:34|39|60|62|160)|#x0*(?:22|27|3c|3e|a0));",
    re.IGNORECASE,
)
_TRAILING: Final = re.compile(r"(?:&amp;|&#38;|[|.,;:!?'’‘*~–¹²³⁰⁴-⁹†‡\\])\Z")
_HOST: Final = re.compile(
    r"(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://(?:[^\s/?#@\[\]]{0,200}@)?|(?=[Ww]{3}\.))"
    r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[^\W_](?:[\w.-]{0,251}[\w])?\.?)(?::\d{0,5})?(?=[/?#]|\Z)"
)
_URL_PUNCTUATION: Final = frozenset("/=?&:#+@%.-_~")
"""After one of these, a second ``https://`` belongs to the same URL (a URL of a web archive, a query)."""


class FoundAddress(NamedTuple):
    """A URL, or an address with another scheme that is not reported but excluded from search (``reported`` false)."""

    span: Span
    reported: bool


class _Start(NamedTuple):
    at: int
    http: bool


def find_urls(text: str) -> Iterator[FoundAddress]:
    """URLs of a text in order, disjoint."""
    if ":" not in text and "www." not in text.lower():
        return
    for low, high in _runs(text):
        body = text[low:high]
        script = _SCRIPT.search(body)
        if "://" in body or script or _BARE.search(body):
            yield from _in_run(text, low, high, None if script is None else low + script.start())


def _runs(text: str) -> Iterator[Span]:
    """The runs of characters that a URL may contain; after a bar in a query the run goes on, except in a table."""
    low = high = -1
    asks = False
    tables = _TableRows(text)
    for run in _RUN.finditer(text):
        if run.start() == high + 1 and text[high] == "|" and not tables.row_at(high):
            asks = asks or _asks(text, low, high)
        else:
            asks = False
        if not asks:
            if high > low:
                yield Span(low, high)
            low = run.start()
        high = run.end()
    if high > low:
        yield Span(low, high)


def _asks(text: str, low: int, high: int) -> bool:
    """Whether an address in a run has a query."""
    address = _ADDRESS.search(text, low, high)
    return address is not None and text.find("?", address.end(), high) >= 0


class _TableRows:
    """Which lines are rows of a Markdown table; each line is looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ruled = "|" in text and _TABLE_RULE.search(text) is not None
        self._end = -1
        self._row = False

    def row_at(self, bar: int) -> bool:
        """Whether a bar parts two cells: the text has a table, or the line begins, ends or is parted by a bar."""
        if bar >= self._end:
            end = self._text.find("\n", bar)
            self._end = len(self._text) if end < 0 else end
            line = self._text[self._text.rfind("\n", 0, bar) + 1 : self._end].strip()
            self._row = self._ruled or line.startswith("|") or line.endswith("|") or " | " in line
        return self._row


def _in_run(text: str, low: int, high: int, script: int | None) -> Iterator[FoundAddress]:
    stop = high if script is None else script
    starts = _starts(text, low, stop)
    limits = _limits(text, starts, stop)
    brackets, partners = _pair(text, low, stop)
    entities = [match.start() for match in _ENTITY_END.finditer(text, low, stop)]
    done = low
    for start, limit in zip(starts, limits, strict=True):
        if start.at < done:
            continue
        end = _end(start.at, limit, brackets, partners, entities)
        if not start.http:
            done = limit
            yield FoundAddress(Span(start.at, limit), False)
            continue
        end = _trim(text, start.at, end)
        if _HOST.match(text, start.at, end) and not text.endswith("://www", start.at, end):
            done = end
            yield FoundAddress(Span(start.at, end), True)
    if script is not None:
        yield FoundAddress(Span(script, high), False)


def _starts(text: str, low: int, high: int) -> list[_Start]:
    found = [_Start(bare.start(), True) for bare in _BARE.finditer(text, low, high)]
    for mark in _SCHEME_MARK.finditer(text, low, high):
        tail = _SCHEME_TAIL.search(text[max(low, mark.start() - 24) : mark.start()])
        if tail is None:
            continue
        scheme = tail.group().lower()
        length = next((len(one) for one in ("https", "http") if scheme.endswith(one)), 3 if scheme == "ftp" else 0)
        if length and scheme[: len(scheme) - length][-1:] != "+":
            found.append(_Start(mark.start() - length, True))
        else:
            found.append(_Start(mark.start() - len(scheme), False))
    return sorted(found)


def _limits(text: str, starts: list[_Start], high: int) -> list[int]:
    """The maximum end of each URL: the start of the next one that cannot be part of it."""
    limits = []
    limit = high
    for start in reversed(starts):
        limits.append(limit)
        if start.at and text[start.at - 1] not in _URL_PUNCTUATION:
            limit = start.at
    return limits[::-1]


def _pair(text: str, low: int, high: int) -> tuple[list[int], list[int | None]]:
    """The offsets of the brackets of a run, and for each the offset of its counterpart, or ``None``."""
    offsets: list[int] = []
    partners: list[int | None] = []
    opened: dict[str, list[int]] = {"(": [], "[": [], "{": []}
    for match in BRACKET.finditer(text, low, high):
        offsets.append(match.start())
        partners.append(None)
        opener = OPENING.get(match.group())
        if opener is None:
            opened[match.group()].append(len(offsets) - 1)
        elif opened[opener]:
            other = opened[opener].pop()
            partners[other] = match.start()
            partners[-1] = offsets[other]
    return offsets, partners


def _end(start: int, limit: int, brackets: list[int], partners: list[int | None], entities: list[int]) -> int:
    """The end of a URL: its first unbalanced bracket, or the first HTML entity that cannot belong to it."""
    entity = bisect_left(entities, start)
    if entity < len(entities):
        limit = min(limit, entities[entity])
    for index in range(bisect_left(brackets, start), len(brackets)):
        bracket, partner = brackets[index], partners[index]
        if bracket >= limit:
            break
        if partner is None or not start <= partner < limit:
            return bracket
    return limit


def _trim(text: str, start: int, end: int) -> int:
    """The end without punctuation after the URL, and without closing Markdown emphasis."""
    emphasis = start > 0 and text[start - 1] == "_"
    while end > start:
        if emphasis and text[end - 1] == "_":
            end -= 1
            continue
        last = _TRAILING.search(text, max(start, end - 5), end)
        if last is None:
            break
        end = last.start()
    return end


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


_NUMBERED: Final = re.compile(r"\s*\[\d{1,3}\] ")


def extract_entry(item: str) -> list[Citation]:
    """Every citation of an entry of a list: as in a text, or the document without an address that it names."""
    label = _NUMBERED.match(item)
    document = document_in(item[label.end() :] if label else item)
    return [document] if document else extract(item)


def from_list(items: Sequence[str]) -> ListedCitation:
    """Citations of a structured list, by the same rules, without offsets; entries without any are ``unusable``.

    An entry that names one source twice (a DOI and its URL) counts once.
    """
    citations: list[Citation] = []
    unusable: list[Unusable] = []
    for index, item in enumerate(items):
        cited = extract_entry(item)
        unique = {canonical_key(found): Citation(found.kind, found.value) for found in reversed(cited)}
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
