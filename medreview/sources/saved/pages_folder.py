"""A folder of saved pages in place of the network, read and written: for offline work, for the demo and for tests.

``manifest.jsonl`` lists the pages in the folder, one JSON object a line. A line written by hand needs only:

- ``url``
- ``file`` (relative to the folder), or nothing where there is no page
- ``status`` (200 when not given), ``content_type``, ``final_url``, ``fetched_at`` (ISO date)
- ``error`` in place of a page: ``timeout``, ``connect`` or ``dns``

Lines written by the program also have, where these do not follow from the above: ``chain`` (the redirect chain from
``url`` to ``final_url``), ``state`` and ``detail`` (the result of fetching, as a page state and a sentence; ``status``
is absent or null when no server answered), ``etag`` and ``last_modified``.

A line may repeat the URL of an earlier line and then replaces it, so that the file is append-only.
"""

import errno
import json
import os
import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final
from urllib.parse import urlsplit

from medreview.atomic_output import create, put_new, workplace
from medreview.citations.citation import Citation, canonical_key
from medreview.errors import UserError
from medreview.labels import NOT_ASKED
from medreview.sources.fetching.network import Fetched, Limits, http_failure, utc_text
from medreview.storable import unstorable
from medreview.visible import visible_line

MANIFEST: Final = "manifest.jsonl"
FETCH_STATES: Final = ("http_error", "timeout", "blocked", "too_large", *NOT_ASKED)
"""The page states that are known without reading the page: how the fetch ended, or that nothing was fetched."""

_ERRORS: Final = {
    "timeout": ("timeout", "The server did not answer in time when the page was saved."),
    "connect": ("http_error", "The server could not be reached when the page was saved."),
    "dns": ("http_error", "The host name could not be resolved when the page was saved."),
}


def url_key(url: str) -> str:
    """The canonical form of a URL, by the rule that also decides whether two citations are the same source."""
    return canonical_key(Citation("url", url.strip()))


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One line: the answer for a URL, its body in ``file`` (``None``: no body)."""

    url: str
    file: Path | None
    status: int | None
    content_type: str
    chain: tuple[str, ...]
    fetched_at: str
    state: str | None
    detail: str
    etag: str
    last_modified: str

    def answer(self, url: str, body: bytes) -> Fetched:
        """The answer for a URL (another spelling of the line's URL, perhaps), with the body from the file."""
        chain = (url, *self.chain[1:])
        return Fetched(
            url, chain[-1], chain, self.status, self.content_type, body, self.fetched_at, self.state, self.detail,
            self.etag, self.last_modified,
        )  # fmt: skip


def read_line(line: bytes, where: str, root: Path, saved_at: str) -> ManifestEntry:
    """One line of a manifest; ``where`` names it in messages, ``root`` is the resolved folder.

    ``saved_at`` is the date for a line without date and file. Raises :class:`~medreview.errors.UserError` for a line
    that cannot be read and for a file that is missing or lies outside the folder.
    """
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid JSON in UTF-8.") from error
    if not isinstance(record, dict):
        raise UserError(f"{where} is not a JSON object.")
    if problem := unstorable(record):
        raise UserError(f"{where} cannot be used: {problem}.")
    url = _text(record, "url", where)
    if not url:
        raise UserError(f'{where} has no "url".')
    error_name = _text(record, "error", where)
    if error_name and error_name not in _ERRORS:
        raise UserError(f'{where} has an unknown "error"; it may be {", ".join(_ERRORS)}.')
    status = record.get("status", None if error_name or "state" in record else 200)
    if status is not None and (type(status) is not int or not 100 <= status <= 999):
        raise UserError(f'{where} has a "status" that is not a number from 100 to 999.')
    name = _text(record, "file", where)
    if not name and not error_name and "state" not in record and status == 200:
        raise UserError(f'{where} has neither a "file" nor an "error" nor a "status" other than 200.')
    file = _inside(root, name, where) if name and not error_name else None
    state, detail = _outcome(record, error_name, status, where)
    return ManifestEntry(
        url=url,
        file=file,
        status=status,
        content_type=_text(record, "content_type", where),
        chain=_chain(record, url, _text(record, "final_url", where) or url, where),
        fetched_at=_fetched_at(_text(record, "fetched_at", where), file, saved_at, where),
        state=state,
        detail=detail,
        etag=_text(record, "etag", where),
        last_modified=_text(record, "last_modified", where),
    )


def written_line(fetched: Fetched, file: str) -> bytes:
    """The line for an answer whose body is in ``file`` (``""``: no body); derivable fields are left out.

    :func:`read_line` restores the answer unchanged (round trip).
    """
    record: dict[str, object] = {"url": fetched.url}
    if file:
        record["file"] = file
    derived = http_failure(fetched.status) if fetched.status is not None else (None, "")
    needs_state = (fetched.state, fetched.detail) != derived or (fetched.status == 200 and not file)
    if fetched.status is not None or not needs_state:
        record["status"] = fetched.status
    if needs_state:
        record |= {"state": fetched.state, "detail": fetched.detail}
    if fetched.content_type:
        record["content_type"] = fetched.content_type
    if fetched.final_url != fetched.url:
        record["final_url"] = fetched.final_url
    if fetched.chain != _short_chain(fetched.url, fetched.final_url):
        record["chain"] = fetched.chain
    record["fetched_at"] = fetched.fetched_at
    if fetched.etag:
        record["etag"] = fetched.etag
    if fetched.last_modified:
        record["last_modified"] = fetched.last_modified
    return json.dumps(record).encode() + b"\n"


def _short_chain(url: str, final_url: str) -> tuple[str, ...]:
    return (url,) if url_key(final_url) == url_key(url) else (url, final_url)


def _chain(record: dict[str, Any], url: str, final_url: str, where: str) -> tuple[str, ...]:
    chain = record.get("chain")
    if chain is None:
        return _short_chain(url, final_url)
    if not isinstance(chain, list) or not chain or not all(isinstance(one, str) for one in chain):
        raise UserError(f'{where} has a "chain" that is not a list of addresses.')
    if chain[0] != url or chain[-1] != final_url:
        raise UserError(f'{where} has a "chain" that does not lead from "url" to "final_url".')
    return tuple(chain)


def _outcome(record: dict[str, Any], error: str, status: int | None, where: str) -> tuple[str | None, str]:
    """Page state and sentence: those of the line, else by its error, else by its status."""
    if "state" in record:
        state = record["state"]
        if state is not None and state not in FETCH_STATES:
            raise UserError(f'{where} has an unknown "state"; it may be {", ".join(FETCH_STATES)}.')
        return state, _text(record, "detail", where) or ("The page was not had when it was saved." if state else "")
    if error:
        return _ERRORS[error]
    return http_failure(status) if status is not None else (None, "")


def _inside(root: Path, name: str, where: str) -> Path:
    """The file with a given name, with symbolic links resolved; it must be inside the folder (no path traversal)."""
    plain = PurePosixPath(name)
    outside = UserError(f"{where} names a file outside the folder ({name}).")
    if plain.is_absolute() or ".." in plain.parts or PureWindowsPath(name).anchor or "\0" in name:
        raise outside
    try:
        file = (root / plain).resolve()
        is_file = file.is_file()
    except (OSError, RuntimeError) as error:
        raise UserError(f"{where} names a file that cannot be found ({name}).") from error
    if not file.is_relative_to(root):
        raise outside
    if not is_file:
        raise UserError(f"{where} names a file that is not in the folder ({name}).")
    return file


def _fetched_at(text: str, file: Path | None, saved_at: str, where: str) -> str:
    if text:
        try:
            return utc_text(datetime.fromisoformat(text))
        except (ValueError, OverflowError) as error:
            raise UserError(f'{where} has a "fetched_at" that is not an ISO date.') from error
    return utc_text(datetime.fromtimestamp(file.stat().st_mtime, UTC)) if file else saved_at


def _text(record: dict[str, Any], key: str, where: str) -> str:
    """A string of a record, ``""`` when it is absent or null."""
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UserError(f'{where} has a "{key}" that is not a text.')
    return value


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


_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_STEM: Final = 60
_ANY_SIZE: Final = 1 << 40  # a fetched page is compared and kept whatever its size
_LINE_START: Final = b'{"url": "'  # the beginning of every line that the program writes
_MARKUP: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|table)\b", re.IGNORECASE)


class SavedPages:
    """A folder of saved pages, open for appending; created if it does not exist.

    Only the owner can read the files. A page's file is there, whole, before its line in the manifest, so that a killed
    run leaves a folder that can be appended to; a file without a line does no harm. Raises
    :class:`~medreview.errors.UserError` for a folder that cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers: dict[str, int] = {}
        self._open = ExitStack()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._place = self._open.enter_context(workplace(path / MANIFEST))
            self._manifest = os.open(
                path / MANIFEST, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
        except OSError as error:
            self.close()
            raise _unwritable(path, error) from error
        try:
            self._repair_last_line()
            self._folder = PagesFolder(path, max_bytes=_ANY_SIZE)
            if self._folder.bad:  # a line that means something else would hide what is added behind it
                raise self._folder.bad[0]
        except OSError as error:
            self.close()
            raise _unwritable(path, error) from error
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """The number of URLs in the folder."""
        return len(self._folder)

    def __contains__(self, url: str) -> bool:
        return url in self._folder

    def __enter__(self) -> "SavedPages":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the manifest; nothing is buffered, so that nothing is lost without it."""
        self._open.close()
        descriptor, self._manifest = getattr(self, "_manifest", -1), -1
        if descriptor >= 0:
            os.close(descriptor)

    def add(self, fetched: Fetched) -> bool:
        """Save an answer; whether anything was written.

        Idempotent: an answer that the folder already has is not written again, nor is an unchanged body. An answer with
        ``unchanged`` and one without a URL are skipped.
        """
        if fetched.unchanged or not fetched.url.strip():
            return False
        existing = self._folder.get(fetched.url)
        if existing == fetched:
            return False
        try:
            name = self._file(fetched, existing)
            line = written_line(fetched, name)
            self._append(line)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._folder.take(line, f"The line for {fetched.url}")
        return True

    def _repair_last_line(self) -> None:
        """Terminate the last line; a line of ours that was only partly written is removed."""
        manifest = self.path / MANIFEST
        content = manifest.read_bytes()
        if not content or content.endswith(b"\n"):
            return
        whole, _, last = content.rpartition(b"\n")
        try:
            json.loads(last)
        except (ValueError, RecursionError):
            if last.startswith(_LINE_START) or _LINE_START.startswith(last):  # else a line by hand: it is reported
                os.ftruncate(self._manifest, len(whole) + 1 if whole else 0)
        else:
            self._append(b"\n")

    def _append(self, line: bytes) -> None:
        """Append to the manifest; on failure it is truncated to what it was."""
        size = os.fstat(self._manifest).st_size
        try:
            if os.write(self._manifest, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(self._manifest, size)
            raise

    def _file(self, fetched: Fetched, existing: Fetched | None) -> str:
        """The name of the file with the body, written now unless the folder has it; ``""`` for no file."""
        if not fetched.body and not (fetched.status == 200 and fetched.state is None):
            return ""
        before = self._folder.file(fetched.url)
        if existing is not None and before is not None and existing.body == fetched.body:
            return before.relative_to(self.path.resolve()).as_posix()
        stem, ending = file_stem(fetched.url), file_ending(fetched)
        while True:
            number = self._numbers[stem] = self._numbers.get(stem, 0) + 1
            name = f"{stem}.{ending}" if number == 1 else f"{stem}-{number}.{ending}"
            if (self.path / name).exists():
                if (self.path / name).read_bytes() == fetched.body:
                    return name  # as left by a run that was killed before its line
                continue
            made = self._place / "page"
            with create(made) as file:
                file.write(fetched.body)
            try:
                put_new(made, self.path / name)
            except FileExistsError:
                made.unlink()
                continue
            return name


def file_stem(url: str) -> str:
    """A slug for a page, by host and path: lower-case letters, digits and single hyphens only."""
    try:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    except ValueError:
        host, path = "", url
    plain = _UNSAFE.sub("-", f"{host.removeprefix('www.')} {path}".lower()).strip("-")
    return plain[:_STEM].rstrip("-") or "page"


def file_ending(fetched: Fetched) -> str:
    """The file extension for a body, by content sniffing: html, pdf, xml, json, txt or bin."""
    start = fetched.body[:1024]
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"%PDF-" in start:
        return "pdf"
    if _MARKUP.search(start):
        return "html"
    if text.startswith(b"<"):
        return "html" if "html" in fetched.content_type.lower() else "xml"
    if b"\0" in start:
        return "bin"
    if text.startswith((b"{", b"[")):
        return "json"
    if not fetched.content_type.lower().startswith("text/") and any(byte < 9 for byte in start):
        return "bin"
    return "txt"


def _unwritable(path: Path, error: OSError) -> UserError:
    if isinstance(error, FileExistsError):
        return UserError(f"Pages cannot be saved in {path}: that is a file, not a folder.")
    return UserError(f"Pages cannot be saved in {path}: {error.strerror}.")
