"""Why a reference has its verdict, in a sentence: what was found and asked, and what that proves."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from medreview.references.comparing.publication import written
from medreview.references.comparing.titles import edition_number
from medreview.references.model import (
    PARTLY_LISTED,
    Asked,
    FieldDifference,
    Identifier,
    Record,
    Reference,
    authority_name,
)

NOTHING_TO_GO_BY: Final = (
    "There is nothing to look up: no identifier, no title that tells a work, and not author, journal and year together."
)
ONLY_NAMED: Final = "It is called by a name, and nothing that was found tells which work is meant."
_SHOWN: Final = 100
_NAMES: Final = {
    "guideline": "guidelines",
    "drug_label": "drug labels",
    "book": "books",
    "chapter": "chapters of books",
    "report": "reports",
    "web_page": "web pages",
    "dataset": "datasets",
    "trial": "trial registrations",
}


def the_work(wrong: Sequence[FieldDifference], *, dead: bool) -> str:
    """Of a work that was found: what of it is described wrongly."""
    if not wrong:
        return "The identifier leads to nothing, but the work described was found." if dead else ""
    fields = ["first author" if each.field == "authors" else _FIELD.get(each.field, each.field) for each in wrong]
    named = " and ".join(dict.fromkeys(fields)) if len(fields) < 3 else ", ".join(dict.fromkeys(fields))
    return f"This is the work, but with another {named} than the record has."


def another_work(identifier: Identifier, record: Record, meant: Sequence[Record]) -> str:
    """Of an identifier that leads elsewhere: where, and what may be meant."""
    said = f"{written(identifier)} is the identifier of {named(record)}."
    if meant:
        return f"{said} The work described may be {named(meant[0])}."
    return f"{said} Nobody who was asked has the work described."


def another_page(url: str, record: Record) -> str:
    """Of an address that is another page's: which."""
    return f"{url} is the address of {named(record)}. Nobody who was asked has the work described."


def another_edition(record: Record) -> str:
    """Of a work that was found in another edition only: which."""
    number = edition_number(record.edition, record.title)
    edition = f", edition {number}" if number is not None else ""
    return f"Another edition of it was found: {named(record)}{edition}."


def several(records: Sequence[Record], reference: Reference) -> str:
    """Of works that fit equally: how many, and what would tell them apart."""
    missing = [
        name
        for name, value in (("authors", reference.authors), ("year", reference.year), ("pages", reference.pages))
        if not value
    ]
    tell = f"; {' and '.join(missing)} would tell" if missing else ""
    return f"{len(records)} works fit equally well{tell}."


def unanswered(failed: Sequence[Asked]) -> str:
    """Of a reference that could not be looked up: who did not answer."""
    names = _authorities(failed)
    return f"It could not be looked up: {_joined(names)} did not answer."


def not_found(reference: Reference, asked: Sequence[Asked], today: date) -> str:
    """Of a work that nobody has: who was asked, who did not answer, and why that may prove little."""
    names = _authorities([one for one in asked if one.outcome != "failed"])
    failed = _authorities([one for one in asked if one.outcome == "failed"])
    parts = [f"Not found in {_joined(names)}." if names else "Not found."]
    if failed:
        parts.append(f"{_sentence_case(_joined(failed))} did not answer.")
    if reference.kind in PARTLY_LISTED or reference.kind == "trial":
        parts.append(f"That proves little: of {_NAMES[reference.kind]} only some are listed.")
    elif _AT_MEETING.search(reference.text):
        parts.append("That proves little: of conference abstracts only some are listed.")
    elif reference.year is not None and reference.year >= today.year - 1:
        parts.append(f"That proves little: works of {reference.year} may not be listed yet.")
    return " ".join(parts)


_AT_MEETING: Final = re.compile(
    r"[\[(](?:conference |meeting )?abstract[\])]|\babstracts? (?:no\.? ?|#)?[A-Z]{0,3}\d"
    r"|\b(?:annual|scientific) (?:meeting|sessions?|congress|conference)\b|\bposter presented\b",
    re.IGNORECASE,
)
_FIELD: Final = {"container": "journal", "url": "address"}


def _authorities(asked: Sequence[Asked]) -> list[str]:
    names = ("the library" if one.authority == "library" else authority_name(one.authority) for one in asked)
    return list(dict.fromkeys(names))


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def named(record: Record) -> str:
    """A work as a sentence names it: its title in quotation marks, its year."""
    title = record.title or (record.other_titles[0] if record.other_titles else "a work without a title")
    title = title if len(title) <= _SHOWN else title[:_SHOWN].rsplit(" ", 1)[0] + "…"
    year = f" ({record.years[0]})" if record.years else ""
    return f"“{title}”{year}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
