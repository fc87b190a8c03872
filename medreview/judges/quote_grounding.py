"""Where a judge's quote is, and how true to the source: the same rules for every judgement, wherever it was made."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from medreview.evidence.grounding import Grounding, QuoteIndex, ground
from medreview.judges.injection import among_instructions

LOCATED: Final = ("exact", "normalised", "near")
"""Quote statuses that mean: the passage is in the source, and says what the quote says."""

_INDEXES: Final = 64


class Quotes:
    """Grounds quotes in the snapshots of a study; the last few snapshots are kept at hand."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._indexes: dict[str, QuoteIndex] = {}

    def ground(self, quote: str, snapshot_id: str, others: Iterable[str] = ()) -> tuple[str, Grounding | None]:
        """Quote status, and where the quote is in the snapshot (``None`` when it is not to be found there).

        ``others``: the response's other snapshots; a quote that only stands in one of those is ``other_source``.
        """
        if not quote.strip():
            return "none", None
        here = ground(quote, self.index(snapshot_id))
        if here.status in ("absent", "altered"):
            for other in others:
                if ground(quote, self.index(other)).status in ("exact", "normalised"):
                    return "other_source", None
        return here.status, here

    def index(self, snapshot_id: str) -> QuoteIndex:
        """The snapshot's text, prepared for grounding."""
        if snapshot_id not in self._indexes:
            if len(self._indexes) >= _INDEXES:
                self._indexes.clear()
            row = self._reader.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
            self._indexes[snapshot_id] = QuoteIndex(row["text"])
        return self._indexes[snapshot_id]

    def shows(self, snapshot_id: str, status: str, grounding: Grounding | None) -> bool:
        """Whether the quote can show support: its passage is in the snapshot, and not among words to a judge."""
        if status not in LOCATED or grounding is None:
            return False
        text = self.index(snapshot_id).text
        return not any(among_instructions(text, span) for span in grounding.spans)


def quote_columns(quote: str, status: str, grounding: Grounding | None) -> dict[str, Any]:
    """The columns of the table ``judgement`` that say where the quote is."""
    spans = grounding.spans if grounding else ()
    differences = grounding.differences if grounding else ()
    return {
        "quote_status": status,
        "quote_start": spans[0].start if spans else None,
        "quote_end": spans[0].end if spans else None,
        "quote_more": json.dumps(spans[1:]),
        "differences": json.dumps([{"quote": pair.quote, "source": pair.source} for pair in differences]),
        "quote": quote,
    }
