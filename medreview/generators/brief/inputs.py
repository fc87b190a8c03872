"""What briefs are written from: the cases of a study that have notes; and the notes as sources of what was written."""

import sqlite3

from medreview.exchange.imports.given_pages import GivenPage
from medreview.generators.ask import Item
from medreview.generators.brief.notes import notes_of
from medreview.generators.brief.written import HOST, pages_of
from medreview.labels import GIVEN
from medreview.units.cases import case_of


def case_items(reader: sqlite3.Connection) -> list[Item]:
    """The cases that have notes, in order; a case is known by its content, its notes among it."""
    rows = reader.execute(
        """SELECT case_id, ordinal, record_id FROM clinical_case
           WHERE EXISTS (SELECT 1 FROM case_note WHERE case_note.case_id = clinical_case.case_id) ORDER BY ordinal"""
    )
    return [Item(row["case_id"], row["record_id"] or f"C{row['ordinal']:02d}") for row in rows]


def missing_pages(reader: sqlite3.Connection) -> list[GivenPage]:
    """The notes that briefs cite as sources and that are not stored as their texts yet."""
    query = """SELECT u.url FROM source AS u LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
               WHERE u.domain = ? AND p.page_state IS NOT ?"""
    missing = {row["url"] for row in reader.execute(query, (HOST, GIVEN))}
    pages: list[GivenPage] = []
    for item in case_items(reader) if missing else ():
        case = case_of(reader, item.item_id)
        assert case is not None
        pages += [page for page in pages_of(case, notes_of(reader, item.item_id)) if page.address in missing]
    return pages
