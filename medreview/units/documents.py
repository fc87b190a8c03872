"""The texts that are read beside a unit: cited pages, responses and passages as documents, excerpts, and differences.

:func:`excerpt` gives some places of a text with a few words around them, as a report shows a long page;
:func:`changes` says what differs between two wordings, word by word, in words that need no colour.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.text import Span
from medreview.units.cited_source import Source
from medreview.units.kind import RESPONSE, SOURCE, Document, TextMark
from medreview.units.statement_view import load_text, response_name
from medreview.units.stored import load_passage

if TYPE_CHECKING:
    from medreview.evidence.passage_ranking import SourceIndex


def source_document(
    reader: sqlite3.Connection, source: Source, key: str = SOURCE, lexical: Iterable[Span] = ()
) -> Document:
    """A source by its number and domain, with its page as it is now; it opens at the first of the words it shares."""
    marks = tuple(TextMark(*span, "lexical") for span in lexical)
    text = load_text(reader, source.snapshot_id) if source.snapshot_id else ""
    return Document(
        key=key,
        title=f"{source.bracketed} {source.domain}",
        words=text,
        marks=marks,
        opens=marks[0].start if marks else None,
        state=source.state,
        state_words=_said_of(source) if text else "" if source.snapshot_id else f"Not fetched yet: {source.url}",
        snapshot_id=source.snapshot_id,
    )


def response_document(ordinal: int, text: str, statement: Iterable[Span] = ()) -> Document:
    """A response, with the places of a ``statement`` marked; it opens at the first of them."""
    marks = tuple(TextMark(*span, "statement") for span in statement)
    title = f"response {response_name(ordinal)}"
    return Document(RESPONSE, title, text, marks, opens=marks[0].start if marks else None)


def _said_of(source: Source) -> str:
    """What is to be known of a page that can be read."""
    given = source.state_evidence
    return f"words that speak to judges: “{given}”" if source.state == "instructions" else given


PASSAGE: Final = "passage"
_SHORT: Final = 3_000
"""Characters; in a longer text only the passages that fit best are marked."""


def about(reader: sqlite3.Connection, passage_id: str, url: str, words: str, snapshot_id: str = "") -> Document | None:
    """The passage, else a page: this snapshot of it where that is here, or that of the source with an address as it is
    now. ``None`` when none of these is here.

    Neutral marks: the words that it shares with ``words``; it opens at the first of them.
    """
    passage = load_passage(reader, passage_id)
    if passage is not None:
        title = passage.title or passage.url or PASSAGE
        return _document(PASSAGE, title, passage.text, words)
    return _page(reader, url, words, snapshot_id) if url else None


_PAGE: Final = """SELECT u.domain, p.snapshot_id, p.page_state, p.state_evidence
FROM source AS u JOIN snapshot AS p ON p.source_id = u.source_id WHERE """


def _page(reader: sqlite3.Connection, url: str, words: str, snapshot_id: str) -> Document | None:
    from medreview.citations.stored_sources import source_at

    row = reader.execute(f"{_PAGE} p.snapshot_id = ?", (snapshot_id,)).fetchone()
    if row is None:
        current = f"{_PAGE} p.snapshot_id = u.current_snapshot AND u.source_id = ?"
        row = reader.execute(current, (source_at(reader, url),)).fetchone()
    if row is None:
        return None
    return _document(
        SOURCE,
        row["domain"],
        load_text(reader, row["snapshot_id"]),
        words,
        state=row["page_state"],
        state_words=row["state_evidence"],
        snapshot_id=row["snapshot_id"],
    )


def _document(
    key: str, title: str, text: str, words: str, state: str = "", state_words: str = "", snapshot_id: str | None = None
) -> Document:
    from medreview.evidence.source_highlights import matches

    found = matches(words, text if len(text) <= _SHORT else _index(text)) if words else []
    marks = tuple(TextMark(span.start, span.end, "lexical") for span in found)
    return Document(key, title, text, marks, marks[0].start if marks else None, state, state_words, snapshot_id)


@lru_cache(maxsize=4)
def _index(text: str) -> "SourceIndex":
    """Units that come one after the other are often about one page, and to prepare a long one takes a second."""
    from medreview.evidence.passage_ranking import SourceIndex

    return SourceIndex(text)


AROUND: Final = 160
"""Characters on either side of what is marked."""


class ExcerptPiece(NamedTuple):
    """A piece of an excerpt; ``marked``: one of the places. ``gap``: something of the text lies between it and the
    piece before it, or before the first."""

    text: str
    marked: bool = False
    gap: bool = False


def excerpt(text: str, spans: Iterable[tuple[int, int]], around: int = AROUND) -> tuple[list[ExcerptPiece], bool]:
    """The places with whole words around them, in their order; and whether the text goes on behind the last piece.

    Places that overlap are one; those whose surroundings meet stand in one piece of text. Without a place it is empty.
    """
    places = _joined(spans)
    windows: list[tuple[int, int]] = []
    for start, end in places:
        low, high = _word_start(text, start - around), _word_end(text, end, around)
        if windows and low <= windows[-1][1]:
            low, high = windows[-1][0], max(high, windows.pop()[1])
        windows.append((low, high))
    pieces: list[ExcerptPiece] = []
    for low, high in windows:
        at, gap = low, low > 0
        for start, end in places:
            if low <= start < high:
                pieces += [ExcerptPiece(text[at:start], gap=gap), ExcerptPiece(text[start:end], marked=True)]
                at, gap = end, False
        pieces.append(ExcerptPiece(text[at:high]))
    return [piece for piece in pieces if piece.text or piece.gap], bool(windows and windows[-1][1] < len(text))


def _joined(spans: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif end > start:
            found.append((start, end))
    return found


def _word_start(text: str, place: int) -> int:
    """The beginning of the first word from a place on; 0 before the text."""
    return 0 if place <= 0 else text.find(" ", place) + 1


def _word_end(text: str, end: int, around: int) -> int:
    """The end of the last word before so many characters behind a place; the end of the text beyond it."""
    place = end + around
    return len(text) if place >= len(text) else max(text.rfind(" ", end, place), end)


_WORD: Final = re.compile(r"\S+")
_LONGEST: Final = 5_000
"""Words; longer texts are compared as wholes."""


class Change(NamedTuple):
    """Words of the first text that became others of the second; one of both is empty where words went or came."""

    before: str
    after: str

    def __str__(self) -> str:
        if not self.after:
            return f"“{self.before}” left out"
        return f"“{self.before}” became “{self.after}”" if self.before else f"“{self.after}” added"


def changes(before: str, after: str) -> Iterator[Change]:
    """The changes in order; none when only white space differs. A single word between two changes is part of both,
    and so is the word after a change of a single one."""
    first, second = _WORD.findall(before), _WORD.findall(after)
    if max(len(first), len(second)) > _LONGEST:
        if first != second:
            yield Change(before, after)
        return
    for start, end, began, ended in _joined_changes(first, second):
        if end - start == 1 == ended - began and first[end : end + 1] == second[ended : ended + 1]:
            end, ended = end + 1, ended + 1  # a number with what it counts
        yield Change(" ".join(first[start:end]), " ".join(second[began:ended]))


def differing_words(first: str, second: str) -> Iterator[tuple[Span, Span]]:
    """The places in both texts of the words that differ, in order; one of both is empty where words went or came."""
    places = [[Span(*word.span()) for word in _WORD.finditer(text)] for text in (first, second)]
    words = [[text[place.start : place.end] for place in of] for text, of in zip((first, second), places, strict=True)]
    if max(map(len, words)) > _LONGEST:
        yield Span(0, len(first)), Span(0, len(second))
        return
    for start, end, began, ended in _joined_changes(*words):
        yield _range(places[0], start, end), _range(places[1], began, ended)


def _range(places: list[Span], start: int, end: int) -> Span:
    return Span(places[start].start, places[end - 1].end) if end > start else Span(0, 0)


def _joined_changes(first: list[str], second: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of words that differ, in both; those that a single common word parts are one."""
    held: tuple[int, int, int, int] | None = None
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if held is not None and a - held[1] <= 1:
            held = (held[0], b, held[2], d)
            continue
        if held is not None:
            yield held
        held = (a, b, c, d)
    if held is not None:
        yield held
