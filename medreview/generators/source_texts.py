"""Texts to generate from: files, the pages that a study has read, its passages."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from medreview.bounded_file import read_bounded
from medreview.errors import UserError
from medreview.generators.study_texts import StudyText, load_study_text, pages_in, passages_in
from medreview.sources.children.reader import read_in_child
from medreview.sources.fetching.fetched import Fetched, utc_text
from medreview.storable import storable_text
from medreview.text import normalise_newlines, sha256

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
            raise UserError(f"{path} holds NUL characters: it is no text file.")
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
