"""Pairs of statement and page by page, a hundred at a time, as the stages without a question to a model read them."""

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from medreview.citations.markers import without_markers
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.terms import vocabulary
from medreview.sources.ocr_pages import OcrPage, ocr_pages
from medreview.text import Span

CHUNK: Final = 100
_MARKERS: Final = """SELECT DISTINCT m.statement_id, m."start" - s."start", m."end" - s."start" FROM marker AS m
                     JOIN statement AS s USING (statement_id) WHERE m."start" >= s."start" AND m."end" <= s."end" """


@dataclass(frozen=True, slots=True)
class Chunk:
    """Statements to be compared with one page: their ids, and their texts with blanks in the place of markers.

    ``synonyms``: the reviewer's own table (``medreview.evidence.terms``). ``by_ocr``: the page's parts that were read
    from pictures.
    """

    snapshot_id: str
    text: str
    statements: tuple[tuple[str, str], ...]
    synonyms: Path | None
    by_ocr: tuple[OcrPage, ...]


def chunks(reader: sqlite3.Connection, pairs: str, values: Mapping[str, Any], synonyms: Path | None) -> Iterator[Chunk]:
    """The pairs that the query ``pairs`` finds (page, statement, its text), page by page."""
    found = reader.execute(f"{pairs} ORDER BY 1", values).fetchall()
    marked: dict[str, tuple[Span, ...]] = {}
    for statement_id, start, end in reader.execute(_MARKERS):
        marked[statement_id] = (*marked.get(statement_id, ()), Span(start, end))
    for snapshot_id, group in groupby(found, key=itemgetter(0)):
        text = reader.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()[0]
        by_ocr = ocr_pages(reader, snapshot_id)
        statements = ((row[1], without_markers(row[2], marked.get(row[1], ()))) for row in group)
        while part := tuple(islice(statements, CHUNK)):
            yield Chunk(snapshot_id, text, part, synonyms, by_ocr)


def index_of(chunk: Chunk) -> SourceIndex:
    """The page's index; that of the last pages is kept."""
    return _index(chunk.snapshot_id, chunk.text, chunk.synonyms)


@lru_cache(maxsize=8)
def _index(snapshot_id: str, text: str, synonyms: Path | None) -> SourceIndex:
    return SourceIndex(text, vocabulary(synonyms))
