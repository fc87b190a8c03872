"""A work on one line, as a reader cites it, from the fields of a record or a reference."""

from typing import Final

from medreview.references.model import Author, Identifier, IdentifierKind, Record, Reference

_NAMED: Final = 3
"""Authors before "et al."."""
_LABELS: Final[dict[IdentifierKind, str]] = {
    "doi": "doi:",
    "pmid": "PMID ",
    "pmcid": "",
    "nct": "",
    "arxiv": "arXiv:",
    "isbn": "ISBN ",
}


def citation_line(work: Record | Reference) -> str:
    """``Okafor N, Lee K. Title. Journal. 2019;12(3):323-330. doi:10.5555/x``; what is not known is left out."""
    if isinstance(work, Record):
        container, year = work.containers[:1], work.years[:1]
        more = not work.complete
    else:
        container, year = (work.container,), (work.year,) if work.year is not None else ()
        more = work.et_al
    numbers = work.volume + (f"({work.issue})" if work.issue else "") + (f":{work.pages}" if work.pages else "")
    when = ";".join(filter(None, (*map(str, year), numbers)))
    parts = (authors_line(work.authors, more=more), work.title, *container, work.edition, work.publisher, when)
    told = " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts if part)
    return " ".join(filter(None, (told, *map(identifier_line, work.identifiers[:1]))))


def authors_line(authors: tuple[Author, ...], *, more: bool = False) -> str:
    """``Okafor N, Lee K, et al``."""
    names = [" ".join(filter(None, author[:2])) for author in authors[:_NAMED]]
    return ", ".join([*names, "et al"] if more or len(authors) > _NAMED else names)


def identifier_line(identifier: Identifier) -> str:
    """``doi:10.5555/x``, ``PMID 123``."""
    return f"{_LABELS[identifier.kind]}{identifier.value}"
