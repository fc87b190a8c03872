"""The verdict on a reference from the records that were found for it, and why it has it, in a sentence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from medreview.references.comparing.fit import Fit, fit, is_only_named
from medreview.references.comparing.names import same_family
from medreview.references.comparing.publication import address_key, same_identifier
from medreview.references.comparing.titles import UPDATED, edition_number
from medreview.references.comparing.word_matching import Known, content_words, words
from medreview.references.model import (
    PARTLY_LISTED,
    Asked,
    FieldDifference,
    Identifier,
    Record,
    Reference,
    ReferenceCheck,
    authority_name,
    identifier_line,
)
from medreview.text import name_list

_CANDIDATES: Final = 5
_FEWEST_WORDS: Final = 3
_NO_WORK: Final = re.compile(
    r"\W*(?:data on file|personal communications?|unpublished|ibid|(?:op|loc)\. ?cit|see (?:above|below)|as above)\b",
    re.IGNORECASE,
)
"""Beginnings of what is printed in place of a work."""


def check_reference(
    reference: Reference,
    by_identifier: Mapping[Identifier, Sequence[Record]],
    by_citation: Sequence[Record],
    asked: Sequence[Asked],
    *,
    known: Known = lambda _: False,
    today: date | None = None,
) -> ReferenceCheck:
    """How a reference compares with the records that its identifiers lead to, and with those found by its words.

    ``known`` says whether a word stands in titles of other works, so that it is not a typing error. ``today`` shows
    which works are too new to be found.
    """
    asked = tuple(asked)
    if not _is_of_one_work(reference.url, by_citation):
        reference = replace(reference, url="")
    led = {
        identifier: max((fit(reference, record, known) for record in records), key=_order)
        for identifier in reference.identifiers
        if (records := by_identifier.get(identifier))
    }
    cited = sorted((fit(reference, record, known) for record in by_citation), key=_order, reverse=True)
    works = [each for each in cited if each.is_the_work()]
    identified = max((each for each in led.values() if each.is_the_identified()), key=_order, default=None)
    if identified is not None and not _is_another_part(identified, works):
        return _of_the_work(reference, identified, led, works, asked)
    if led:
        return _of_another_work(reference, led, works, asked)
    page = _other_page(reference, cited)
    if page is not None and not works:
        because = (
            f"{reference.url} is the address of {_named(page.record)}. Nobody who was asked has the work described."
        )
        return ReferenceCheck("other_work", page.record, page.differences(reference), (), because, asked)
    if not works and not (reference.identifiers or can_be_searched(reference)):
        return ReferenceCheck("not_checkable", because=_NOTHING_TO_GO_BY, asked=asked)
    if not works:
        return _of_none(reference, cited, asked, today or date.today())
    if alike := _as_good(works):
        records = tuple(each.record for each in alike[:_CANDIDATES])
        return ReferenceCheck("ambiguous", candidates=records, because=_several(records, reference), asked=asked)
    return _of_the_work(reference, works[0], led, works, asked, page)


def can_be_searched(reference: Reference) -> bool:
    """Whether a work can be looked up by the words of its reference: a title, or first author, journal and year.

    A title of one or two words needs another field beside it.
    """
    if _NO_WORK.match(reference.text) or _NO_WORK.match(reference.title):
        return False
    told = sum(map(bool, (reference.authors, reference.container, reference.year)))
    if not reference.title:
        return told == 3
    return told > 0 or len(content_words(reference.title)) >= _FEWEST_WORDS


def same_work(one: Record, other: Record) -> bool:
    """Whether two records are of one work: they share an identifier, or first author, year, and title or pages."""
    if any(same_identifier(mine, yours) for mine in one.identifiers for yours in other.identifiers):
        return True
    if any(mine.kind == yours.kind == "doi" for mine in one.identifiers for yours in other.identifiers):
        return False
    authors = not one.authors or not other.authors or same_family(one.authors[0], other.authors[0]) is not None
    years = not one.years or not other.years or min(abs(a - b) for a in one.years for b in other.years) < 2
    place = bool(one.pages and other.pages and one.volume) and (one.volume, one.pages) == (other.volume, other.pages)
    return authors and years and (place or words(one.title) == words(other.title))


def _is_of_one_work(url: str, records: Sequence[Record]) -> bool:
    """Whether an address stands with no two works: a journal's page that many have identifies none of them."""
    key = address_key(url)
    having = [record for record in records if address_key(record.url) == key] if key else []
    return all(same_work(having[0], other) for other in having[1:])


def _other_page(reference: Reference, cited: Sequence[Fit]) -> Fit | None:
    """The page at the printed address where it has another title than the one printed.

    Sites rename pages: a title that shares words with the page's is not held to be another.
    """
    if is_only_named(reference) or "title" in reference.unsure:
        return None
    for each in cited:
        other = each.title is not None and each.title.likeness == "other" and not _shares_a_word(reference, each.record)
        if each.evidence.address and each.record.kind in UPDATED and other:
            return each
    return None


def _shares_a_word(reference: Reference, record: Record) -> bool:
    """Whether the whole text of a reference has a content word in common with the page's title, beside the numbers."""
    own = {word for word in content_words(record.title) if not word.isdigit()}
    return bool(own & {*words(reference.text.replace(reference.url, " "))}) if own else True


def _order(found: Fit) -> float:
    return found.order


def _is_another_part(identified: Fit, works: Sequence[Fit]) -> bool:
    """Whether the title fits the identifier's record with a changed word only, and another work's letter by letter."""
    return not identified.same_title and any(
        each.same_title and each.against == 0 and not same_work(each.record, identified.record) for each in works
    )


def _of_the_work(
    reference: Reference,
    found: Fit,
    led: Mapping[Identifier, Fit],
    works: Sequence[Fit],
    asked: tuple[Asked, ...],
    page: Fit | None = None,
) -> ReferenceCheck:
    elsewhere = [
        identifier
        for identifier, each in led.items()
        if not each.is_the_identified() and not same_work(each.record, found.record)
    ]
    differences = found.differences(reference, elsewhere)
    if page is not None and not same_work(page.record, found.record):
        why = f"It is the address of {_named(page.record)}."
        differences = (*differences, FieldDifference("url", reference.url, found.record.url, False, why))
    dead = not led and any(one.by == "identifier" and one.outcome == "nothing" for one in asked)
    others = [each.record for each in works if not same_work(each.record, found.record) and each.same_title]
    others = [led[identifier].record for identifier in elsewhere] + others
    wrong = [difference for difference in differences if not difference.slip]
    return ReferenceCheck(
        "mismatch" if wrong else "match",
        found.record,
        differences,
        tuple(others[:_CANDIDATES]),
        _the_work(wrong, dead=dead),
        asked,
    )


def _of_another_work(
    reference: Reference, led: Mapping[Identifier, Fit], works: Sequence[Fit], asked: tuple[Asked, ...]
) -> ReferenceCheck:
    identifier, found = max(led.items(), key=lambda each: each[1].order)
    meant = [each.record for each in works if not same_work(each.record, found.record)]
    differences: tuple[FieldDifference, ...] = found.differences(reference)
    return ReferenceCheck(
        "other_work",
        found.record,
        differences,
        tuple(meant[:_CANDIDATES]),
        _another_work(identifier, found.record, meant),
        asked,
    )


def _of_none(reference: Reference, cited: Sequence[Fit], asked: tuple[Asked, ...], today: date) -> ReferenceCheck:
    nearest = tuple(each.record for each in cited[:_CANDIDATES] if _is_near(each))
    by = "citation" if can_be_searched(reference) else "identifier"
    failed = [one for one in asked if one.outcome == "failed"]
    if is_only_named(reference):
        return ReferenceCheck("not_checkable", candidates=nearest, because=_ONLY_NAMED, asked=asked)
    answered = any(one.outcome != "failed" for one in asked if one.by == by)
    # an identifier stands in one register, and another authority that does not have it says nothing for that one
    if failed and (not answered or (by == "identifier" and any(one.by == by for one in failed))):
        return ReferenceCheck(
            "not_checkable",
            candidates=nearest,
            because=f"It could not be looked up: {_authorities(failed)} did not answer.",
            asked=asked,
        )
    because = _not_found(reference, asked, today)
    if edition := next((each.record for each in cited if each.other_edition and each.same_title), None):
        because = f"{because} {_another_edition(edition)}"
    return ReferenceCheck("not_found", candidates=nearest, because=because, asked=asked)


def _is_near(found: Fit) -> bool:
    """Whether a record is worth being shown beside a reference that was not found."""
    return found.title is None or found.title.shared >= 0.4 or found.agreed == 3


def _as_good(works: Sequence[Fit]) -> list[Fit]:
    """The works that fit as well as the best one, which are more than one work; empty when the best one is alone.

    A preprint and the article that came of it are one work.
    """
    highest = max(each.rank for each in works)
    best = [each for each in works if each.rank == highest]
    published = [each for each in best if each.record.kind != "preprint"] or best
    others = [each for each in published[1:] if not same_work(each.record, published[0].record)]
    return [published[0], *others] if others else []


_NOTHING_TO_GO_BY: Final = (
    "There is nothing to look up: no identifier, no title that tells a work, and not author, journal and year together."
)
_ONLY_NAMED: Final = "It is called by a name, and nothing that was found tells which work is meant."
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


def _the_work(wrong: Sequence[FieldDifference], *, dead: bool) -> str:
    """Of a work that was found: what of it is described wrongly."""
    if not wrong:
        return "The identifier leads to nothing, but the work described was found." if dead else ""
    fields = ["first author" if each.field == "authors" else _FIELD.get(each.field, each.field) for each in wrong]
    named = " and ".join(dict.fromkeys(fields)) if len(fields) < 3 else ", ".join(dict.fromkeys(fields))
    return f"This is the work, but with another {named} than the record has."


def _another_work(identifier: Identifier, record: Record, meant: Sequence[Record]) -> str:
    """Of an identifier that leads elsewhere: where, and what may be meant."""
    said = f"{identifier_line(identifier)} is the identifier of {_named(record)}."
    if meant:
        return f"{said} The work described may be {_named(meant[0])}."
    return f"{said} Nobody who was asked has the work described."


def _another_edition(record: Record) -> str:
    """Of a work that was found in another edition only: which."""
    number = edition_number(record.edition, record.title)
    edition = f", edition {number}" if number is not None else ""
    return f"Another edition of it was found: {_named(record)}{edition}."


def _several(records: Sequence[Record], reference: Reference) -> str:
    """Of works that fit equally: how many, and what would tell them apart."""
    missing = [
        name
        for name, value in (("authors", reference.authors), ("year", reference.year), ("pages", reference.pages))
        if not value
    ]
    tell = f"; {' and '.join(missing)} would tell" if missing else ""
    return f"{len(records)} works fit equally well{tell}."


def _not_found(reference: Reference, asked: Sequence[Asked], today: date) -> str:
    """Of a work that nobody has: who was asked, who did not answer, and why that may prove little."""
    names = _authorities([one for one in asked if one.outcome != "failed"])
    failed = _authorities([one for one in asked if one.outcome == "failed"])
    parts = [f"Not found in {names}." if names else "Not found."]
    if failed:
        parts.append(f"{failed[0].upper()}{failed[1:]} did not answer.")
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


def _authorities(asked: Sequence[Asked]) -> str:
    return name_list("the library" if one.authority == "library" else authority_name(one.authority) for one in asked)


def _named(record: Record) -> str:
    """A work as a sentence names it: its title in quotation marks, its year."""
    title = record.title or (record.other_titles[0] if record.other_titles else "a work without a title")
    title = title if len(title) <= _SHOWN else title[:_SHOWN].rsplit(" ", 1)[0] + "…"
    year = f" ({record.years[0]})" if record.years else ""
    return f"“{title}”{year}"
