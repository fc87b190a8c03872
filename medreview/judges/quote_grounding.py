"""Grounding of judges' quotes in snapshots, by the same rules for every judgement, wherever it was made."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from medreview.evidence.grounding import Grounding, QuoteIndex, ground
from medreview.judges.injection import among_instructions
from medreview.labels import FALSE_QUOTES, PROVEN_QUOTES, SAME_WORDS

_CACHE_SIZE: Final = 64


class QuoteGrounder:
    """Grounds quotes in the snapshots of a study, with a cache of prepared snapshots."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._indexes: dict[str, QuoteIndex] = {}

    def ground(self, quote: str, snapshot_id: str, others: Iterable[str] = ()) -> tuple[str, Grounding | None]:
        """Quote status and grounding in the snapshot (``None`` for the statuses ``none`` and ``other_source``).

        ``others``: the response's other snapshots; a quote that is only in one of those is ``other_source``.
        """
        if not quote.strip():
            return "none", None
        found = ground(quote, self.index(snapshot_id))
        if found.status in FALSE_QUOTES:
            for other in others:
                if ground(quote, self.index(other)).status in SAME_WORDS:
                    return "other_source", None
        return found.status, found

    def index(self, snapshot_id: str) -> QuoteIndex:
        """The snapshot's text, prepared for grounding."""
        if snapshot_id not in self._indexes:
            if len(self._indexes) >= _CACHE_SIZE:
                self._indexes.clear()
            row = self._reader.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
            self._indexes[snapshot_id] = QuoteIndex(row["text"])
        return self._indexes[snapshot_id]

    def proves_support(self, snapshot_id: str, status: str, grounding: Grounding | None) -> bool:
        """Whether the quote can prove support: it is in the snapshot, and not among instructions to a judge."""
        if status not in PROVEN_QUOTES or grounding is None:
            return False
        text = self.index(snapshot_id).text
        return not any(among_instructions(text, span) for span in grounding.spans)


def quote_columns(quote: str, status: str, grounding: Grounding | None) -> dict[str, Any]:
    """The quote columns of the table ``judgement``."""
    spans = grounding.spans if grounding else ()
    # Wording that changes nothing is not marked for the reviewer.
    differences = [pair for pair in (grounding.differences if grounding else ()) if pair.kind != "wording"]
    return {
        "quote_status": status,
        "quote_start": spans[0].start if spans else None,
        "quote_end": spans[0].end if spans else None,
        "quote_more": json.dumps(spans[1:]),
        "differences": json.dumps(
            [{"kind": pair.kind, "quote": pair.quote, "source": pair.source} for pair in differences]
        ),
        "quote": quote,
    }
