"""Where in a source one is: under which headings, on which page of a PDF."""

import json
import sqlite3
from bisect import bisect_right
from dataclasses import dataclass

from medreview.sources.reading.outline import Heading, heading_path


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """The headings of a snapshot's text and where the pages of a PDF begin in it, in text order; often neither."""

    outline: tuple[Heading, ...] = ()
    page_starts: tuple[int, ...] = ()

    def path(self, text: str, offset: int) -> tuple[str, ...]:
        """The words of the headings that a place stands under, the outermost first."""
        words = (" ".join(text[heading.start : heading.end].split()) for heading in heading_path(self.outline, offset))
        return tuple(filter(None, words))

    def page(self, offset: int) -> tuple[int, int] | None:
        """The page that a place is on, counted from 1, and the number of pages; ``None`` for what has no pages."""
        if not self.page_starts:
            return None
        return max(1, bisect_right(self.page_starts, offset)), len(self.page_starts)


def load_outline(reader: sqlite3.Connection, snapshot_id: str) -> DocumentOutline:
    """The outline and pages of a snapshot."""
    row = reader.execute("SELECT outline, page_starts FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()
    return DocumentOutline(
        outline=tuple(Heading(*heading) for heading in json.loads(row["outline"])),
        page_starts=tuple(json.loads(row["page_starts"])),
    )
