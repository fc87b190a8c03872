"""A record of a bibliographic service: the draft that the parsers fill, and its texts, outline and page state."""

from dataclasses import dataclass, field
from html import escape
from typing import Literal

from medreview.sources.reading.page_states import THIN, count_words
from medreview.sources.reading.text_structure import Heading
from medreview.sources.records.notices import notice_of_title

Identifier = tuple[Literal["pmid", "pmcid", "doi"], str]
"""A requested identifier: its kind, and its value as in ``medreview.citations.citation.Citation``."""


@dataclass(frozen=True, slots=True)
class ServiceRecord:
    """The content of a record; the fields are those of ``medreview.sources.page.Page``."""

    title: str
    text: str
    full_text: str
    outline: tuple[Heading, ...]
    state: str
    evidence: str
    extractor: str


@dataclass(slots=True)
class RecordDraft:
    """The parts of a record, as its parser found them.

    ``notices`` and ``lines`` are plain text; ``title``, ``abstract``, ``body`` and ``full_text_only`` are HTML, the
    title without its heading element. ``full_text_only`` (keywords, references) is part of the full text but not of the
    text that is judged. ``service`` is the name of the service.
    """

    service: str
    title: str = ""
    notices: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    abstract: str = ""
    body: str = ""
    full_text_only: str = ""


def build_record(draft: RecordDraft, extractor: str) -> ServiceRecord:
    """The record of a draft, with texts, outline and page state."""
    from medreview.sources.reading.html import read_fragment

    title = read_fragment(f"<p>{draft.title}</p>")[0].replace("\n", " ")
    notices = draft.notices
    if not any("retracted" in notice for notice in notices) and (by_title := notice_of_title(title)):
        notices = [by_title, *notices]
    head = "".join(f"<p>{escape(line)}</p>" for line in notices)
    head += f"<h1>{draft.title}</h1>" + "".join(f"<p>{escape(line)}</p>" for line in draft.lines if line)
    text, outline, damage = read_fragment(head + draft.abstract + draft.body)
    full_text = text
    if draft.full_text_only:
        full_text, _, damage = read_fragment(head + draft.abstract + draft.body + draft.full_text_only)
    state = "ok"
    if draft.body:
        reason = ""
        if count_words(text) < THIN:
            state, reason = "thin", f"The article has only {count_words(text)} words."
    elif draft.abstract:
        reason = f"The record in {draft.service} with its abstract; the article itself was not read."
    else:
        state, reason = "thin", f"The record in {draft.service} has no abstract; the article itself was not read."
    evidence = " ".join(part for part in (*notices, reason, damage) if part)
    return ServiceRecord(title, text, full_text, outline, state, evidence, extractor)


def empty_record(state: str, evidence: str, extractor: str) -> ServiceRecord:
    """A record without text."""
    return ServiceRecord("", "", "", (), state, evidence, extractor)


def missing_record(service: str, requested: Identifier | None, found: str, extractor: str) -> ServiceRecord:
    """The result for a missing record; ``found`` is the identifier of the record sent in its place, or ``""``."""
    value = requested[1] if requested else ""
    if found and value:
        evidence = f"{service} answered with record {found}, not with {value}, which was asked for."
    else:
        evidence = f"{service} has no record {value}." if value else f"The answer of {service} holds no record."
    return empty_record("soft_404", evidence, extractor)


def service_error(service: str, message: str, extractor: str) -> ServiceRecord:
    """The result for an error message of the service in place of a record."""
    shown = " ".join(message.split())[:200].rstrip(".")
    return empty_record("http_error", f"{service} answered with an error{': ' + shown if shown else ''}.", extractor)


def paragraph(text: str, tag: str = "p") -> str:
    """A plain text as an HTML element."""
    return f"<{tag}>{escape(text)}</{tag}>"


def authors_line(names: list[str]) -> str:
    """Up to three names, then "et al."."""
    given = [name for name in names if name]
    return ", ".join([*given[:3], "et al."]) if len(given) > 3 else ", ".join(given) + ("." if given else "")


def journal_line(journal: str, date: str, volume: str, issue: str, pages: str) -> str:
    """Journal, date, volume, issue and pages as PubMed writes them: ``N Engl J Med. 2015 Nov 26;373(22):2103-2116.``"""
    where = f"{volume}{f'({issue})' if issue else ''}"
    line = f"{date}{';' + where if where else ''}{':' + pages if pages else ''}"
    return " ".join(f"{part.rstrip('.')}." for part in (journal, line) if part.strip(". "))


def identifiers_line(pmid: str, doi: str, pmcid: str) -> str:
    """The identifiers of an article; empty ones are left out."""
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
