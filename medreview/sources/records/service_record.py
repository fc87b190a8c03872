"""A record of a public service while it is read, and what becomes of it: texts, outline, state."""

from dataclasses import dataclass, field
from html import escape
from typing import Literal

from medreview.sources.reading.outline import Heading
from medreview.sources.reading.page_states import THIN, count_words
from medreview.sources.records.notices import notice_of_title

Identifier = tuple[Literal["pmid", "pmcid", "doi"], str]
"""What was asked for: the kind, and the value as ``medreview.citations.model.Citation`` has it."""


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """What an answer holds; the fields mean what they mean in ``medreview.sources.reading.page.Page``."""

    title: str
    text: str
    full_text: str
    outline: tuple[Heading, ...]
    state: str
    evidence: str
    extractor: str


@dataclass(slots=True)
class Draft:
    """A record while it is read. ``notices`` and ``lines`` are plain text, ``title`` to ``apart`` are HTML.

    ``title`` is the inside of a heading. ``apart`` is only for the full text: keywords, references. ``service`` is
    whose record it is.
    """

    service: str
    title: str = ""
    notices: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    abstract: str = ""
    body: str = ""
    apart: str = ""


def finished(draft: Draft, extractor: str) -> ServiceRecord:
    """A draft as a record: its texts, outline and state."""
    from medreview.sources.reading.html import read_fragment

    title = read_fragment(f"<p>{draft.title}</p>")[0].replace("\n", " ")
    notices = draft.notices
    if not any("retracted" in notice for notice in notices) and (by_title := notice_of_title(title)):
        notices = [by_title, *notices]
    head = "".join(f"<p>{escape(line)}</p>" for line in notices)
    head += f"<h1>{draft.title}</h1>" + "".join(f"<p>{escape(line)}</p>" for line in draft.lines if line)
    text, outline = read_fragment(head + draft.abstract + draft.body)
    full_text = read_fragment(head + draft.abstract + draft.body + draft.apart)[0] if draft.apart else text
    state = "ok"
    if draft.body:
        said = ""
        if count_words(text) < THIN:
            state, said = "thin", f"The article has only {count_words(text)} words."
    elif draft.abstract:
        said = f"The record in {draft.service} with its abstract; the article itself was not read."
    else:
        state, said = "thin", f"The record in {draft.service} has no abstract; the article itself was not read."
    evidence = " ".join(part for part in (*notices, said) if part)
    return ServiceRecord(title, text, full_text, outline, state, evidence, extractor)


def nothing(state: str, evidence: str, extractor: str) -> ServiceRecord:
    """A record without text."""
    return ServiceRecord("", "", "", (), state, evidence, extractor)


def missing(service: str, asked: Identifier | None, found: str, extractor: str) -> ServiceRecord:
    """The record that was asked for is not there; ``found`` is the identifier of what came in its place, or ``""``."""
    value = asked[1] if asked else ""
    if found and value:
        said = f"{service} answered with record {found}, not with {value}, which was asked for."
    else:
        said = f"{service} has no record {value}." if value else f"The answer of {service} holds no record."
    return nothing("soft_404", said, extractor)


def service_error(service: str, message: str, extractor: str) -> ServiceRecord:
    """The service answered with an error in place of a record."""
    said = " ".join(message.split())[:200].rstrip(".")
    return nothing("http_error", f"{service} answered with an error{': ' + said if said else ''}.", extractor)


def paragraph(text: str, tag: str = "p") -> str:
    """A plain text as an HTML element."""
    return f"<{tag}>{escape(text)}</{tag}>"


def authors_line(names: list[str]) -> str:
    """Up to three names, then "et al."."""
    given = [name for name in names if name]
    return ", ".join([*given[:3], "et al."]) if len(given) > 3 else ", ".join(given) + ("." if given else "")


def journal_line(journal: str, date: str, volume: str, issue: str, pages: str) -> str:
    """Where an article stands, as PubMed writes it: ``N Engl J Med. 2015 Nov 26;373(22):2103-2116.``"""
    where = f"{volume}{f'({issue})' if issue else ''}"
    line = f"{date}{';' + where if where else ''}{':' + pages if pages else ''}"
    return " ".join(f"{part.rstrip('.')}." for part in (journal, line) if part.strip(". "))


def identifiers_line(pmid: str, doi: str, pmcid: str) -> str:
    """The identifiers of an article, those that it has."""
    known = (("PMID", pmid), ("DOI", doi), ("PMCID", pmcid))
    line = ", ".join(f"{label} {value}" for label, value in known if value)
    return f"{line}." if line else ""


def types_line(types: list[str]) -> str:
    """The publication types of an article."""
    given = [kind for kind in types if kind]
    return f"Type: {'; '.join(given)}." if given else ""


def list_section(heading: str, items: list[str]) -> str:
    """A heading and a list as HTML; ``""`` without items."""
    listed = "".join(paragraph(item, "li") for item in items if item)
    return f"{paragraph(heading, 'h2')}<ul>{listed}</ul>" if listed else ""
