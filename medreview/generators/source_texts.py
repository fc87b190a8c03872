"""Texts to generate from: files with one text or many, the pages that a study has read, its passages."""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from medreview.bounded_reading import read_bounded
from medreview.citations import from_list
from medreview.citations.stored_sources import source_at
from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.open_rows import open_rows
from medreview.next_step import command
from medreview.sources.fetching.network import Fetched, utc_text
from medreview.sources.page_reader import read_in_child
from medreview.storable import storable_text, unstorable
from medreview.study import Study
from medreview.text import normalise_newlines, sha256
from medreview.units.statement_view import load_text
from medreview.units.stored import NewPassage, load_passage


@dataclass(frozen=True, slots=True)
class StudyText:
    """A text of a study, without its words. ``text_id``: that of its passage, or of its snapshot."""

    text_id: str
    kind: Literal["passage", "snapshot"]
    title: str
    url: str

    @property
    def name(self) -> str:
        """What people call it: a page by its address, a passage by its title."""
        named = (self.url, self.title) if self.kind == "snapshot" else (self.title, self.url)
        return next(filter(None, named), self.text_id)


def passages_in(reader: sqlite3.Connection, only: Collection[str] | None = None) -> list[StudyText]:
    """The passages of a study, or ``only`` those with these ids, in the order in which they came."""
    rows = reader.execute("SELECT passage_id, title, url FROM passage ORDER BY rowid")
    return [
        StudyText(row["passage_id"], "passage", row["title"], row["url"])
        for row in rows
        if only is None or row["passage_id"] in only
    ]


def pages_in(reader: sqlite3.Connection) -> list[StudyText]:
    """The current snapshot of every source that can be read, in the order of the sources."""
    rows = reader.execute(
        """SELECT p.snapshot_id, p.title, u.url FROM source AS u
           JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
           JOIN snapshot_content AS n ON n.snapshot_id = p.snapshot_id WHERE n.readable ORDER BY u.rowid"""
    )
    return [StudyText(row["snapshot_id"], "snapshot", row["title"], row["url"]) for row in rows]


def page_at(study: Study, address: str) -> StudyText:
    """The current snapshot of the source with an address or identifier.

    Raises :class:`UserError` when the study has no such source, or none whose page can be read.
    """
    source_id = source_at(study.reader, address)
    if source_id is None:
        raise UserError(f"No response of the study cites {address}; save its page as a file and name that.")
    row = study.reader.execute("SELECT current_snapshot FROM source WHERE source_id = ?", (source_id,)).fetchone()
    found = next((one for one in pages_in(study.reader) if one.text_id == row["current_snapshot"]), None)
    if found is None:
        raise UserError(f"The page of {address} has no text that can be read; try `{command('fetch', study.path)}`.")
    return found


def is_address(source: str) -> bool:
    """Whether the name of a source is an address or an identifier, not a file."""
    return bool(from_list([source]).citations)


def load_study_text(reader: sqlite3.Connection, found: StudyText) -> str:
    """The text itself, as it is stored."""
    if found.kind == "snapshot":
        return load_text(reader, found.text_id)
    passage = load_passage(reader, found.text_id)
    return passage.text if passage else ""


LARGEST_FILE: Final = 200_000_000
"""Bytes."""
_PLAIN: Final = frozenset({".txt", ".md", ".markdown", ".text"})


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text, where it is from, and what is odd about it. ``source``: a file's name, a snapshot id, a passage id."""

    source: str
    text: str
    title: str = ""
    url: str = ""
    odd: str = ""

    @property
    def text_sha256(self) -> str:
        """The hash of the text."""
        return sha256(self.text)


def text_of_file(path: Path) -> SourceText:
    """The text of a file: as it is of ``.txt`` and ``.md``, else as that of a page (HTML, PDF).

    Raises :class:`UserError` when it cannot be read or has no text.
    """
    try:
        body, _ = read_bounded(path, LARGEST_FILE)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error
    except ValueError as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    name = storable_text(path.name)
    if path.suffix.lower() in _PLAIN:
        try:
            text = normalise_newlines(body.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise UserError(f"{path} is not UTF-8 from byte {error.start} on; save it as UTF-8.") from error
        if "\0" in text:
            raise UserError(f"{path} holds NUL characters: it is not a text file.")
        found = SourceText(name, text, storable_text(path.stem))
    else:
        page = read_in_child(Fetched(name, name, (name,), None, "", body, fetched_at=utc_text(datetime.now(UTC))))
        found = SourceText(name, page.text, page.title or storable_text(path.stem), odd=page.evidence)
    if not found.text.strip():
        raise UserError(f"{path} has no text. {found.odd}".strip())
    return found


def texts_of_snapshots(reader: sqlite3.Connection) -> Iterator[SourceText]:
    """The pages that hold their source, as they are now."""
    return (_text(reader, one) for one in pages_in(reader))


def texts_of_passages(reader: sqlite3.Connection) -> Iterator[SourceText]:
    """The passages that the study has, in the order in which they came."""
    return (_text(reader, one) for one in passages_in(reader))


def _text(reader: sqlite3.Connection, one: StudyText) -> SourceText:
    return SourceText(one.text_id, load_study_text(reader, one), one.title, one.url)


FIELDS: Final = {
    "text": ("text", "passage", "paragraph", "source_text", "passage_text", "content", "body"),
    "title": ("title", "passage_title", "source_title", "name", "heading"),
    "url": ("url", "source_url", "address", "link"),
}
"""Field -> the column names that are recognised."""
_TABLES: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")


@dataclass(slots=True)
class Texts:
    """The texts of one file in order, each once, and the records of it that hold none."""

    passages: list[NewPassage] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)


def read_texts(path: Path) -> Texts:
    """The texts of a file: tables and JSON have one in each record, with ``title`` and ``url`` where these are known;
    any other file is one (``source_texts.text_of_file``).

    Raises :class:`UserError` for a file that cannot be read, or holds no text.
    """
    if path.suffix.lower() in _TABLES:
        texts = _records(path)
    else:
        whole = text_of_file(path)
        texts = Texts([NewPassage(whole.text.strip(), whole.title)])
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


def _record(row: NamedRow, fields: Fields) -> NewPassage | BadRecord:
    if why := unstorable(dict(row.values)):
        return BadRecord(row.line, f"cannot be stored: {why}")
    values = fields.values(row)
    try:
        passage = NewPassage(text_of(values, "text").strip(), name_of(values, "title"), name_of(values, "url"))
    except ValueError as error:
        return BadRecord(row.line, str(error))
    return passage if passage.text else BadRecord(row.line, "has no text")
