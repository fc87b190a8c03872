"""BibTeX and BibLaTeX, split into entries by bibtexparser (MIT, 80 ms to load), which goes on after a broken one.

Values are put together here: bibtexparser leaves ``"PMID: " # number`` as it stands, and its LaTeX for all fields of
20,000 entries takes 20 s. LaTeX becomes plain text by pylatexenc (MIT, 40 ms to load), only where there is any.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from medreview.errors import UserError
from medreview.exchange.imports.file_rows import BadRecord
from medreview.references.formats.fields import (
    author_of,
    dois_in,
    isbns_in,
    named_in,
    noted,
    only_one,
    retracted_by,
    without_mark,
    years_in,
)
from medreview.references.formats.tagged import usable
from medreview.references.model import Author, Identifier, Record, WorkKind

if TYPE_CHECKING:
    from bibtexparser.model import Entry
    from bibtexparser.splitter import Splitter
    from pylatexenc.latex2text import LatexNodes2Text


_COMMANDS: Final = re.compile(r"[\\$]")
_SUBSCRIPT: Final = re.compile(r"\$[_^]\{?([^${}\\]{1,12})\}?\$")
_LONGEST: Final = 20_000
"""Characters; the accents of a longer field are not read."""


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    r"""The text without braces and with its accents: ``{\"u}ber {COPD}`` is ``über COPD``.

    Text that is not valid LaTeX, as with braces a thousand deep, keeps its commands and loses its braces.
    """
    if _COMMANDS.search(text) and len(text) <= _LONGEST:
        with suppress(RecursionError, ValueError):
            text = _reader().latex_to_text(_SUBSCRIPT.sub(r"\1", text), tolerant_parsing=True)
    text = text.replace("{", "").replace("}", "").replace("~", " ").replace("\\", "")
    return " ".join(text.replace("---", "\u2014").replace("--", "\u2013").split())


@cache
def _reader() -> "LatexNodes2Text":
    import logging

    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").addHandler(logging.NullHandler())  # what it says of odd commands is not for users
    return LatexNodes2Text(math_mode="text", keep_comments=True)


_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("article", "inproceedings", "conference", "periodical", "suppperiodical"), "article"),
    **dict.fromkeys(("book", "mvbook", "collection", "proceedings", "manual", "booklet", "reference"), "book"),
    **dict.fromkeys(("incollection", "inbook", "suppbook", "inreference"), "chapter"),
    **dict.fromkeys(("techreport", "report", "phdthesis", "mastersthesis", "thesis"), "report"),
    **dict.fromkeys(("online", "electronic", "www", "webpage"), "web_page"),
    "dataset": "dataset",
}
_URL: Final = re.compile(r"https?://[^\s{}<>\"]+")
_MARKED: Final = re.compile(r"[{}\\~]")
_NO_WORKS: Final = ("xdata", "set")
_PIECE: Final = re.compile(r'"(?P<quoted>(?:[^"{}]|\{[^{}]*\})*)"|\{(?P<braced>[^{}]*)\}|(?P<name>[^\s#"{}]+)')
_MOST_HOPS: Final = 8
_MOST_GROWTH: Final = 10
_ALWAYS: Final = 1_000_000
"""Characters that any file may have beside that."""
_EPRINTS: Final[Mapping[str, str]] = {"arxiv": "arxiv", "pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid"}
_IN_ANOTHER: Final[Mapping[str, str]] = {"title": "booktitle", "subtitle": "booksubtitle"}
"""What a chapter has of the book that its ``crossref`` names."""


def read_bibtex(text: str) -> Iterator[Record | BadRecord]:
    """The records; an entry that cannot be read, or has neither a title nor an identifier, becomes a
    :class:`BadRecord` with its first line. Two entries with one key are two records."""
    from bibtexparser.model import Entry, ParsingFailedBlock, String

    budget = _Budget(_MOST_GROWTH * len(text) + _ALWAYS)
    splitter = _splitter(text)
    del text  # it has a copy of what may be a gigabyte, and is not needed when all is split
    entries: list[tuple[int, Entry]] = []
    strings: dict[str, str] = {}
    blocks = splitter.split().blocks
    del splitter
    for block in blocks:
        inner = (
            block.ignore_error_block if isinstance(block, ParsingFailedBlock) else block
        )  # of an entry whose key or field is there twice
        line = (block.start_line or 0) + 1
        if isinstance(inner, Entry):
            entries.append((line, inner))
        elif isinstance(inner, String):
            strings[inner.key.lower()] = joined(inner.value, strings, budget)
        elif isinstance(block, ParsingFailedBlock):
            yield BadRecord(line, "is an entry that cannot be read: a brace, a comma or its key is missing")
    raw = [_raw(entry) for _, entry in entries]
    named = {entry.key.lower(): fields for (_, entry), fields in reversed([*zip(entries, raw, strict=True)])}
    for number, ((line, entry), fields) in enumerate(zip(entries, raw, strict=True), 1):
        kind = entry.entry_type.lower()
        record = _record(entry.key, kind, _Values(_inherited(fields, kind, named), strings, budget), number)
        found = usable(record, line)
        if found is record or kind not in _NO_WORKS:
            yield found


def _splitter(text: str) -> "Splitter":
    import logging

    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser").addHandler(logging.NullHandler())  # it would tell of each entry by itself
    return Splitter(text)


def _raw(entry: "Entry") -> dict[str, str]:
    """The values as they stand, by the names of their fields in lower case; of a field that is there twice the last."""
    return {field.key.lower(): str(field.value) for field in entry.fields}


def _inherited(fields: Mapping[str, str], kind: str, named: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The fields with those that ``crossref`` and ``xdata`` bring; what the entry has itself stays."""
    found, hop = dict(fields), fields
    for _ in range(_MOST_HOPS):
        parent = named.get(bare(hop.get("crossref") or hop.get("xdata") or "").lower())
        if parent is None:
            break
        for name, value in parent.items():
            within = "crossref" in hop and _KINDS.get(kind) in ("chapter", "article")
            found.setdefault(_IN_ANOTHER.get(name, name) if within else name, value)
        hop = parent
    return found


def bare(value: str) -> str:
    """A value without the braces or quotes around it."""
    return value.strip().strip('"{}').strip()


class _Budget:
    """How many characters the values of a file may have, all together: a name of ``@string`` can stand for a text that
    names others, twice and again, so that 700 bytes would become 20 GB."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def spend(self, characters: int) -> None:
        """Raises :class:`UserError` where it is used up."""
        self._left -= characters
        if self._left < 0:
            raise UserError(
                f"The BibTeX file grows to more than {_MOST_GROWTH} times its size when its @string names and "
                "crossrefs are put in; export the library again without them."
            )


def joined(value: str, strings: Mapping[str, str], budget: _Budget) -> str:
    """A value as BibTeX puts it together, with its inner braces: ``"PMID: " # number`` and names of ``@string``."""
    pieces = _pieces(value, strings)
    for piece in pieces:
        budget.spend(len(piece))
    return "".join(pieces)


def _pieces(value: str, strings: Mapping[str, str]) -> list[str]:
    if value[:1] == "{" and value[-1:] == "}" and "#" not in value:
        return [value[1:-1]]
    if "#" not in value:
        return [value[1:-1] if value[:1] == '"' == value[-1:] else strings.get(value.lower(), value)]
    if value[:1] in '{"' and value[-1:] in '}"' and not re.search(r'[}"]\s*#|#\s*["{]', value):
        return [value[1:-1]]
    return [
        strings.get(found["name"].lower(), found["name"]) if found["name"] else found["quoted"] or found["braced"] or ""
        for found in _PIECE.finditer(value)
    ]


class _Values:
    """The fields of one entry as texts."""

    def __init__(self, raw: Mapping[str, str], strings: Mapping[str, str], budget: _Budget) -> None:
        told = ((name, joined(value, strings, budget).strip()) for name, value in raw.items())
        self._values = {name: value for name, value in told if value}

    def raw(self, *names: str) -> str:
        """The first of these fields that says something, with its braces and commands."""
        for name in names:
            if value := self._values.get(name):
                return value
        return ""

    def text(self, *names: str) -> str:
        """The same as plain text."""
        value = self.raw(*names)
        return plain(value) if value else ""

    def all(self, *names: str) -> list[str]:
        """All of them that say something."""
        return list(dict.fromkeys(filter(None, (self.text(name) for name in names))))


def _record(key: str, kind: str, values: _Values, number: int) -> Record:
    title, mark = without_mark(_with(values.text("title"), values.text("subtitle")))
    authors, complete = _authors(values.raw("author") or values.raw("editor"))
    url = values.raw("url") or next(iter(_URL.findall(values.raw("howpublished", "note"))), "")
    return Record(
        authority="library",
        record_id=key or str(number),
        kind=_kind(kind, values),
        title=title,
        other_titles=tuple(values.all("shorttitle", "origtitle", "titleaddon")),
        authors=authors,
        complete=complete,
        containers=tuple(
            [_with(values.text("booktitle"), values.text("booksubtitle"))] * bool(values.raw("booktitle"))
            + values.all("journaltitle", "journal", "shortjournal", "fjournal")
        ),
        years=years_in(*values.all("year", "date", "eventdate")),
        volume=values.text("volume"),
        issue=values.text("number", "issue"),
        pages=values.text("pages", "eid").replace("\u2013", "-"),
        publisher=values.text("publisher", "institution", "school", "organization"),
        edition=values.text("edition"),
        identifiers=only_one(_identifiers(values)),
        url=bare(url),
        notices=mark or retracted_by([*values.text("keywords").split(","), *values.all("pubstate", "note")]),
    )


def _kind(kind: str, values: _Values) -> WorkKind:
    if kind in ("misc", "unpublished", "article") and (
        values.raw("eprint") and values.text("archiveprefix", "eprinttype").lower() == "arxiv"
    ):
        return "preprint"
    return _KINDS.get(kind, "unknown")


def _with(title: str, subtitle: str) -> str:
    return f"{title}: {subtitle}" if title and subtitle else title


def _authors(names: str) -> tuple[tuple[Author, ...], bool]:
    """The names between each ``and``, and whether all are named: not with ``and others``."""
    from bibtexparser.middlewares.names import split_multiple_persons_names

    single = split_multiple_persons_names(" ".join(names.split()))
    found = [_author(name) for name in single if bare(name).lower() != "others"]
    return tuple(author for author in found if author.family), len(found) == len(single)


def _author(name: str) -> Author:
    from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

    if name.startswith("{") and name.endswith("}") and "}" not in name[:-1]:
        return Author(plain(name), body=True)
    if name.count(",") == 1 and not _MARKED.search(name):
        return author_of(name)  # Family, Given: nothing to take apart
    try:
        parts = parse_single_name_into_parts(name)
    except InvalidNameError:
        return author_of(plain(name))
    family = plain(" ".join([*parts.von, *parts.last]))
    return Author(family, plain(" ".join(parts.first)), body=False) if family else author_of(plain(name))


def _identifiers(values: _Values) -> Iterator[Identifier]:
    yield from dois_in(bare(values.raw("doi")).replace("\\", ""))
    for name in ("pmid", "pmcid", "arxiv"):
        if value := values.raw(name):
            yield from named_in(f"{name}: {bare(value)}")
    eprint, kind = bare(values.raw("eprint")), values.text("archiveprefix", "eprinttype").lower()
    if kind in _EPRINTS:
        yield from named_in(f"{_EPRINTS[kind]}: {eprint}")
    yield from named_in(values.raw("url").replace("\\", ""))
    yield from noted(*values.all("note", "annote", "annotation"))
    yield from isbns_in(values.text("isbn"))
