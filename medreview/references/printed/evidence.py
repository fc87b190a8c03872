"""Whether a text is a reference: as a whole line among prose, as an entry of a list, as the start of one."""

import re
from typing import Final

from medreview.citations.source_lists import BIBLIOGRAPHIC
from medreview.exchange.imports.listed_citations import CITES
from medreview.references.model import Reference
from medreview.references.printed.names import read_authors
from medreview.references.printed.numbers import YEAR
from medreview.references.printed.parse import parse_reference
from medreview.references.printed.parts import journal_words

_YEAR: Final = re.compile(r"(?<![\d.])(?:1[89]|20)\d\d(?!\d)")
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
    """Whether a line is a whole reference wherever it stands; a claim with its source in brackets is none."""
    if not _YEAR.search(line) or len(line) < 30:
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
