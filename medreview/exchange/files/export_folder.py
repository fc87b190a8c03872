"""The folder of an export: what may be replaced, and how it comes into place whole or not at all."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.atomic_output import create, replaced_folder, write_new
from medreview.errors import UserError
from medreview.study import Study
from medreview.study.lock import holds

MANIFEST: Final = "manifest.json"
_TOGETHER: Final = 64
"""Lines that are encoded, hashed and written at once."""


class WrittenFile(NamedTuple):
    """A file of an export that is no table: how many records it holds, and its SHA-256."""

    rows: int
    sha256: str


def write_lines(path: Path, lines: Iterable[str]) -> WrittenFile:
    """Write lines to a new file of the folder as they come, in UTF-8, each with its line end; they are counted."""
    rows, written, coming = 0, hashlib.sha256(), iter(lines)
    with create(path) as file:
        while together := list(islice(coming, _TOGETHER)):
            data = "".join([f"{line}\n" for line in together]).encode()
            written.update(data)
            file.write(data)
            rows += len(together)
    return WrittenFile(rows, written.hexdigest())


@contextmanager
def new_folder(folder: Path, study_id: str) -> Iterator[Path]:
    """A private temporary folder beside ``folder``, which takes its place when the block ends without an error.

    Raises :class:`UserError` when something other than an unchanged export of the same study is there, or the disk
    refuses; nothing is left behind and what was there stays.
    """
    check_replaceable(folder, study_id)
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        with replaced_folder(folder) as made:
            yield made
    except OSError as error:
        raise UserError(f"The export {folder} could not be written ({error.strerror or error}).") from error


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, private as everything in the folder."""
    write_new(folder / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder; raises :class:`UserError` if it is not an export."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{folder} is not an export: it has no {MANIFEST}.") from error
    except OSError as error:
        raise UserError(f"{folder / MANIFEST} cannot be read ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{folder / MANIFEST} is damaged; export the study again.") from error
    lists = [manifest.get("files"), manifest.get("database", {})] if isinstance(manifest, dict) else [None]
    if not all(
        isinstance(files, dict)
        and all(Path(name).name == name and isinstance(file, dict) for name, file in files.items())
        for files in lists
    ):
        raise UserError(f"{folder} is not an export of medreview: its {MANIFEST} was made by something else.")
    return manifest


def not_as_exported(study: Study, folder: Path) -> list[str]:
    """Sentences: a file of the export is not as its manifest says, or the study lacks the event that was its newest.

    Who changes a file and the manifest alike is not found. Raises :class:`UserError` when the folder is no export of
    the study.
    """
    manifest = read_manifest(folder)
    if manifest.get("study_id") != study.meta("study_id"):
        raise UserError(f"{folder} is the export of another study, and says nothing of this one.")
    changed = "was changed after it was written"
    faults = [
        f"{name} of the export {folder} {changed if (folder / name).exists() else 'is missing'}."
        for name in changed_files(folder, manifest["files"] | manifest.get("database", {}))
    ]
    head = str(manifest.get("event_head", ""))
    if head and not holds(study.reader, head):
        faults.append(
            f"The newest event of the export {folder} is not in this file: the file was changed, or is an older copy "
            "than the one that was exported."
        )
    return faults


def changed_files(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The files of a manifest that are missing or not as they were written."""
    return [name for name, file in files.items() if digest(folder / name) != file.get("sha256")]


def check_replaceable(folder: Path, study_id: str) -> None:
    """Raise :class:`UserError` unless the folder is missing, empty, or an unchanged export of this study."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UserError(f"{folder} is a file; name a folder for the export.")
    here = {entry.name for entry in folder.iterdir()}
    if not here:
        return
    if MANIFEST not in here:
        raise UserError(f"{folder} holds other files and no export; name a new folder.")
    manifest = read_manifest(folder)
    if manifest.get("study_id") != study_id:
        other = "a deposit" if manifest.get("deposit") else "the export of another study"
        raise UserError(f"{folder} is {other}; name another folder.")
    written = manifest["files"] | manifest.get("database", {})
    others = sorted(here - {MANIFEST, *written})
    if others:
        raise UserError(
            f"{folder} also holds {', '.join(others[:3])}, which would be lost; move it or name another folder."
        )
    changed = [name for name in changed_files(folder, written) if name in here]
    if changed:
        raise UserError(f"{changed[0]} in {folder} was changed since it was exported; move it or name another folder.")


def digest(path: Path) -> str:
    """The SHA-256 of a file as hex digits; empty if it is missing."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error
