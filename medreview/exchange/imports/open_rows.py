"""The rows of a file in any supported format; plain text and Markdown are parsed here.

A text holds one answer, or several separated by lines of ``=====``. An answer may begin with front matter (``---``,
lines of ``name: value``, lists and blocks below a name as YAML writes them, ``---``), then a line ``Question: ...`` or
``# ...`` with the question, then the word ``Answer:``. The rest is the response, and a line ``Generated: 2026-01-12``
near its head says when it was written. A separator has five or more equals signs and follows an empty line: directly
below a line of text it is the underline of a Markdown heading.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord, NamedRow, check_text, open_text, read_table
from medreview.exchange.imports.foreign_files import is_json, refuse_foreign_text
from medreview.exchange.imports.json_rows import read_json, read_jsonl
from medreview.text import normalise_newlines

_SEPARATOR: Final = re.compile(r"={5,}[ \t]*$")
_MEMBER: Final = re.compile(r"([A-Za-z][\w -]*?)[ \t]*:[ \t]*(.*)$")
_MORE: Final = re.compile(r"(?:[ \t]+(?:-[ \t]+)?|-[ \t]+)(\S.*)$")
_BLOCK: Final = re.compile(r"[|>][+-]?[ \t]*$")
"""A text that begins in the next line."""
_QUESTION: Final = re.compile(r"(?:question[ \t]*:|#(?!#))[ \t]*(\S.*)$", re.IGNORECASE)
_WRITTEN: Final = re.compile(
    r"[\W_]*(?:generated|created|written|date)\b(?:[ \t]+(?:on|at))?[*_ \t:]*"
    r"(\d{4}-\d\d-\d\d(?:[T \t,]+\d[\d:.+Z-]*(?:[ \t]*[A-Z]{1,5})?)?)[\W_]*",
    re.IGNORECASE,
)
_HEAD: Final = 12
"""Lines of a text among which one says when it was written."""
_ANSWER: Final = re.compile(r"(?:answer|response)[ \t]*:[ \t]*", re.IGNORECASE)


def read_answers(path: Path) -> Iterator[NamedRow | BadRecord]:
    """The answers of a text file, each with its first line number. Raises :class:`UserError` if it is not prose."""
    with open_text(path) as file:
        text = normalise_newlines(file.read())
    refuse_foreign_text(path, text)
    if is_json(text.lstrip()):
        raise UserError(f"{path} holds JSON and is named as a text; give it the ending .json or .jsonl.")
    lines = text.split("\n")
    start = 0
    for number, line in enumerate([*lines, "====="]):
        last = number == len(lines)
        if not last and not (_SEPARATOR.match(line) and (number == start or not lines[number - 1].strip())):
            continue
        part = lines[start:number]
        blank = next((i for i, text in enumerate(part) if text.strip()), None)
        if blank is not None:
            yield NamedRow(start + blank + 1, _answer(part[blank:]))
        start = number + 1


def _answer(lines: list[str]) -> dict[str, str]:
    values, lines = _front_matter(lines)
    lines = _from_first_text(lines)
    question = _QUESTION.match(lines[0]) if lines else None
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
    """The rows of a file, parsed by its file extension, and its number of lines.

    Raises :class:`UserError` at once for an unknown extension and when the file cannot be read; see ``check_text``.
    """
    lines = check_text(path)
    match path.suffix.lower():
        case ".json":
            return read_json(path), lines
        case ".jsonl" | ".ndjson":
            return read_jsonl(path), lines
        case ".csv" | ".tsv":
            return read_table(path), lines
        case ".txt" | ".md" | ".markdown":
            return read_answers(path), lines
    raise UserError(f"{path} is not a file that medreview reads (.json, .jsonl, .ndjson, .csv, .tsv, .txt, .md).")
