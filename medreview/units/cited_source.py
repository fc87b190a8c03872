"""A source that a response cites: what the screen calls it, and the state of its page."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.sources.ocr_pages import OcrPage, ocr_pages
from medreview.statements.own_citations import OwnCitations

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
    ``cited``: the statement itself points to it; ``opens``: it is shown first (:mod:`medreview.units.source_order`).

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
        """SELECT u.source_id, u.url, u.domain, min(c.ordinal) AS first, p.snapshot_id, p.title, p.page_state,
                  p.state_evidence, p.instructions, p.raw_size, p.fetched_at
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
                domain=row["domain"],
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
