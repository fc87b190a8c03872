"""Whether the table ``verdict`` is what a roll-up would give now: asked whenever a study is opened.

The study keeps a fingerprint of what the table was made from. ``medreview.judges.verdicts`` makes the table.
"""

import hashlib
import sqlite3
from typing import Final

from medreview.judges.rollup import tie_rule
from medreview.statements.own_citations import MARKED_BY
from medreview.study import Study

_KEY: Final = "verdicts_made_from"
_RULES: Final = 7
"""Raised when the same judgements and pages would give other verdicts or flags than before."""
LABELS_OF_REFERENCES: Final = """
SELECT substr(unit, 11) AS reference_id, label, max((kind = 'adjudicate') || event_id)
FROM event_live WHERE unit >= 'reference:' AND unit < 'reference;' AND axis = 'reference' AND pass = 1
      AND (kind IN ('decide', 'revise')
           OR (kind = 'adjudicate' AND event_id IN (SELECT event_id FROM adjudicated WHERE stands)))
GROUP BY unit"""
"""SQL: the label that counts on each reference that reviewers labelled, by its id."""
_COUNTS: Final = """SELECT (SELECT count(*) FROM statement), (SELECT count(*) FROM judgement),
       (SELECT count(*) FROM merged_judgement), (SELECT count(*) FROM claimed_quote),
       (SELECT count(*) FROM hallucination_finding),
       (SELECT count(*) FROM citation WHERE response_id IN (SELECT response_id FROM statement)),
       (SELECT count(*) FROM reference_check), (SELECT count(*) FROM reference),
       (SELECT count(*) FROM reference_source),
       (SELECT group_concat(references_by) FROM (SELECT DISTINCT references_by FROM response ORDER BY 1))"""


def current_rules() -> str:
    """The version of the rules that verdicts are made by."""
    return f"{_RULES} {MARKED_BY}"


def is_current(reader: sqlite3.Connection) -> bool:
    """Whether the table is what a roll-up would give now."""
    return kept_fingerprint(reader) == fingerprint(reader)


def outdate(study: Study) -> None:
    """Say that the table is not current, before something is changed that no fingerprint shows."""
    study.write(lambda connection: connection.execute("DELETE FROM study WHERE key = ?", (_KEY,)))


def confirm(study: Study) -> None:
    """Say that the table is current after all: nothing was changed."""
    made_from = fingerprint(study.reader)
    study.write(lambda connection: keep_fingerprint(connection, made_from))


def fingerprint(reader: sqlite3.Connection) -> str:
    """Hashes of what the table is made from: tie rule, statements, which of them are retired, what they cite,
    judgements, passages that answers show as their proof, findings, checks of references, and the pages as they are;
    and, by itself, of labels on references.

    Of tables that only ever grow the length is enough. Not in it: an abstention that an answer takes the place of.
    """
    counts = reader.execute(_COUNTS).fetchone()
    found = hashlib.sha256(repr((_RULES, MARKED_BY, tie_rule(reader), *counts)).encode())
    for row in reader.execute(
        "SELECT source_id, current_snapshot FROM source WHERE current_snapshot IS NOT NULL ORDER BY source_id"
    ):
        found.update(f"\n{row[0]} {row[1]}".encode())
    for row in reader.execute("SELECT statement_id FROM retired_statement ORDER BY statement_id"):
        found.update(f"\n{row[0]}".encode())
    said = sorted((row["reference_id"], row["label"]) for row in reader.execute(LABELS_OF_REFERENCES))
    labels = hashlib.sha256(repr(said).encode())
    return f"{found.hexdigest()} {labels.hexdigest()}"


def kept_fingerprint(reader: sqlite3.Connection) -> str | None:
    """The fingerprint of what the table was made from, as it was then; ``None`` where nothing vouches for it."""
    row = reader.execute("SELECT value FROM study WHERE key = ?", (_KEY,)).fetchone()
    return str(row[0]) if row else None


def keep_fingerprint(connection: sqlite3.Connection, made_from: str) -> None:
    """Keep the fingerprint of what the table is made from."""
    connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (_KEY, made_from))
