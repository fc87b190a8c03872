"""What is known of the references that statements cite, as triage takes it: the rules' verdicts, and the reviewers'.

A reviewer's label on a reference takes the place of the rules' verdict: the one that settled a conflict, else the
newest, whoever gave it. "Cannot judge" says nothing of the reference, and leaves the verdict as it is.
"""

import json
import sqlite3
from collections.abc import Iterable
from itertools import chain
from typing import Final

from medreview.judges.triage import CitedReference
from medreview.judges.verdict_fingerprint import LABELS_OF_REFERENCES
from medreview.references.as_json import check_of, reference_of
from medreview.references.levels import PARTLY_LISTED
from medreview.references.model import Reference, ReferenceCheck
from medreview.references.verdict import Verdict

_CITED: Final = """
SELECT s.statement_id, f.reference_id, f.reading, c.verdict, c.result,
       (SELECT u.current_snapshot FROM reference_source AS n JOIN source AS u USING (source_id)
        WHERE n.reference_id = f.reference_id ORDER BY u.source_id LIMIT 1) AS snapshot_id
FROM statement_reference AS s JOIN reference AS f USING (reference_id) JOIN reference_checked AS c USING (reference_id)
WHERE c.verdict IS NOT NULL {where} ORDER BY s.statement_id, f.ordinal"""
_LIBRARY: Final = "library"
_WITHDRAWN: Final = ("retracted", "withdrawn")


def cited_references(reader: sqlite3.Connection, response_id: str | None = None) -> dict[str, list[CitedReference]]:
    """By statement: what it cites and was checked; of one response, or of all."""
    said: dict[str, Verdict] = {row["reference_id"]: row["label"] for row in reader.execute(LABELS_OF_REFERENCES)}
    rows: Iterable[sqlite3.Row]
    if response_id is None:
        rows = reader.execute(_CITED.format(where=""))
    else:
        one = _CITED.format(where="AND s.statement_id = ?")
        statements = reader.execute(
            "SELECT statement_id FROM statement WHERE response_id = ?", (response_id,)
        ).fetchall()
        rows = chain.from_iterable(reader.execute(one, (statement["statement_id"],)) for statement in statements)
    found: dict[str, list[CitedReference]] = {}
    for row in rows:
        found.setdefault(row["statement_id"], []).append(_cited(row, said))
    return found


def _cited(row: sqlite3.Row, said: dict[str, Verdict]) -> CitedReference:
    check, reference = check_of(json.loads(row["result"])), reference_of(json.loads(row["reading"]))
    label = said.get(row["reference_id"])
    verdict = check.verdict if label in (None, "cannot_judge") else label
    assert verdict is not None
    notices = check.record.notices if check.record and verdict in ("match", "mismatch") else ()
    return CitedReference(
        verdict,
        row["snapshot_id"],
        retracted=any(notice.kind in _WITHDRAWN for notice in notices),
        says_little=_says_little(check, reference) and label != "not_found",
    )


def _says_little(check: ReferenceCheck, reference: Reference) -> bool:
    """Whether it proves little that nobody has a reference: such works are listed in part, or only a library was asked
    that one made oneself."""
    answered = {asked.authority for asked in check.asked if asked.outcome != "failed"}
    return reference.kind in PARTLY_LISTED or not answered - {_LIBRARY}
