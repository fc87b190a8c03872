"""Integrity check of a study; read-only."""

import json
import sqlite3
import zlib
from collections.abc import Iterator

from medreview.study.events import verify
from medreview.text import joined, sha256


def check(connection: sqlite3.Connection) -> list[str]:
    """The problems of the file, one sentence each; empty when it is intact.

    Checks SQLite's own structure, foreign keys, the hashes of all texts and page bodies, every stored range against its
    text where the text is in this file, and the hash chain of the events.
    """
    problems: list[str] = []
    try:
        problems += (f"SQLite: {row[0]}." for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")
        if not problems:
            for part in (_foreign_keys, _texts, _ranges, _spans, verify):
                problems += part(connection)
    except (sqlite3.DatabaseError, ValueError, LookupError) as error:  # a damaged text or payload
        problems.append(f"What is stored cannot be read: {' '.join(str(error).split())}.")
    return problems


def _foreign_keys(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield f"A row of {row[0]} points to a missing row of {row[2]}."


def _texts(connection: sqlite3.Connection) -> Iterator[str]:
    for table, key in (("response", "response_id"), ("statement", "statement_id"), ("snapshot", "snapshot_id")):
        for row in connection.execute(f"SELECT {key} AS id, text, text_sha256 FROM {table}"):
            if sha256(row["text"]) != row["text_sha256"]:
                yield f"The text of {table} {row['id']} was changed after it was stored."
    for row in connection.execute("SELECT snapshot_id, raw_sha256, body FROM snapshot"):
        try:
            intact = sha256(zlib.decompress(row["body"])) == row["raw_sha256"]
        except zlib.error:
            intact = False
        if not intact:
            yield f"The page of snapshot {row['snapshot_id']} was changed after it was stored."


def _ranges(connection: sqlite3.Connection) -> Iterator[str]:
    query = """SELECT s.statement_id, s.text, substr(r.text, s."start" + 1, s."end" - s."start") AS found
               FROM statement AS s JOIN response AS r USING (response_id) WHERE s."start" IS NOT NULL"""
    for row in connection.execute(query):
        if row["found"] != row["text"]:
            yield f"Statement {row['statement_id']} does not stand where it is said to stand in its response."
    query = """SELECT s.statement_id, s.text, s.parts, r.text AS response
               FROM statement AS s JOIN response AS r USING (response_id) WHERE s.parts <> '[]'"""
    for row in connection.execute(query):
        if joined(row["response"], json.loads(row["parts"])) != row["text"]:
            yield f"Statement {row['statement_id']} does not stand where it is said to stand in its response."
    query = """SELECT left_out_id FROM left_out JOIN response USING (response_id)
               WHERE "start" < 0 OR "end" > length(response.text) OR "start" >= "end" """
    for row in connection.execute(query):
        yield f"What is left out as {row['left_out_id']} lies outside its response."
    query = """SELECT judgement_id FROM judgement JOIN snapshot USING (snapshot_id)
               WHERE quote_start < 0 OR quote_end > length(snapshot.text) OR quote_start > quote_end"""
    for row in connection.execute(query):
        yield f"The quote of judgement {row['judgement_id']} lies outside its page."


def _spans(connection: sqlite3.Connection) -> Iterator[str]:
    for row in connection.execute("SELECT seq, payload, unit, snapshot FROM event WHERE kind = 'span_add'"):
        span = json.loads(row["payload"])
        if span["target"] == "response":
            query, key = (
                "SELECT r.text FROM statement JOIN response AS r USING (response_id) WHERE statement_id = ?",
                row["unit"],
            )
        else:
            query, key = "SELECT text FROM snapshot WHERE snapshot_id = ?", row["snapshot"]
        found = connection.execute(query, (key,)).fetchone()
        if found is None and span["target"] != "response":
            continue  # marked in another study, on a page that was not merged with the events
        if found is None or found[0][span["start"] : span["end"]] != span["exact"]:
            yield f"The span of event {row['seq']} does not hold the text that was marked."
    query = """SELECT seq FROM event AS d WHERE kind = 'span_del' AND NOT EXISTS (
                   SELECT 1 FROM event AS e WHERE e.event_id = json_extract(d.payload, '$.span')
                   AND (e.kind, e.unit, e.reviewer) = ('span_add', d.unit, d.reviewer))"""
    for row in connection.execute(query):
        yield f"Event {row['seq']} deletes a span that was not marked by the same reviewer on the same statement."
