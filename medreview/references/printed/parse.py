"""Parsing one reference into its fields, with the place of each, whether it is printed or its fields are labelled.

Labelled fields are ``Authors: ...; Title: ...`` and the columns of a table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from medreview.citations.source_lists import entry_label
from medreview.references.model import FIELDS, Author, Field, Identifier, Reference
from medreview.references.printed.container import is_journal, kind_of, trimmed
from medreview.references.printed.imprint import NOTICES, YEAR, read_numbers
from medreview.references.printed.names import Authors, read_authors
from medreview.references.printed.segmentation import SheetReading, read
from medreview.references.printed.sheet import CUT, LONGEST, sheet_of
from medreview.text import Span

_BULLET: Final = re.compile(r"[\s>]*(?:[-*+•–]\s+)?")


def parse_reference(text: str) -> Reference:
    """One reference read into its fields; never raises, whatever the text holds.

    A label before it (``1.``, ``[1]``, a bullet) is no part of any field; its number is kept. ``places`` count in
    ``text``. ``unsure`` are fields that were recognised by place alone, which may be another's.
    """
    label = entry_label(text[:40])
    sheet = sheet_of(text)
    lead = _BULLET.match(sheet.text)
    start = lead.end() if lead else 0
    if label is not None:
        start = max(start, next((at for at, given in enumerate(sheet.at) if given >= label[1]), len(sheet.text)))
    sheet.without(NOTICES)
    return _reference(text, label[0] if label else None, read(sheet, start))


def _reference(text: str, number: int | None, reading: SheetReading) -> Reference:
    sheet, numbers = reading.sheet, reading.numbers
    spans: Mapping[Field, Span | None] = {
        "authors": Span(reading.authors.start, reading.authors.end) if reading.authors else None,
        "title": reading.title,
        "container": reading.container,
        "year": reading.year,
        **(numbers.placed() if numbers else {}),
        "publisher": reading.publisher,
        "edition": reading.edition,
    }
    places: dict[Field, Span] = {name: sheet.place(*span) for name, span in spans.items() if span}
    said = {name: sheet.text[span.start : span.end].strip() for name, span in spans.items() if span}
    if sheet.identifier_place is not None:
        places["identifier"] = sheet.identifier_place
    if sheet.url_place is not None:
        places["url"] = sheet.url_place
    found = Reference(
        text, 0, len(text), number=number, places=places, unsure=tuple(sorted(reading.unsure)),
        **values_of(said, reading.authors, sheet.identifiers, sheet.url),
    )  # fmt: skip
    return replace(found, kind=kind_of(found, text, chapter=reading.chapter, by_body=True))


def values_of(
    said: Mapping[Field, str], authors: Authors | None, identifiers: tuple[Identifier, ...], url: str
) -> dict[str, Any]:
    """The fields of a reference by name, as they were said."""
    texts: tuple[Field, ...] = ("title", "container", "volume", "issue", "pages", "publisher", "edition")
    return {
        **{name: said.get(name, "") for name in texts},
        "year": int(said["year"]) if said.get("year") else None,
        "authors": authors.authors if authors else (),
        "et_al": authors.et_al if authors else False,
        "identifiers": identifiers,
        "url": url,
    }


_NAMES: Final = {
    "authors": r"(?:lead |first |corresponding )?authors?(?:\(s\))?|autor(?:en|innen|es)?"
    "|auteurs?|by|organi[sz]ation|publisher/authors?",
    "title": r"(?:full |article |paper )?titles?|titel|titre|study(?: title| name)?|trial(?: name)?"
    "|name|paper|article|publication|guideline|document",
    "container": r"journal(?: name)?|published in|zeitschrift|revue|venue|publication(?: venue)?"
    "|source|book|website|site|where published",
    "year": r"(?:publication )?(?:year|date)|year published|published|jahr|année|date published",
    "volume": r"vol(?:ume)?|band",
    "issue": r"issue|no|nr|number|heft",
    "pages": r"pages?|pp|seiten",
    "publisher": r"publisher|verlag|éditeur",
    "identifier": r"doi|pmid|pmcid|pubmed(?: id)?|identifier|nct(?: number)?|link|url|web ?link"
    "|access|doi ?/ ?(?:link|url|pmid)|doi/pmid|pmid/doi|address",
    "reference": r"(?:full |complete )?(?:reference|citation|sources?|quelle|quellen|literatur"
    "|bibliographic details)(?:s)?",
    "number": r"#|no\.?|nr\.?|ref(?:erence)?\.?(?: ?(?:#|no\.?|number))?|\[?n\]?|id|number",
}  # fmt: skip
_COLUMN: Final = {
    field: re.compile(rf"[*_\s]*(?:{names})[*_\s:.]*\Z", re.IGNORECASE) for field, names in _NAMES.items()
}
_LABELS: Final = tuple(field for field in _NAMES if field not in ("number", "reference", "issue"))
FIELD_LABEL: Final = re.compile(
    r"[*_]{0,3}(?:"
    + "|".join(f"(?P<{field}>{_NAMES[field]})" for field in (*_LABELS, "issue"))
    + r")[*_]{0,3}\s?[:：][*_]{0,3}\s*",
    re.IGNORECASE,
)
"""The name of a field with its colon, at the start of a line or part."""

_PART: Final = re.compile(
    r"(?:^|(?<=\n)|(?<=[;|.]\s)|(?<=\s[–—-]\s))[ \t>]*(?:[-*+•][ \t]+)?" + FIELD_LABEL.pattern, re.IGNORECASE
)
_BAR: Final = re.compile(r"(?<!\\)\|")
_FEWEST_BARS: Final = 4
_ROW_NUMBER: Final = 3
"""Characters of a cell that numbers the rows at most."""
_ET_AL: Final = re.compile(r"(?:et al\.?|others|and others)", re.IGNORECASE)
_YEAR: Final = re.compile(rf"(?<!\d){YEAR}(?!\d)")


def column_of(heading: str) -> str:
    """The field that the heading of a column names; ``""`` for any other heading."""
    for field, pattern in _COLUMN.items():
        if pattern.match(heading):
            return field
    return ""


def read_one(text: str) -> Reference:
    """One reference however it is printed: with named fields, as the row of a table, or in a style."""
    return read_labelled(text) or _read_row(text) or parse_reference(text)


def _read_row(text: str) -> Reference | None:
    """The row of a table whose columns have no names: ``| Marteau et al. | 1992 | Title | *Journal* |``."""
    bars = [found.start() for found in _BAR.finditer(text[:LONGEST])]
    if len(bars) < _FEWEST_BARS or text[: bars[0]].strip() or text[bars[-1] + 1 :].strip():
        return None
    cells: list[tuple[str, Span]] = []
    rest: list[Span] = []
    for start, end in pairwise(bars):
        cell = _bare(text, start + 1, end)
        said = text[cell.start : cell.end]
        names = read_authors(said, certain=True)
        if re.fullmatch(YEAR, said):
            cells.append(("year", cell))
        elif names is not None and names.end >= len(said) - 1 and not is_journal(said):
            cells.append(("authors", cell))
        elif len(said) > _ROW_NUMBER:
            rest.append(cell)
    if not rest or not cells:
        return None
    title = max(rest, key=lambda cell: cell.end - cell.start)
    after = [cell for cell in rest if cell.start > title.end]
    cells += [
        ("title", title),
        *(("container", cell) for cell in after[:1]),
        *(("identifier", cell) for cell in after[1:]),
    ]
    return read_cells(text, cells, Span(0, len(text)))


def read_labelled(text: str) -> Reference | None:
    """A reference whose fields are named (``Title: ...``, ``Authors: ...``); ``None`` where fewer than two are."""
    heads = list(_PART.finditer(text[:LONGEST]))
    names = [next(field for field in (*_LABELS, "issue") if head[field]) for head in heads]
    if len({name for name in names if name in ("authors", "title", "container", "year", "identifier")}) < 2:
        return None
    cells: list[tuple[str, Span]] = []
    if heads[0].start() > 0 and "title" not in names:
        cells.append(("title", _bare(text, 0, heads[0].start())))
    for name, head, after in zip(names, heads, [*(h.start() for h in heads[1:]), len(text)], strict=True):
        start = head.start(name) if name == "identifier" else head.end()  # "PMID: 123": its label makes it one
        cells.append((name, _bare(text, start, after)))
    return read_cells(text, cells, Span(0, len(text)))


def read_cells(text: str, cells: Sequence[tuple[str, Span]], whole: Span) -> Reference:
    """A reference from the places of its fields in a text."""
    read = Reference(text[whole.start : whole.end], whole.start, whole.end, "list")
    places: dict[Field, Span] = {}
    values: dict[str, Any] = {}
    identifiers: list[Identifier] = []
    for name, cell in sorted(
        cells, key=lambda cell: cell[0] != "reference"
    ):  # a whole reference tells more than a name
        said = text[cell.start : cell.end]
        part = parse_reference(said)
        identifiers += [found for found in part.identifiers if found not in identifiers]
        if part.url and not values.get("url"):
            values["url"] = part.url
        for field in ("identifier", "url"):
            if field in part.places:
                places.setdefault(field, _at(cell, part.places[field]))
        if name == "reference":
            for field in FIELDS:
                if field in part.places and field not in ("identifier", "url"):
                    values.setdefault(field, getattr(part, field))
                    places.setdefault(field, _at(cell, part.places[field]))
            values.setdefault("et_al", part.et_al)
            continue
        for field, value, place in _said(name, said, part):
            if value and not values.get(field):
                values[field] = value
                if place is not None:
                    places[field] = _at(cell, place)
    read = replace(read, identifiers=tuple(identifiers), places=places, **values)
    return replace(read, kind=kind_of(replace(read, edition=""), read.text, by_body=True))


def _said(name: str, said: str, part: Reference) -> Iterator[tuple[Any, Any, Span | None]]:
    """What a cell says of which fields."""
    year = _YEAR.search(said)
    dated = (
        "year",
        "container",
        "authors",
        "reference",
        *(("title",) if year and year.start() > len(said) - 8 else ()),
    )
    if year is not None and name in dated:
        yield "year", int(year[0]), Span(*year.span())
    if name == "authors":
        names = _one_a_part(said) or read_authors(said, certain=True)
        if names is not None:
            yield "authors", names.authors, Span(names.start, names.end)
            yield "et_al", names.et_al, None
        elif said.strip():
            yield "authors", (Author(said.strip(), body=True),), Span(0, len(said))
    elif name == "container":
        numbers = read_numbers(said)
        stop = min(numbers.whole.start if numbers else len(said), year.start() if year else len(said))
        place = trimmed(said, 0, stop, also="(*_")
        yield "container", said[place.start : place.end], place
        if numbers is not None:
            for field, at in numbers.placed().items():
                yield field, said[at.start : at.end], at
    elif name == "title":
        sheet = sheet_of(said)
        place = trimmed(sheet.text, 0, len(sheet.text.rstrip(CUT)), also='"“”*_')
        if place:
            yield "title", sheet.text[place.start : place.end], sheet.place(*place)
    elif name in ("volume", "issue", "pages", "publisher") and said.strip():
        yield name, said.strip(" .;,*"), Span(len(said) - len(said.lstrip(" *")), len(said.rstrip(" .;,*")))


def _one_a_part(said: str) -> Authors | None:
    """The authors of a cell that semicolons part; ``None`` unless each part is one."""
    parts = [part.strip() for part in said.split(";") if part.strip()]
    named = [part for part in parts if not _ET_AL.fullmatch(part)]
    read = [read_authors(part, certain=True) for part in named]
    found = [one.authors[0] for one in read if one is not None and len(one.authors) == 1]
    if len(parts) < 2 or len(found) < len(named) or not found:
        return None
    return Authors(tuple(found), len(named) < len(parts) or any(one.et_al for one in read if one), 0, len(said))


def _at(cell: Span, place: Span) -> Span:
    return Span(cell.start + place.start, cell.start + place.end)


def _bare(text: str, start: int, end: int) -> Span:
    while start < end and (text[start].isspace() or text[start] in "*_-•"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "*_-•;,|"):
        end -= 1
    return Span(start, end)
