"""The stage that splits every response into statements, and lists the rest."""

import json
import sqlite3
from dataclasses import dataclass

from medreview.progress import SILENT, Progress
from medreview.statements.cited_ranges import cited_in
from medreview.statements.left_out import list_left_out, rows_of
from medreview.statements.split import PARSER, Parsed, split
from medreview.study import Study
from medreview.study.rows import insert
from medreview.study.statement_edits import statement_id_of
from medreview.text import sha256

_BATCH = 500


@dataclass(frozen=True, slots=True)
class ParseSummary:
    """Counts: responses parsed, statements found, parts dropped, and ``empty``, responses without any statement."""

    responses: int
    statements: int
    dropped: int
    empty: int


def parse_all(study: Study, progress: Progress = SILENT) -> ParseSummary:
    """Split the responses that are not parsed yet, in transactions of 500 responses; then list what is left out of
    those that were split without."""
    waiting = study.reader.execute("SELECT count(*) FROM response_to_split").fetchone()[0]
    progress.begin("statements", waiting)
    done = statements = dropped = empty = 0
    while rows := study.reader.execute(
        "SELECT response_id, text, ranges FROM response_to_split ORDER BY ordinal LIMIT ?", (_BATCH,)
    ).fetchall():
        parsed = [
            (row["response_id"], split(row["text"], cited_in(row["text"], json.loads(row["ranges"])))) for row in rows
        ]
        study.write(lambda connection, parsed=parsed: _store(connection, parsed))  # type: ignore[misc]
        done += len(rows)
        statements += sum(len(result.statements) for _, result in parsed)
        dropped += sum(len(result.dropped) for _, result in parsed)
        empty += sum(not result.statements for _, result in parsed)
        progress.step(len(rows))
    list_left_out(study, progress)
    return ParseSummary(done, statements, dropped, empty)


def _store(connection: sqlite3.Connection, parsed: list[tuple[str, Parsed]]) -> None:
    insert(
        connection,
        "statement",
        (
            {
                "statement_id": statement_id_of(response_id, statement.places[0].start, statement.text),
                "response_id": response_id,
                "ordinal": ordinal,
                "start": statement.start,
                "end": statement.end,
                "text_sha256": sha256(statement.text),
                "text": statement.text,
                "parts": json.dumps(statement.parts),
            }
            for response_id, result in parsed
            for ordinal, statement in enumerate(result.statements, 1)
        ),
    )
    insert(connection, "left_out", (row for response_id, result in parsed for row in rows_of(response_id, result)))
    connection.executemany(
        "UPDATE response SET parser = ?, left_out_by = ?, dropped = ? WHERE response_id = ?",
        [(PARSER, PARSER, len(result.dropped), response_id) for response_id, result in parsed],
    )
