"""A folder of saved pages without a list of them: each file is matched to the cited source that it is the page of.

By what the file says that it is, and by the references that name it. Nothing is guessed: an address or identifier must
be the source's own or that of a reference that names it; a title must be the reference's, word for word. Files are
untrusted: what each says that it is, is read in a child process with limits.
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from medreview.children.asking import NotReadError
from medreview.citations.citation import Citation, canonical_key
from medreview.citations.identifiers import resolve
from medreview.errors import UserError
from medreview.labels import GIVEN_BY_REVIEWER
from medreview.progress import SILENT, Progress
from medreview.references.comparing.titles import compare_titles
from medreview.references.comparing.word_matching import content_words, words
from medreview.references.model import Reference, reference_of
from medreview.sources.fetching.network import Fetched, Limits, utc_text
from medreview.sources.page_reader import names_in_child
from medreview.sources.reading.own_names import OwnNames
from medreview.sources.saved.pages_folder import MANIFEST
from medreview.text import counted
from medreview.visible import visible_line

_FEWEST: Final = 4
"""Content words of a title from which on it is that of one work."""
_PARTS: Final = (" | ", " - ", " – ", " — ", " :: ", " » ")
"""What stands between the title of a work and the name of a site."""
_TITLE: Final = "its title"
_OPENING: Final = "its title at the beginning of the text"

_SOURCES: Final = "SELECT source_id, kind, value, url FROM source WHERE url <> '' ORDER BY rowid"
_REFERENCES: Final = """SELECT n.source_id, f.reading FROM reference_current AS f
JOIN reference_source AS n USING (reference_id)"""


class SourceWork(NamedTuple):
    """A source, the keys by which it and its work are known (:func:`_keys`), and the titles of the references that name
    it: in words that can be compared, and one as it is printed."""

    source_id: str
    url: str
    keys: frozenset[str]
    titles: frozenset[str]
    title: str = ""

    @property
    def dois(self) -> list[str]:
        """Its DOIs, and those of the references that name it."""
        return sorted(key.removeprefix("doi:") for key in self.keys if key.startswith("doi:"))


ADDRESS: Final = 0
_IDENTIFIER: Final = 1
_TITLED: Final = 2
_SAID: Final = 3
"""Signs that a file is the page of a source, the surest first."""


class PageFit(NamedTuple):
    """That a file is the page of a source: by which ``sign``, and by what, in words."""

    source_id: str
    by: str
    sign: int


@dataclass(frozen=True)
class SourceWorks:
    """The sources of a study by what they are called."""

    works: Mapping[str, SourceWork]
    by_key: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, reader: sqlite3.Connection) -> "SourceWorks":
        """Those of a study, with the references that were found in its responses."""
        named: dict[str, list[Reference]] = defaultdict(list)
        for source_id, reading in reader.execute(_REFERENCES):
            named[source_id].append(reference_of(json.loads(reading)))
        works, by_key = {}, defaultdict(list)
        for row in reader.execute(_SOURCES):
            work = _work(row, named.get(row["source_id"], ()))
            works[work.source_id] = work
            for key in work.keys:
                by_key[key].append(work.source_id)
        return cls(works, by_key)

    def fits(self, names: OwnNames) -> Iterator[PageFit]:
        """The sources that a file is the page of, the surest first; a source may come twice."""
        for name in names.names:
            for key in _keys(name.kind, name.value):
                by = name.by if name.kind == "url" else f"{name.by}, {name.value}"
                sign = ADDRESS if name.kind == "url" else _IDENTIFIER
                yield from (PageFit(source, by, sign) for source in self.by_key.get(key, ()))
        titles = {" ".join(words(piece)) for title in names.titles for piece in _pieces(title)}
        opening = f" {' '.join(words(names.opening))} "
        for work in self.works.values():
            if not titles.isdisjoint(work.titles):
                yield PageFit(work.source_id, _TITLE, _TITLED)
            elif any(f" {title} " in opening for title in work.titles):
                yield PageFit(work.source_id, _OPENING, _SAID)


def other_work(work: SourceWork, names: OwnNames) -> str:
    """Why a file that nothing shows to be the page of a source looks like another work, half a sentence; ``""`` where
    nothing says so: it has another DOI, or a title that is not like that of the reference."""
    told = [name.value for name in names.names if name.kind == "doi"]
    if told and work.dois and not set(told) & set(work.dois):
        return f"its DOI is {told[0]}, and that of the source is {work.dois[0]}"
    if not work.title or not names.titles:
        return ""
    alike = compare_titles(work.title, names.titles, lambda _: False)
    return (
        f"its title is {names.titles[0]!r}, and that of the source is {work.title!r}"
        if alike.likeness == "other"
        else ""
    )


def _work(row: sqlite3.Row, references: Collection[Reference]) -> SourceWork:
    keys = _keys(row["kind"], row["value"]) | _keys("url", row["url"])
    for reference in references:
        for one in reference.identifiers:
            if one.kind in ("doi", "pmid", "pmcid"):
                keys |= _keys(one.kind, one.value)
    titles = {found: reference.title for reference in references if (found := _title_words(reference.title))}
    return SourceWork(row["source_id"], row["url"], frozenset(keys), frozenset(titles), next(iter(titles.values()), ""))


def _keys(kind: str, value: str) -> set[str]:
    """By what a name is compared: an identifier by itself, an address whatever its scheme, ``www.`` or last slash."""
    if kind != "url":
        return {canonical_key(Citation(kind, value))}  # type: ignore[arg-type]
    found = resolve(value)
    address = canonical_key(Citation("url", value)).removeprefix("url:").partition("#")[0]
    host_and_path = address.partition("://")[2].removeprefix("www.").rstrip("/")
    return {f"address:{host_and_path}", *({canonical_key(Citation(*found))} if found else ())}


def _title_words(title: str) -> str:
    """The words of a title, to be compared; ``""`` where they are too few to be those of one work."""
    return " ".join(words(title)) if len(content_words(title)) >= _FEWEST else ""


def _pieces(title: str) -> Iterator[str]:
    """A title, and its parts before and after what may part it from the name of a site."""
    yield title
    for sign in _PARTS:
        if sign in title:
            yield title.partition(sign)[0]
            yield title.rpartition(sign)[0]
            yield title.rpartition(sign)[2]


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
