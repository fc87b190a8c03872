"""RIS, as Zotero, EndNote, Mendeley, publishers and databases write it, each with tags of its own taste."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from medreview.exchange.imports.rows import BadRecord
from medreview.references.formats.fields import (
    authors_of,
    dois_in,
    isbns_in,
    named_in,
    noted,
    only_one,
    page_range,
    retracted_by,
    without_mark,
    years_in,
)
from medreview.references.formats.tagged import Tagged, tagged_records
from medreview.references.model import Identifier, Record, WorkKind

LINE: Final = re.compile(r"\s?([A-Z][A-Z0-9])[ \t]{1,4}-(?:[ \t]+(.*)|\Z)", re.DOTALL)
_KINDS: Final[Mapping[str, WorkKind]] = {
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
    """The records; one that has neither a title nor an identifier becomes a :class:`BadRecord` with its first line."""
    for number, tagged in enumerate(tagged_records(lines, LINE, "TY", "ER"), 1):
        record = _record(tagged, number)
        if record.title or record.identifiers:
            yield record
        else:
            yield BadRecord(tagged.line, "has neither a title nor an identifier")


def _record(tagged: Tagged, number: int) -> Record:
    kind = _KINDS.get(tagged.first("TY").upper(), "unknown")
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
        identifiers=only_one(_identifiers(tagged)),
        url=tagged.first("UR", "LK", "L2"),
        notices=notices or retracted_by(tagged.all("KW", "M3")),
    )


def _identifiers(tagged: Tagged) -> Iterator[Identifier]:
    yield from dois_in(*tagged.all("DO", "M3", "C6"))
    number = tagged.first("AN")
    if number.isdecimal() and len(number) <= 8 and any(map(_OF_PUBMED.search, tagged.all("DB", "DP"))):
        yield Identifier("pmid", number)
    yield from named_in(*tagged.all("UR", "LK", "L2", "C2"))
    yield from noted(*tagged.all("AN", "N1"))
    yield from isbns_in(*tagged.all("SN"))
