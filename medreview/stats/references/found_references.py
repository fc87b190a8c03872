"""The references of a study as figures count them, each with the newest check of it."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, cast

from medreview.references.levels import PARTLY_LISTED
from medreview.references.model import NoticeKind, Standing, WorkKind, is_unanswered
from medreview.references.verdict import Verdict

Works = Literal["listed", "partly_listed", "unknown"]
"""Sorts of works by what it means that nobody has one: articles, preprints and trials, nearly all of which some
authority has; what authorities have only in part, so that "not found" proves little; and what nothing tells the sort
of."""
WORKS: Final[dict[Works, str]] = {
    "listed": "articles, preprints, trials",
    "partly_listed": "guidelines, books, reports, pages",
    "unknown": "sort of work unknown",
}

# A notice beside the record of another work, or of a candidate, says nothing of the work that is named.
_FOUND: Final = """
SELECT f.response_id, r.model, r.origin, f.standing, coalesce(json_extract(f.reading, '$.kind'), 'unknown') AS kind,
       coalesce(json_array_length(f.reading, '$.identifiers'), 0) AS identifiers, f.bare_url,
       iif(f.bare_url, NULL, c.verdict) AS verdict, c.checked_at,
       iif(c.verdict IN ('match', 'mismatch'), json_extract(c.result, '$.record.notices'), NULL) AS notices,
       json_extract(c.result, '$.asked') AS asked
FROM reference_current AS f JOIN response AS r USING (response_id) LEFT JOIN reference_checked AS c USING (reference_id)
ORDER BY r.ordinal, f.ordinal"""


_CHECKED: Final = "SELECT EXISTS (SELECT 1 FROM reference_check)"


class Question(NamedTuple):
    """What an authority was asked for one reference, and what came of it (``references.model.Asked``)."""

    authority: str
    by: str
    outcome: str


class FoundReference(NamedTuple):
    """A reference of a response; ``verdict`` is ``None`` and ``checked_at`` ``""`` where it was not checked.

    ``unanswered``: it was, and whoever was asked gave no answer, so that it has no verdict either.
    ``identified``: it carries an identifier. ``bare_url``: it is an address alone, with nothing to check.
    ``notices``: those beside the record of the work that it is.
    """

    response_id: str
    model: str
    origin: str
    standing: Standing
    works: Works
    identified: bool
    bare_url: bool
    verdict: Verdict | None
    unanswered: bool
    checked_at: str
    notices: tuple[NoticeKind, ...]
    asked: tuple[Question, ...]


def found_references(reader: sqlite3.Connection) -> Iterator[FoundReference]:
    """Every reference of a study, by response and place."""
    for row in reader.execute(_FOUND):
        notices = json.loads(row["notices"] or "[]")
        asked = json.loads(row["asked"] or "[]")
        unanswered = is_unanswered(row["verdict"], (one["outcome"] for one in asked))
        yield FoundReference(
            response_id=row["response_id"],
            model=row["model"],
            origin=row["origin"],
            standing=row["standing"],
            works=works_of(row["kind"]),
            identified=row["identifiers"] > 0,
            bare_url=bool(row["bare_url"]),
            verdict=None if unanswered else row["verdict"],
            unanswered=unanswered,
            checked_at=row["checked_at"] or "",
            notices=tuple(dict.fromkeys(cast(NoticeKind, one["kind"]) for one in notices)),
            asked=tuple(Question(one["authority"], one["by"], one["outcome"]) for one in asked),
        )


def any_checked(reader: sqlite3.Connection) -> bool:
    """Whether the rules have said anything of a reference: figures then tell what they say."""
    return bool(reader.execute(_CHECKED).fetchone()[0])


def works_of(kind: WorkKind) -> Works:
    """To which of the :data:`WORKS` a sort of work belongs."""
    return "unknown" if kind == "unknown" else "partly_listed" if kind in PARTLY_LISTED else "listed"
