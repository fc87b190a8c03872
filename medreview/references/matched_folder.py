"""A folder of saved pages without a list of them: each file is matched to the cited source that it is the page of.

Files are untrusted: what each says that it is, is read in a child process with limits.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from medreview.children.asking import NotReadError
from medreview.errors import UserError
from medreview.labels import GIVEN_BY_REVIEWER
from medreview.progress import SILENT, Progress
from medreview.references.page_of_source import ADDRESS, PageFit, SourceWorks
from medreview.sources.fetching.network import Fetched, Limits, utc_text
from medreview.sources.page_reader import names_in_child
from medreview.sources.saved.pages_folder import MANIFEST
from medreview.text import counted
from medreview.visible import visible_line

ENDINGS: Final = (".html", ".htm", ".xhtml", ".mhtml", ".mht", ".pdf", ".txt")
"""What the names of files that are looked into end in."""
_MOST_FILES: Final = 20_000
_NAMED: Final = 20
_ASIDE: Final = "_files"
"""How the name of a folder ends in which browsers put what belongs to a page: pictures, styles, frames."""


@dataclass(frozen=True, slots=True)
class FileMatch:
    """What became of one file of the folder: the address of its ``source`` and ``by`` what it was matched; else
    ``why`` it was not used."""

    file: str
    source: str = ""
    by: str = ""
    why: str = ""

    @property
    def words(self) -> str:
        """That in a line."""
        return f"{self.file}: {f'page of {self.source}, by {self.by}' if self.source else f'{self.why}; not used'}"


class MatchedFolder:
    """The pages of a folder by the addresses of the sources that they were matched to.

    Where a file is the page of an address by that address, it is taken as fetched from there. Where its identifier or
    title says so, nobody has asked the address: its state is ``given_by_reviewer``. Of several files of one source
    the one with the surest sign is used, and of equals the first by name. Raises :class:`UserError` for a missing
    folder, and for one without such files.
    """

    def __init__(self, path: Path, works: SourceWorks, progress: Progress = SILENT) -> None:
        self.path = path
        self._works = works
        files, self._others = _files(path)
        if not files:
            raise UserError(
                f"The folder {path} has no {MANIFEST}, the list that says which file is which page, and no saved page "
                f"that could be matched without one ({', '.join(ENDINGS)})."
            )
        fits: dict[Path, list[PageFit]] = {}
        unread: dict[Path, str] = {}
        progress.begin("saved files", len(files))
        for file in files:
            try:
                fits[file] = sorted(works.fits(names_in_child(_body(file))), key=lambda fit: fit.sign)
            except NotReadError as error:
                unread[file] = str(error).rstrip(".")
            progress.step()
        best: dict[str, tuple[Path, PageFit]] = {}
        for file, found in fits.items():
            for fit in found:
                if fit.source_id not in best or fit.sign < best[fit.source_id][1].sign:
                    best[fit.source_id] = file, fit
        self._pages = {works.works[source].url: one for source, one in best.items()}
        self.matches = [
            match for file in files for match in self._became(file, fits.get(file, []), unread.get(file, ""))
        ]
        """What became of each file, in order; of one that is the page of several sources there are several."""

    def _became(self, file: Path, fits: list[PageFit], unread: str) -> Iterator[FileMatch]:
        name = self._name(file)
        own = [(url, fit) for url, (page, fit) in self._pages.items() if page == file]
        for url, fit in own:
            yield FileMatch(name, url, fit.by)
        if fits and not own:
            url = self._works.works[fits[0].source_id].url
            yield FileMatch(name, why=f"{self._name(self._pages[url][0])} is the page of {url}, too")
        elif not own:
            yield FileMatch(name, why=unread or "nothing in it names a cited source")

    def _name(self, file: Path) -> str:
        return visible_line(file.relative_to(self.path).as_posix())

    @property
    def note(self) -> str:
        """What was matched by what, and what was not used, a line each, the first twenty of each kind one by one."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for kind, word in ((True, "matched"), (False, "not used")):
            lines = [f"  {match.words}" for match in self.matches if bool(match.source) is kind]
            if lines:
                yield f"{counted(len(lines), 'saved file')} {word}:"
                yield from lines[:_NAMED]
            if len(lines) > _NAMED:
                yield f"  and {len(lines) - _NAMED} more"
        if self._others:
            yield f"{counted(self._others, 'other file')} in the folder not looked into."

    def get(self, url: str) -> Fetched | None:
        """The page for the address of a source; ``None`` without one."""
        if url not in self._pages:
            return None
        file, fit = self._pages[url]
        at = utc_text(datetime.fromtimestamp(file.stat().st_mtime, UTC))
        try:
            body = _body(file)
        except NotReadError as error:
            return Fetched(url, url, (url,), None, "", b"", at, "unreadable", str(error))
        if fit.sign == ADDRESS:
            return Fetched(url, url, (url,), 200, "", body, at)
        detail = f"The page is the saved file {self._name(file)}, by {fit.by}; the address was not asked."
        return Fetched(url, url, (url,), None, "", body, at, GIVEN_BY_REVIEWER, detail)


def _files(path: Path) -> tuple[list[Path], int]:
    """The files to look into, by name, and how many others there are. A link that leads out of the folder is one."""
    if not path.is_dir():
        raise UserError(f"There is no folder {path}; give the folder that holds the saved pages.")
    found: list[Path] = []
    others = 0
    root = path.resolve()
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not name.endswith(_ASIDE))
        for name in sorted(name for name in names if not name.startswith(".")):
            file = Path(folder, name)
            inside = file.is_file() and file.resolve().is_relative_to(root)
            if inside and file.suffix.lower() in ENDINGS and len(found) < _MOST_FILES:
                found.append(file)
            else:
                others += 1
    return sorted(found), others


def _body(file: Path) -> bytes:
    """The bytes of a file. Raises :class:`NotReadError` for one that is too large or cannot be read."""
    most = Limits().max_bytes
    try:
        with file.open("rb") as stream:
            body = stream.read(most + 1)
    except OSError as error:
        raise NotReadError(f"it cannot be read ({error.strerror or error})") from error
    if len(body) > most:
        raise NotReadError(f"it is larger than {most / 1_000_000:g} MB")
    return body
