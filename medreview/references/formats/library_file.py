"""The text of a file of references in any format, told by its content: as records, and what of it cannot be read."""

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from medreview.exchange.imports.rows import BadRecord
from medreview.references.model import Record
from medreview.text import normalise_newlines

Format = Literal["csl", "ris", "bibtex", "nbib"]
FORMATS: Final[Mapping[Format, str]] = {
    "csl": "CSL-JSON",
    "ris": "RIS",
    "bibtex": "BibTeX",
    "nbib": "PubMed (nbib)",
}
UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SAMPLE: Final = 1 << 16
"""Characters in which a file must say what it is."""
_SIGNS: Final[Mapping[Format, re.Pattern[str]]] = {
    "ris": re.compile(r"^\s?TY[ \t]{1,4}-(?:[ \t]|$)", re.MULTILINE),
    "nbib": re.compile(r"^PMID *- ?\d", re.MULTILINE),
    "bibtex": re.compile(r"^[ \t]*@[A-Za-z]{3,20}\s{0,3}[{(]", re.MULTILINE),
}
_JSON: Final = re.compile(r"\s*(?:\[\s*)?\{\s*\"|\s*\[\s*\]")


def decoded(body: bytes) -> str:
    """A text from its bytes, by its mark, as UTF-8, or as the Windows-1252 of older reference managers."""
    if body.startswith(UTF16):
        return normalise_newlines(body.decode("utf-16", "replace"))
    try:
        return normalise_newlines(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return normalise_newlines(body.decode("cp1252", "replace"))


def sign_of(text: str) -> Format | None:
    """The format whose sign stands first in a text; ``None`` without any. JSON is a sign of CSL, whatever it holds."""
    start = text[:_SAMPLE]
    if _JSON.match(start):
        return "csl"
    found = {kind: sign.search(start) for kind, sign in _SIGNS.items()}
    places = {kind: match.start() for kind, match in found.items() if match}
    return min(places, key=places.__getitem__, default=None)


def format_of(text: str) -> Format | None:
    """The format of a text; ``None`` when it is in no format of references. JSON is parsed: call it in a child."""
    kind = sign_of(text)
    if kind == "csl":
        from medreview.references.formats.csl_file import holds_items

        return kind if holds_items(text) else None
    return kind


def records_in(text: str, kind: Format) -> Iterator[Record | BadRecord]:
    """The records of a text in a format; one that cannot be used is a :class:`BadRecord` with its line.

    Call it in a child: the text may be hostile. Each format is loaded only for a file of its own.
    """
    if kind == "csl":
        from medreview.references.formats.csl_file import read_csl

        return read_csl(text)
    if kind == "ris":
        from medreview.references.formats.ris import read_ris

        return read_ris(_lines(text))
    if kind == "nbib":
        from medreview.references.formats.nbib import read_nbib

        return read_nbib(_lines(text))
    from medreview.references.formats.bibtex import read_bibtex

    return read_bibtex(text)


def _lines(text: str) -> Iterator[str]:
    """The lines, one at a time: a list of all would be twice as large as the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]
