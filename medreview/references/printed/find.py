"""The references of a response: those of its lists and footnotes, those that its sentences name, those beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from medreview.citations.own_numbers import entry_label
from medreview.references.model import Reference, Standing
from medreview.references.printed.entries import Entry, entries
from medreview.references.printed.evidence import names_work
from medreview.references.printed.labelled import read_cells, read_one
from medreview.references.printed.mentions import mentions
from medreview.references.printed.same import points_to
from medreview.text import Span, with_line_ends


def find_references(text: str, listed: Sequence[str] = ()) -> list[Reference]:
    """The references of a response in text order, disjoint; then those of ``listed`` that the text does not have.

    ``start`` and ``end`` are code points of ``text``, ``places`` too; those of an entry of ``listed`` (``given``) count
    within that entry. What a sentence names only to point at an entry of a list is no reference of its own.
    """
    lines = with_line_ends(text)
    found = [read for entry in entries(lines) if names_work(read := _of_entry(text, entry))]
    free = _outside(len(text), [Span(read.start, read.end) for read in found])
    for mention in mentions(lines, free):
        if not any(points_to(mention, known) for known in found):
            found.append(_moved(mention, text, mention.start, "inline"))
    found.sort(key=lambda read: read.start)
    return found + list(_given(listed, found))


def _of_entry(text: str, entry: Entry) -> Reference:
    place = entry.place
    said = text[place.start : place.end]
    if entry.cells:
        return replace(read_cells(text, entry.cells, place), number=entry.number)
    read = read_one(said)
    return replace(_moved(read, text, place.start, entry.standing), number=entry.number)


def _moved(read: Reference, text: str, start: int, standing: Standing) -> Reference:
    """A reference that was read alone, at its place in the text."""
    end = start + len(read.text)
    places = {name: Span(start + place.start, start + place.end) for name, place in read.places.items()}
    return replace(read, text=text[start:end], start=start, end=end, standing=standing, places=places)


def _outside(length: int, taken: Sequence[Span]) -> list[Span]:
    free, at = [], 0
    for start, end in taken:
        free.append(Span(at, start))
        at = end
    return [span for span in [*free, Span(at, length)] if span]


def _given(listed: Sequence[str], found: Sequence[Reference]) -> Iterator[Reference]:
    numbered = any(read.number is not None for read in found)
    for place, item in enumerate(listed, 1):
        label = entry_label(item)
        start = label[1] if label is not None else 0
        read = replace(read_one(" " * start + item[start:]), text=item)  # fields that are named begin behind the label
        if names_work(read) and not any(points_to(read, known) for known in found):
            number = label[0] if label is not None else None if numbered else place
            yield replace(read, standing="given", number=number)
