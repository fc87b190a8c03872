"""References and checks as rows of the study: stored, read back with their newest checks, waiting for a check."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from medreview.citations import Citation, canonical_key, extract
from medreview.citations.citation import Kind
from medreview.references.model import Reference, ReferenceCheck, check_of, reference_of, to_json
from medreview.references.model_reading import in_doubt
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.text import sha256

FOUND_BY: Final = "references-1"
"""Name and version of the rules that find and read references, stored with every response that they were applied to."""

COMPARED_BY: Final = "compared-1"
"""Name and version of the rules that hold a reference against records."""

_CITED: Final[dict[str, Kind]] = {"doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "nct": "nct", "arxiv": "arxiv"}
"""Kinds of identifier that are kinds of citation, too: a source has its key by them."""

_KEPT: Final = ("response_id", "start_cp", "end_cp", "text")
"""What makes the id: what people said of these words in this place stays with them, however they are read."""


class CheckedBy(NamedTuple):
    """By what a reference is checked: ``rules`` by name and version; ``library``, a hash of its records or ``""``;
    ``online``: services can be asked."""

    rules: str
    library: str
    online: bool


def store_references(connection: sqlite3.Connection, response_id: str, found: Iterable[Reference], parser: str) -> None:
    """Put the references of a response in the place of those that earlier rules found, within an open transaction.

    One that is found again keeps its id, its checks and what people said of it, and gets the new reading. One that is
    not found any more stays as a row that the study ignores.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows: dict[str, dict[str, Any]] = {}
    named: dict[str, set[str]] = {}
    for reference in found:
        row = _row(response_id, reference)
        if row["reference_id"] not in rows:
            rows[row["reference_id"]] = row | {"ordinal": len(rows) + 1, "parser": parser, "found_at": now}
            named[row["reference_id"]] = _keys(reference)
    _keep_what_was_told(connection, response_id, rows)
    connection.execute(  # the same rules find others in a response that came with a longer list
        "UPDATE reference SET parser = parser || ' before' WHERE response_id = ? AND parser = ?", (response_id, parser)
    )
    insert(connection, "reference", rows.values())
    read_anew = ("ordinal", "standing", "number", "parser", "reading", "bare_url")
    changed = ", ".join(f"{name} = :{name}" for name in read_anew)
    connection.executemany(f"UPDATE reference SET {changed} WHERE reference_id = :reference_id", rows.values())
    connection.execute(
        "DELETE FROM reference_source WHERE reference_id IN (SELECT reference_id FROM reference WHERE response_id = ?)",
        (response_id,),
    )
    insert(connection, "reference_source", _sources(connection, response_id, rows, named))
    connection.execute("UPDATE response SET references_by = ? WHERE response_id = ?", (parser, response_id))


def _keep_what_was_told(connection: sqlite3.Connection, response_id: str, rows: dict[str, dict[str, Any]]) -> None:
    """Leave the reading that a model gave to those that the rules still read with doubt."""
    told = connection.execute(
        """SELECT reference_id, reading FROM reference
           WHERE response_id = ? AND json_extract(reading, '$.read_by') IS NOT NULL""",
        (response_id,),
    )
    for reference_id, reading in told.fetchall():
        row = rows.get(reference_id)
        if row is not None and in_doubt(now := reference_of(json.loads(row["reading"]))):
            kept = replace(reference_of(json.loads(reading)), standing=now.standing, number=now.number)
            row["reading"] = json.dumps(to_json(kept), ensure_ascii=False)


def _row(response_id: str, reference: Reference) -> dict[str, Any]:
    placed = reference.standing != "given"
    row = {
        "response_id": response_id,
        "start_cp": reference.start if placed else None,
        "end_cp": reference.end if placed else None,
        "standing": reference.standing,
        "number": reference.number,
        "reading": json.dumps(to_json(reference), ensure_ascii=False),
        "bare_url": int(reference.bare_url),
        "text_sha256": sha256(reference.text),
        "text": reference.text,
    }
    return {"reference_id": content_id("e", *(row[name] for name in _KEPT))} | row


def _keys(reference: Reference) -> set[str]:
    """The canonical keys of what a reference names."""
    named = [Citation(_CITED[one.kind], one.value) for one in reference.identifiers if one.kind in _CITED]
    named += [Citation("url", reference.url)] if reference.url else []
    return {canonical_key(one) for one in (*named, *extract(reference.text))}


def _sources(
    connection: sqlite3.Connection, response_id: str, rows: Iterable[str], named: dict[str, set[str]]
) -> list[dict[str, str]]:
    """The sources of the response that each reference names; of one that names none those of its number."""
    cited = connection.execute("SELECT kind, value, source_id FROM citation WHERE response_id = ?", (response_id,))
    # By the key as it is made today: a source that an earlier version stored may have another one.
    by_key = {canonical_key(Citation(row["kind"], row["value"])): row["source_id"] for row in cited}
    numbered = connection.execute(
        """SELECT f.reference_id, o.source_id FROM reference AS f JOIN own_number AS o USING (response_id, number)
           WHERE f.response_id = ? AND f.standing <> 'given'""",
        (response_id,),
    ).fetchall()
    found: list[dict[str, str]] = []
    for reference_id in rows:
        sources = {by_key[key] for key in named[reference_id] if key in by_key}
        sources = sources or {row["source_id"] for row in numbered if row["reference_id"] == reference_id}
        found += ({"reference_id": reference_id, "source_id": source_id} for source_id in sorted(sources))
    return found


def waiting(reader: sqlite3.Connection, by: CheckedBy, *, again: bool = False) -> list[tuple[str, str]]:
    """Id and reading of the references whose newest check is by other rules or authorities, or had one that failed;
    an address alone has nothing to check. ``again``: those that are no match, and of which somebody had nothing, too.

    Earlier answers of services count even where none is asked now; in the order of the responses.
    """
    done = {
        row["reference_id"]
        for row in reader.execute(
            """SELECT reference_id, c.online, c.result
               FROM reference_checked AS c JOIN reference AS f USING (reference_id)
               WHERE c.rules = ? || coalesce(' ' || json_extract(f.reading, '$.read_by'), '') AND c.library = ?""",
            by[:2],
        )
        if row["online"] >= by.online and not (by.online and _waits_for_answers(row["result"], again))
    }
    current = reader.execute(
        """SELECT f.reference_id, f.reading FROM reference_current AS f JOIN response AS r USING (response_id)
           WHERE NOT f.bare_url ORDER BY r.ordinal, f.ordinal"""
    )
    return [(row["reference_id"], row["reading"]) for row in current if row["reference_id"] not in done]


def _waits_for_answers(result: str, again: bool) -> bool:
    told = json.loads(result)
    outcomes = {asked["outcome"] for asked in told.get("asked", ())}
    return "failed" in outcomes or (again and told["verdict"] != "match" and "nothing" in outcomes)


def store_check(connection: sqlite3.Connection, reference_id: str, check: ReferenceCheck, by: CheckedBy) -> bool:
    """Add a check as the newest one of its reference, unless the newest says the same by the same; whether it did.

    To the rules belongs the model that read the reference instead of them.
    """
    read_by = connection.execute(
        "SELECT json_extract(reading, '$.read_by') FROM reference WHERE reference_id = ?", (reference_id,)
    ).fetchone()
    if read_by is not None and read_by[0]:
        by = by._replace(rules=f"{by.rules} {read_by[0]}")
    result = json.dumps(to_json(check), ensure_ascii=False)
    newest = connection.execute(
        "SELECT rules, library, online, result FROM reference_checked WHERE reference_id = ?", (reference_id,)
    ).fetchone()
    if newest is not None and tuple(newest) == (*by[:2], int(by.online), result):
        return False
    row = {
        "reference_id": reference_id,
        "verdict": check.verdict,
        "rules": by.rules,
        "library": by.library,
        "online": int(by.online),
        "checked_at": datetime.now(UTC).isoformat(timespec="microseconds"),
        "result": result,
    }
    return bool(insert(connection, "reference_check", [{"check_id": content_id("k", *row.values())} | row]))


def without_verdict(result: str) -> str:
    """The JSON text of a check without its opinion: the records that were found, by authority and id, and who was
    asked."""
    check = json.loads(result)
    record = [check["record"]] if "record" in check else []
    records = {(one["authority"], one["record_id"]): one for one in (*check.get("candidates", ()), *record)}
    found: dict[str, Sequence[Any]] = {
        "candidates": [records[name] for name in sorted(records)],
        "asked": check.get("asked", []),
    }
    kept = {name: value for name, value in found.items() if value}
    return json.dumps({"verdict": "not_checkable"} | kept, ensure_ascii=False)


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the SQL function ``without_verdict(result)``."""
    connection.create_function("without_verdict", 1, without_verdict, deterministic=True)


_CHECKED: Final = """
SELECT r.ordinal AS response, r.model, r.origin, f.reading, iif(c.verdict IS NULL, NULL, c.result) AS result
FROM reference_current AS f JOIN response AS r USING (response_id) LEFT JOIN reference_checked AS c USING (reference_id)
ORDER BY r.ordinal, f.ordinal"""


class StudyCheck(NamedTuple):
    """A reference of a study: its response by number, model and origin; ``check`` is ``None`` of an address
    alone, where nobody could be asked, or where the verdict is withheld, as in a copy for a colleague."""

    response: int
    model: str
    origin: str
    reference: Reference
    check: ReferenceCheck | None


def study_checks(reader: sqlite3.Connection) -> Iterator[StudyCheck]:
    """Every reference that the newest rules find."""
    for row in reader.execute(_CHECKED):
        check = None if row["result"] is None else check_of(json.loads(row["result"]))
        yield StudyCheck(row["response"], row["model"], row["origin"], reference_of(json.loads(row["reading"])), check)
