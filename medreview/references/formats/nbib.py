"""The file that PubMed saves (``.nbib``), and every list in the MEDLINE format.

Tags: "MEDLINE/PubMed Data Element (Field) Descriptions", NLM.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from medreview.exchange.imports.rows import BadRecord
from medreview.references.formats.fields import (
    authors_of,
    dois_in,
    isbns_in,
    named_in,
    only_one,
    retracted_by,
    without_mark,
    years_in,
)
from medreview.references.formats.tagged import Tagged, tagged_records
from medreview.references.model import Author, Identifier, Notice, NoticeKind, Record, WorkKind
from medreview.references.preprint_servers import names_preprint_server

LINE: Final = re.compile(r"([A-Z]{2,4}) {0,3}- ?(.*)", re.DOTALL)
_KINDS: Final[Mapping[str, WorkKind]] = {
    "preprint": "preprint",
    "guideline": "guideline",
    "practice guideline": "guideline",
    "dataset": "dataset",
    "book": "book",
    "journal article": "article",
}
_NOTICES: Final[Mapping[str, NoticeKind]] = {
    "RIN": "retracted",  # retraction in
    "ECI": "concern",  # expression of concern in
    "EIN": "corrected",  # erratum in
    "CRI": "corrected",  # corrected and republished in
    "UIN": "superseded",  # update in
}
_LEFT: Final = re.compile(r"\A\[(.*)\]\.?\Z", re.DOTALL)


def read_nbib(lines: Iterable[str]) -> Iterator[Record | BadRecord]:
    """The records; one that has neither a title nor an identifier becomes a :class:`BadRecord` with its first line."""
    for number, tagged in enumerate(tagged_records(lines, LINE, "PMID", blank_ends=True), 1):
        record = _record(tagged, number)
        if record.title or record.identifiers:
            yield record
        else:
            yield BadRecord(tagged.line, "has neither a title nor an identifier")


def _record(tagged: Tagged, number: int) -> Record:
    types = [one.casefold() for one in tagged.all("PT")]
    of_book, titles = tagged.first("BTI"), tagged.all("TI")
    kind: WorkKind = next((kind for name, kind in _KINDS.items() if name in types), "unknown")
    if of_book:
        kind = "chapter" if titles else "book"
    title, mark = without_mark(_plain((titles or [of_book])[0]))
    people, complete = authors_of(tagged.all("FAU") or tagged.all("AU") or tagged.all("FED", "ED"))
    return Record(
        authority="library",
        record_id=tagged.first("PMID") or str(number),
        kind=kind,
        title=title,
        other_titles=tuple(map(_plain, tagged.all("TT"))),
        authors=(*people, *(Author(name, body=True) for name in tagged.all("CN"))),
        complete=complete,
        containers=tuple(([of_book] if of_book and titles else []) + tagged.all("JT", "TA", "CTI")),
        years=years_in(*tagged.all("DP", "DEP")),
        volume=tagged.first("VI"),
        issue=tagged.first("IP"),
        pages=tagged.first("PG"),
        publisher=tagged.first("PB"),
        edition=tagged.first("EN"),
        identifiers=only_one(_identifiers(tagged)),
        notices=tuple(_notices(tagged, mark or retracted_by(types), preprint=kind == "preprint")),
    )


def _plain(title: str) -> str:
    """A title without the brackets of a translated one, and without the full stop that MEDLINE sets."""
    translated = _LEFT.match(title)
    return (translated[1] if translated else title).removesuffix(".")


def _identifiers(tagged: Tagged) -> Iterator[Identifier]:
    number = tagged.first("PMID")
    if number.isdecimal():
        yield Identifier("pmid", number.lstrip("0"))
    for value in tagged.all("LID", "AID"):
        if value.endswith("[doi]"):
            yield from dois_in(value.removesuffix("[doi]"))
    yield from (one for one in named_in(tagged.first("PMC")) if one.kind == "pmcid")
    yield from isbns_in(*tagged.all("ISBN"))


def _notices(tagged: Tagged, told: tuple[Notice, ...], *, preprint: bool) -> Iterator[Notice]:
    by_tag = [
        Notice("published_as" if preprint and kind == "superseded" else kind, _named(words), words)
        for tag, kind in _NOTICES.items()
        for words in tagged.all(tag)
    ]
    if not any(one.kind == "retracted" for one in by_tag):
        yield from told
    yield from by_tag
    for words in tagged.all("UOF"):  # update of
        if not preprint and names_preprint_server(words):
            yield Notice("preprint_of", _named(words), words)


def _named(words: str) -> str:
    """The identifier of the notice, as it is cited."""
    return next((one.value if one.kind != "pmid" else f"PMID {one.value}" for one in named_in(words)), "")
