"""References to be checked, whatever file brings them: a list, a library, answers, lines with a printed reference."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from medreview.errors import UserError
from medreview.exchange.imports.answer_records import FIELDS
from medreview.exchange.imports.citation_answers import CitingAnswer, file_answers, stream_answers
from medreview.exchange.imports.field_mapping import AS_NAMED
from medreview.exchange.imports.rows import BadRecord
from medreview.references.citation_line import citation_line
from medreview.references.formats.library_file import decoded, sign_of
from medreview.references.model import Record, Reference, ReferenceCheck
from medreview.references.plain_list import references_of_text
from medreview.references.printed.find import find_references
from medreview.references.printed.labelled import read_one
from medreview.references.reading_libraries import library_body, library_in

What = Literal["library", "references", "answers", "text"]
"""A file of a reference manager; lines with a printed reference each; answers of models; any text, a list as well."""

_TABLES: Final = (".csv", ".tsv")
_RESPONSES: Final = frozenset(FIELDS["response"])


@dataclass(frozen=True, slots=True)
class Brought:
    """A reference and where it comes from: a line of the file (from 1), a record's own id, the answer's model."""

    reference: Reference
    line: int
    name: str = ""
    model: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CheckedReference:
    """A reference that was brought, and how it compares; ``None`` of an address alone, and where nobody was asked."""

    brought: Brought
    check: ReferenceCheck | None


class BroughtFile(NamedTuple):
    """What a file brings, and the records that were left out. ``texts``: the answers, or texts, that were looked at."""

    what: What
    references: tuple[Brought, ...]
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
        told = (Brought(printed(record), 0, record.record_id) for record in library.records)
        return BroughtFile("library", tuple(told), library.bad)
    if text.lstrip()[:1] not in ("{", "["):
        return BroughtFile("text", tuple(Brought(one, line_of(text, one)) for one in references_of_text(text)), texts=1)
    cases = None if mapping else list(_reference_lines(text))
    if cases and isinstance(cases[0], Brought):
        return BroughtFile(
            "references",
            tuple(case for case in cases if isinstance(case, Brought)),
            tuple(case for case in cases if isinstance(case, BadRecord)),
        )
    return None


def _of_answers(answers: Iterable[CitingAnswer | BadRecord]) -> BroughtFile:
    found: list[Brought] = []
    bad: list[BadRecord] = []
    texts = 0
    for answer in answers:
        if isinstance(answer, BadRecord):
            bad.append(answer)
            continue
        texts += 1
        told = () if answer.invalid else find_references(answer.text, answer.listed)
        name = answer.answer_id or f"line {answer.line}"
        found += (Brought(one, answer.line, name, answer.model, answer.origin) for one in told)
    return BroughtFile("answers", tuple(found), tuple(bad), texts)


def _reference_lines(text: str) -> Iterator[Brought | BadRecord]:
    """Lines ``{"id", "reference"}``; ends at once where the first is none."""
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            case: Any = json.loads(line)
        except (ValueError, RecursionError):
            case = None
        if isinstance(case, dict) and isinstance(case.get("reference"), str) and not _RESPONSES & case.keys():
            yield Brought(read_one(case["reference"]), number, str(case.get("id", "")))
        elif first:
            return
        else:
            yield BadRecord(number, "is no object with a reference")
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
