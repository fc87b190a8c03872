"""The references of a study with their newest checks, in the order of the responses."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.references.as_json import check_of, reference_of
from medreview.references.model import Reference, ReferenceCheck

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
