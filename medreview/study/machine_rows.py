"""What judges, rules and services said: looked at (:func:`said_faults`), compared with another copy, and taken over.

A row is the same as one here by what it is about (a judge's run on a statement and a page), never by what it says. Of
two that say different things this study's stays; only a failure gives way to an answer. Everything is read twice:
looked at before the first write, and written row by row, so that no file has to fit into memory.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple

from medreview.study.machine_faults import (
    Row,
    TextsHere,
    call_fault,
    check_fault,
    evidence_fault,
    finding_fault,
    judgement_fault,
    merged_fault,
    no_fault,
    opinion_fault,
    run_fault,
    vote_fault,
)
from medreview.study.rows import dict_of
from medreview.study.unit_faults import UnitsHere

Kind = Literal["judgements", "evidence", "calls", "services", "checks", "generated"]
KINDS: Final[dict[Kind, str]] = {
    "judgements": "judgements",
    "evidence": "places that rules found in pages",
    "calls": "answers of models with their cost",
    "services": "answers of services",
    "checks": "checks of references",
    "generated": "inputs of generators, with what was made of them",
}
"""As what rows are counted, and the words for it."""


@dataclass(slots=True)
class RowsJoined:
    """How many rows of a kind came, were here already in the same words (``known``) or in others, which stay
    (``kept``), took the place of a failure (``replaced``), or are about other material and were left out
    (``foreign``)."""

    added: int = 0
    known: int = 0
    kept: int = 0
    replaced: int = 0
    foreign: int = 0

    def __add__(self, other: "RowsJoined") -> "RowsJoined":
        """Both together."""
        return RowsJoined(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


def _never(ours: Row, theirs: Row) -> bool:
    return False


def _answered(ours: Row, theirs: Row) -> bool:
    return bool(ours["error"]) and not theirs["error"]


def _call_came(ours: Row, theirs: Row) -> bool:
    return str(ours["status"]) != "ok" and str(theirs["status"]) == "ok"


class _SharedTable(NamedTuple):
    """A table whose rows come along.

    ``same``: the columns that say what a row is about. ``needs``: the columns that must name something of this study,
    and of what. ``better``: whether theirs takes the place of ours. ``beside``: columns that may differ between copies
    and say nothing. ``of_copies``: rows that come only between copies of one study.
    """

    name: str
    counted: Kind | None
    same: tuple[str, ...]
    fault: Callable[[Row, TextsHere], str]
    needs: tuple[tuple[str, str], ...] = ()
    better: Callable[[Row, Row], bool] = _never
    beside: tuple[str, ...] = ()
    of_copies: bool = False
    order: str = ""


_RUN: Final = "judge_run"
_PAIR: Final = (("statement_id", "statement"), ("snapshot_id", "snapshot"))

TABLES: Final = (
    _SharedTable(_RUN, None, ("judge_run_id",), run_fault, beside=("ordinal", "started_at"), order="ordinal"),
    _SharedTable("judgement", "judgements", ("judge_run_id", "statement_id", "snapshot_id"), judgement_fault, _PAIR,
           _answered, ("quote_doubt",), order="snapshot_id"),
    _SharedTable("merged_judgement", "judgements", ("judge_run_id", "statement_id"), merged_fault,
           (("statement_id", "statement"),), _answered),
    _SharedTable("hallucination_finding", "judgements", ("judge_run_id", "response_id"), finding_fault,
           (("response_id", "response"),), _answered),
    _SharedTable("key_fact_vote", "judgements", ("judge_run_id", "key_fact_id", "response_id"), vote_fault,
           (("key_fact_id", "key_fact"), ("response_id", "response")), _answered, order="response_id"),
    _SharedTable("opinion", "judgements", ("opinion_id",), opinion_fault, (("unit", "unit"),)),
    _SharedTable("evidence", "evidence", ("statement_id", "snapshot_id"), evidence_fault, _PAIR, order="snapshot_id"),
    _SharedTable("llm_call", "calls", ("cache_key",), call_fault, (), _call_came, ("reused",), of_copies=True),
    _SharedTable("llm_sent", None, ("cache_key",), no_fault, (), lambda ours, theirs: theirs["sent"] > ours["sent"],
           of_copies=True),
    _SharedTable("lookup", "services", ("kind", "key"), no_fault),
    _SharedTable("authority_answer", "services", ("authority", "query", "at_utc"), no_fault),
    _SharedTable("reference_check", "checks", ("check_id",), check_fault, (("reference_id", "reference"),)),
)  # fmt: skip

_IDS: Final = ("statement", "response", "key_fact", "reference", "snapshot")
_TEXTS_AT_ONCE: Final = 64


class _Both(NamedTuple):
    """A row of theirs, and this study's that is about the same."""

    theirs: dict[str, Any]
    ours: dict[str, Any] | None


class MachineRows:
    """The rows of another copy, which has to stay as it is (in one read transaction) from the look to the writing.

    ``pages``: the ids of the pages that will come in from it. ``said``: whether more comes than models' answers.
    ``calls``: whether these come; their keys and names are of one study, and would tell a colleague who wrote what.
    """

    def __init__(self, theirs: sqlite3.Connection, *, said: bool, calls: bool, pages: Collection[str]) -> None:
        self._theirs = theirs
        self._pages = frozenset(pages)
        self._tables = [table for table in TABLES if (calls if table.of_copies else said)]

    def faults(self, here: sqlite3.Connection, read_check: Callable[[object], object]) -> Iterator[str]:
        """A sentence for each row that would come in and is not as it should be; what cannot be read raises as it
        does elsewhere."""
        texts = _texts((here, self._theirs), read_check)
        runs = {row[0] for row in self._theirs.execute("SELECT judge_run_id FROM judge_run")}
        for table in self._tables:
            for found in self._each(here, table):
                row = found.theirs
                if not _changes(table, found):
                    continue
                wrong = no_fault(row, texts)
                if not wrong and "judge_run_id" in row and row["judge_run_id"] not in runs:
                    wrong = "its run is missing"
                if not wrong and self._is_read(here, table, row):
                    wrong = _fault(table, row, texts)
                if wrong:
                    yield _told(table, row, wrong)

    def write(self, here: sqlite3.Connection) -> dict[Kind, RowsJoined]:
        """Take over what this study does not have, inside the caller's transaction; what came of each kind.

        Raises ``sqlite3.IntegrityError`` where the id of a row is another's here.
        """
        counts: dict[Kind, RowsJoined] = {kind: RowsJoined() for kind in KINDS}
        ids = {name: {row[0] for row in here.execute(f"SELECT {name}_id FROM {name}")} for name in _IDS}
        known: Mapping[str, Collection[str] | UnitsHere] = {**ids, "unit": UnitsHere(here)}
        for table in self._tables:
            of = counts[table.counted] if table.counted else RowsJoined()
            for found in self._each(here, table):
                row = found.theirs
                if any(row[column] not in known[what] for column, what in table.needs):
                    of.foreign += 1
                elif found.ours is None:
                    _insert(here, table, row)
                    of.added += 1
                elif not _differs(table, found):
                    of.known += 1
                elif table.better(found.ours, row):
                    _replace(here, table, row)
                    of.replaced += 1
                else:
                    of.kept += 1
        return {kind: of for kind, of in counts.items() if of != RowsJoined()}

    def _each(self, here: sqlite3.Connection, table: _SharedTable) -> Iterator[_Both]:
        about = " AND ".join(f"{column} = ?" for column in table.same)
        ours, key = f"SELECT * FROM {table.name} WHERE {about}", itemgetter(*table.same)
        one = len(table.same) == 1
        order = f" ORDER BY {table.order}" if table.order else ""
        for row in self._theirs.execute(f"SELECT * FROM {table.name}{order}"):
            found = here.execute(ours, (key(row),) if one else key(row)).fetchone()
            yield _Both(dict_of(row), None if found is None else dict_of(found))

    def _is_read(self, here: sqlite3.Connection, table: _SharedTable, row: Row) -> bool:
        """Whether the texts that a row is about are here or come along: else it is left out."""
        page = row.get("snapshot_id")
        known = page is None or page in self._pages or _has(here, "snapshot", page)
        return known and ("response_id" not in row or _has(here, "response", row["response_id"]))


def said_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """A sentence for each row of the study itself that would be kept out if it came from another copy: words that are
    unknown, and places that are not in their text or hold something else. The id of a run matters only to a copy."""
    texts = _texts((connection,), str)
    for table in TABLES:
        if table.fault in (no_fault, run_fault):
            continue
        order = f" ORDER BY {table.order}" if table.order else ""
        for found in connection.execute(f"SELECT * FROM {table.name}{order}"):
            row = dict_of(found)
            if wrong := _fault(table, row, texts):
                yield _told(table, row, wrong)


def _fault(table: _SharedTable, row: Row, texts: TextsHere) -> str:
    try:
        return table.fault(row, texts)
    except (KeyError, TypeError, ValueError, IndexError, RecursionError, AttributeError):
        return "it is not as this program writes it"


def _told(table: _SharedTable, row: Row, wrong: str) -> str:
    return f"Of the row {' '.join(str(row[name]) for name in table.same)} of {table.name} {wrong}."


def _texts(where: Sequence[sqlite3.Connection], read_check: Callable[[object], object]) -> TextsHere:
    """The texts of the first of these files that has them."""

    def text_of(table: str) -> Callable[[str], str]:
        @lru_cache(maxsize=_TEXTS_AT_ONCE)
        def text(one: str) -> str:
            query = f"SELECT text FROM {table} WHERE {table}_id = ?"
            found = next(filter(None, (each.execute(query, (one,)).fetchone() for each in where)), None)
            if found is None:
                raise LookupError(f"there is no {table} {one}")
            return str(found[0])

        return text

    return TextsHere(text_of("snapshot"), text_of("response"), text_of("statement"), read_check)


def _has(here: sqlite3.Connection, table: str, one: str) -> bool:
    return here.execute(f"SELECT 1 FROM {table} WHERE {table}_id = ?", (one,)).fetchone() is not None


def _differs(table: _SharedTable, found: _Both) -> bool:
    assert found.ours is not None
    return any(found.ours[name] != value for name, value in found.theirs.items() if name not in table.beside)


def _changes(table: _SharedTable, found: _Both) -> bool:
    """Whether a row would be written."""
    return found.ours is None or (_differs(table, found) and table.better(found.ours, found.theirs))


def _insert(here: sqlite3.Connection, table: _SharedTable, row: Row) -> None:
    if table.name == _RUN:
        row = {**row, "ordinal": _make_place(here, row)}
    names = ", ".join(f'"{name}"' for name in row)
    here.execute(f"INSERT INTO {table.name} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def _replace(here: sqlite3.Connection, table: _SharedTable, row: Row) -> None:
    changes = ", ".join(f'"{name}" = :{name}' for name in row)
    about = " AND ".join(f"{name} = :{name}" for name in table.same)
    here.execute(f"UPDATE {table.name} SET {changes} WHERE {about}", row)


_EARLIER: Final = "SELECT coalesce(max(ordinal), 0) FROM judge_run WHERE started_at <= ?"
_LATER: Final = "SELECT judge_run_id, ordinal FROM judge_run WHERE ordinal > ? ORDER BY ordinal DESC"


def _make_place(here: sqlite3.Connection, run: Row) -> int:
    """The turn of a run among those here: after those that began before it or with it, so that of a judge the newest
    run counts in whatever order copies are merged. Those after it move on."""
    (before,) = here.execute(_EARLIER, (run["started_at"],)).fetchone()
    for run_id, ordinal in here.execute(_LATER, (before,)).fetchall():
        here.execute("UPDATE judge_run SET ordinal = ? WHERE judge_run_id = ?", (ordinal + 1, run_id))
    return int(before) + 1
