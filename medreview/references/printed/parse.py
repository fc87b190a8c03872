"""Reading one reference: authors, title, container, numbers and identifiers, with the place of each."""

import re
from collections.abc import Mapping
from typing import Final

from medreview.citations.own_numbers import entry_label
from medreview.references.model import Field, Reference
from medreview.references.printed.fields import Reading
from medreview.references.printed.journals import is_journal
from medreview.references.printed.kinds import is_by_body, kind_of
from medreview.references.printed.notices import NOTICES
from medreview.references.printed.reading import read
from medreview.references.printed.sheet import sheet_of
from medreview.text import Span

_BULLET: Final = re.compile(r"[\s>]*(?:[-*+•–]\s+)?")


def parse_reference(text: str) -> Reference:
    """One reference read into its fields; never raises, whatever the text holds.

    A label before it (``1.``, ``[1]``, a bullet) is no part of any field; its number is kept. ``places`` count in
    ``text``. ``unsure`` are fields that were told by their place alone, where it may be another's.
    """
    label = entry_label(text[:40])
    sheet = sheet_of(text)
    lead = _BULLET.match(sheet.text)
    start = lead.end() if lead else 0
    if label is not None:
        start = max(start, next((at for at, given in enumerate(sheet.at) if given >= label[1]), len(sheet.text)))
    sheet.without(NOTICES)
    return _reference(text, label[0] if label else None, read(sheet, start))


def _reference(text: str, number: int | None, reading: Reading) -> Reference:
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
    return Reference(
        text,
        0,
        len(text),
        number=number,
        kind=kind_of(
            text,
            title=said.get("title", ""),
            container=said.get("container", ""),
            numbered=bool(said.get("volume") or said.get("pages")),
            publisher=said.get("publisher", ""),
            edition=said.get("edition", ""),
            journal=is_journal(said.get("container", "")),
            chapter=reading.chapter,
            identifiers=sheet.identifiers,
            url=sheet.url,
            by_body=is_by_body(reading.authors.authors if reading.authors else ()),
        ),
        authors=reading.authors.authors if reading.authors else (),
        et_al=reading.authors.et_al if reading.authors else False,
        title=said.get("title", ""),
        container=said.get("container", ""),
        year=int(said["year"]) if said.get("year") else None,
        volume=said.get("volume", ""),
        issue=said.get("issue", ""),
        pages=said.get("pages", ""),
        publisher=said.get("publisher", ""),
        edition=said.get("edition", ""),
        identifiers=sheet.identifiers,
        url=sheet.url,
        places=places,
        unsure=tuple(sorted(reading.unsure)),
    )
