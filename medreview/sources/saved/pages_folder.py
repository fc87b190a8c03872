"""A folder of saved pages in place of the network: for offline work, for the demo and for tests.

``manifest`` describes the list in the folder, ``page_writer`` writes such a folder.
"""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.sources.fetching.fetched import Fetched, utc_text
from medreview.sources.fetching.limits import Limits
from medreview.sources.saved.manifest import MANIFEST, ManifestEntry, read_line, url_key
from medreview.visible import visible_line

__all__ = ["MANIFEST", "PagesFolder", "url_key"]

_NAMED: Final = 20


class PagesFolder:
    """Saved pages by URL.

    A line of the manifest that cannot be used (no JSON in UTF-8, a file that is missing or lies outside the folder)
    costs that line. Raises :class:`~medreview.errors.UserError` for a missing folder or manifest, and when no line can
    be used.
    """

    def __init__(self, path: Path, *, max_bytes: int = Limits().max_bytes) -> None:
        self.path = path
        self._max_bytes = max_bytes
        if not path.is_dir():
            raise UserError(f"There is no folder {path}; give the folder that holds {MANIFEST} and the saved pages.")
        manifest = path / MANIFEST
        if not manifest.is_file():
            raise UserError(f"The folder {path} has no {MANIFEST}, the list that says which file is which page.")
        try:
            lines = manifest.read_bytes().split(b"\n")
            self._saved_at = utc_text(datetime.fromtimestamp(manifest.stat().st_mtime, UTC))
        except OSError as error:
            raise UserError(f"{manifest} could not be read: {error.strerror}.") from error
        self._root = path.resolve()
        self._entries: dict[str, ManifestEntry] = {}
        self.bad: list[UserError] = []
        """What is wrong with the lines that were left out, with their numbers."""
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    self.take(line, f"Line {number} of {manifest}")
                except UserError as error:
                    self.bad.append(error)
        if self.bad and not self._entries:
            raise self.bad[0]

    def __len__(self) -> int:
        """The number of URLs in the folder."""
        return len(self._entries)

    def __contains__(self, url: str) -> bool:
        return url_key(url) in self._entries

    @property
    def note(self) -> str:
        """Sentences on the lines that were left out, a line each, the first twenty one by one; ``""`` without any."""
        named = [f"{visible_line(str(error)).rstrip('.')}; left out." for error in self.bad[:_NAMED]]
        return "\n".join([*named, *([f"And {len(self.bad) - _NAMED} more."] if len(self.bad) > _NAMED else [])])

    def take(self, line: bytes, where: str) -> None:
        """Add one line of the manifest; ``where`` names it in messages."""
        entry = read_line(line, where, self._root, self._saved_at)
        self._entries[url_key(entry.url)] = entry

    def file(self, url: str) -> Path | None:
        """The file with the body for a URL, ``None`` without one."""
        entry = self._entries.get(url_key(url))
        return None if entry is None else entry.file

    def get(self, url: str) -> Fetched | None:
        """The saved answer for a URL as if just fetched; ``None`` for a URL that is not in the folder."""
        entry = self._entries.get(url_key(url))
        if entry is None:
            return None
        body = self._read(entry.file) if entry.file is not None else b""
        if len(body) > self._max_bytes:
            large = f"The saved page is larger than {self._max_bytes / 1_000_000:g} MB."
            entry, body = replace(entry, state="too_large", detail=large), b""
        return entry.answer(url, body)

    def _read(self, file: Path) -> bytes:
        try:
            with file.open("rb") as stream:
                return stream.read(min(os.fstat(stream.fileno()).st_size, self._max_bytes) + 1)
        except OSError as error:
            raise UserError(f"The saved page {file} could not be read: {error.strerror}.") from error
