"""Where a response lists its references: entries of lists, tables and footnotes, each with its place.

Whether a text is a reference is asked of a whole line among prose, of an entry of a list, and of the start of one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from medreview.citations.source_lists import BIBLIOGRAPHIC, SOURCES_TITLE, entry_label, inner_labels
from medreview.exchange.imports.listed_citations import CITES
from medreview.references.model import Reference
from medreview.references.printed.container import journal_words
from medreview.references.printed.imprint import YEAR
from medreview.references.printed.names import read_authors
from medreview.references.printed.parse import FIELD_LABEL, column_of, parse_reference
from medreview.text import Span

_YEAR_OF_LINE: Final = re.compile(r"(?<![\d.])(?:1[89]|20)\d\d(?!\d)")
_CLAIMS: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|should|can|may|might|must|will|found|showed?|shows"
    r"|demonstrated|reported|reduces?|reduced|recommends?|recommended"
    r"|suggests?|suggested|increases?|increased|concluded|confirmed|improves?|improved|published"
    r"|compared|states?|ist|sind|wird|wurde|sollte|kann)\b"
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:I|I'm|we|you|your|please|let me|none|not available|n/a|no (?:sources|references)|keine)\b", re.IGNORECASE
)


def cites(text: str) -> bool:
    """Whether an identifier or an address stands in a text."""
    return CITES.search(text) is not None


def begins_reference(line: str) -> bool:
    """Whether a line begins as a reference does: with authors, a title that is set off, or an address."""
    line = line.strip()
    if not line:
        return False
    lead = line.lstrip("*_[<")
    if line[0] in '"“„«[<' or line.startswith("**") or CITES.match(lead):
        return True
    authors = read_authors(line)
    if authors is not None and (authors.et_al or authors.authors[0].given or authors.authors[0].body):
        return True
    authors = read_authors(line, certain=True)
    if authors is None or not authors.authors[0].given or line[authors.end : authors.end + 1] not in ".,":
        return False
    return re.match(rf"[.,] ?(?:[\"“*_]|{YEAR})", line[authors.end :]) is not None


def is_whole(line: str) -> bool:
    """Whether a line is a whole reference wherever it stands; a claim with its source in brackets is not."""
    if not _YEAR_OF_LINE.search(line) or len(line) < 30:
        return False
    if BIBLIOGRAPHIC.search(line) is None and not cites(line):
        return False
    read = parse_reference(line)
    if read.kind in ("drug_label", "trial") and read.title and not _CLAIMS.search(line):
        return bool(read.publisher or read.identifiers)
    if not read.title or read.year is None or len(read.title.split()) < 3 or not _starts_as_title(read.title):
        return False
    if read.title.count("(") > read.title.count(")"):
        return False  # a name with its source in brackets, and more behind: "EMPEROR-Reduced (Packer et al., ...): ..."
    numbered = bool(read.volume and (read.pages or read.issue))
    authored = bool(read.authors) and (read.et_al or bool(read.authors[0].given) or read.authors[0].body)
    lead = line[:12].strip()
    set_off = lead[:1] in '"“„«[' or lead.startswith("**")
    begins = authored and read.places["authors"].start <= 12
    begins = begins or (set_off and read.places["title"].start <= 12)
    if not begins or _says(line, read):
        return False
    return (numbered and bool(read.container)) or (
        authored and bool(read.container or read.publisher or read.identifiers or read.url)
    )


def _starts_as_title(title: str) -> bool:
    first = title.lstrip("\"'“‘([*")[:1]
    return first.isupper() or first.isdigit()


def _says(line: str, read: Reference) -> bool:
    """Whether the container is a clause: then the line is a sentence."""
    return len(read.container.split()) > 14 or (
        _CLAIMS.search(read.container) is not None and journal_words(read.container) < 0.5
    )


def names_work(read: Reference) -> bool:
    """Whether an entry of a list names a work, by whatever: an address alone is one that nothing describes."""
    if read.identifiers or read.url:
        return True
    if _FIRST_PERSON.search(read.text[:60]) and read.year is None:
        return False
    words = len(read.title.split())
    if read.year is not None or read.volume:
        return bool(read.title or read.container or read.authors)
    if read.authors and (read.title or read.container):
        return True
    said = _CLAIMS.search(read.text) is not None and read.text.rstrip().endswith(".")
    return not said and words >= 2 and _starts_as_title(read.title)


_BULLET: Final = re.compile(r"[ \t>]*(?:[-*+•‣◦▪●○■□–—·](?=[ \t])|[a-z][.)](?=[ \t]))[ \t]+")
_HEADING: Final = re.compile(r"(?:>[ \t]*)?#{1,6}(?:[ \t]|\Z)")
_BOLD_LINE: Final = re.compile(r"(?:\*\*|__)[^*\n]{1,100}(?:\*\*|__):?\Z")
_RULE: Final = re.compile(r"(?:[-*_=][ \t]{0,3}){3,}\Z|(?:```|~~~)\s*\w*\Z")
_TABLE_RULE: Final = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*){0,50}\|?\Z")
_FOOTNOTE: Final = re.compile(r"[ \t>]*\[\^(?P<name>[\w-]{1,20})\]:[ \t]*")
_BEHIND: Final = re.compile(
    r"(?<=[.!?)\]]\s)[(\[*_]{0,4}(?:Refs?|References?|Sources?|Citations?|Quellen?|Literatur)\.?\s?[:：][\s*_]{0,4}(?=\S)"
)
"""The title of what is cited at the end of a paragraph: "... by a fifth. Ref: Smith J, ..."."""
_ANNOTATION: Final = re.compile(
    r"[*_]{0,3}(?:key |main |brief )?(?:summary|findings?|results?|conclusions?|relevance"
    r"|why|note|notes|comment|annotation|takeaways?"
    r"|key points?|description|design|population|supports?|used for|cited for|strength|limitations?"
    r"|quote|kernaussage|details|about)\b[^:\n]{0,30}:",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    """One entry: its place without its label, its own number, where it stands; of a table's row its cells by field."""

    place: Span
    number: int | None
    standing: Literal["list", "footnote"]
    cells: tuple[tuple[str, Span], ...] = ()


@dataclass(slots=True)
class _EntryLine:
    start: int
    end: int
    indent: int
    body: str


@dataclass(slots=True)
class _Open:
    """The entry that lines may still be added to."""

    start: int
    end: int
    indent: int
    number: int | None
    standing: Literal["list", "footnote"]
    marked: bool
    gap: bool = False


def entries(text: str) -> list[Entry]:
    """The entries of a response in order, disjoint."""
    return list(_EntryReader(text).read())


class _EntryReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = list(_lines(text))
        self._open: _Open | None = None
        self._in_sources = False
        self._columns: list[str] = []

    def read(self) -> Iterator[Entry]:
        for number, line in enumerate(self._lines):
            following = next((after.body for after in self._lines[number + 1 : number + 3] if after.body), "")
            yield from self._read_line(line, following)
        yield from self._close()

    def _read_line(self, line: _EntryLine, following: str) -> Iterator[Entry]:
        body = line.body
        if not body:
            if self._open is not None:
                self._open.gap = True
            self._columns = []
            return
        if _TABLE_RULE.match(body) and "|" in body:
            return
        if body.count("|") >= 2 and (body[0] == "|" or self._columns or _TABLE_RULE.match(following)):
            yield from self._close()
            yield from self._row(line, following)
            return
        title = SOURCES_TITLE.match(body.lstrip("#"))
        if title is not None and self._opens(body, title):
            yield from self._close()
            self._in_sources = True
            rest = title["rest"].strip()
            if rest:
                start = line.start + body.rfind(rest)
                yield from self._begin(_EntryLine(start, start + len(rest), line.indent, rest))
            return
        if _RULE.match(body) or body.startswith("==="):
            yield from self._close()
            return
        if _HEADING.match(body) or (_BOLD_LINE.match(body) and not cites(body) and not BIBLIOGRAPHIC.search(body)):
            yield from self._close()
            label, bullet = entry_label(following), _BULLET.match(following)
            self._in_sources = self._in_sources and (
                label is not None or bullet is not None or begins_reference(following)
            )
            return
        behind = _BEHIND.search(body)
        rest = body[behind.end() :] if behind is not None else ""
        apart = not self._in_sources and (self._open is None or self._open.gap)
        if behind is not None and apart and (cites(rest) or BIBLIOGRAPHIC.search(rest)):
            yield from self._close()
            end = line.end - (behind[0][0] in "([" and rest[-1] in ")]")
            yield from self._begin(_EntryLine(line.start + behind.end(), end, line.indent, rest))
            return
        yield from self._running(line)

    def _opens(self, body: str, title: re.Match[str]) -> bool:
        rest = title["rest"].strip()
        if not rest:
            return True
        return bool(title["colon"]) and (cites(rest) or BIBLIOGRAPHIC.search(rest) is not None)

    def _running(self, line: _EntryLine) -> Iterator[Entry]:
        body = line.body
        note, label, bullet = _FOOTNOTE.match(body), entry_label(body), _BULLET.match(body)
        marked = note is not None or label is not None or bullet is not None
        if self._open is not None and self._goes_on(self._open, line, label is not None, bullet, note is not None):
            return
        below = self._open is not None and line.indent > self._open.indent and self._open.marked
        if below and not label and not note and not (bullet and self._in_sources and is_whole(body[bullet.end() :])):
            return  # an annotation below an entry
        before = self._open
        yield from self._close()
        if note is not None:
            number = int(note["name"]) if note["name"].isdecimal() else None
            yield from self._begin(line, note.end(), number, "footnote")
        elif self._in_sources and not marked and (before is None or before.gap) and not begins_reference(body):
            self._in_sources = False
        elif self._in_sources or self._is_listed(body, label, bullet):
            end = label[1] if label is not None else bullet.end() if bullet is not None else 0
            yield from self._begin(line, end, label[0] if label is not None else None)

    def _is_listed(self, body: str, label: tuple[int, int] | None, bullet: re.Match[str] | None) -> bool:
        """Whether a line outside a list with a title is an entry by what it says alone."""
        content = body[label[1] if label else bullet.end() if bullet else 0 :]
        bracketed = body.startswith("[") and cites(content)  # "[1] Croup - Mayo Clinic (https://...)"
        return is_whole(content) or (label is not None and (bracketed or _only_cites(content.strip())))

    def _goes_on(
        self, entry: _Open, line: _EntryLine, labelled: bool, bullet: re.Match[str] | None, note: bool
    ) -> bool:
        """Add a line to the open entry if it belongs to it."""
        if labelled or note:
            return False
        so_far = self._text[entry.start : entry.end]
        body = line.body[bullet.end() :] if bullet else line.body
        deeper = line.indent > entry.indent
        if bullet is not None:
            belongs = (
                deeper
                and entry.marked
                and not _ANNOTATION.match(body)
                and (
                    FIELD_LABEL.match(body) is not None
                    or _only_cites(body)
                    or (
                        not BIBLIOGRAPHIC.search(so_far)
                        and not cites(so_far)
                        and (cites(body) or BIBLIOGRAPHIC.search(body) is not None)
                    )
                )
            )
        elif _ANNOTATION.match(body):
            belongs = False
        elif entry.gap:
            belongs = (
                deeper
                and entry.marked
                and (_only_cites(body) or not _complete(so_far) or FIELD_LABEL.match(body) is not None)
            )
        elif _only_cites(body) or FIELD_LABEL.match(body):
            belongs = True
        elif entry.marked:
            belongs = not _complete(so_far) or not re.match(r"[A-Z“\"(]", body)
        else:
            belongs = deeper or not (begins_reference(body) and (_complete(so_far) or _starts_anew(body)))
        if belongs:
            entry.end, entry.gap = line.end, False
        return belongs

    def _begin(
        self, line: _EntryLine, skip: int = 0, number: int | None = None, standing: Literal["list", "footnote"] = "list"
    ) -> Iterator[Entry]:
        start = line.start + skip
        while (
            start < line.end
            and self._text[start] in " \t*_"
            and self._text[start : start + 2] not in ("**", "__")
            and not self._text[start + 1 : start + 2].isalnum()
        ):
            start += 1
        while start < line.end and self._text[start].isspace():
            start += 1
        if number is None and skip == 0:
            label = entry_label(line.body)
            if label is not None:
                yield from self._begin(line, label[1], label[0], standing)
                return
        self._open = _Open(start, line.end, line.indent, number, standing, skip > 0)

    def _close(self) -> Iterator[Entry]:
        entry, self._open = self._open, None
        if entry is None or entry.end <= entry.start:
            return
        body = self._text[entry.start : entry.end]
        inner = inner_labels(body) if entry.standing == "list" else []
        if not inner and not entry.marked and (parts := _parts(body)):
            yield from (Entry(Span(entry.start + part.start, entry.start + part.end), None, "list") for part in parts)
            return
        cuts = [(entry.number, entry.start, entry.start)]
        cuts += [(number, entry.start + place.start, entry.start + place.end) for number, place in inner]
        for (number, _, start), (_, end, _) in pairwise([*cuts, (None, entry.end, entry.end)]):
            place = _stripped(self._text, start, end)
            if place:
                yield Entry(place, number, entry.standing)

    def _row(self, line: _EntryLine, following: str) -> Iterator[Entry]:
        cells = list(_cells(line))
        if not self._columns:
            named = [column_of(line.body[cell.start - line.start : cell.end - line.start]) for cell in cells]
            telling = sum(name in ("authors", "title", "container", "identifier", "reference") for name in named)
            listed = self._in_sources and not any(named)
            self._columns = (
                named
                if telling >= 2 or (self._in_sources and telling)
                else ["reference"] * len(cells)
                if listed
                else ["-"]
            )
            if _TABLE_RULE.match(following):
                return
        if self._columns == ["-"]:
            return
        number = None
        kept = []
        for name, cell in zip(self._columns, cells, strict=False):
            said = self._text[cell.start : cell.end]
            if name == "number":
                digits = re.sub(r"\D", "", said)
                number = int(digits) if digits and len(digits) < 4 else None
            elif name and cell:
                kept.append((name, cell))
        if kept:
            place = Span(kept[0][1].start, kept[-1][1].end)
            yield Entry(place, number, "list", tuple(kept))


def _lines(text: str) -> Iterator[_EntryLine]:
    at = 0
    for raw in text.split("\n"):
        indent = len(raw) - len(raw.lstrip())
        body = raw.strip()
        yield _EntryLine(at + indent, at + indent + len(body), len(raw[:indent].expandtabs(4)), body)
        at += len(raw) + 1


def _cells(line: _EntryLine) -> Iterator[Span]:
    edges = [found.start() for found in re.finditer(r"(?<!\\)\|", line.body)]
    if line.body[0] != "|":
        edges.insert(0, -1)
    if line.body[-1] != "|":
        edges.append(len(line.body))
    for left, right in pairwise(edges):
        raw = line.body[left + 1 : right]
        lead = len(raw) - len(raw.lstrip())
        yield Span(line.start + left + 1 + lead, line.start + left + 1 + lead + len(raw.strip()))


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and (text[start].isspace() or text[start] in ";,"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in ";"):
        end -= 1
    return Span(start, end)


def _parts(body: str) -> list[Span]:
    """The works of one line, parted by semicolons; empty where not every part is one."""
    cuts = [found.span() for found in re.finditer(r";\s+", body)]
    edges = [(0, 0), *cuts, (len(body), len(body))]
    parts = [_stripped(body, left[1], right[0]) for left, right in pairwise(edges)]
    said = [body[part.start : part.end] for part in parts]
    works = len(parts) > 1 and all(
        (_YEAR_OF_ENTRY.search(each) or cites(each)) and begins_reference(each) for each in said
    )
    return parts if works else []


def _only_cites(body: str) -> bool:
    """Whether a line begins with an identifier or address, perhaps after its label or in a link."""
    return (
        re.match(
            r"[*_(\[<]{0,4}(?:https?://|www\.|10\.\d{4}|doi\b|pmc?id\b|pubmed\b|pmc\d|arxiv\b"
            r"|available\b|retrieved\b|accessed\b|url\b|link\b|isbn\b|epub\b"
            r"|\[?(?:link|read|full text|view|source|pubmed|doi|pdf|abstract)\b[^\]]{0,40}\]\()",
            body,
            re.IGNORECASE,
        )
        is not None
    )


_END: Final = re.compile(r"(?:[.)\]>*_”\"/]|\d)\Z")
_YEAR_OF_ENTRY: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def _complete(so_far: str) -> bool:
    """Whether an entry may end there: it has a year or an address, and ends as entries end."""
    return _END.search(so_far) is not None and (_YEAR_OF_ENTRY.search(so_far) is not None or cites(so_far))


def _starts_anew(body: str) -> bool:
    return body[0] in '"“*[' or begins_reference(body)
