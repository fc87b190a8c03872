"""By what a study can be divided for ``--by``, and which statements are in which part."""

import sqlite3
from collections.abc import Collection, Mapping
from typing import Final, Literal, get_args

from medreview.judges.triage import QUOTE_FAULTS
from medreview.judges.votes import Vote, jury
from medreview.labels import PROVEN_QUOTES
from medreview.stats.reports.study_reader import JudgedStatement, judged_responses

By = Literal["model", "origin", "domain", "judge", "page", "quote", "queue"]
DIVISIONS: Final[tuple[By, ...]] = get_args(By)
SEVERAL: Final[frozenset[By]] = frozenset({"domain", "page", "judge", "queue"})
"""Of these a statement may be in several parts, so that they add up to more than the whole."""

NOT_FETCHED: Final = "not fetched"
NO_SOURCE: Final = "no source"
NO_JUDGE: Final = "not judged"
NO_QUOTE: Final = "no quote"
SOUND_QUOTE: Final = "sound quote"
NOT_DECIDED: Final = "not decided"

# The sources that a statement cites itself; those of its response where it cites none.
_BY_SOURCE: Final = """
SELECT s.statement_id, {value} AS stratum FROM statement_standing AS s
LEFT JOIN (SELECT statement_id, source_id FROM marker WHERE source_id IS NOT NULL
           UNION ALL
           SELECT t.statement_id, c.source_id FROM statement_standing AS t JOIN citation AS c USING (response_id)
           WHERE NOT EXISTS (SELECT 1 FROM marker AS m WHERE m.statement_id = t.statement_id
                             AND m.source_id IS NOT NULL)) AS cited USING (statement_id)
LEFT JOIN source AS u USING (source_id) LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot"""
_QUERIES: Final[Mapping[By, str]] = {
    "model": "SELECT s.statement_id, r.model FROM statement_standing AS s JOIN response AS r USING (response_id)",
    "origin": "SELECT s.statement_id, r.origin FROM statement_standing AS s JOIN response AS r USING (response_id)",
    "domain": _BY_SOURCE.format(value=f"iif(u.source_id IS NULL, '{NO_SOURCE}', u.domain)"),
    "page": _BY_SOURCE.format(
        value=f"iif(u.source_id IS NULL, '{NO_SOURCE}', coalesce(p.page_state, '{NOT_FETCHED}'))"
    ),
    "queue": f"""SELECT s.statement_id, coalesce(l.block, '{NOT_DECIDED}') FROM statement_standing AS s
        LEFT JOIN reviewer_label AS l ON l.unit = s.statement_id AND l.axis = 'evidence' AND l.pass = ?1
             AND l.reviewer = coalesce(?2, l.reviewer)""",
}
_ABOUT: Final[Mapping[By, str]] = {
    "model": "the model that wrote the response",
    "origin": "where the question is from",
    "domain": "the domains of what the statement cites itself, else of all that its response cites",
    "judge": "the judges that were asked about the statement",
    "page": "the states of the pages that the statement cites itself, else of all that its response cites",
    "quote": "the gravest fault of a quote for support that a judge gave",
    "queue": "the queue in which the label that counts was given",
}


def about(by: By) -> str:
    """What a division goes by, in words, and whether a statement can be in several parts of it."""
    several = "; a statement can be in several, and these add up to more than the whole" if by in SEVERAL else ""
    return f"{_ABOUT[by]}{several}"


def strata_of(
    reader: sqlite3.Connection, by: By, reviewer: str | None = None, pass_no: int = 1
) -> dict[str, tuple[str, ...]]:
    """The parts that each statement of the study is in, one or more, in order of their names.

    ``reviewer``: by whose labels the queue is told; without one by everybody's. ``""`` is a model, or an origin, that
    was not given.
    """
    if by not in _QUERIES:
        return {
            statement.statement_id: strata_said(statement, by)
            for case in judged_responses(reader, votes=by == "quote")
            for statement in case.statements
        }
    found: dict[str, set[str]] = {}
    for statement_id, stratum in reader.execute(_QUERIES[by], (pass_no, reviewer) if by == "queue" else ()):
        found.setdefault(statement_id, set()).add(stratum)
    return {statement_id: tuple(sorted(strata)) for statement_id, strata in found.items()}


def strata_said(statement: JudgedStatement, by: By) -> tuple[str, ...]:
    """The same of one statement, by what judges said of it: of ``judge`` and ``quote``."""
    if by == "judge":
        return tuple(judge.title for judge in statement.by_judge) or (NO_JUDGE,)
    return (_quote(jury(statement.votes)),)


def _quote(votes: Collection[Vote]) -> str:
    """The gravest fault of a quote for support, as triage orders them."""
    if not votes:
        return NO_JUDGE
    faults = {vote.false_quote for vote in votes}
    for fault in QUOTE_FAULTS:
        if fault in faults:
            return fault
    return SOUND_QUOTE if any(vote.quote_status in PROVEN_QUOTES for vote in votes) else NO_QUOTE
