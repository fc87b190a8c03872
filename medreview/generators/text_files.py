"""Texts to generate from, as they come in files: one text, or many with titles and addresses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.exchange.imports.text_files import check_text, open_text
from medreview.sources.children.reader import read_in_child
from medreview.sources.fetching.fetched import Fetched, utc_text
from medreview.sources.fetching.limits import Limits
from medreview.storable import storable_text, unstorable
from medreview.text import normalise_newlines
from medreview.units.stored import NewPassage

FIELDS: Final = {
    "text": ("text", "passage", "paragraph", "source_text", "passage_text", "content", "body"),
    "title": ("title", "passage_title", "source_title", "name", "heading"),
    "url": ("url", "source_url", "address", "link"),
}
"""Field -> the column names that are recognised."""
_TABLES: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
_PLAIN: Final = (".txt", ".md", ".markdown")
_PAGES: Final = {".html": "text/html", ".htm": "text/html", ".xhtml": "text/html", ".pdf": "application/pdf"}


@dataclass(slots=True)
class Texts:
    """The texts of one file in order, each once, and the records of it that hold none."""

    passages: list[NewPassage] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)


def read_texts(path: Path) -> Texts:
    """The texts of a file: .txt and .md are one, .html and .pdf what stands on the page, tables and JSON have one in
    each record, with ``title`` and ``url`` where these are known.

    Raises :class:`UserError` for a file that cannot be read, is of no such kind, or holds no text.
    """
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        texts = _records(path)
    elif suffix in _PLAIN:
        texts = Texts([_plain(path)])
    elif suffix in _PAGES:
        texts = Texts([_page(path, _PAGES[suffix])])
    else:
        kinds = ", ".join((*_PLAIN[:2], ".html", ".pdf", *_TABLES))
        raise UserError(f"{path} is of no kind that texts are read from ({kinds}).")
    first: dict[str, NewPassage] = {}
    for one in texts.passages:
        first.setdefault(one.passage_id, one)
    texts.passages = list(first.values())
    if not texts.passages:
        raise UserError(f"{path} holds no text.")
    return texts


def _records(path: Path) -> Texts:
    rows, _ = open_rows(path)
    fields, found = Fields(FIELDS), Texts()
    for row in fields.check(rows, path, ("text",)):
        one = row if isinstance(row, BadRecord) else _record(row, fields)
        if isinstance(one, BadRecord):
            found.bad.append(one)
        else:
            found.passages.append(one)
    return found


def _record(row: Row, fields: Fields) -> NewPassage | BadRecord:
    if why := unstorable(dict(row.values)):
        return BadRecord(row.line, f"cannot be stored: {why}")
    values = fields.values(row)
    try:
        passage = NewPassage(text_of(values, "text").strip(), name_of(values, "title"), name_of(values, "url"))
    except ValueError as error:
        return BadRecord(row.line, str(error))
    return passage if passage.text else BadRecord(row.line, "has no text")


def _plain(path: Path) -> NewPassage:
    check_text(path)
    with open_text(path) as file:
        text = storable_text(normalise_newlines(file.read())).strip()
    return NewPassage(text, _heading(text) or path.stem)


def _heading(text: str) -> str:
    """What stands in the first line, where that is a heading of Markdown."""
    first = next(_lines(text), "")
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line.strip())


def _page(path: Path, content_type: str) -> NewPassage:
    """The text of a page, read as one that was fetched: in a child process with limits."""
    most = Limits().max_bytes
    try:
        if path.stat().st_size > most:
            raise UserError(f"{path} is larger than the {most / 1e6:.0f} MB that a page may have.")
        body = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error
    page = read_in_child(Fetched("", "", (), 200, content_type, body, utc_text(datetime.now(UTC))))
    text = storable_text(page.text).strip()
    if not text:
        raise UserError(f"{path} holds no text that can be read. {page.evidence}".rstrip())
    return NewPassage(text, storable_text(page.title).strip() or path.stem)
