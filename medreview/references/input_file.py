"""References to check from any file: a library, answers, lines with a printed reference each, a plain list, any text.

A plain list holds references and nothing else: numbered, an entry a line, or wrapped with blank lines between.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import FIELDS
from medreview.exchange.imports.citation_answers import CitingAnswer, file_answers, stream_answers
from medreview.exchange.imports.field_mapping import AS_NAMED
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.model import Record, Reference, ReferenceCheck, citation_line
from medreview.references.printed.entries import begins_reference, cites, is_whole, names_work
from medreview.references.printed.find import find_references
from medreview.references.printed.parse import parse_reference, read_one
from medreview.references.reading_libraries import decoded, library_body, library_in, sign_of
from medreview.text import Span

_NUMBERED: Final = re.compile(r"^[ \t]*(?:\[(\d{1,4})\]|(\d{1,4})[.)])[ \t]+(?=\S)", re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"\S(?:[^\n]|\n(?![ \t]*(?:\n|\Z)))*")
_LINE: Final = re.compile(r"^\S[^\n]*(?:\n[ \t]+\S[^\n]*)*", re.MULTILINE)
"""A line, and those below it that stand further in: they go on."""
_HEADING: Final = re.compile(
    r"\W*(?:references?|bibliography|literature|sources|works cited|literatur|quellen)\W*\Z", re.I
)
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_BARE: Final = 80
"""Characters of an entry that is an identifier or an address and hardly more."""
_ENTRIES: Final = 0.5
"""Share of the parts of a text that must be whole references, so that it is a list and the others are entries, too."""


def references_of_text(text: str) -> list[Reference]:
    """The references of any text, in text order: as a response names them, or, where that finds fewer, the entries of
    the list that the text is."""
    found = find_references(text)
    for pattern in (_NUMBERED, _PARAGRAPH, _LINE):
        listed = list(_entries(text, pattern))
        if len(listed) > len(found):
            found = listed
    return found


def _entries(text: str, pattern: re.Pattern[str]) -> Iterator[Reference]:
    """The entries that a way to cut the text finds; none where what it finds is mostly something else.

    A numbered part is an entry even if it names nothing: it is shown as one that cannot be checked.
    """
    spans = [span for span in _cut(text, pattern) if not _HEADING.match(text, span.start, span.end)]
    if sum(_is_entry(text[span.start : span.end]) for span in spans) < _ENTRIES * len(spans):
        return
    for span in spans:
        label = _NUMBERED.match(text, span.start, span.end)
        start = label.end() if label else span.start
        said = text[start : span.end]
        read = parse_reference(said)
        if label or (names_work(read) and begins_reference(said)):
            places = {name: Span(start + place.start, start + place.end) for name, place in read.places.items()}
            number = int(label[1] or label[2]) if label else None
            yield replace(read, text=said, start=start, end=span.end, number=number, places=places)


def _cut(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    if pattern is not _NUMBERED:
        yield from (Span(*found.span()) for found in pattern.finditer(text))
        return
    starts = [found.start() for found in pattern.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        said = _BLANK.split(text[start:end], maxsplit=1)[0]
        yield Span(start + len(said) - len(said.lstrip()), start + len(said.rstrip()))


def _is_entry(said: str) -> bool:
    line = " ".join(_NUMBERED.sub("", said, count=1).split())
    return is_whole(line) or (len(line) <= _BARE and cites(line))


What = Literal["library", "references", "answers", "text"]
"""A file of a reference manager; lines with a printed reference each; answers of models; any text, a list as well."""

_TABLES: Final = (".csv", ".tsv")
_RESPONSES: Final = frozenset(FIELDS["response"])


@dataclass(frozen=True, slots=True)
class ReadReference:
    """A reference and where it comes from: a line of the file (from 1), a record's own id, the answer's model."""

    reference: Reference
    line: int
    name: str = ""
    model: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CheckedReference:
    """A reference of the file, and how it compares; ``None`` of an address alone, and where nobody was asked."""

    brought: ReadReference
    check: ReferenceCheck | None


class BroughtFile(NamedTuple):
    """What a file holds, and the records that were left out. ``texts``: the answers, or texts, that were looked at."""

    what: What
    references: tuple[ReadReference, ...]
    bad: tuple[BadRecord, ...] = ()
    texts: int = 0


def brought_by(path: Path, mapping: Mapping[str, str] = AS_NAMED) -> BroughtFile:
    """The references of a file. Raises :class:`UserError` when it cannot be read."""
    if path.suffix.lower() in _TABLES:
        return _of_answers(file_answers(path, mapping))
    found = _of_body(library_body(path), mapping, str(path))
    return _of_answers(file_answers(path, mapping)) if found is None else found


def brought_in(data: bytes, mapping: Mapping[str, str] = AS_NAMED) -> BroughtFile:
    """The references on standard input. Raises :class:`UserError` for empty input."""
    if not decoded(data).strip():
        raise UserError("Standard input is empty; give references, or a text that names some.")
    found = _of_body(data, mapping, "standard input")
    return _of_answers(stream_answers(data, mapping)) if found is None else found


def _of_body(body: bytes, mapping: Mapping[str, str], name: str) -> BroughtFile | None:
    """``None`` for JSON that holds neither works nor printed references: answers."""
    text = decoded(body)
    if not mapping and sign_of(text) and (library := library_in(body, name)):
        told = (ReadReference(printed(record), 0, record.record_id) for record in library.records)
        return BroughtFile("library", tuple(told), library.bad)
    if text.lstrip()[:1] not in ("{", "["):
        return BroughtFile(
            "text", tuple(ReadReference(one, line_of(text, one)) for one in references_of_text(text)), texts=1
        )
    cases = None if mapping else list(_reference_lines(text))
    if cases and isinstance(cases[0], ReadReference):
        return BroughtFile(
            "references",
            tuple(case for case in cases if isinstance(case, ReadReference)),
            tuple(case for case in cases if isinstance(case, BadRecord)),
        )
    return None


def _of_answers(answers: Iterable[CitingAnswer | BadRecord]) -> BroughtFile:
    found: list[ReadReference] = []
    bad: list[BadRecord] = []
    texts = 0
    for answer in answers:
        if isinstance(answer, BadRecord):
            bad.append(answer)
            continue
        texts += 1
        told = () if answer.invalid else find_references(answer.text, answer.listed)
        name = answer.answer_id or f"line {answer.line}"
        found += (ReadReference(one, answer.line, name, answer.model, answer.origin) for one in told)
    return BroughtFile("answers", tuple(found), tuple(bad), texts)


def _reference_lines(text: str) -> Iterator[ReadReference | BadRecord]:
    """Lines ``{"id", "reference"}``; ends at once where the first differs."""
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            case: Any = json.loads(line)
        except (ValueError, RecursionError):
            case = None
        if isinstance(case, dict) and isinstance(case.get("reference"), str) and not _RESPONSES & case.keys():
            yield ReadReference(read_one(case["reference"]), number, str(case.get("id", "")))
        elif first:
            return
        else:
            yield BadRecord(number, "is not an object with a reference")
        first = False


def line_of(text: str, reference: Reference) -> int:
    """The line of a text in which a reference begins, from 1."""
    return text.count("\n", 0, reference.start) + 1


def printed(record: Record) -> Reference:
    """An entry of a reference manager as a reference to be checked, with the fields as they stand in it."""
    text = citation_line(record)
    return Reference(
        text=text,
        end=len(text),
        standing="given",
        kind=record.kind,
        authors=record.authors,
        et_al=not record.complete,
        title=record.title,
        container=next(iter(record.containers), ""),
        year=next(iter(record.years), None),
        volume=record.volume,
        issue=record.issue,
        pages=record.pages,
        publisher=record.publisher,
        edition=record.edition,
        identifiers=record.identifiers,
        url=record.url,
    )
