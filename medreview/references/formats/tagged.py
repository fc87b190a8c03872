"""Formats of tagged lines, RIS and MEDLINE (``.nbib``): ``TAG - value``, continuation lines, a record after the other.

Read here and not by rispy: that drops a record without its last line, and knows no line numbers. RIS is as Zotero,
EndNote, Mendeley, publishers and databases write it, each with tags of its own taste. MEDLINE is the file that PubMed
saves; its tags: "MEDLINE/PubMed Data Element (Field) Descriptions", NLM.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.fields import (
    LONGEST,
    authors_of,
    dois_in,
    isbns_in,
    named_in,
    names_preprint_server,
    noted,
    only_one,
    page_range,
    retracted_by,
    without_mark,
    years_in,
)
from medreview.references.model import Author, Identifier, Notice, NoticeKind, Record, WorkKind


class Tagged:
    """One record: its first line in the file (from 1), and the values of each tag in order."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._values: dict[str, list[str]] = {}
        self._last: list[str] = []

    def add(self, tag: str, value: str) -> None:
        """A line with a tag."""
        self._last = self._values.setdefault(tag, [])
        self._last.append(value)

    def go_on(self, text: str) -> None:
        """A line without one: it belongs to the value before it."""
        if self._last and text and len(self._last[-1]) < LONGEST:
            self._last[-1] = f"{self._last[-1]} {text}"

    def all(self, *tags: str) -> list[str]:
        """The values of these tags that say something, in the order of the tags, each once."""
        found = (value.strip() for tag in tags for value in self._values.get(tag, ()))
        return list(dict.fromkeys(value for value in found if value))

    def first(self, *tags: str) -> str:
        """The first of them, or ``""``."""
        return next(iter(self.all(*tags)), "")

    def __bool__(self) -> bool:
        """Whether any line of it had a tag."""
        return bool(self._values)


def usable(record: Record, line: int) -> Record | BadRecord:
    """A record; one that has neither a title nor an identifier becomes a :class:`BadRecord` with its first line."""
    nameless = not (record.title or record.identifiers)
    return BadRecord(line, "has neither a title nor an identifier") if nameless else record


def tagged_records(
    lines: Iterable[str], pattern: re.Pattern[str], first: str, last: str = "", *, blank_ends: bool = False
) -> Iterator[Tagged]:
    """The records of lines whose tag and value are the groups of ``pattern``.

    A record begins at the tag ``first`` and ends at ``last``, at the next beginning, or at the end of the file; lines
    before its first tag, or between records, belong to none. ``blank_ends``: a blank line ends one, too.
    """
    record: Tagged | None = None
    for number, line in enumerate(lines, 1):
        found = pattern.match(line)
        if found is None:
            text = line.strip()
            if record is not None and blank_ends and not text:
                yield record
                record = None
            elif record is not None:
                record.go_on(text)
            continue
        tag, value = found[1], found[2] or ""
        if tag == first or (record is None and blank_ends):
            if record is not None:
                yield record
            record = Tagged(number)
        if tag == last:
            if record is not None:
                yield record
            record = None
        elif record is not None:
            record.add(tag, value.strip())
    if record is not None:
        yield record


NBIB_LINE: Final = re.compile(r"([A-Z]{2,4}) {0,3}- ?(.*)", re.DOTALL)
_NBIB_KINDS: Final[Mapping[str, WorkKind]] = {
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
    """The records, each if it is :func:`usable`."""
    for number, tagged in enumerate(tagged_records(lines, NBIB_LINE, "PMID", blank_ends=True), 1):
        yield usable(_nbib_record(tagged, number), tagged.line)


def _nbib_record(tagged: Tagged, number: int) -> Record:
    types = [one.casefold() for one in tagged.all("PT")]
    of_book, titles = tagged.first("BTI"), tagged.all("TI")
    kind: WorkKind = next((kind for name, kind in _NBIB_KINDS.items() if name in types), "unknown")
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
        identifiers=only_one(_nbib_identifiers(tagged)),
        notices=tuple(_notices(tagged, mark or retracted_by(types), preprint=kind == "preprint")),
    )


def _plain(title: str) -> str:
    """A title without the brackets of a translated one, and without the full stop that MEDLINE sets."""
    translated = _LEFT.match(title)
    return (translated[1] if translated else title).removesuffix(".")


def _nbib_identifiers(tagged: Tagged) -> Iterator[Identifier]:
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


RIS_LINE: Final = re.compile(r"\s?([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t]+(.*)|\Z)", re.DOTALL)
_RIS_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("JOUR", "EJOUR", "JFULL", "MGZN", "EJMG", "NEWS", "INPR", "CONF", "CPAPER", "ABST"), "article"),
    **dict.fromkeys(("BOOK", "EBOOK", "EDBOOK", "SER", "CTLG", "DICT", "ENCYC"), "book"),
    **dict.fromkeys(("CHAP", "ECHAP", "RWEB"), "chapter"),
    **dict.fromkeys(("RPRT", "GOVDOC", "THES", "LEGAL", "UNPB", "PAMP"), "report"),
    **dict.fromkeys(("ELEC", "WEB", "BLOG", "ICOMM"), "web_page"),
    **dict.fromkeys(("DATA", "DBASE", "AGGR"), "dataset"),
    "STAND": "guideline",
    "PREPRINT": "preprint",
}
_IN_ANOTHER: Final = ("chapter",)
_OF_PUBMED: Final = re.compile(r"pub ?med|medline|\bnlm\b", re.IGNORECASE)


def read_ris(lines: Iterable[str]) -> Iterator[Record | BadRecord]:
    """The records, each if it is :func:`usable`."""
    for number, tagged in enumerate(tagged_records(lines, RIS_LINE, "TY", "ER"), 1):
        yield usable(_ris_record(tagged, number), tagged.line)


def _ris_record(tagged: Tagged, number: int) -> Record:
    kind = _RIS_KINDS.get(tagged.first("TY").upper(), "unknown")
    within = kind in _IN_ANOTHER
    titles = tagged.all("TI", "T1", "CT", *(() if within else ("BT",)))
    title, notices = without_mark(titles[0] if titles else "")
    authors, complete = authors_of(tagged.all("AU", "A1") or tagged.all("A2", "ED"))
    journals = tagged.all("BT", "T2") if within else tagged.all("JF", "JO", "T2", "JA", "J1", "J2")
    return Record(
        authority="library",
        record_id=tagged.first("ID", "AN") or str(number),
        kind=kind,
        title=title,
        other_titles=(*titles[1:], *tagged.all("TT", "ST", "OP")),
        authors=authors,
        complete=complete,
        containers=tuple(journals),
        years=years_in(*tagged.all("PY", "Y1", "DA")),
        volume=tagged.first("VL"),
        issue=tagged.first("IS", "CP"),
        pages=page_range(tagged.first("SP"), tagged.first("EP")) or tagged.first("C7"),
        publisher=tagged.first("PB"),
        edition=tagged.first("ET"),
        identifiers=only_one(_ris_identifiers(tagged)),
        url=tagged.first("UR", "LK", "L2"),
        notices=notices or retracted_by(tagged.all("KW", "M3")),
    )


def _ris_identifiers(tagged: Tagged) -> Iterator[Identifier]:
    yield from dois_in(*tagged.all("DO", "M3", "C6"))
    number = tagged.first("AN")
    if number.isdecimal() and len(number) <= 8 and any(map(_OF_PUBMED.search, tagged.all("DB", "DP"))):
        yield Identifier("pmid", number)
    yield from named_in(*tagged.all("UR", "LK", "L2", "C2"))
    yield from noted(*tagged.all("AN", "N1"))
    yield from isbns_in(*tagged.all("SN"))
