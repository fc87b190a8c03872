"""A result file of one command: private, whole or not at all, and nobody else's file is lost for it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from medreview.errors import UserError


@contextmanager
def atomic_output(path: Path, sign: bytes) -> Iterator[Path]:
    """A path that does not exist yet; the file made there takes the place of ``path`` when the block ends well.

    An earlier file is replaced only when it begins with ``sign``, as everything this command writes does. Raises
    :class:`UserError` for any other file, a folder, or a place that cannot be written.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        check_own(path, sign)
        try:
            yield partial
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{path} could not be written ({error.strerror or error}).") from error


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner can read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def check_own(path: Path, sign: bytes) -> None:
    """Raise :class:`UserError` unless a result can be written there: nothing, or an earlier one, is in the place."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file.")
    if not path.parent.is_dir():
        raise UserError(f"There is no folder {path.parent} to write {path.name} in.")
    if not path.exists():
        return
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(sign)) == sign:
                return
    raise UserError(f"{path} exists and is no earlier result of this command; choose another name.")
