"""Every statement beside every source of its response, one row each."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from medreview.exchange.files.event_payload import Cell
from medreview.judges.ties import tie_rule
from medreview.review.statement_view import load_text
from medreview.stats.reports.study_reader import judged_responses

_PAIRS: Final = """
SELECT r.response_id, r.model, r.origin, s.statement_id, s.ordinal, s.text, u.source_id, u.url, u.domain, p.snapshot_id,
       p.page_state, e.unsupported, e.highlights
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
CROSS JOIN (SELECT response_id, source_id, min(ordinal) AS first FROM citation GROUP BY response_id, source_id) AS c
     ON c.response_id = r.response_id
JOIN source AS u ON u.source_id = c.source_id
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
LEFT JOIN evidence AS e ON e.statement_id = s.statement_id AND e.snapshot_id = p.snapshot_id
ORDER BY r.ordinal, s.ordinal, c.first"""


def pair_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows in the order of :data:`~medreview.exchange.files.columns.PAIRS`, by response, statement and source."""
    judged, tie = judged_responses(reader), tie_rule(reader)
    for response_id, of_response in groupby(reader.execute(_PAIRS), key=itemgetter("response_id")):
        response = next(response for response in judged if response.response_id == response_id)
        supports = {statement.statement_id: statement.by_source(tie) for statement in response.statements}
        texts: dict[str, str] = {}
        for statement_id, pairs in groupby(of_response, key=itemgetter("statement_id")):
            for number, row in enumerate(pairs, 1):
                supported = supports[statement_id].get(row["source_id"])
                yield (
                    *row[:6], number, *row[6:11], None if supported is None else int(supported), row["unsupported"],
                    *_passage(reader, row, texts),
                )  # fmt: skip


def _passage(reader: sqlite3.Connection, row: sqlite3.Row, texts: dict[str, str]) -> tuple[Cell, Cell, Cell]:
    """The best highlight with its text; ``texts`` keeps the pages of a response while its statements pass."""
    spans, page = json.loads(row["highlights"] or "[]"), row["snapshot_id"]
    if not spans:
        return None, None, None
    if page not in texts:
        texts[page] = load_text(reader, page)
    start, end = spans[0]
    return start, end, texts[page][start:end]
