"""A folder of saved pages in place of the network: for work without a network, for the demo and for tests.

The folder holds ``manifest.jsonl``, one JSON object a line: ``url``; ``file`` (relative to the folder), ``status``
(200 when not given), ``content_type``, ``final_url``, ``fetched_at`` (ISO date) or ``error`` (``timeout``, ``connect``
or ``dns``). A line may repeat the URL of an earlier line and then replaces it, so that a folder can be added to.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

from medreview.citations.canonical import canonical_key
from medreview.citations.model import Citation
from medreview.errors import UserError
from medreview.sources.fetched import Fetched, http_failure, utc_text
from medreview.sources.limits import Limits

MANIFEST: Final = "manifest.jsonl"
_ERRORS: Final = {
    "timeout": ("timeout", "The server did not answer in time when the page was saved."),
    "connect": ("http_error", "The server could not be reached when the page was saved."),
    "dns": ("http_error", "The host name could not be resolved when the page was saved."),
}


def url_key(url: str) -> str:
    """A URL as it is compared, by the rule that also tells whether two citations are the same source."""
    return canonical_key(Citation("url", url.strip()))


@dataclass(frozen=True, slots=True)
class _Entry:
    url: str
    file: Path | None
    status: int | None
    content_type: str
    final_url: str
    fetched_at: str
    error: str


class PagesFolder:
    """Saved pages by URL.

    Raises :class:`~medreview.errors.UserError` for a missing folder or manifest, a line that cannot be read (with its
    number), a file that is missing or lies outside the folder, and a manifest that is not UTF-8.
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
            self._saved = utc_text(datetime.fromtimestamp(manifest.stat().st_mtime, UTC))
        except OSError as error:
            raise UserError(f"{manifest} could not be read: {error.strerror}.") from error
        self._root = path.resolve()
        self._entries: dict[str, _Entry] = {}
        for number, line in enumerate(lines, 1):
            if line.strip():
                entry = self._entry(line, f"Line {number} of {manifest}")
                self._entries[url_key(entry.url)] = entry

    def __len__(self) -> int:
        """How many URLs the folder answers."""
        return len(self._entries)

    def get(self, url: str) -> Fetched | None:
        """The saved answer for a URL as if just fetched; ``None`` when the folder does not have it."""
        entry = self._entries.get(url_key(url))
        if entry is None:
            return None
        body, state, detail = b"", None, ""
        if entry.status is not None:
            state, detail = http_failure(entry.status)
        if entry.error:
            state, detail = _ERRORS[entry.error]
        elif entry.file is not None:
            body = self._read(entry.file)
            if len(body) > self._max_bytes:
                body, state = b"", "too_large"
                detail = f"The saved page is larger than {self._max_bytes / 1_000_000:g} MB."
        chain = (url,) if url_key(entry.final_url) == url_key(url) else (url, entry.final_url)
        return Fetched(
            url, chain[-1], chain, entry.status, entry.content_type, body, entry.fetched_at, state, detail
        )  # fmt: skip

    def _read(self, file: Path) -> bytes:
        try:
            with file.open("rb") as stream:
                return stream.read(self._max_bytes + 1)
        except OSError as error:
            raise UserError(f"The saved page {file} could not be read: {error.strerror}.") from error

    def _entry(self, line: bytes, where: str) -> _Entry:
        try:
            record = json.loads(line.decode("utf-8-sig"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            raise UserError(f"{where} is not valid JSON in UTF-8.") from error
        if not isinstance(record, dict):
            raise UserError(f"{where} is not a JSON object.")
        url = _text(record, "url", where)
        if not url:
            raise UserError(f'{where} has no "url".')
        error_name = _text(record, "error", where)
        if error_name and error_name not in _ERRORS:
            raise UserError(f'{where} has an unknown "error"; it may be {", ".join(_ERRORS)}.')
        status = record.get("status", None if error_name else 200)
        if status is not None and (type(status) is not int or not 100 <= status <= 599):
            raise UserError(f'{where} has a "status" that is not a number from 100 to 599.')
        name = _text(record, "file", where)
        if not name and not error_name and status == 200:
            raise UserError(f'{where} has neither a "file" nor an "error" nor a "status" other than 200.')
        file = self._inside(name, where) if name else None
        return _Entry(
            url=url,
            file=file,
            status=status,
            content_type=_text(record, "content_type", where),
            final_url=_text(record, "final_url", where) or url,
            fetched_at=self._moment(_text(record, "fetched_at", where), file, where),
            error=error_name,
        )

    def _inside(self, name: str, where: str) -> Path:
        """The file that a name means, with all links followed; it must lie in the folder."""
        plain = PurePosixPath(name)
        outside = UserError(f"{where} names a file outside the folder ({name}).")
        if plain.is_absolute() or ".." in plain.parts or PureWindowsPath(name).anchor or "\0" in name:
            raise outside
        try:
            file = (self._root / plain).resolve()
        except (OSError, RuntimeError) as error:
            raise UserError(f"{where} names a file that cannot be found ({name}).") from error
        if not file.is_relative_to(self._root):
            raise outside
        if not file.is_file():
            raise UserError(f"{where} names a file that is not in the folder ({name}).")
        return file

    def _moment(self, text: str, file: Path | None, where: str) -> str:
        if text:
            try:
                return utc_text(datetime.fromisoformat(text))
            except (ValueError, OverflowError) as error:
                raise UserError(f'{where} has a "fetched_at" that is not an ISO date.') from error
        return utc_text(datetime.fromtimestamp(file.stat().st_mtime, UTC)) if file else self._saved


def _text(record: dict[str, Any], key: str, where: str) -> str:
    """A text of a record, ``""`` when it is absent or null."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UserError(f'{where} has a "{key}" that is not a text.')
    return value
