"""The response and the statement that a record of a file names, and the nearest ones where none has the name.

A name is an id, what the screen calls it (``R07``, ``R07 S3``), the number of a statement in its response, or its text.
Nothing that is only alike is taken for it.
"""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from medreview.citations.markers import without_markers
from medreview.text import counted, folded, sha256
from medreview.units.statement_view import response_name, statement_name

_ON_SCREEN: Final = re.compile(r"(?:(R\d+)\W{0,3})?S?(\d[\dab+]*)", re.IGNORECASE)
"""What the screen calls a statement, with or without its response; or its number alone."""
_NEAREST: Final = 2
_ALIKE: Final = 60
_IDS_ALIKE: Final = 50
"""Per cent from which a text, or an id, is near enough to be named."""
_SEARCHED: Final = 20_000
"""Statements of about the same length that are searched for the nearest ones, where no response is named."""
_SHOWN: Final = 60

_RESPONSES: Final = "SELECT response_id, ordinal, model FROM response WHERE (record_id = ?1 OR response_id = ?1)"
_COLUMNS: Final = """SELECT s.statement_id, s.response_id, s.text_sha256, s.ordinal, s.text, r.ordinal AS number
FROM statement_standing AS s JOIN response AS r USING (response_id)"""


class NamedStatement(NamedTuple):
    """A statement of the study, with the hash of its text."""

    statement_id: str
    response_id: str
    text_sha256: str


def find_responses(reader: sqlite3.Connection, given: str, model: str = "") -> list[sqlite3.Row]:
    """The responses with an id, in the study or in the file that they came from, else the one that the screen calls so.

    Answers of several models may share the id of their record; ``model`` then tells which. Raises ``ValueError``, half
    a sentence that names the nearest ids, for a name that no response has.
    """
    found = reader.execute(_RESPONSES, (given,)).fetchall()
    if not found and re.fullmatch(r"R\d{2,}", given, re.IGNORECASE):
        query = "SELECT response_id, ordinal, model FROM response WHERE ordinal = ?"
        found = reader.execute(query, (int(given[1:]),)).fetchall()
    if not found:
        ids = [row[0] for row in reader.execute("SELECT DISTINCT record_id FROM response WHERE record_id <> ''")]
        nearest = _nearest_words([repr(each) for each in _alike(given, ids, _IDS_ALIKE)])
        raise ValueError(f"names the response {given[:_SHOWN]!r}, which the study does not have{nearest}")
    fitting = [row for row in found if row["model"] == model] if model else found
    if not fitting:
        models = ", ".join(sorted({row["model"] for row in found}))
        raise ValueError(f"names the response {given!r} of the model {model!r}; the study has it of {models}")
    return fitting


def find_statement(reader: sqlite3.Connection, given: str, response: str = "", model: str = "") -> NamedStatement:
    """The statement that is named so, in a response where one is named.

    A text is the same whatever its case, spaces, markers of citations, and signs at its ends. Raises ``ValueError``,
    half a sentence, for a name that no statement has, which names the nearest ones, and for one that several have.
    """
    given = given.strip()
    on_screen = _ON_SCREEN.fullmatch(given)
    if not response and on_screen and on_screen[1]:
        response = on_screen[1]
    responses = [row["response_id"] for row in find_responses(reader, response, model)] if response else []
    if responses:
        marks = ", ".join("?" * len(responses))
        among = reader.execute(f"{_COLUMNS} WHERE s.response_id IN ({marks})", responses).fetchall()
    else:
        query = f"{_COLUMNS} WHERE s.statement_id = ?1 OR s.text_sha256 = ?2"
        among = reader.execute(query, (given, sha256(given))).fetchall()
    found = [row for row in among if given in (row["statement_id"], row["text"])]
    if not found and on_screen:
        if not responses:
            raise ValueError(f"has {given!r} as its statement, a number, and no response that it counts in")
        found = [row for row in among if _name(reader, row) == f"S{on_screen[2].lower()}"]
    if not found:
        among = among or _about_as_long(reader, given)
        plain = text_alone(given)
        found = [row for row in among if text_alone(row["text"]) == plain]
    if len(found) > 1:
        raise ValueError(_ambiguous(reader, found))
    if not found:
        raise ValueError(_missing(reader, among, given, response))
    return NamedStatement(*(found[0][name] for name in NamedStatement._fields))


@lru_cache(maxsize=_SEARCHED)
def text_alone(text: str) -> str:
    """A statement without what makes no other one of it: case, spaces, markers of citations, signs at its ends."""
    return folded(without_markers(text)).strip(" .,;:!?\"'“”‘’()[]*_-–—•")


def _about_as_long(reader: sqlite3.Connection, given: str) -> list[sqlite3.Row]:
    query = f"{_COLUMNS} WHERE length(s.text) BETWEEN ? AND ? LIMIT ?"
    return reader.execute(query, (len(given) // 2, 2 * len(given) + 20, _SEARCHED)).fetchall()


def _name(reader: sqlite3.Connection, row: sqlite3.Row) -> str:
    return statement_name(reader, row["statement_id"], row["response_id"], row["ordinal"])


def _named(reader: sqlite3.Connection, row: sqlite3.Row) -> str:
    return f"{response_name(row['number'])} {_name(reader, row)}"


def _ambiguous(reader: sqlite3.Connection, found: Sequence[sqlite3.Row]) -> str:
    names = ", ".join(_named(reader, row) for row in found[:5]) + (", ..." if len(found) > 5 else "")
    if len({row["response_id"] for row in found}) > 1:
        what = "say of which, by its id in a column response (or its model, where answers share an id)"
    else:
        what = "name it by its number"
    return f"has a statement that {len(found)} of the study are: {names}; {what}"


def _missing(reader: sqlite3.Connection, among: Sequence[sqlite3.Row], given: str, response: str) -> str:
    texts = {row["text"]: row for row in among}
    near = [f"{_named(reader, texts[text])} {_cut(text)}" for text in _alike(given, texts)]
    if response:
        numbered = _ON_SCREEN.fullmatch(given)
        of = f"the response {response!r} does not have ({counted(len(among), 'statement')})"
        return f"has a statement that {of}: {_cut(given)}{'' if numbered else _nearest_words(near)}"
    return f"has a statement that the study does not have: {_cut(given)}{_nearest_words(near)}"


def _alike(given: str, known: Iterable[str], per_cent: int = _ALIKE) -> list[str]:
    from rapidfuzz import fuzz, process

    found = process.extract(given, list(known), scorer=fuzz.ratio, limit=_NEAREST, score_cutoff=per_cent)
    return [text for text, _, _ in found]


def _nearest_words(near: Sequence[str]) -> str:
    return f"; nearest: {', '.join(near)}" if near else ""


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…")
