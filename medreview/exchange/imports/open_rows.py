"""The rows of a file in any supported format; plain text and Markdown are parsed here.

A text holds one answer, or several separated by lines of ``=====``. An answer may begin with front matter (``---``,
lines of ``name: value``, lists and blocks below a name as YAML writes them, ``---``), then a line ``Question: ...`` or
``# ...`` with the question, then the word ``Answer:``. The rest is the response, and a line ``Generated: 2026-01-12``
near its head says when it was written. A separator has five or more equals signs and follows an empty line: directly
below a line of text it is the underline of a Markdown heading.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.document_files import AnswerDocument, read_document
from medreview.exchange.imports.field_mapping import RESPONSE, normalise_column
from medreview.exchange.imports.file_rows import (
    ENCODINGS,
    BadRecord,
    NamedRow,
    check_text,
    encoding_of,
    open_text,
    read_table,
    sniff,
)
from medreview.exchange.imports.foreign_files import is_json, refuse_foreign_text
from medreview.exchange.imports.headings import Section, count_questions, is_splitting, sections_of
from medreview.exchange.imports.json_rows import read_json, read_jsonl
from medreview.text import normalise_newlines

_SEPARATOR: Final = re.compile(r"={5,}[ \t]*$")
_MEMBER: Final = re.compile(r"([A-Za-z][\w -]*?)[ \t]*:[ \t]*(.*)$")
_MORE: Final = re.compile(r"(?:[ \t]+(?:-[ \t]+)?|-[ \t]+)(\S.*)$")
_BLOCK: Final = re.compile(r"[|>][+-]?[ \t]*$")
"""A text that begins in the next line."""
_NAMED: Final = re.compile(r"(?:\*\*)?question[ \t]*:(?:\*\*)?[ \t]*(\S.*)$", re.IGNORECASE)
_TITLE: Final = re.compile(r"#(?!#)[ \t]*(\S.*)$")
_READ: Final = "JSON, JSON lines, CSV, TSV, text, Markdown, Word, Excel, OpenDocument, PDF, HTML, MHTML, RTF"
"""What is read, in words."""
_TEXTS: Final = frozenset({"", ".txt", ".text", ".md", ".markdown", ".doc", ".docx", ".rtf", ".pdf", ".html", ".htm"})
"""Endings of files that may hold prose, also where it was saved under the name of a document."""
_BEGINNING: Final = 1 << 20
"""Characters by which a text is told."""
_ROWS: Final = 20
_LONGEST_HEADER: Final = 2_000
_ANSWER: Final = re.compile(r"(?:\*\*)?(?:answer|response)[ \t]*:(?:\*\*)?[ \t]*", re.IGNORECASE)
_WRITTEN: Final = re.compile(
    r"[\W_]*(?:generated|created|written|date)\b(?:[ \t]+(?:on|at))?[*_ \t:]*"
    r"(\d{4}-\d\d-\d\d(?:[T \t,]+\d[\d:.+Z-]*(?:[ \t]*[A-Z]{1,5})?)?)[\W_]*",
    re.IGNORECASE,
)
_HEAD: Final = 12
"""Lines of a text among which one says when it was written."""


def read_answers(path: Path) -> Iterator[NamedRow | BadRecord]:
    """The answers of a text file, each with its first line number. Raises :class:`UserError` if it is not prose."""
    with open_text(path) as file:
        text = normalise_newlines(file.read())
    refuse_foreign_text(path, text)
    return answers_in(text)


def answers_in(text: str) -> Iterator[NamedRow | BadRecord]:
    """The answers of a text: one, or one for each part between separators, or for each heading where texts are split
    there (``headings.splitting_at_headings``)."""
    for start, part in _parts(text):
        if is_splitting() and (sections := sections_of(part)):
            yield from _answers_of(part[: sections[0].start], sections, start + 1)
        else:
            yield NamedRow(start + 1, _answer(part))


def _parts(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines between separators, each from the first that is not empty, with its place among all lines."""
    lines = text.split("\n")
    start = 0
    for number, line in enumerate([*lines, "====="]):
        last = number == len(lines)
        if not last and not (_SEPARATOR.match(line) and (number == start or not lines[number - 1].strip())):
            continue
        part = lines[start:number]
        blank = next((i for i, text in enumerate(part) if text.strip()), None)
        if blank is not None:
            yield start + blank, part[blank:]
        start = number + 1


def _answers_of(before: list[str], sections: Sequence[Section], first: int) -> Iterator[NamedRow | BadRecord]:
    """The answer below each heading; what stands before the first one, titles apart, is left out and named."""
    shared: dict[str, str] = {}
    if any(line.strip() for line in before):
        shared, rest = _front_matter(_from_first_text(before))
        prose = next((i for i, line in enumerate(before) if line in rest and line.strip() and line[:1] != "#"), None)
        if prose is not None:
            yield BadRecord(first + prose, "stands before the first heading with a question")
    for section in sections:
        values = {**shared, **_answer([f"Question: {section.question}", *section.lines])}
        line = first + section.start
        yield (
            NamedRow(line, values) if values["response"] else BadRecord(line, "is a heading without an answer below it")
        )


def _answer(lines: list[str]) -> dict[str, str]:
    values, lines = _front_matter(lines)
    lines = _from_first_text(lines)
    title = _TITLE.match(lines[0]) if lines else None
    below = _from_first_text(lines[1:])
    if title and below and _NAMED.match(below[0]):
        title, lines = None, below  # the title of the document, and the question below it
    question = title or (_NAMED.match(lines[0]) if lines else None)
    if question and "question" not in values:
        values["question"] = question[1].strip()
        lines = _from_first_text(lines[1:])
    written = next(filter(None, map(_WRITTEN.fullmatch, lines[:_HEAD])), None)
    if written and "created_at" not in values:
        values["created_at"] = written[1].strip()
    text = "\n".join(lines).rstrip()
    label = _ANSWER.match(text) if "question" in values else None
    values["response"] = text[label.end() :].lstrip("\n") if label else text
    return values


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """The members before the answer, and the rest; lines that are indented or items of a list go on with a member."""
    if lines[0].strip() != "---":
        return {}, lines
    values: dict[str, str] = {}
    name = ""
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return (values, lines[number + 1 :]) if values else ({}, lines)
        member = _MEMBER.match(line)
        if member:
            name = member[1]
            values[name] = "" if _BLOCK.match(member[2]) else _unquoted(member[2])
        elif name and (more := _MORE.match(line)):
            values[name] = f"{values[name]}\n{_unquoted(more[1])}".strip()
        elif line.strip() and not line.startswith("#"):
            break
    return {}, lines


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _from_first_text(lines: list[str]) -> list[str]:
    first = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    return lines[first:]


def open_rows(path: Path) -> tuple[Iterator[NamedRow | BadRecord], int]:
    """The rows of a file, parsed by its content, and its number of lines (of a document, the line of its last row).

    What is a document is told by its first bytes, JSON and tables by how they begin; the ending decides only between
    texts that could be either. Raises :class:`UserError` at once when the file cannot be read; see ``check_text`` and
    ``read_document``.
    """
    document = read_document(path)
    if document is not None:
        rows = _rows_of(document)
        return iter(rows), max([1, *(row.line for row in rows)])
    lines = check_text(path)
    return _PARSERS[_kind_of(path)](path), lines


_PARSERS: Final[Mapping[str, Callable[[Path], Iterator[NamedRow | BadRecord]]]] = {
    "json": read_json, "lines": read_jsonl, "table": read_table, "text": read_answers,
}  # fmt: skip


def _kind_of(path: Path) -> str:
    """What a checked text is, as :data:`_PARSERS` names it. Raises :class:`UserError` for one that is not read."""
    suffix = path.suffix.lower()
    if suffix in (".json", ".jsonl", ".ndjson"):
        return "json" if suffix == ".json" else "lines"
    with open_text(path) as file:
        start = file.read(_BEGINNING)
        if start.lstrip()[:1] in ("{", "[") and is_json((start + file.read()).lstrip()):
            return "lines"
    if suffix in (".csv", ".tsv") or (suffix not in (".md", ".markdown") and _is_table(start)):
        return "table"
    if suffix in _TEXTS:
        return "text"
    raise UserError(f"{path} is not a file that medreview reads ({_READ}).")


def notes_on(path: Path) -> list[str]:
    """Sentences on how a file is read: encoding unless UTF-8, sheet of a workbook, answers below headings."""
    document = read_document(path)
    if document is not None:
        return [*document.notes, *_on_headings(document.text or "")]
    encoding = encoding_of(path)
    notes = [] if encoding == "utf-8-sig" else [f"read as {ENCODINGS[encoding]}"]
    if _kind_of(path) == "text":
        with open_text(path) as file:
            notes += _on_headings(normalise_newlines(file.read(_BEGINNING)))
    return notes


def _on_headings(text: str) -> list[str]:
    """A sentence on a text that is read as one answer and looks like several."""
    parts = list(islice(_parts(text), 2))
    count = count_questions(parts[0][1]) if len(parts) == 1 and not is_splitting() else 0
    return [f"{count} headings: {count} answers? --split-at-headings makes an answer of each"] if count else []


def _rows_of(document: AnswerDocument) -> list[NamedRow | BadRecord]:
    """The rows of a document; of one that is a text, its answers, with what it cites beside the text."""
    if document.text is None:
        return document.rows
    rows = list(answers_in(document.text))
    if document.citations:
        rows = [
            NamedRow(row.line, {**row.values, "citations": document.citations}) if isinstance(row, NamedRow) else row
            for row in rows
        ]
    return rows


def _is_table(start: str) -> bool:
    """Whether a text begins as a table does: a line that names columns, one of them for the answer, and rows."""
    first, _, rest = start.partition("\n")
    delimiter = sniff(first)
    if first.count(delimiter) == 0 or delimiter == "|" or len(first) > _LONGEST_HEADER:
        return False
    try:
        header, *rows = islice(csv.reader([first, *rest.split("\n")[:_ROWS]], delimiter=delimiter, strict=True), _ROWS)
    except csv.Error:
        return False
    names = [normalise_column(name) for name in header]
    full = [row for row in rows if any(row)]
    return (
        len(set(names)) == len(names)
        and not set(names).isdisjoint(RESPONSE)
        and bool(full)
        and len(full[0]) == len(header)
    )
