"""Texts to generate from, as they come in files: one text, or many with titles and addresses."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import Fields, name_of, text_of
from medreview.exchange.imports.open_rows import open_rows
from medreview.exchange.imports.rows import BadRecord, Row
from medreview.generators.source_texts import text_of_file
from medreview.storable import unstorable
from medreview.units.stored import NewPassage

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


def _record(row: Row, fields: Fields) -> NewPassage | BadRecord:
    if why := unstorable(dict(row.values)):
        return BadRecord(row.line, f"cannot be stored: {why}")
    values = fields.values(row)
    try:
        passage = NewPassage(text_of(values, "text").strip(), name_of(values, "title"), name_of(values, "url"))
    except ValueError as error:
        return BadRecord(row.line, str(error))
    return passage if passage.text else BadRecord(row.line, "has no text")
