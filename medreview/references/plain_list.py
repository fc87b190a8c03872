"""A text that is a list of references and nothing else: numbered, an entry a line, or wrapped with blank lines."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from medreview.references.model import Reference
from medreview.references.printed.evidence import begins_reference, cites, is_whole, names_work
from medreview.references.printed.find import find_references
from medreview.references.printed.parse import parse_reference
from medreview.text import Span

_NUMBERED: Final = re.compile(r"^[ \t]*(?:\[(\d{1,4})\]|(\d{1,4})[.)])[ \t]+(?=\S)", re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"\S(?:[^\n]|\n(?![ \t]*(?:\n|\Z)))*")
_LINE: Final = re.compile(r"^\S[^\n]*(?:\n[ \t]+\S[^\n]*)*", re.MULTILINE)
"""A line, and those below it that stand further in: they go on."""
_HEADING: Final = re.compile(
    r"\W*(?:references?|bibliography|literature|sources|works cited|literatur|quellen)\W*\Z", re.I
)
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_BARE: Final = 80
"""Characters of an entry that is an identifier or an address and hardly more."""
_ENTRIES: Final = 0.5
"""Share of the parts of a text that must be whole references, so that it is a list and the others are entries, too."""


def references_of_text(text: str) -> list[Reference]:
    """The references of any text, in text order: as a response names them, or, where that finds fewer, the entries of
    the list that the text is."""
    found = find_references(text)
    for pattern in (_NUMBERED, _PARAGRAPH, _LINE):
        listed = list(_entries(text, pattern))
        if len(listed) > len(found):
            found = listed
    return found


def _entries(text: str, pattern: re.Pattern[str]) -> Iterator[Reference]:
    """The entries that a way to cut the text finds; none where what it finds is mostly something else.

    What has a number is an entry even if it names nothing: so it is shown as one that cannot be checked.
    """
    spans = [span for span in _cut(text, pattern) if not _HEADING.match(text, span.start, span.end)]
    if sum(_is_entry(text[span.start : span.end]) for span in spans) < _ENTRIES * len(spans):
        return
    for span in spans:
        label = _NUMBERED.match(text, span.start, span.end)
        start = label.end() if label else span.start
        said = text[start : span.end]
        read = parse_reference(said)
        if label or (names_work(read) and begins_reference(said)):
            places = {name: Span(start + place.start, start + place.end) for name, place in read.places.items()}
            number = int(label[1] or label[2]) if label else None
            yield replace(read, text=said, start=start, end=span.end, number=number, places=places)


def _cut(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    if pattern is not _NUMBERED:
        yield from (Span(*found.span()) for found in pattern.finditer(text))
        return
    starts = [found.start() for found in pattern.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        said = _BLANK.split(text[start:end], maxsplit=1)[0]
        yield Span(start + len(said) - len(said.lstrip()), start + len(said.rstrip()))


def _is_entry(said: str) -> bool:
    line = " ".join(_NUMBERED.sub("", said, count=1).split())
    return is_whole(line) or (len(line) <= _BARE and cites(line))
