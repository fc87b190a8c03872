"""Saving pages into a folder that can be used in place of the network (``--save-pages``)."""

import errno
import json
import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from medreview.atomic_output import create, put_new, workplace
from medreview.errors import UserError
from medreview.sources.fetching.fetched import Fetched
from medreview.sources.saved.manifest import MANIFEST, written_line
from medreview.sources.saved.pages_folder import PagesFolder

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
            if self._folder.bad:  # what is added behind a line that means something else could not be told from it
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
