"""Acts on the study as a whole: the unit of their events is the study's id, so that they merge and are exported."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from medreview.study.events import NewEvent, Receipt, Recorder
from medreview.study.study import Study


class StudyAct(NamedTuple):
    """One of them, as it stands."""

    event_id: str
    at_utc: str
    reviewer: str
    said: dict[str, Any]
    pass_no: int


def study_acts(reader: sqlite3.Connection, kind: str, reviewer: str | None = None) -> list[StudyAct]:
    """All acts of a kind that stand, oldest first; those of one reviewer where one is named."""
    rows = reader.execute(
        """SELECT event_id, at_utc, reviewer, payload, pass FROM event_live
           WHERE kind = ?1 AND unit = (SELECT value FROM study WHERE key = 'study_id')
           AND (?2 IS NULL OR reviewer = ?2) ORDER BY event_id""",
        (kind, reviewer),
    )
    return [StudyAct(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows]


def newest_act(reader: sqlite3.Connection, kind: str, reviewer: str | None = None) -> StudyAct | None:
    """The newest of them, or ``None``."""
    found = study_acts(reader, kind, reviewer)
    return found[-1] if found else None


def write_act(study: Study, reviewer: str, kind: str, said: Mapping[str, Any], pass_no: int = 1) -> Receipt:
    """Record an act. Raises :class:`UserError` when it cannot be written."""
    event, recorder = NewEvent(kind, study.meta("study_id"), said), Recorder(reviewer, pass_no=pass_no)
    # Blind: it shows nothing of what judges say.
    return study.write(lambda connection: recorder.append(connection, event, block=kind, mode="blind"))
