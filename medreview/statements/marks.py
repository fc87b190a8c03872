"""What stands at the edges of a statement and is no part of it: emphasis, reference marks, citations in brackets."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from medreview.citations import Citation
from medreview.text import Span

_NUMERIC: Final = re.compile(
    r"[¹²³⁰⁴-⁹⁻,]*[¹²³⁰⁴-⁹]\Z|[\[【]\^?\d{1,4}(?:[\s,;–†‡-]{1,3}\^?\d{1,4}){0,20}[\]】]\Z|\[citation needed\]\Z"
)
_AUTHOR_YEAR: Final = re.compile(
    r"\((?:see\s|e\.g\.,?\s|cf\.\s)?(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
    r"[A-ZÄÖÜÉ][\w'’.-]{0,40}(?:\s(?:et\sal\.?|(?:and|&|und|et|y)\s[A-ZÄÖÜÉ][\w'’.-]{0,40}))?,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;\s[^();]{1,80}(?:19|20)\d\d[a-z]?){0,9}\)\Z"
)
_LABEL: Final = re.compile(
    r"""(?:(?<=[\s(\[,;:.])|^)(?:see(?:\salso)?|sources?|refs?\.?|references?|doi|pmids?|pmcids?|pubmed(?:\sids?)?|arxiv|nct|url|link
        |available(?:\sat|\sfrom)?|retrieved\sfrom|read\smore(?:\sat|\shere)?|more(?:\sinformation)?(?:\sat)?|quellen?|siehe|s\.|voir|véase
        |fuentes?|trial(?:\sregistration)?|registration|clinicaltrials\.gov(?:\sidentifier)?)\s{0,2}[:#]?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_JOINT: Final = re.compile(r"[\s,;:|/–—-]+\Z|(?<=[\s,;\x00])(?:and|und|et|y|or)\s*\Z", re.IGNORECASE)
_STOPS: Final = re.compile(r"[\s.;,!]*\Z")
_EMPTY_PAIR: Final = re.compile(r"[(\[]\s*\Z")
_LEAD_EDGE: Final = re.compile(
    r"(?:\s|\*\*\*|\*\*|\*(?=\S)|__|_(?=[^_\W])|`(?=`|\Z)|[¹²³⁰⁴-⁹]+\s|\[\^?\d{1,3}(?:[,;\s–-]{1,3}\d{1,3}){0,9}\][:.]?(?=\s|\Z))+"
)
_TAIL_EDGE: Final = re.compile(r"(?:\s|\*\*\*|\*\*|(?<=\S)\*|__|(?<=\w[.!])_|\\\Z)\Z")
_LINK_WORD: Final = re.compile(
    r"(?:\b(?:by|from|in|the|a|an|to|at|see|per|of|and|on|with|or|via|under|for|von|der|die|das|im|in|par|le|la|de|según|el|del)\s*|[(\[,:]\s*)\Z",
    re.IGNORECASE,
)
_PLAIN_LINK_TEXT: Final = re.compile(
    r"[\s\W\d]*(?:source|link|here|ref|reference|citation|quelle|lien|fuente)?s?[\s\W\d]*\Z", re.IGNORECASE
)
_REMAINS: Final = re.compile(
    r"""\b(?:see(?:\salso)?|sources?|references?|refs?|doi|pmids?|pmcids?|pubmed|medline|ids?|arxiv|preprint|nct|url|links?|available|at
        |from|retrieved|accessed|and|und|et|y|or|quellen?|siehe|voir|fuentes?|identifiers?|numbers?|read|more|visit|via|on|in|trial
        |clinicaltrials\.gov|registration|no|amp|lt|gt|br|html|pdf|the)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_NAME: Final = 6
"""Words of a source's name beside its citation in brackets: ``(NICE guideline NG28: https://...)``."""
_LETTER: Final = re.compile(r"[^\W_]{2}|[^\W\d_]")


class Cited:
    """The places of the citations in one text."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._spans = sorted(Span(c.start, c.end) for c in citations if c.start is not None and c.end is not None)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def within(self, place: Span) -> list[Span]:
        """Citations that begin inside a place."""
        return self._spans[bisect_left(self._starts, place.start) : bisect_left(self._starts, place.end)]

    def any(self, place: Span) -> bool:
        """Does a citation begin inside the place?"""
        return bisect_left(self._starts, place.start) < bisect_left(self._starts, place.end)

    def closes(self, place: Span) -> bool:
        """Is a citation the last thing of the place?"""
        spans = self.within(place)
        return bool(spans) and not _LETTER.search(self._text, min(spans[-1].end, place.end), place.end)

    def ending_at(self, end: int) -> Span | None:
        """The citation that ends exactly there."""
        index = bisect_left(self._ends, end)
        return self._spans[index] if index < len(self._ends) and self._ends[index] == end else None

    def rest(self, place: Span) -> str:
        """The text of a place without its citations."""
        parts = []
        at = place.start
        for span in self.within(place):
            parts.append(self._text[at : span.start])
            at = max(at, span.end)
        parts.append(self._text[at : place.end])
        return " ".join(parts)

    def only(self, place: Span) -> bool:
        """Is there at least one citation, and beside it nothing but labels and punctuation?"""
        return self.any(place) and not _LETTER.search(_REMAINS.sub(" ", self.rest(place)).replace("0", " "))


def trim(text: str, place: Span, cited: Cited) -> Span:
    """The place without emphasis, reference marks and citations at its edges.

    A full stop stays, unless a mark stands between it and the words: ``daily [1].`` ends at ``daily``, ``daily. [1]``
    at the full stop.
    """
    start, end = place
    while start < end:
        lead = _LEAD_EDGE.match(text, start, end)
        if lead is None or lead.end() == start:
            break
        start = lead.end()
    first = _leading_group(text, start, end, cited)
    if first > start:
        start = first
    while end > start:
        shorter = _shorter(text, start, end, cited)
        if shorter >= end:
            break
        end = max(start, shorter)
    while start < end and text[start].isspace():
        start += 1
    return _with_emphasis(text, place, Span(start, end))


def _with_emphasis(text: str, place: Span, span: Span) -> Span:
    """Give back ``**`` at an edge when its partner stands inside: ``**Dose:** 5 mg`` keeps both."""
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


def _leading_group(text: str, start: int, end: int, cited: Cited) -> int:
    """Behind ``(https://...)`` at the beginning, which belongs to the sentence before."""
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


def _shorter(text: str, start: int, end: int, cited: Cited) -> int:
    """One edge less at the end, or the same end when nothing more is to go."""
    edge = _TAIL_EDGE.search(text, max(start, end - 4), end)
    if edge is not None:
        return edge.start()
    stops = _STOPS.search(text, max(start, end - 12), end)
    inner = end if stops is None else stops.start()
    mark = _mark(text, start, inner, cited)
    if mark is None:
        return end
    return _without_joints(text, start, mark)


def _mark(text: str, start: int, end: int, cited: Cited) -> int | None:
    """Where the mark that ends here begins, or ``None``."""
    numeric = _NUMERIC.search(text, max(start, end - 100), end)
    if numeric is not None and not _unit_power(text, numeric.start()):
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


def _unit_power(text: str, at: int) -> bool:
    """A superscript after a unit ("kg/m²", "10⁹") is a power, no reference mark."""
    if text[at] in "[【":
        return False
    before = re.search(r"[^\W_]+\Z", text[max(0, at - 12) : at])
    return before is not None and (
        before.group()[-1].isdigit() or before.group().lower() in ("m", "cm", "mm", "dm", "km", "kg", "s", "l")
    )


def _group(text: str, start: int, end: int, cited: Cited) -> int | None:
    """Where ``(https://...)``, ``[PMID: 1]``, ``<https://...>`` or a Markdown link that ends here begins."""
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
    named = len(cited.rest(place).split()) <= _LONGEST_NAME and cited.closes(place)
    return at if named or cited.only(place) or _linked_only(place, cited) else None


def _link(text: str, start: int, at: int, end: int, cited: Cited) -> int | None:
    """A Markdown link is a mark when its words are none of the sentence's: a number, "source", after a full stop."""
    words = text.rfind("[", max(start, at - 300), at)
    if words < 0 or not cited.only(Span(at, end)):
        return None
    inner = Span(words + 1, at - 1)
    before = text[start:words][-40:]
    if _PLAIN_LINK_TEXT.match(text[inner.start : inner.end]) or cited.only(inner) or not _LINK_WORD.search(before):
        return words if words > start else None
    return None


def _linked_only(place: Span, cited: Cited) -> bool:
    """Brackets that hold Markdown links and nothing else: ``([CDC](https://...), [WHO](https://...))``."""
    rest = re.sub(r"\[[^\[\]]{0,200}\]\(\s*\)", " ", cited.rest(place))
    return not _LETTER.search(_REMAINS.sub(" ", rest)) and rest != cited.rest(place)


def _without_joints(text: str, start: int, end: int) -> int:
    """Drop what tied the mark to the sentence: space, an open bracket, a comma, "see", "doi:"."""
    while end > start:
        joint = (
            _EMPTY_PAIR.search(text, max(start, end - 3), end)
            or _LABEL.search(text, max(start, end - 40), end)
            or _JOINT.search(text, max(start, end - 6), end)
        )
        if joint is None or joint.start() == end:
            break
        end = joint.start()
    return end
