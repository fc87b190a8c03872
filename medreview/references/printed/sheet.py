"""A reference as its reader sees it: without markup and identifiers, white space as one blank, every place kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from medreview.citations.citation import Citation
from medreview.citations.extract import extract
from medreview.citations.identifiers import find_isbns
from medreview.references.model import Identifier
from medreview.text import Span

CUT: Final = "\x1f"
"""Stands where an identifier, an address or a notice was: a boundary that no field crosses."""

LONGEST: Final = 4_000
"""Code points of a reference that are read: no entry of a list is longer, and a hostile one costs no more."""

Look = Literal["bold", "italic", "link", "quoted"]

_LABEL: Final = re.compile(
    r"""(?:(?<![A-Za-z])(?:
        digital\sobject\sidentifier|doi|pub\s?med(?:\s(?:id|pmid|central))?|medline|pmc?\s?id|pmc|epmc|e?isbn|url|uri|link|arxiv(?:\spreprint)?
        |(?:clinicaltrials\.gov|nct|trial|registration|study)\s(?:identifier|number|no\.?|registration|id|registry\sid)|identifier|registration
        |(?:freely\s)?available(?:\s(?:at|from|online(?:\s(?:at|from))?|here))|(?:retrieved|accessed|online)\s(?:from|at)|full\stext|website|web(?:\ssite)?
        |verfügbar\sunter|abrufbar\sunter|online\sunter|disponible\s(?:sur|en|à)|dostępne|https?://(?:dx\.)?doi\.org/
        |see|at|from|via|unter|source|quelle
        )[\s:=\#.*_]{0,6} | [<(\[{,;]\s? )\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_MARKUP: Final = re.compile(
    r"\x1f+|\\[^\w\s]|\*{1,3}|_{1,3}|`{1,3}|</?(?:b|i|u|em|strong|sup|sub|cite|a|span|li|p|br)\b[^<>]{0,200}>"
    r"|[\s\u200b\u200e\u200f\ufeff\u00ad]+"
)
_HTML: Final = {"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "cite": "italic"}
_QUOTED: Final = re.compile(
    r"“([^“”]{3,600})”|„([^“”„]{3,600})[“”]|«\s?([^«»]{3,600}?)\s?»|\"([^\"]{3,600})\"|``([^`']{3,600})''"
    r"|(?<![\w'‘’])‘(.{3,600}?)’(?=[,.;:)]|\s[*(\d]|\s?\x1f|\s?\Z)|(?<![\w'])'(.{3,600}?)'(?=[,.;:)]|\s[*(\d]|\s?\x1f|\s?\Z)"
)


class PrintMark(NamedTuple):
    """How a stretch of the sheet is printed; the place is without the marks themselves."""

    look: Look
    start: int
    end: int


@dataclass(slots=True)
class PrintedSheet:
    """``text`` is what is read; ``at[i]`` is where its character ``i`` stands in the reference as given."""

    text: str
    at: Sequence[int]
    marks: list[PrintMark] = field(default_factory=list)
    identifiers: tuple[Identifier, ...] = ()
    identifier_place: Span | None = None
    url: str = ""
    url_place: Span | None = None

    def place(self, start: int, end: int) -> Span:
        """Where a stretch of the sheet stands in the reference as given."""
        return Span(self.at[start], self.at[end - 1] + 1) if end > start else Span(0, 0)

    def without(self, pattern: re.Pattern[str]) -> None:
        """Put the boundary for what a pattern finds; places stay."""
        self.text = pattern.sub(lambda found: CUT * len(found[0]), self.text)


def sheet_of(reference: str) -> PrintedSheet:
    """The sheet of one reference; of a text longer than ``LONGEST`` only its beginning is read."""
    raw = reference[:LONGEST]
    cited = [found for found in extract(raw) if found.start is not None and found.end is not None]
    isbns = [] if "isbn" not in raw.lower() else list(find_isbns(raw))
    raw, links = _without_citations(raw, [*((c.start or 0, c.end or 0) for c in cited), *(place for _, place in isbns)])
    text, at, marks = _compact(raw, links)
    sheet = PrintedSheet(text, at, marks)
    sheet.marks += [
        PrintMark("quoted", found.start(found.lastindex or 0), found.end(found.lastindex or 0))
        for found in _QUOTED.finditer(text)
    ]
    _identify(sheet, cited, isbns)
    return sheet


def _identify(sheet: PrintedSheet, cited: Sequence[Citation], isbns: Sequence[tuple[str, Span]]) -> None:
    found: dict[Identifier, Span] = {}
    for citation in cited:
        place = Span(citation.start or 0, citation.end or 0)
        if citation.kind != "url" and citation.kind != "document":
            found.setdefault(Identifier(citation.kind, citation.value), place)
        elif not sheet.url:
            sheet.url, sheet.url_place = citation.value, place
    for value, place in isbns:
        found.setdefault(Identifier("isbn", value), place)
    sheet.identifiers = tuple(found)
    sheet.identifier_place = next(iter(found.values()), None)


def _without_citations(raw: str, places: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text, of the same length, with the boundary for identifiers with their labels and brackets; and the places
    of the visible texts of links."""
    parts: list[str] = []
    links: list[tuple[int, int]] = []
    done = 0
    for start, end in sorted(places):
        if start < done:
            continue
        link = raw[max(0, start - 3) : start].rstrip("< ").endswith("](")
        if link:
            close = raw.rfind("](", 0, start)
            opening = _opening(raw, close, done)
            if opening is not None:
                parts += [
                    raw[done:opening],
                    CUT if opening and raw[opening - 1].isalnum() else " ",
                    raw[opening + 1 : close],
                    CUT,
                ]
                links.append((opening + 1, close))
                done = close + 1
        head = start
        while (label := _LABEL.search(raw, max(done, head - 60), head)) is not None and label.start() < head:
            head = label.start()
            if raw[head] in ",;":
                break
        tail = end
        closing = raw.find(")", end, end + 200) if link else -1
        if closing >= 0 and (closing == end or raw[end : end + 1] in '> "'):
            tail = closing + 1
        while (
            tail < len(raw)
            and raw[tail] in ">)]}"
            and raw[head:end].count({">": "<", ")": "(", "]": "[", "}": "{"}[raw[tail]])
            > raw[end:tail].count(raw[tail])
        ):
            tail += 1
        parts += [raw[done:head], CUT * (tail - head)]
        done = tail
    parts.append(raw[done:])
    return "".join(parts), links


def _opening(raw: str, close: int, floor: int) -> int | None:
    """Where the visible text of a link begins whose ``](`` stands at ``close``."""
    depth = 0
    for at in range(close - 1, max(floor, close - 1_000) - 1, -1):
        if raw[at] == "]":
            depth += 1
        elif raw[at] == "[":
            if not depth:
                return at
            depth -= 1
    return None


class _Token(NamedTuple):
    start: int
    end: int
    look: Look
    opens: bool
    closes: bool
    kind: str


def _compact(raw: str, links: Sequence[tuple[int, int]]) -> tuple[str, list[int], list[PrintMark]]:
    tokens = list(_MARKUP.finditer(raw))
    pairs = _pairs(list(_emphasis(raw, tokens)))
    parts: list[str] = []
    at: list[int] = []
    done = 0

    def put(start: int, end: int) -> None:
        parts.append(raw[start:end])
        at.extend(range(start, end))

    for token in tokens:
        start, end = token.span()
        put(done, start)
        done = end
        sign = raw[start]
        if sign == CUT:
            put(start, start + 1)
        elif sign == "\\":
            put(start + 1, end)
        elif sign in "*_" and start not in pairs and end - start == 1:
            put(start, end)
        elif sign.isspace() and parts and at and raw[at[-1]] not in " \n\t":
            parts.append(" ")
            at.append(start)
    put(done, len(raw))
    return "".join(parts), at, _placed(at, pairs, links)


def _emphasis(raw: str, tokens: Sequence[re.Match[str]]) -> Iterator[_Token]:
    for token in tokens:
        start, end = token.span()
        sign = raw[start]
        before, after = raw[start - 1 : start] or " ", raw[end : end + 1] or " "
        if sign in "*_":
            inside = sign == "_" and before.isalnum() and after.isalnum()
            yield _Token(
                start, end, "italic" if end - start == 1 else "bold", not after.isspace() and not inside,
                not before.isspace() and not inside, token[0],
            )  # fmt: skip
        elif sign == "<":
            name = token[0].strip("</>").split(" ")[0].lower()
            if name in _HTML:
                closing = token[0][1] == "/"
                yield _Token(start, end, "bold" if _HTML[name] == "bold" else "italic", not closing, closing, name)


def _pairs(tokens: Sequence[_Token]) -> dict[int, tuple[Look, int, int]]:
    """The emphasis that is opened and closed, by the place of both of its marks."""
    pairs: dict[int, tuple[Look, int, int]] = {}
    opened: dict[str, _Token] = {}
    for token in tokens:
        before = opened.get(token.kind)
        if before is not None and token.closes:
            pairs[before.start] = pairs[token.start] = (token.look, before.end, token.start)
            del opened[token.kind]
        elif token.opens:
            opened[token.kind] = token
    return pairs


def _placed(
    at: Sequence[int], pairs: dict[int, tuple[Look, int, int]], links: Sequence[tuple[int, int]]
) -> list[PrintMark]:
    from bisect import bisect_left

    spans: set[tuple[Look, int, int]] = set(pairs.values()) | {("link", start, end) for start, end in links}
    marks = (PrintMark(look, bisect_left(at, start), bisect_left(at, end)) for look, start, end in spans)
    return sorted((mark for mark in marks if mark.end > mark.start), key=lambda mark: (mark.start, mark.end))
