"""The texts of a study that something can be generated from: passages, and pages as they were fetched."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from medreview.citations import canonical_key, from_list
from medreview.errors import UserError
from medreview.next_step import command
from medreview.study import Study
from medreview.units.statement_view import load_text
from medreview.units.stored import load_passage


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
    cited = from_list([address]).citations
    row = study.reader.execute(
        "SELECT source_id, url, current_snapshot FROM source WHERE key = ? OR url = ?",
        (canonical_key(cited[0]) if cited else "", address),
    ).fetchone()
    if row is None:
        raise UserError(f"No response of the study cites {address}; save its page as a file and name that.")
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
