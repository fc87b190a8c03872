"""The briefs of a study that were written in stages, with what was kept of each."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from medreview.generators.brief.notes import TaggedNote, notes_of
from medreview.generators.brief.outcome import UNVERIFIED, Outcome
from medreview.units.cases import Case, case_of

_BRIEFS = """
SELECT g.item_id, g.report, r.model_name, r.judge, coalesce(a.ordinal, 0) AS response
FROM generation_current AS g JOIN generation_run AS r USING (run_id)
LEFT JOIN generation_product AS p ON p.run_id = g.run_id AND p.item_id = g.item_id AND p.kind = 'response'
LEFT JOIN response AS a ON a.response_id = p.made
WHERE r.generator = 'brief' AND g.code IN ('', 'nothing_supported')
ORDER BY (SELECT ordinal FROM clinical_case WHERE case_id = g.item_id), r.ordinal"""


@dataclass(frozen=True, slots=True)
class StoredBrief:
    """A brief: its case with the notes, who wrote and who verified it (``""``: the same), and its outcome.

    ``response``: the number of the response that it became, 0 where nothing of it was supported.
    """

    case: Case
    notes: tuple[TaggedNote, ...]
    model: str
    judge: str
    outcome: Outcome
    response: int


def stored_briefs(reader: sqlite3.Connection) -> Iterator[StoredBrief]:
    """All briefs in stages, case by case."""
    for row in reader.execute(_BRIEFS).fetchall():
        case = case_of(reader, row["item_id"])
        if case is not None:
            outcome = Outcome.of(json.loads(row["report"]))
            notes = notes_of(reader, row["item_id"])
            yield StoredBrief(case, notes, row["model_name"], row["judge"], outcome, row["response"])


@dataclass(frozen=True, slots=True)
class BriefCounts:
    """Statements of the briefs of a run, each once for each case: ``kept``, ``unverified`` of these, ``deleted``.

    ``own_advice``: statements of briefs in one call with advice that no note has; nothing is deleted from these.
    """

    kept: int = 0
    unverified: int = 0
    deleted: int = 0
    own_advice: int = 0


def brief_counts(reader: sqlite3.Connection, run_id: str) -> BriefCounts:
    """The counts of one run, in stages or in one call."""
    kept = unverified = deleted = own_advice = 0
    for (text,) in reader.execute("SELECT report FROM generation_current WHERE run_id = ?", (run_id,)):
        report = json.loads(text)
        own_advice += len(report.get("own_advice", ()))
        if "summary" in report:
            outcome = Outcome.of(report)
            states = {one.text: one.state for one in outcome.statements()}
            kept += len(states)
            unverified += sum(state == UNVERIFIED for state in states.values())
            deleted += len(outcome.deleted)
    return BriefCounts(kept, unverified, deleted, own_advice)
