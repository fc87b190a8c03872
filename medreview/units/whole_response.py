"""A whole response: is every statement of it supported by one of its sources? (SourceCheckup's response level)"""

import sqlite3
from collections.abc import Iterator

from medreview.labels import ALL_SUPPORTED
from medreview.study.unit_ids import ids_of, unit_id
from medreview.units.kind import Rating, UnitKind
from medreview.units.statement_view import response_name
from medreview.units.view import Document, Machines, Opinion, Part, UnitView
from medreview.words import in_words

_ROLLED = """SELECT count(*) AS n, sum(v.supported IS 1) AS yes, sum(v.supported IS 0) AS no
FROM statement AS s LEFT JOIN verdict AS v USING (statement_id) WHERE s.response_id = ?"""


class WholeResponse(UnitKind):
    """``response:RESPONSE_ID``. What judges say of it is the roll-up of their verdicts on its statements."""

    name = "response"
    title = "whole responses"
    noun = "response"
    about = "Is every statement of the response supported by one of its sources?"
    key = "w"
    queue = "whole_responses"
    axis = "all_supported"
    levels = ALL_SUPPORTED
    rows = """SELECT 'response:' || response_id AS unit, ordinal AS cluster, 1 AS ordinal, question AS text,
       model, origin, record_id
FROM response AS r WHERE EXISTS (SELECT 1 FROM statement AS s WHERE s.response_id = r.response_id)"""

    def load(self, reader: sqlite3.Connection, unit: str) -> UnitView:
        """The question, the response, its sources."""
        (response_id,) = ids_of(unit)
        row = reader.execute("SELECT * FROM response WHERE response_id = ?", (response_id,)).fetchone()
        if row is None:
            raise KeyError(unit)
        return UnitView(
            unit=unit,
            kind=self.name,
            name=response_name(row["ordinal"]),
            group=response_name(row["ordinal"]),
            text=row["text"],
            text_sha256=row["text_sha256"],
            parts=(Part("asked", row["question"], main=True),),
            documents=tuple(_sources(reader, response_id)),
            beside=Document("response", f"response {response_name(row['ordinal'])}", row["text"]),
            model=row["model"],
            origin=row["origin"],
            record_id=row["record_id"],
            response_id=response_id,
        )

    def machines(self, reader: sqlite3.Connection, unit: str) -> Machines:
        """The roll-up over the statements, and those that no source supports."""
        (response_id,) = ids_of(unit)
        counts = reader.execute(_ROLLED, (response_id,)).fetchone()
        level = _level(counts)
        rows = reader.execute(
            """SELECT s.statement_id, s.ordinal, s.text, v.verdict FROM statement AS s
               JOIN verdict AS v USING (statement_id) WHERE s.response_id = ? AND v.supported IS NOT 1
               ORDER BY s.ordinal""",
            (response_id,),
        )
        said = tuple(
            Opinion(row["statement_id"], f"S{row['ordinal']}", "", "", in_words(row["verdict"] or "no verdict"), None,
                    reason=row["text"], counts=False)
            for row in rows
        )  # fmt: skip
        words = f"roll-up: {counts['yes'] or 0} of {counts['n']} statements supported"
        return Machines(said, level, words)

    def cluster(self, reader: sqlite3.Connection, unit: str) -> str:
        """The response."""
        return ids_of(unit)[0]

    def machine_ratings(self, reader: sqlite3.Connection) -> Iterator[Rating]:
        """The roll-up of each response that has one."""
        for (response_id,) in reader.execute("SELECT response_id FROM response ORDER BY ordinal").fetchall():
            level = _level(reader.execute(_ROLLED, (response_id,)).fetchone())
            if level is not None:
                yield Rating(unit_id(self.name, response_id), response_id, self.axis, "judges", True, "", level)


def _level(counts: sqlite3.Row) -> str | None:
    """``no`` as soon as one statement is not supported; ``yes`` when all are."""
    if counts["no"]:
        return "no"
    return "yes" if counts["n"] and counts["yes"] == counts["n"] else None


def _sources(reader: sqlite3.Connection, response_id: str) -> Iterator[Document]:
    rows = reader.execute(
        """SELECT c.source_id, min(c.ordinal) AS first, u.url, u.domain, p.snapshot_id, p.page_state, p.text
           FROM citation AS c JOIN source AS u USING (source_id)
           LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
           WHERE c.response_id = ? GROUP BY c.source_id ORDER BY first""",
        (response_id,),
    )
    for place, row in enumerate(rows, 1):
        yield Document(
            key=f"source:{row['source_id']}",
            title=f"[{place}] {row['domain']}",
            text=row["text"] or "",
            state=row["page_state"] or "not fetched",
            snapshot_id=row["snapshot_id"],
        )
