"""A whole response: is every statement of it supported by one of its sources? (SourceCheckup's response level)"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from medreview.judges.votes import VotingJudge
from medreview.labels import ALL_SUPPORTED, INVALID
from medreview.statements.own_citations import numbering
from medreview.study.ids import STATEMENT, ids_of, unit_id
from medreview.text import in_words
from medreview.units.cited_source import load_sources
from medreview.units.documents import response_document, source_document
from medreview.units.kind import (
    RESPONSE,
    CardPart,
    Document,
    Headline,
    Machines,
    Opinion,
    Rating,
    TextMark,
    UnitKind,
    UnitView,
)
from medreview.units.statement_view import places_of, response_name, statement_name

STATEMENTS: Final = "statements"
"""The key of the list of statements."""
_BETWEEN: Final = "\n\n"

_ROLLED: Final = """
SELECT r.response_id, count(*) AS n, sum(v.supported IS 1) AS yes, sum(v.supported IS 0) AS no,
       min(v.by_rules) AS by_rules
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id {where}
GROUP BY r.response_id ORDER BY r.ordinal"""
_ONE: Final = _ROLLED.format(where="WHERE r.response_id = ?")
_EVERY: Final = _ROLLED.format(where="")


ROLLED_UP: Final = "judges"
"""What the common word of the judges on the statements of a response is called among raters."""


class WholeResponse(UnitKind):
    """``response:RESPONSE_ID``. The judges' opinion is the roll-up of their verdicts on its statements.

    An invalid response is one too, and named as such: nobody judges it.
    """

    name = "response"
    title = "whole responses"
    noun = "response"
    about = "Is every statement of the response supported by one of its sources?"
    headline = Headline("every statement supported", {"all_supported": ("yes",)})
    queue = "whole_responses"
    axis = "all_supported"
    levels = ALL_SUPPORTED
    leads_to = STATEMENT
    rows = """SELECT 'response:' || response_id AS unit, ordinal AS cluster, 1 AS ordinal, question AS text,
       model, origin, record_id
FROM response AS r WHERE invalid <> ''
      OR EXISTS (SELECT 1 FROM statement_standing AS s WHERE s.response_id = r.response_id)"""

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question; the list of the statements and the sources; the response beside."""
        (response_id,) = ids_of(unit)
        row = reader.execute("SELECT * FROM response WHERE response_id = ?", (response_id,)).fetchone()
        if row is None:
            raise KeyError(unit)
        name = response_name(row["ordinal"])
        sources = load_sources(reader, response_id, numbering(reader, response_id))
        return UnitView(
            unit=unit,
            kind=self.name,
            name=name,
            group=name,
            text=row["text"],
            text_sha256=row["text_sha256"],
            parts=tuple(_parts(row)),
            documents=(
                Document(STATEMENTS, "statements", _BETWEEN.join(one.line for one in _statements(reader, response_id))),
                *(source_document(reader, source, f"source:{source.source_id}") for source in sources),
            ),
            beside=response_document(row["ordinal"], row["text"]),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=response_id,
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The roll-up over the statements; those that no source supports, marked in their list and in the response.

        The offline rules alone have no common label: nobody owes them a reason.
        """
        (response_id,) = ids_of(unit)
        counts = reader.execute(_ONE, (response_id,)).fetchone()
        if counts is None or not (counts["yes"] or counts["no"]):
            return Machines()
        listed = _statements(reader, response_id)
        failing = [one for one in listed if one.row["judged"] and one.row["supported"] != 1]
        by = "roll-up by the offline rules" if counts["by_rules"] else "roll-up"
        return Machines(
            opinions=tuple(_opinion(one.name, one.row) for one in failing),
            level=None if counts["by_rules"] else _level(counts),
            words=f"{by}: {counts['yes']} of {counts['n']} statements supported",
            marks=tuple(_marks(failing)),
        )

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        return ids_of(unit)[0]

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """The roll-up of each response that has one; by the offline rules under their name."""
        for row in reader.execute(_EVERY):
            level = _level(row)
            if level is not None:
                rater = VotingJudge("offline", offline=True).title if row["by_rules"] else ROLLED_UP
                yield Rating(unit_id(self.name, row[0]), row[0], self.axis, rater, True, "", level)


def _parts(response: sqlite3.Row) -> Iterator[CardPart]:
    yield CardPart("asked", response["question"], main=True)
    if response["invalid"]:
        yield CardPart("invalid", f"{response['invalid']}: {INVALID[response['invalid']]}", tone="badge")


def _level(counts: sqlite3.Row) -> str | None:
    """``no`` as soon as one statement is not supported; ``yes`` when all are."""
    if counts["no"]:
        return "no"
    return "yes" if counts["yes"] == counts["n"] else None


class _ListedStatement(NamedTuple):
    """A statement of the list: its name, its row with the judges' verdict on it, its line and where that stands."""

    name: str
    row: sqlite3.Row
    line: str
    at: int


def _statements(reader: sqlite3.Connection, response_id: str) -> list[_ListedStatement]:
    """One statement a paragraph, each after its name."""
    rows = reader.execute(
        """SELECT s.*, v.statement_id IS NOT NULL AS judged, v.verdict, v.supported
           FROM statement_standing AS s LEFT JOIN verdict AS v USING (statement_id)
           WHERE s.response_id = ? ORDER BY s.place, s.start""",
        (response_id,),
    ).fetchall()
    found, at = [], 0
    for row in rows:
        name = statement_name(reader, row["statement_id"], response_id, row["ordinal"])
        found.append(_ListedStatement(name, row, f"{name}  {row['text']}", at))
        at += len(found[-1].line) + len(_BETWEEN)
    return found


def _opinion(name: str, statement: sqlite3.Row) -> Opinion:
    said = statement["verdict"] or ("not_supported" if statement["supported"] == 0 else "no common verdict")
    return Opinion(
        statement["statement_id"], name, "", "", in_words(said), None, reason=statement["text"], counts=False
    )


def _marks(failing: Iterable[_ListedStatement]) -> Iterator[tuple[str, TextMark]]:
    """The failing statements in the list and in the response."""
    for one in failing:
        yield STATEMENTS, TextMark(one.at, one.at + len(one.line), "clash")
        yield from ((RESPONSE, TextMark(*place, "clash")) for place in places_of(one.row))
