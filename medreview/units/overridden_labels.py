"""The labels of reviewers that are not the judges' verdict: which they are, and what the reviewer says of each."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from medreview.judges.votes import jury
from medreview.study.counts import DIFFERING
from medreview.study.held_back import listable
from medreview.study.ids import content_id
from medreview.units.statement_view import Judgement

THEMES: Final = "override-themes"
"""The generator that makes themes of them; its report names the statements of each by their ids."""
PROMPT: Final = "override_themes"
"""The prompt that it asks with: what calls of models for it are known by."""

_DIFFER: Final = f"""
SELECT mine.unit, mine.label, mine.snapshot, mine.event_id, v.verdict, s.text FROM standing AS mine
JOIN verdict AS v ON v.statement_id = mine.unit JOIN statement AS s ON s.statement_id = mine.unit
JOIN response AS r USING (response_id)
WHERE mine.reviewer = ? AND mine.pass = 1 AND {DIFFERING} ORDER BY r.ordinal, s.ordinal"""
_SAID: Final = """SELECT unit, kind, payload FROM event_live
WHERE reviewer = ? AND pass = 1 AND kind IN ('reason', 'note') ORDER BY event_id"""
_REVIEWERS: Final = "SELECT DISTINCT reviewer FROM standing WHERE pass = 1 AND state = 'decided' ORDER BY reviewer"


@dataclass(frozen=True, slots=True)
class OverriddenLabel:
    """A label, as it stands, that is not the judges' verdict, and the statement's text.

    ``reason`` is a code of ``labels.REASONS`` or ``""``; ``snapshot_id``: the page that the reviewer saw; ``event_id``:
    the decision.
    """

    reviewer: str
    statement_id: str
    text: str
    verdict: str
    label: str
    reason: str
    note: str
    snapshot_id: str | None
    event_id: str


def overridden_labels(reader: sqlite3.Connection, reviewer: str) -> list[OverriddenLabel]:
    """Those of a reviewer's first pass, in the order of the answers."""
    rows = reader.execute(_DIFFER, (reviewer,)).fetchall()
    said: dict[str, list[tuple[str, dict[str, Any]]]] = {row["unit"]: [] for row in rows}
    for act in reader.execute(_SAID, (reviewer,)):
        if act["unit"] in said:
            said[act["unit"]].append((act["kind"], json.loads(act["payload"])))
    return [_label(reviewer, row, said[row["unit"]]) for row in rows]


def tellable(reader: sqlite3.Connection, reviewer: str, to: tuple[str, ...]) -> list[OverriddenLabel]:
    """Those that may be told one by one, outside too: held back neither from whoever asks, ``to``, nor from the
    reviewer, who is told what comes of it."""
    listed = listable(reader, reviewer, *to)
    return [one for one in overridden_labels(reader, reviewer) if listed is None or one.statement_id in listed]


def reviewers_of_labels(reader: sqlite3.Connection) -> list[str]:
    """Who has decided a unit, by name."""
    return [row["reviewer"] for row in reader.execute(_REVIEWERS)]


def overridden_id(reviewer: str, labels: Iterable[OverriddenLabel]) -> str:
    """The same for the same labels, verdicts, reasons and notes of a reviewer: what themes were made of."""
    return content_id(
        "o", reviewer, *([one.statement_id, one.verdict, one.label, one.reason, one.note] for one in labels)
    )


def counting(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Those of a statement that count for its verdict."""
    votes: Collection[str] = {vote.judgement_id for vote in jury(one.vote for one in judgements)}
    return [one for one in judgements if one.judgement_id in votes]


def _label(reviewer: str, row: sqlite3.Row, acts: Sequence[tuple[str, dict[str, Any]]]) -> OverriddenLabel:
    of_this = (said for kind, said in reversed(acts) if kind == "reason" and said.get("decision") == row["event_id"])
    return OverriddenLabel(
        reviewer=reviewer,
        statement_id=row["unit"],
        text=row["text"],
        verdict=str(row["verdict"]),
        label=row["label"],
        reason=next((said["code"] for said in of_this), ""),
        note=next((said["text"] for kind, said in reversed(acts) if kind == "note"), ""),
        snapshot_id=row["snapshot"],
        event_id=row["event_id"],
    )
