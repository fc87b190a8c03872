"""Which cited source a saved file is the page of: by what the file says that it is, and by the references that name it.

Nothing is guessed. An address or identifier must be the source's own or that of a reference that names it; a title must
be the reference's, word for word.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from medreview.citations.citation import Citation, canonical_key
from medreview.citations.identifiers import resolve
from medreview.references.comparing.titles import compare_titles
from medreview.references.comparing.word_matching import content_words, words
from medreview.references.model import Reference, reference_of
from medreview.sources.reading.own_names import OwnNames

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
