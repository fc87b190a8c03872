"""A record of a bibliographic service as a page: its texts, outline and state, and what was corrected or retracted.

Kinds of notices: NLM, "MEDLINE/PubMed XML Element Descriptions" (RefType, PublicationType). Europe PMC and JATS write
the same kinds with other spaces and capitals.
"""

import re
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal, NamedTuple

from medreview.sources.reading.page_states import THIN, count_words
from medreview.sources.reading.text_structure import Heading

# In order of severity. The keys are kinds in lower case, letters only.
_NOTICES: Final = {
    "retractionin": "This article was retracted",
    "partialretractionin": "A part of this article was retracted",
    "retractedandrepublishedin": "This article was retracted and republished",
    "expressionofconcernin": "An expression of concern about this article was published",
    "correctedandrepublishedin": "This article was corrected and republished",
    "erratumin": "A correction to this article was published",
    "updatein": "A newer version of this article was published",
    "retractionof": "This is a notice that another article was retracted",
    "partialretractionof": "This is a notice that a part of another article was retracted",
    "expressionofconcernfor": "This is an expression of concern about another article",
    "erratumfor": "This is a correction to another article",
}
_TYPES: Final = {
    "retractedpublication": ("retractionin", "This article was retracted, by its publication type."),
    "retractionofpublication": ("retractionof", "This is a notice that another article was retracted."),
    "retractionnotice": ("retractionof", "This is a notice that another article was retracted."),
    "preprintwithdrawal": ("retractionin", "This preprint was withdrawn."),
    "preprintremoval": ("retractionin", "This preprint was removed."),
    "expressionofconcern": ("expressionofconcernfor", "This is an expression of concern about another article."),
    "publishederratum": ("erratumfor", "This is a correction to another article."),
}
_NOTICE_TITLE: Final = re.compile(
    r"\W*(?:retraction(?:\s+not(?:e|ice))?|withdrawal\s+not(?:e|ice))\s*(?::|\b(?:to|of):|\bto\b|$)", re.IGNORECASE
)
_RETRACTED_TITLE: Final = re.compile(
    r"\W{0,3}((retracted|withdrawn)(?:\s(?:article|paper))?)\s*(?:[\])”\"]\s*[:.\u2013\u2014-]?|[:.\u2013\u2014]|-\s)\s*",
    re.IGNORECASE,
)


def ordered_notices(corrections: list[tuple[str, str]], publication_types: list[str]) -> list[str]:
    """Sentences for corrections, given as (kind, reference), and publication types: most severe first, no duplicates.

    Comments, summaries and other kinds that do not affect what the article says give no sentence.
    """
    normalised = [(correction_of(kind), reference) for kind, reference in corrections]
    sentences = [(kind, _sentence(kind, reference)) for kind, reference in normalised if kind in _NOTICES]
    seen = {kind for kind, _ in sentences}
    for publication_type in publication_types:
        known = _TYPES.get(_letters(publication_type))
        if known and known[0] not in seen:
            sentences.append(known)
    order = list(_NOTICES)
    return list(dict.fromkeys(text for _, text in sorted(sentences, key=lambda pair: order.index(pair[0]))))


def notice_of_title(title: str) -> str:
    """A sentence for a title that begins with "Retracted:", "Withdrawn:" or "Retraction:", ``""`` for any other."""
    if _NOTICE_TITLE.match(title):
        return "This is a notice that another article was retracted, by its title."
    mark = retraction_mark(title)
    return f"This article was {mark.kind}, by its title." if mark else ""


class RetractionMark(NamedTuple):
    """What publishers put before the title of a retracted work: its ``kind``, its words, the title behind it."""

    kind: Literal["retracted", "withdrawn"]
    words: str
    title: str


def retraction_mark(title: str) -> RetractionMark | None:
    """The mark before a title ("RETRACTED ARTICLE: ..."); ``None`` without one."""
    found = _RETRACTED_TITLE.match(title)
    if found is None:
        return None
    kind: Literal["retracted", "withdrawn"] = "withdrawn" if found[2].lower() == "withdrawn" else "retracted"
    return RetractionMark(kind, found[1], title[found.end() :])


def correction_of(kind: str) -> str:
    """A kind of correction as all services mean it: lower case, letters only (``Retraction in``: ``retractionin``)."""
    return _letters(kind)


def type_of(publication_type: str) -> str:
    """The kind of correction that a publication type speaks of, ``""`` for any other type."""
    known = _TYPES.get(_letters(publication_type))
    return known[0] if known else ""


def _sentence(kind: str, reference: str) -> str:
    reference = " ".join(reference.split()).rstrip(". ")
    return f"{_NOTICES[kind]}{': ' + reference if reference else ''}."


def _letters(kind: str) -> str:
    return re.sub(r"[^a-z]", "", kind.lower())


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
