"""The sources that a response cites, their order beside a statement, and the references that name them.

The order is decided here only, for screens, export and API:

- Opens: what the statement itself cites and can be read; then what has the best evidence by the offline rules (the
  lowest ``unsupported``); then the response's order. The view ``source_order`` of the study holds this rule. It asks no
  judge but the rules, so that blind and open queues open alike.
- In a queue with a cause (:func:`cause`) opens what the cause is about.
- One goes on through the statement's own citations, then through the response's other sources.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from medreview.citations.citation import document_name
from medreview.references.verdict import ACCUSING, Verdict
from medreview.sources.ocr_pages import OcrPage, ocr_pages
from medreview.statements.own_citations import OwnCitations, own_citations
from medreview.study.ids import REFERENCE, unit_id

_NAMED: Final = 3
"""Own numbers of one source that are named; of more, the others are an ellipsis."""
_MORE: Final = "…"


@dataclass(frozen=True, slots=True)
class Source:
    """One cited source of a response; ``snapshot_id`` is ``None`` when it was never fetched.

    ``place`` counts the response's sources from 1, in order of citation. ``numbers`` are those that the answer itself
    gives the source, the ones that the statement uses first; several when entries of its list are one page, none for an
    answer without numbers. ``name`` is what the workbench calls it: ``3``, ``3=4``, ``3a`` and ``3b`` where one entry
    names two sources; a letter where the answer numbers its sources, but not this one; the place where it numbers none.
    ``cited``: the statement itself points to it; ``opens``: it is shown first (:mod:`medreview.units.cited_source`).

    ``state`` is the state of its page (``ok``, ``paywall``, ``http_error`` ...), ``"not fetched"``, or
    ``"instructions"`` for a page that tells judges what to answer; ``state_evidence`` is what gave it. ``size`` counts
    the bytes that came, ``fetched_at`` is ISO 8601, UTC. ``by_ocr``: the pages of a PDF
    that were read by OCR.
    """

    place: int
    numbers: tuple[int, ...]
    name: str
    cited: bool
    opens: bool
    source_id: str
    snapshot_id: str | None
    url: str
    domain: str
    title: str
    state: str
    state_evidence: str
    size: int
    fetched_at: str
    by_ocr: tuple[OcrPage, ...] = ()

    @property
    def bracketed(self) -> str:
        """The name as it stands in a text: ``[3]``, ``[3]=[4]``."""
        return "=".join(part if part == _MORE else f"[{part}]" for part in self.name.split("="))


def load_sources(reader: sqlite3.Connection, response_id: str, own: OwnCitations) -> tuple[Source, ...]:
    """The sources that a response cites, each once, in order of citation, with the numbers that are its ``own``."""
    entries: dict[int, list[str]] = {}
    for source_id, numbers in own.listed.items():
        for number in numbers:
            entries.setdefault(number, []).append(source_id)
    rows = reader.execute(
        """SELECT u.source_id, u.kind, u.value, u.url, u.domain, min(c.ordinal) AS first, p.snapshot_id, p.title,
                  p.page_state, p.state_evidence, p.instructions, p.raw_size, p.fetched_at
           FROM citation AS c JOIN source AS u USING (source_id)
           LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
           WHERE c.response_id = ? GROUP BY u.source_id ORDER BY first""",
        (response_id,),
    )
    found = []
    letters = 0
    for place, row in enumerate(rows, 1):
        source_id = row["source_id"]
        numbers = own.numbers_of(source_id)
        found.append(
            Source(
                place=place,
                numbers=numbers,
                name=_name([_entry(number, source_id, entries) for number in numbers])
                or (_letter(letters) if entries else str(place)),
                cited=bool(own.cites(source_id)),
                opens=False,
                source_id=source_id,
                snapshot_id=row["snapshot_id"],
                url=row["url"],
                domain=document_name(row["value"]) if row["kind"] == "document" else row["domain"],
                title=row["title"] or "",
                # A page that speaks to judges is shown as such also where badges are hidden.
                state="instructions" if row["instructions"] else row["page_state"] or "not fetched",
                state_evidence=row["instructions"] or row["state_evidence"] or "",
                size=row["raw_size"] or 0,
                fetched_at=row["fetched_at"] or "",
                by_ocr=ocr_pages(reader, row["snapshot_id"]) if row["snapshot_id"] else (),
            )
        )
        letters += not numbers
    return tuple(found)


def _name(words: Sequence[str]) -> str:
    return "=".join([*words[:_NAMED], *([_MORE] if len(words) > _NAMED else [])])


def _entry(number: int, source_id: str, entries: Mapping[int, Sequence[str]]) -> str:
    """A number of the answer, with a letter when its entry names several sources."""
    named = entries.get(number, ())
    return f"{number}{_letter(named.index(source_id))}" if len(named) > 1 else str(number)


def _letter(count: int) -> str:
    """a, b ... z, aa, bb ..."""
    return chr(ord("a") + count % 26) * (1 + count // 26)


def sources_beside(reader: sqlite3.Connection, statement_id: str, response_id: str) -> tuple[Source, ...]:
    """The sources of a statement's response in the order in which one goes through them."""
    sources = load_sources(reader, response_id, own_citations(reader, statement_id))
    found = {source.source_id: source for source in sources}
    turns = reader.execute(
        "SELECT source_id, opens FROM source_order WHERE statement_id = ? ORDER BY turn", (statement_id,)
    )
    return tuple(replace(found[row["source_id"]], opens=bool(row["opens"])) for row in turns)


def cause(
    reader: sqlite3.Connection, sources: Iterable[Source], queue: str, statement_id: str, decided_on: str | None
) -> Source | None:
    """The source that a statement is in a queue for, ``None`` where that is not about one.

    In the flagged queue that of the gravest flag about a page: of the quote that is not there or altered, of the
    judgement that contradicts, of the numbers that differ. In the stale queue that of the page it was ``decided_on``.
    """
    page = decided_on if queue == "stale" else None
    if queue == "flagged":
        row = reader.execute("SELECT snapshot_id FROM verdict WHERE statement_id = ?", (statement_id,)).fetchone()
        page = row["snapshot_id"] if row else None
    found = reader.execute("SELECT source_id FROM snapshot WHERE snapshot_id = ?", (page,)).fetchone()
    return next((source for source in sources if found and source.source_id == found["source_id"]), None)


_OF_SOURCES: Final = """
SELECT n.source_id, f.reference_id, c.verdict
FROM source_reference AS n JOIN reference AS f USING (reference_id) JOIN reference_checked AS c USING (reference_id)
WHERE n.response_id = ? ORDER BY f.ordinal"""
_CITED: Final = """
SELECT DISTINCT f.reference_id, f.ordinal, c.verdict
FROM statement_reference AS s JOIN reference AS f USING (reference_id)
JOIN reference_checked AS c USING (reference_id) WHERE s.statement_id = ? ORDER BY f.ordinal"""


class NamedBy(NamedTuple):
    """A checked reference that names a source of its response, by id and verdict."""

    reference_id: str
    verdict: Verdict


def references_of_sources(reader: sqlite3.Connection, response_id: str) -> dict[str, NamedBy]:
    """By source of a response: the reference that names it; of several the one with the gravest verdict."""
    found: dict[str, NamedBy] = {}
    for row in reader.execute(_OF_SOURCES, (response_id,)):
        if row["verdict"] is None:  # withheld
            continue
        other = NamedBy(row["reference_id"], row["verdict"])
        known = found.setdefault(row["source_id"], other)
        if _gravity(other.verdict) < _gravity(known.verdict):
            found[row["source_id"]] = other
    return found


def cited_by(reader: sqlite3.Connection, statement_id: str) -> list[NamedBy]:
    """The references that a statement cites itself, those with the gravest verdicts first."""
    rows = reader.execute(_CITED, (statement_id,))
    found = [NamedBy(row["reference_id"], row["verdict"]) for row in rows if row["verdict"] is not None]
    return sorted(found, key=lambda named: _gravity(named.verdict))


def reference_beside(reader: sqlite3.Connection, statement_id: str, response_id: str, source_id: str | None) -> str:
    """The unit to open from a statement: the reference that names the source on the screen, else the first that the
    statement cites; ``""`` where none was checked. In what order they stand tells nothing of a verdict."""
    rows = reader.execute(_OF_SOURCES, (response_id,)).fetchall()
    named = [row["reference_id"] for row in rows if row["source_id"] == source_id]
    cited = [row[0] for row in reader.execute(_CITED, (statement_id,))]
    both = [reference_id for reference_id in named if reference_id in cited]
    first = next(iter((*both, *named, *cited)), None)
    return unit_id(REFERENCE, first) if first else ""


def _gravity(verdict: Verdict) -> int:
    return ACCUSING.index(verdict) if verdict in ACCUSING else len(ACCUSING)
