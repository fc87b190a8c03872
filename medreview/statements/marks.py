"""Trimming of statements: emphasis, reference marks and citations in brackets at their edges are not part of them."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from medreview.citations import Citation
from medreview.citations.markers import AUTHOR_YEAR, RESIDUE, is_power
from medreview.text import Span

_NUMERIC: Final = re.compile(
    rf"{RESIDUE}\Z|"
    r"[¹²³⁰⁴-⁹⁻,]*[¹²³⁰⁴-⁹]\Z|[\[【]\^?\d{1,4}(?:[\s,;–†‡-]{1,3}\^?\d{1,4}){0,20}[\]】]\Z|\[citation needed\]\Z"
)
_AUTHOR_YEAR: Final = re.compile(rf"{AUTHOR_YEAR}\Z")
_LABEL: Final = re.compile(
    r"""(?:(?<=[\s(\[,;:.])|^)(?:see(?:\salso)?|sources?|refs?\.?|references?|doi|pmids?|pmcids?|pubmed(?:\sids?)?|arxiv|nct|url|link
        |available(?:\sat|\sfrom)?|retrieved\sfrom|read\smore(?:\sat|\shere)?|more(?:\sinformation)?(?:\sat)?|quellen?|siehe|(?<![A-Z]\.)s\.|voir|véase
        |fuentes?|trial(?:\sregistration)?|registration|clinicaltrials\.gov(?:\sidentifier)?)\s{0,2}[:#]?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_CONNECTIVE: Final = re.compile(r"[\s,;:|/–—-]+\Z|(?<=[\s,;\x00])(?:and|und|et|y|or)\s*\Z", re.IGNORECASE)
_STOPS: Final = re.compile(r"[\s.;,!]*\Z")
_EMPTY_PAIR: Final = re.compile(r"[(\[]\s*\Z")
_LEADING: Final = re.compile(
    r"(?:\s|[-–•]\s+(?=[A-Z*])|\*\*\*|\*\*|\*(?=\S)|__|_(?=[^_\W])|`(?=`|\Z)|[¹²³⁰⁴-⁹]+\s|\[\^?\d{1,3}(?:[,;\s–-]{1,3}\d{1,3}){0,9}\][:.]?(?=\s|\Z))+"
)
_TRAILING: Final = re.compile(r"(?:\s|\*\*\*|\*\*|(?<=\S)\*|__|(?<=\w[.!])_|\\\Z)\Z")
_LINK_WORD: Final = re.compile(
    r"(?:\b(?:by|from|in|the|a|an|to|at|see|per|of|and|on|with|or|via|under|for|von|der|die|das|im|in|par|le|la|de|según|el|del)\s*|[(\[,:]\s*)\Z",
    re.IGNORECASE,
)
_PLAIN_LINK_TEXT: Final = re.compile(
    r"[\s\W\d]*(?:source|link|here|ref|reference|citation|quelle|lien|fuente)?s?[\s\W\d]*\Z", re.IGNORECASE
)
_CITATION_WORDS: Final = re.compile(
    r"""\b(?:see(?:\salso)?|sources?|references?|refs?|doi|pmids?|pmcids?|pubmed|medline|ids?|arxiv|preprint|nct|url|links?|available|at
        |from|retrieved|accessed|and|und|et|y|or|quellen?|siehe|voir|fuentes?|identifiers?|numbers?|read|more|visit|via|on|in|trial
        |clinicaltrials\.gov|registration|no|amp|lt|gt|br|html|pdf|the)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_NAME_WORDS: Final = 6
"""Most words of a source's name beside its citation in brackets: ``(NICE guideline NG28: https://...)``."""
_LETTER: Final = re.compile(r"[^\W_¹²³⁰⁴-⁹]{2}|[^\W\d_¹²³⁰⁴-⁹]")


class CitationIndex:
    """The citations in one text, by position; spans are half-open ranges of code points."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._spans = sorted(Span(c.start, c.end) for c in citations if c.start is not None and c.end is not None)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def within(self, place: Span) -> list[Span]:
        """The citations that begin inside a span."""
        return self._spans[bisect_left(self._starts, place.start) : bisect_left(self._starts, place.end)]

    def any(self, place: Span) -> bool:
        """Whether a citation begins inside a span."""
        return bisect_left(self._starts, place.start) < bisect_left(self._starts, place.end)

    def closes(self, place: Span) -> bool:
        """Whether no word follows the last citation in a span; false without a citation."""
        spans = self.within(place)
        return bool(spans) and not _LETTER.search(self._text, min(spans[-1].end, place.end), place.end)

    def ending_at(self, end: int) -> Span | None:
        """The citation that ends exactly at an offset."""
        index = bisect_left(self._ends, end)
        return self._spans[index] if index < len(self._ends) and self._ends[index] == end else None

    def rest(self, place: Span) -> str:
        """The text of a span without its citations."""
        parts = []
        at = place.start
        for span in self.within(place):
            parts.append(self._text[at : span.start])
            at = max(at, span.end)
        parts.append(self._text[at : place.end])
        return " ".join(parts)

    def only(self, place: Span) -> bool:
        """Whether a span consists of citations, with labels and punctuation besides."""
        return self.any(place) and not _LETTER.search(_CITATION_WORDS.sub(" ", self.rest(place)).replace("0", " "))


def trim(text: str, place: Span, cited: CitationIndex) -> Span:
    """The span without emphasis, reference marks and citations at its edges.

    A full stop stays, unless a mark is between it and the words: ``daily [1].`` ends at ``daily``, ``daily. [1]`` at
    the full stop.
    """
    start, end = place
    while start < end:
        lead = _LEADING.match(text, start, end)
        if lead is None or lead.end() == start:
            break
        start = lead.end()
    first = _leading_group(text, start, end, cited)
    if first > start:
        start = first
    while end > start:
        trimmed = _trim_one(text, start, end, cited)
        if trimmed >= end:
            break
        end = max(start, trimmed)
    while start < end and text[start].isspace():
        start += 1
    return _with_emphasis(text, place, Span(start, end))


def _with_emphasis(text: str, place: Span, span: Span) -> Span:
    """Keep ``**`` at an edge when its counterpart is inside the span: ``**Dose:** 5 mg`` keeps both."""
    start, end = span
    inner = text.count("**", start, end)
    if not inner:
        return span
    before = start - 2 >= place.start and text[start - 2 : start] == "**"
    after = end + 2 <= place.end and text[end : end + 2] == "**"
    if inner == 1 and before and text[end - 3 : end - 1] == "**" and text[end - 1] in ".!:":
        # "**Stop at once**." is bold as a whole
        return Span(start, start + len(text[start : end - 3].rstrip()))
    if inner % 2 == 0 and before != after:
        return span
    return Span(start - 2 if before and (inner % 2 == 0 or not after) else start, end + 2 if after else end)


def _leading_group(text: str, start: int, end: int, cited: CitationIndex) -> int:
    """The offset after a leading ``(https://...)``, which belongs to the sentence before; else ``start``."""
    if text[start : start + 1] not in ("(", "["):
        return start
    close = text.find(")" if text[start] == "(" else "]", start, end)
    for span in cited.within(Span(start, end))[:1]:
        if span.end > close:
            close = text.find(")" if text[start] == "(" else "]", span.end, end)
    if 0 <= close < end and cited.only(Span(start, close + 1)):
        while close + 1 < end and (text[close + 1].isspace() or text[close + 1] in ".,;"):
            close += 1
        return close + 1
    return start


def _trim_one(text: str, start: int, end: int, cited: CitationIndex) -> int:
    """The end without its last mark or emphasis; unchanged if it has neither."""
    edge = _TRAILING.search(text, max(start, end - 4), end)
    if edge is not None:
        return edge.start()
    stops = _STOPS.search(text, max(start, end - 12), end)
    inner = end if stops is None else stops.start()
    mark = _mark(text, start, inner, cited)
    if mark is None:
        return end
    return _without_connectives(text, start, mark)


def _mark(text: str, start: int, end: int, cited: CitationIndex) -> int | None:
    """The start of the reference mark or citation that ends at ``end``, or ``None``."""
    numeric = _NUMERIC.search(text, max(start, end - 100), end)
    if numeric is not None and (text[numeric.start()] not in "¹²³⁰⁴⁵⁶⁷⁸⁹⁻," or not is_power(text, numeric.start())):
        return numeric.start()
    span = cited.ending_at(end)
    if span is not None:
        return max(span.start, start)
    if end > start and text[end - 1] in ")]>}":
        group = _group(text, start, end, cited)
        if group is not None:
            return group
    author = _AUTHOR_YEAR.search(text, max(start, end - 300), end)
    return None if author is None else author.start()


def _group(text: str, start: int, end: int, cited: CitationIndex) -> int | None:
    """The start of ``(https://...)``, ``[PMID: 1]``, ``<https://...>`` or a Markdown link that ends at ``end``."""
    low = max(start, end - 2000)
    closers = {")": "(", "]": "[", ">": "<", "}": "{"}
    opener, depth, at = closers[text[end - 1]], 0, end - 1
    while at >= low:
        if text[at] == text[end - 1]:
            depth += 1
        elif text[at] == opener:
            depth -= 1
            if depth == 0:
                break
        span = cited.ending_at(at)
        at = at - 1 if span is None else min(at, span.start) - 1
    if at < low or not cited.any(Span(at, end)):
        return None
    if opener == "(" and text[at - 1 : at] == "]" and at - 1 > start:
        return _link(text, start, at, end, cited)
    place = Span(at, end)
    named = len(cited.rest(place).split()) <= _MOST_NAME_WORDS and cited.closes(place)
    return at if named or cited.only(place) or _only_links(place, cited) else None


def _link(text: str, start: int, at: int, end: int, cited: CitationIndex) -> int | None:
    """The start of a Markdown link whose text is not part of the sentence (a number, "source", after a full stop)."""
    bracket = text.rfind("[", max(start, at - 300), at)
    if bracket < 0 or not cited.only(Span(at, end)):
        return None
    inner = Span(bracket + 1, at - 1)
    before = text[start:bracket][-40:]
    if bracket > start and text[bracket + 1].islower() and len(before.split()) <= 2:
        return None  # "Check [renal function](https://...)": what the order is about
    if _PLAIN_LINK_TEXT.match(text[inner.start : inner.end]) or cited.only(inner) or not _LINK_WORD.search(before):
        return bracket if bracket > start else None
    return None


def _only_links(place: Span, cited: CitationIndex) -> bool:
    """Whether brackets contain only Markdown links: ``([CDC](https://...), [WHO](https://...))``."""
    rest = re.sub(r"\[[^\[\]]{0,200}\]\(\s*\)", " ", cited.rest(place))
    return not _LETTER.search(_CITATION_WORDS.sub(" ", rest)) and rest != cited.rest(place)


def _without_connectives(text: str, start: int, end: int) -> int:
    """The end without what connects a mark to the sentence: space, an open bracket, a comma, "see", "doi:"."""
    while end > start:
        connective = (
            _EMPTY_PAIR.search(text, max(start, end - 3), end)
            or _LABEL.search(text, max(start, end - 40), end)
            or _CONNECTIVE.search(text, max(start, end - 6), end)
        )
        if connective is None or connective.start() == end:
            break
        end = connective.start()
    return end
