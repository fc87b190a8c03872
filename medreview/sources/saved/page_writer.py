"""Saving pages into a folder that can be used in place of the network (``--save-pages``)."""

import errno
import json
import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from medreview.errors import UserError
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.saved.manifest import MANIFEST, written_line
from medreview.sources.saved.pages_folder import PagesFolder

_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_STEM: Final = 60
_ANY_SIZE: Final = 1 << 40  # what was fetched is compared and kept whatever its size
_LINE: Final = b'{"url": "'  # how every line that we write begins
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_MARKUP: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|table)\b", re.IGNORECASE)


class SavedPages:
    """A folder of saved pages that is being written; one that exists is added to.

    Only the owner can read what is written. A page's file is there before its line in the manifest, so that a run
    that is killed leaves a folder that can be added to; the file without a line does no harm. Raises
    :class:`~medreview.errors.UserError` for a folder that cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._numbers: dict[str, int] = {}
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._manifest = os.open(
                path / MANIFEST, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            self._mend()
            self._held = PagesFolder(path, max_bytes=_ANY_SIZE)
        except OSError as error:
            self.close()
            raise _unwritable(path, error) from error
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """How many URLs the folder answers."""
        return len(self._held)

    def __contains__(self, url: str) -> bool:
        return url in self._held

    def __enter__(self) -> "SavedPages":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the manifest; everything is written by then in any case."""
        descriptor, self._manifest = getattr(self, "_manifest", -1), -1
        if descriptor >= 0:
            os.close(descriptor)

    def add(self, fetched: Fetched) -> bool:
        """Save an answer; whether there was anything to write.

        An answer that the folder has already, word for word, is not written again, and a body that is there is not
        written a second time. An answer without news (``unchanged``) and one to no address at all are left out.
        """
        if fetched.unchanged or not fetched.url.strip():
            return False
        held = self._held.get(fetched.url)
        if held == fetched:
            return False
        try:
            name = self._file(fetched, held)
            line = written_line(fetched, name)
            self._append(line)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._held.take(line, f"The line for {fetched.url}")
        return True

    def _mend(self) -> None:
        """End the last line; a line of ours that broke off in the middle of being written is dropped."""
        manifest = self.path / MANIFEST
        content = manifest.read_bytes()
        if not content or content.endswith(b"\n"):
            return
        whole, _, last = content.rpartition(b"\n")
        try:
            json.loads(last)
        except (ValueError, RecursionError):
            if last.startswith(_LINE) or _LINE.startswith(last):  # else it is somebody's own, and is reported
                os.ftruncate(self._manifest, len(whole) + 1 if whole else 0)
        else:
            self._append(b"\n")

    def _append(self, line: bytes) -> None:
        """Write to the end of the manifest, all or nothing."""
        size = os.fstat(self._manifest).st_size
        try:
            if os.write(self._manifest, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(self._manifest, size)
            raise

    def _file(self, fetched: Fetched, held: Fetched | None) -> str:
        """The name of the file with the body, written now unless the folder has it; ``""`` for no file."""
        if not fetched.body and not (fetched.status == 200 and fetched.state is None):
            return ""
        before = self._held.file(fetched.url)
        if held is not None and before is not None and held.body == fetched.body:
            return before.relative_to(self.path.resolve()).as_posix()
        stem, ending = file_stem(fetched.url), file_ending(fetched)
        while True:
            number = self._numbers[stem] = self._numbers.get(stem, 0) + 1
            name = f"{stem}.{ending}" if number == 1 else f"{stem}-{number}.{ending}"
            try:
                descriptor = os.open(self.path / name, _NEW, 0o600)
            except FileExistsError:
                continue
            with open(descriptor, "wb") as file:
                file.write(fetched.body)
                file.flush()
                os.fsync(descriptor)
            return name


def file_stem(url: str) -> str:
    """A short name for a page, by host and path: lower-case letters, digits and single hyphens only."""
    try:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    except ValueError:
        host, path = "", url
    plain = _UNSAFE.sub("-", f"{host.removeprefix('www.')} {path}".lower()).strip("-")
    return plain[:_STEM].rstrip("-") or "page"


def file_ending(fetched: Fetched) -> str:
    """What kind of file a body is, by its first bytes: html, pdf, xml, json, txt or bin."""
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
