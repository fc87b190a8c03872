"""Common parts of the tasks on whole responses: texts, and grounding of quotes in them."""

import sqlite3
from functools import lru_cache
from typing import Any, NamedTuple

from medreview.evidence.grounding import Grounding, QuoteIndex, ground
from medreview.judges.tasks.task import quote_json
from medreview.study import Study
from medreview.text import Span


class ResponseText(NamedTuple):
    """A response with the question it answers; ``name``: whose answer it is to what, for people."""

    question: str
    text: str
    name: str


class Responses:
    """The responses of a study, loaded lazily and cached."""

    def __init__(self, study: Study) -> None:
        self._reader: sqlite3.Connection = study.reader
        self.get = lru_cache(maxsize=32)(self._read)
        self._index = lru_cache(maxsize=32)(lambda response_id: QuoteIndex(self.get(response_id).text))

    def ground(self, quote: str, response_id: str) -> tuple[str, Grounding | None]:
        """Quote status and grounding of a quote in a response."""
        if not quote.strip():
            return "none", None
        found = ground(quote, self._index(response_id))
        # An error may be a single drug or dose: a quote that is too short counts if it is there verbatim.
        if found.status == "too_short":
            text = self.get(response_id).text
            start = text.find(quote.strip())
            if start >= 0:
                return "exact", Grounding("exact", (Span(start, start + len(quote.strip())),), ())
        return found.status, found

    def quote_json(self, quote: str, response_id: str) -> dict[str, Any]:
        """The quote with its status and ranges, for a JSON column."""
        return quote_json(quote, *self.ground(quote, response_id))

    def _read(self, response_id: str) -> ResponseText:
        row = self._reader.execute(
            """SELECT question, text, coalesce(nullif(record_id, ''), question) || ' (' || model || ')' AS name
               FROM response WHERE response_id = ?""",
            (response_id,),
        )
        return ResponseText(*row.fetchone())
