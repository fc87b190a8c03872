"""Markers of a text: its references to a list of sources (``[3]``, ``(Smith 2019)``), and the addresses in it.

A marker is found by its form; forms that are also something else, ``(3)`` and superscripts, only where the response's
own list has such a number. Amounts, powers, confidence intervals and labels of lists are no markers.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from medreview.citations.citation import Citation, canonical_key
from medreview.citations.extract import extract
from medreview.citations.source_lists import OwnNumbers
from medreview.text import Span

_SERIES: Final = r"\^?\d{1,3}\^?(?:\s?(?:[,;–—‑-]|,?\s(?:and|und|et|y)\s|&)\s?\^?\d{1,3}\^?){0,30}"
_SQUARE: Final = re.compile(
    rf"""[\[(](?:refs?\.?|references?|sources?|citations?|quellen?|doc(?:ument)?s?):?\s?(?P<named>{_SERIES})[\])]
       |\[\s?(?P<square>{_SERIES})\s?\](?!(?-i:[A-Z]\b|[a-z]))
       |<sup>\s?\[?(?P<sup>{_SERIES})\]?\s?</sup>
       |【(?P<wide>{_SERIES})(?:†[^】\n]{{0,60}})?】
       |\[(?P<paged>\d{{1,3}})[,:]\s?(?:pp?\.|pages?\s|table\s|fig(?:ure|\.)|chapter\s|section\s|§|s\.)[^\[\]\n]{{1,30}}\]
       |(?P<file>【\d{{1,3}}:\d{{1,3}}†[^】\n]{{0,60}}】|\[(?:web|post|page|tool):\d{{1,3}}\])""",
    re.VERBOSE | re.IGNORECASE,
)
_ROUND: Final = re.compile(r"\((?P<round>\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,10})\)")
_RAISED: Final = re.compile(
    r"(?<=\S)(?P<raised>[¹²³⁰⁴-⁹]{1,3}(?:[,⁻–-][¹²³⁰⁴-⁹]{1,3}){0,10})(?![⁺⁻])"
    r"|(?<=[^\W\d_.,])\^(?P<caret>\d{1,3}(?:,\d{1,3}){0,10})\^?(?!\w)"
)
_RAISED_BY_FORM: Final = re.compile(
    r"(?:(?<=[a-z]{3})|(?<=[a-z][.,;:)\]]))(?:[¹²³⁰⁴-⁹]{1,3}(?:[,⁻–-][¹²³⁰⁴-⁹]{1,3}){0,10}|\^\d{1,3}(?:,\d{1,3}){0,10}\^)"
    r"(?![^\s.,;:!?)\]\"'”’*_])"
)
"""Raised numbers that no list has to vouch for: after a whole word or at the end of a sentence."""
_OPENING_ADDRESS: Final = re.compile(r"\s*\[\^?\d{1,3}\^?\]:?\s*<?https?://\S+\s*")
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
AUTHOR_YEAR: Final = (
    r"\((?:see\s|e\.g\.,?\s|cf\.\s)?(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
    r"[A-ZÄÖÜÉ][\w'’.-]{0,40}(?:\s(?:et\sal\.?|(?:and|&|und|et|y)\s[A-ZÄÖÜÉ][\w'’.-]{0,40}))?,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;\s[^();]{1,80}(?:19|20)\d\d[a-z]?){0,9}\)"
)
"""The pattern of ``(Smith et al., 2019; Jones 2020)``, whether or not a list has them."""
RESIDUE: Final = (
    r"(?::contentReference\[oaicite:\d{1,3}\](?:\{index=\d{1,3}\})?"
    r"|\ue200[^\ue200\ue201\n]{0,200}\ue201|\bcite(?:turn\d{1,3}[a-z]{1,12}\d{1,3})+)"
)
"""The pattern of what stays of a citation when an answer is copied out of a chat: it points to nothing any more."""
_BY_FORM: Final = re.compile(
    rf"{RESIDUE}|{AUTHOR_YEAR}|(?<=et\sal\.)\s\((?:19|20)\d\d[a-z]?\)|(?<=et\sal)\s\((?:19|20)\d\d[a-z]?\)"
)
_MAY_BE_ADDRESS: Final = re.compile(r"://|www\.|10\.\d{4}|\b(?:pmc?id|pubmed|nct|arxiv)|\bPMC\d", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"\((?P<inside>[^()\n]{3,300}(?:19|20)\d\d[a-z]?)\)")
_PIECE: Final = re.compile(
    r"\s*(?:see\s|e\.g\.,?\s|cf\.\s)?\s*(?P<author>[^\d;]{2,120}?),?\s(?P<year>(?:19|20)\d\d[a-z]?)\Z"
)
_TOLD: Final = re.compile(
    r"(?P<author>[^\W\d_a-z][\w'’-]{1,40})(?:\set\sal\.?|\s(?:and|&)\s[^\W\d_a-z][\w'’-]{1,40})?(?:['’]s)?"
    r"\s\((?P<year>(?:19|20)\d\d[a-z]?)\)"
)
_NAME: Final = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*")
_LINK_OPENS: Final = re.compile(r"\]\(\s?<?\Z")
_INTERVAL_BEFORE: Final = re.compile(r"\b(?:CI|CrI|IQR|range|interval|ratio|HR|OR|RR)\W{0,4}(?:\d+\W{1,4})?\Z")
_BARE_NUMBER_BEFORE: Final = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?\s?\Z")
_WORD_AFTER: Final = re.compile(r"\s?[a-z%]")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_][\w'’-]*)[)\"”'’*_]{0,3}\s?\Z")
_POWERED: Final = re.compile(r"[^\W_]+\Z")
_POWERS: Final = """
    chi cm dm eta feet foot ft i in inch inches kg km l m meter meters metre metres mile miles mm n r s sec t x y yard
    yards µm μm η χ
"""
_RAISED_TO_A_POWER: Final = frozenset(_POWERS.split())
_NUMBERED: Final = """
    a about age ages aged and any approximately are as at by category class day days either eight episode every factor
    figure figures fig first five following follows for four from grade grades group groups include includes is least
    level levels month months most nine no number of one only option or over phase point points score second section
    seven six stage stages step steps table tables ten than the these third three times to two type types under up week
    weeks with year years zero
"""
_NOT_CITING: Final = frozenset(_NUMBERED.split())
"""Words after which ``(3)`` is a count, a grade or a label."""
_BETWEEN: Final = re.compile(
    r"""(?:[\W_]|\b(?:see(?:\salso)?|sources?|refs?|references?|from|doi|pmids?|pmcids?|pubmed|and|at|available|via|url
        |link|accessed|und|et|y|quellen?|siehe|voir|fuentes?)\b)*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED_IN_BRACKETS: Final = re.compile(r"[\W_]*[(\[][^()\[\]\n]{0,80}\Z")
_ANOTHER_BLOCK: Final = re.compile(r"\n[^\S\n]*\n|\n[ \t>]*(?:[-*+•#|]\s?|\d{1,3}[.)]\s)")
_LONGEST_RANGE: Final = 50
_LONGEST_HEAD: Final = 2_000
"""Characters before a statement in which the head of its line is looked for."""
_FAR: Final = 300
"""Characters after a statement in which its marker must begin."""


class MarkerTarget(NamedTuple):
    """One thing that a marker points to: ``number`` as the answer has it, ``None`` for a name or an address.

    ``keys`` are those of the sources; none where the answer's list has no such entry, or one that cites nothing.
    """

    number: int | None
    keys: tuple[str, ...]


class Marker(NamedTuple):
    """One marker as written, ``[3, 4]``: a half-open range of code points, and what it points to."""

    start: int
    end: int
    references: tuple[MarkerTarget, ...]

    @property
    def is_address(self) -> bool:
        """Whether it names its source itself instead of an entry of a list."""
        return all(reference.number is None for reference in self.references)


def find_markers(
    text: str, own: OwnNumbers, citations: Sequence[Citation] = (), lists: Sequence[Span] = ()
) -> list[Marker]:
    """The markers of a text, in order and disjoint, but not those inside ``lists``, the response's lists of sources.

    ``citations`` are those of ``extract(text)``.
    """
    found = list(_in_brackets(text, own, citations))
    if not found:
        found += _in_round_brackets(text, own)
    found += [*_raised(text, own), *_by_name(text, own), *_addresses(text, citations)]
    kept: list[Marker] = []
    lists = sorted(lists)
    for marker in sorted(found, key=lambda marker: (marker.start, -marker.end)):
        before = bisect_right(lists, marker.start, key=attrgetter("start"))
        inside = before > 0 and marker.start < lists[before - 1].end
        if not inside and (not kept or marker.start >= kept[-1].end):
            kept.append(marker)
    return kept


@lru_cache(maxsize=2_000)
def without_markers(text: str, also: tuple[Span, ...] = ()) -> str:
    """The text with blanks in the place of its markers, so that nothing reads ``[12]`` as an amount; places stay true.

    By their form alone, and ``also`` those that are known otherwise.
    """
    found = [Span(match.start(), match.end()) for match in _BY_FORM.finditer(text)]
    if not text.isascii() or "^" in text:
        raised = (match for match in _RAISED_BY_FORM.finditer(text) if not is_power(text, match.start()))
        found += [Span(match.start(), match.end()) for match in raised]
    if "[" in text or "(" in text or "<" in text or "【" in text:
        found += [Span(marker.start, marker.end) for marker in _in_brackets(text, OwnNumbers(), ())]
    if _MAY_BE_ADDRESS.search(text):
        found += [Span(c.start, c.end) for c in extract(text) if c.start is not None and c.end is not None]
    parts, at = [], 0
    for start, end in sorted((*found, *also)):
        if end > at:
            parts += [text[at:start], " " * (end - max(start, at))]
            at = end
    return "".join([*parts, text[at:]])


def opening_address(text: str) -> int:
    """The length of the marker with an address that a text begins with, 0 without one.

    Answer engines hand on what they retrieved as ``[5] https://...``, then the passage.
    """
    found = _OPENING_ADDRESS.match(text)
    return found.end() if found else 0


def markers_of(text: str, markers: Sequence[Marker], place: Span, limit: int) -> list[Marker]:
    """The markers of a statement among those of its response: inside it, at the head of its line, right after it.

    ``limit`` is where the next statement begins, or the text ends. Only white space, punctuation and words such as
    "see" or "source" may stand between; a marker beyond a blank line or the next list item is not its own.
    """
    first, last = (bisect_left(markers, at, key=attrgetter("start")) for at in place)
    near = max(0, place.start - _LONGEST_HEAD)
    head = max(text.rfind("\n", near, place.start) + 1, near)
    before = first
    while before and head <= markers[before - 1].start and _joins(text, markers[before - 1].end, place.start, False):
        before -= 1
    if before < first and not _BETWEEN.match(text[head : markers[before].start]):
        before = first
    at = max([place.end, *(marker.end for marker in markers[first:last])])
    while last < len(markers) and markers[last].start < limit:
        marker = markers[last]
        if not _joins(text, at, marker.start, marker.is_address) or _opens_line(text, place.end, marker, limit):
            break
        at, last = marker.end, last + 1
    return list(markers[before:last])


def is_power(text: str, at: int) -> bool:
    """Whether a superscript at an offset is a power or charge, no marker: ``1.73m²``, ``min⁻¹``, ``10⁹``, ``R²``."""
    before = _POWERED.search(text[max(0, at - 12) : at])
    if "⁻" in (text[at : at + 1], text[at - 1 : at]):
        return True
    if before is None:
        return False
    word = before.group().lower().lstrip("x0123456789")
    return not word or word in _RAISED_TO_A_POWER


def _joins(text: str, at: int, start: int, address: bool) -> bool:
    gap = text[at:start]
    if len(gap) > _FAR or _ANOTHER_BLOCK.search(gap):
        return False
    return _BETWEEN.match(gap) is not None or (address and _NAMED_IN_BRACKETS.match(gap) is not None)


def _opens_line(text: str, after: int, marker: Marker, limit: int) -> bool:
    """Whether a marker stands at the head of the next statement's line, and is that one's."""
    return text.find("\n", after, marker.start) >= 0 and limit < len(text) and text.find("\n", marker.end, limit) < 0


def _in_brackets(text: str, own: OwnNumbers, citations: Sequence[Citation]) -> Iterator[Marker]:
    placed = {citation.start: citation for citation in citations if citation.start is not None}
    for match in _SQUARE.finditer(text):
        written = next(group for group in match.groups() if group)
        numbers = [] if match["file"] else list(_series(written))
        if _is_interval(text, match, numbers) or (match["sup"] and is_power(text, match.start())):
            continue
        start, end = match.span()
        if text[end : end + 2] == "](" and text[start - 1 : start] == "[":
            start, end = start - 1, end + 1
        target = re.compile(r"\(\s?<?").match(text, end) if text[end : end + 1] == "(" else None
        link = None if target is None else placed.get(target.end())
        if link is not None and len(numbers) == 1:
            stop = text.find(")", link.end or end, (link.end or end) + _FAR)
            yield Marker(start, stop + 1 if stop >= 0 else end, (MarkerTarget(numbers[0], (canonical_key(link),)),))
            continue
        yield Marker(start, end, tuple(_reference(number, own) for number in numbers) or (MarkerTarget(None, ()),))


def _is_interval(text: str, match: re.Match[str], numbers: Sequence[int]) -> bool:
    """Whether several numbers in brackets are an interval: ``95% CI [1, 5]``, ``median 2 [1-3] days``."""
    before = text[max(0, match.start() - 20) : match.start()]
    if len(numbers) < 2:
        return False
    counted = _BARE_NUMBER_BEFORE.search(before) and _WORD_AFTER.match(text, match.end())
    return bool(_INTERVAL_BEFORE.search(before) or counted)


def _in_round_brackets(text: str, own: OwnNumbers) -> Iterator[Marker]:
    for match in _ROUND.finditer(text):
        numbers = list(_series(match["round"]))
        before = _WORD_BEFORE.search(text[max(0, match.start() - 50) : match.start()])
        if before is None or before[1].casefold() in _NOT_CITING or not all(n in own.numbers for n in numbers):
            continue
        yield Marker(match.start(), match.end(), tuple(_reference(number, own) for number in numbers))


def _raised(text: str, own: OwnNumbers) -> Iterator[Marker]:
    for match in _RAISED.finditer(text):
        numbers = list(_series((match["raised"] or match["caret"]).translate(_SUPERSCRIPT)))
        digits = [int(digit) for digit in str(numbers[0])] if len(numbers) == 1 else []
        if len(digits) > 1 and numbers[0] not in own.numbers:
            numbers = digits  # ¹² where the list ends at 9 is 1 and 2
        if all(number in own.numbers for number in numbers) and not is_power(text, match.start()):
            yield Marker(match.start(), match.end(), tuple(_reference(number, own) for number in numbers))


def _by_name(text: str, own: OwnNumbers) -> Iterator[Marker]:
    if not own.names:
        return
    for match in _BRACKETED.finditer(text):
        keys = [_named(piece, own) for piece in match["inside"].split(";")]
        if any(keys):
            yield Marker(match.start(), match.end(), tuple(MarkerTarget(None, found) for found in keys if found))
    for match in _TOLD.finditer(text):
        if found := own.of_name(match["author"], match["year"]):
            yield Marker(match.start(), match.end(), (MarkerTarget(None, found),))


def _named(piece: str, own: OwnNumbers) -> tuple[str, ...]:
    match = _PIECE.match(piece)
    if match is None:
        return ()
    words = _NAME.findall(match["author"])
    names = [" ".join(words), *words[:1]] if words else []
    return next((found for name in names if (found := own.of_name(name, match["year"]))), ())


def _addresses(text: str, citations: Sequence[Citation]) -> Iterator[Marker]:
    for citation in citations:
        if citation.start is None or citation.end is None:
            continue
        start, end = citation.start, citation.end
        if _LINK_OPENS.search(text[max(0, start - 4) : start]):
            bracket = text.rfind("[", max(0, start - _FAR), start)
            label = text[bracket + 1 : start] if bracket >= 0 else ""
            if bracket >= 0 and "\n" not in label and len(label.split()) <= 6:
                start = bracket
        yield Marker(start, end, (MarkerTarget(None, (canonical_key(citation),)),))


def _reference(number: int, own: OwnNumbers) -> MarkerTarget:
    return MarkerTarget(number, own.numbers.get(number, ()))


def _series(written: str) -> Iterator[int]:
    """The numbers of ``1, 3-5``: 1, 3, 4, 5."""
    for part in re.split(r"[,;&]|(?<=\s)[a-z]+(?=\s)", written.replace("^", "").lower()):
        low, *high = (int(number) for number in re.findall(r"\d+", part))
        yield from range(low, high[0] + 1) if high and low < high[0] <= low + _LONGEST_RANGE else [low, *high]
