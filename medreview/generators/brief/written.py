"""The finished brief as a response: its text with markers, and the notes as the sources that the markers stand for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from medreview.exchange.imports.answer_records import AnswerRecord
from medreview.exchange.imports.given_pages import GivenPage
from medreview.generators.brief.notes import TaggedNote
from medreview.statements.sentences import sentence_spans
from medreview.units.cases import Case

HOST: Final = "notes.invalid"
"""The host of the addresses that stand for notes; nobody can register it (RFC 2606), and it is never asked."""
_NOT_IN_PATHS: Final = re.compile(r"[^\w.-]+")


class Part(NamedTuple):
    """A statement of a finished brief, and the numbers of the notes that it cites."""

    text: str
    numbers: tuple[int, ...]


class Sections(NamedTuple):
    """A finished brief: the one line, the hospital course, and the problems with their names."""

    summary: tuple[Part, ...]
    course: tuple[Part, ...]
    problems: tuple[tuple[str, tuple[Part, ...]], ...]


def brief_text(sections: Sections) -> str:
    """The brief in Markdown: headings, and a marker such as ``[1, 4]`` behind each sentence that cites notes.

    A section of which nothing is left has no heading either.
    """
    return "\n\n".join(_blocks(sections)) + "\n"


def _blocks(sections: Sections) -> Iterator[str]:
    for name, parts in (("One-line summary", sections.summary), ("Hospital course", sections.course)):
        if parts:
            yield f"## {name}"
            yield " ".join(map(_marked, parts))
    if any(parts for _, parts in sections.problems):
        yield "## Problem list"
    for name, parts in sections.problems:
        if parts:
            yield f"### {name}"
            yield "\n".join(f"- {_marked(part)}" for part in parts)


def _marked(part: Part) -> str:
    if not part.numbers:
        return part.text
    marker = f" [{', '.join(map(str, part.numbers))}]"
    spans = sentence_spans(part.text, 0, len(part.text))
    return " ".join(part.text[span.start : span.end] + marker for span in spans)


def address_of(case: Case, note: TaggedNote) -> str:
    """The address that stands for a note: ``https://notes.invalid/CASE-1a2b3c/3-allied-2031-03-04``."""
    named = _NOT_IN_PATHS.sub("-", case.record_id or case.name).strip("-")
    parts = [str(note.number), note.kind, note.at[:10]]
    return f"https://{HOST}/{quote(f'{named}-{case.case_id[1:7]}')}/{quote('-'.join(filter(None, parts)))}"


def pages_of(case: Case, notes: Iterable[TaggedNote]) -> list[GivenPage]:
    """The notes as texts of the sources that a brief cites."""
    return [GivenPage(address_of(case, note), note.text, note.name) for note in notes]


def response_of(case: Case, notes: Sequence[TaggedNote], text: str, model: str) -> AnswerRecord:
    """The brief as a response to the case's question. It cites every note of the case, by its number, so that it can be
    held against all of them."""
    pages = tuple(pages_of(case, notes))
    return AnswerRecord(
        line=0,
        question=case.question,
        response=text,
        citations=tuple(page.address for page in pages),
        model=model,
        origin="",
        record_id=case.record_id,
        pages=pages,
    )
