"""What changed between two snapshots of a source, seen from the labels that rest on the earlier one.

A label is never moved to a similar passage: this report shows the reviewer where to look again.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import TYPE_CHECKING, Final, Literal

from medreview.errors import UserError
from medreview.text import Span
from medreview.units.statement_view import load_evidence, response_name

if TYPE_CHECKING:
    from medreview.evidence.grounding import QuoteIndex

Basis = Literal["marked", "quote", "evidence"]
Fate = Literal["stands", "reworded", "altered", "gone"]

_FATES: Final[dict[str, Fate]] = {
    "exact": "stands",
    "normalised": "stands",
    "near": "reworded",
    "altered": "altered",
    "absent": "gone",
    "too_short": "gone",
}
_SHORT: Final = 40
"""Characters below which a passage is looked for with the line around it: "500 mg" stands in many places."""
_LINE: Final = 300
_WORDS: Final = 400
_QUOTES: Final = 3
_STOPS: Final = ".,;:!?)"


@dataclass(frozen=True, slots=True)
class Version:
    """One snapshot of a source: its number (1, 2, ...), when it was fetched and what kind of page it was."""

    snapshot_id: str
    number: int
    fetched_at: str
    page_state: str


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A run of words of a passage: ``same`` in both, ``gone`` from the earlier text, ``new`` in the later one."""

    kind: Literal["same", "gone", "new"]
    text: str


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A passage of the earlier text that a label rests on, and what became of it.

    ``basis``: marked by the reviewer, quoted by a judge, or the passage that was lit. ``fate``: it stands word for word
    (white space and typography apart), is reworded, is altered in a number, unit, negation or direction, or is gone.
    ``before`` and ``after`` are code points of the two texts; ``after`` is ``None`` when it is gone.
    """

    basis: Basis
    fate: Fate
    before: Span
    after: Span | None
    pieces: tuple[DiffPart, ...]


@dataclass(frozen=True, slots=True)
class StaleLabel:
    """One reviewer's standing label that was given on the earlier snapshot."""

    statement_id: str
    response: str
    ordinal: int
    statement: str
    reviewer: str
    label: str
    decided_at: str
    passages: tuple[LabelledPassage, ...]


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """Two snapshots of a source: lines that stayed, went and came (wherever they stand), and the labels between."""

    source_id: str
    url: str
    before: Version
    after: Version
    lines_same: int
    lines_gone: int
    lines_new: int
    labels: tuple[StaleLabel, ...]


def snapshot_diffs(
    reader: sqlite3.Connection, wanted: str = "", first: int | None = None, second: int | None = None
) -> Iterator[SnapshotDiff]:
    """Every source whose text has changed, each earlier snapshot that labels rest on against the current one.

    ``wanted``: an address, an identifier or a part of an address. ``first`` and ``second``: numbers of two snapshots,
    for one source only. Raises :class:`UserError` when there is no such source or snapshot.
    """
    sources = sources_named(reader, wanted)
    if first is not None or second is not None:
        if len(sources) != 1:
            named = repr(wanted) if wanted else "no address"
            raise UserError(f"Two snapshots belong to one source; {named} stands for {len(sources)}.")
        yield _change(reader, sources[0], *_pair(reader, sources[0], first, second))
        return
    for source in sources:
        versions = _versions(reader, source["source_id"])
        after = next((version for version in versions if version.snapshot_id == source["current_snapshot"]), None)
        if after is None:
            continue
        earlier = [version for version in versions if version.snapshot_id in _superseded(reader, source["source_id"])]
        labelled = [version for version in earlier if _labelled(reader, version)]
        for before in labelled or earlier[-1:]:
            yield _change(reader, source, before, after)


def full_diff(reader: sqlite3.Connection, change: SnapshotDiff, most: int = 20_000) -> Iterator[str]:
    """The two texts as a unified diff, line by line. Raises :class:`UserError` above ``most`` lines together."""

    before, after = (_text(reader, version.snapshot_id).split("\n") for version in (change.before, change.after))
    if len(before) + len(after) > most:
        raise UserError(f"{change.url} has too many lines to be shown whole ({len(before) + len(after):,}).")
    was, now = (f"{change.url} #{version.number} {version.fetched_at}" for version in (change.before, change.after))
    yield from unified_diff(before, after, was, now, lineterm="")


def sources_named(reader: sqlite3.Connection, wanted: str) -> list[sqlite3.Row]:
    """The sources with an id, an address or an identifier, else those with it as a part of their address:
    ``source_id``, ``url`` and ``current_snapshot``; all of them without a word. Raises :class:`UserError` for none.
    """
    from medreview.citations.stored_sources import earlier_sources

    keys = _keys(wanted)
    earlier = earlier_sources(reader) if keys else {}
    rows = reader.execute(
        """SELECT source_id, url, current_snapshot,
                  ?1 IN (source_id, url, value) OR key IN (SELECT value FROM json_each(?2))
                  OR source_id IN (SELECT value FROM json_each(?3)) AS exact
           FROM source WHERE exact OR ?1 = '' OR instr(lower(url), lower(?1)) > 0 ORDER BY rowid""",
        (wanted, json.dumps(keys), json.dumps([earlier[key] for key in keys if key in earlier])),
    ).fetchall()
    if not rows and wanted:
        raise UserError(f"No source of the study has {wanted!r} in its address.")
    return [row for row in rows if row["exact"]] or rows


def _keys(wanted: str) -> list[str]:
    """The sources that a text names whole, however they are spelled: a DOI, a PMID, an address with its scheme."""
    from medreview.citations import canonical_key, from_list

    named = from_list([wanted]).citations if wanted else []
    return [canonical_key(citation) for citation in named if citation.kind != "url" or "://" in wanted]


def _versions(reader: sqlite3.Connection, source_id: str) -> list[Version]:
    rows = reader.execute(
        "SELECT snapshot_id, version, fetched_at, page_state FROM snapshot WHERE source_id = ? ORDER BY version",
        (source_id,),
    )
    return [Version(*row) for row in rows]


def _pair(
    reader: sqlite3.Connection, source: sqlite3.Row, first: int | None, second: int | None
) -> tuple[Version, Version]:
    versions = {version.number: version for version in _versions(reader, source["source_id"])}
    current = next((number for number, at in versions.items() if at.snapshot_id == source["current_snapshot"]), 0)
    later = second if second is not None else current
    # A page that came back is current under its old number: what it is to be set against came after it.
    others = sorted(versions.keys() - {later}, key=lambda number: (number < later, number))
    if not others and first is None and later in versions:
        raise UserError(f"{source['url']} has one snapshot only; there is nothing to compare.")
    numbers = (first if first is not None else others[-1], later)
    for number in numbers:
        if number not in versions:
            there = ", ".join(map(str, versions)) or "none"
            raise UserError(f"{source['url']} has no snapshot {number}; there are {there}.")
    return versions[numbers[0]], versions[numbers[1]]


def _superseded(reader: sqlite3.Connection, source_id: str) -> set[str]:
    rows = reader.execute("SELECT snapshot_id FROM snapshot_superseded WHERE source_id = ?", (source_id,))
    return {row[0] for row in rows}


_LABELS: Final = """
SELECT d.unit, d.reviewer, d.label, d.at_utc, s.text, s.ordinal, r.ordinal AS response
FROM decision_current AS d JOIN statement_standing AS s ON s.statement_id = d.unit
JOIN response AS r USING (response_id)
WHERE d.axis = 'evidence' AND d.snapshot = ? ORDER BY r.ordinal, s.ordinal, d.reviewer"""


def _labelled(reader: sqlite3.Connection, version: Version) -> bool:
    return reader.execute(f"{_LABELS} LIMIT 1", (version.snapshot_id,)).fetchone() is not None


def _text(reader: sqlite3.Connection, snapshot_id: str) -> str:
    return str(reader.execute("SELECT text FROM snapshot WHERE snapshot_id = ?", (snapshot_id,)).fetchone()[0])


def _change(reader: sqlite3.Connection, source: sqlite3.Row, before: Version, after: Version) -> SnapshotDiff:
    from medreview.evidence.grounding import QuoteIndex

    old, new = _text(reader, before.snapshot_id), _text(reader, after.snapshot_id)
    was, now = (Counter(line for line in text.split("\n") if line.strip()) for text in (old, new))
    same = (was & now).total()
    labels = []
    rows = reader.execute(_LABELS, (before.snapshot_id,)).fetchall()
    index = QuoteIndex(new if rows else "")
    for row in rows:
        rests = _rests_on(reader, row, before.snapshot_id)
        labels.append(
            StaleLabel(
                statement_id=row["unit"],
                response=response_name(row["response"]),
                ordinal=row["ordinal"],
                statement=row["text"],
                reviewer=row["reviewer"],
                label=row["label"],
                decided_at=row["at_utc"],
                passages=tuple(_passage(basis, span, old, index) for basis, span in rests),
            )
        )
    return SnapshotDiff(
        source_id=source["source_id"],
        url=source["url"],
        before=before,
        after=after,
        lines_same=same,
        lines_gone=was.total() - same,
        lines_new=now.total() - same,
        labels=tuple(labels),
    )


def _rests_on(reader: sqlite3.Connection, label: sqlite3.Row, snapshot_id: str) -> Sequence[tuple[Basis, Span]]:
    """What the reviewer marked there; else what judges quoted; else the passage that was lit."""

    from medreview.review.reviewer_state import load_reviewer_state

    own = load_reviewer_state(reader, label["unit"], label["reviewer"])
    marked = [mine.span for mine in own.spans if mine.target == "source" and mine.snapshot_id == snapshot_id]
    if marked:
        return [("marked", span) for span in marked]
    quoted = reader.execute(
        """WITH said AS (SELECT j.* FROM judgement AS j JOIN judge_run AS r USING (judge_run_id)
                         WHERE statement_id = ? AND snapshot_id = ? AND quote_start IS NOT NULL AND r.kind <> 'offline')
           SELECT quote_start, quote_end FROM said
           UNION SELECT json_extract(q.value, '$.spans[0][0]'), json_extract(q.value, '$.spans[0][1]')
                 FROM said, json_each(said.quotes) AS q WHERE json_array_length(q.value, '$.spans')
           ORDER BY 1 LIMIT ?""",
        (label["unit"], snapshot_id, _QUOTES),
    ).fetchall()
    if quoted:
        spans = [Span(*row) for row in quoted]
        return [("quote", span) for span in spans if not any(_within(span, other) for other in spans)]
    return [("evidence", span) for span in load_evidence(reader, label["unit"], snapshot_id).highlights[:1]]


def _within(span: Span, other: Span) -> bool:
    return span != other and other.start <= span.start and span.end <= other.end


def _passage(basis: Basis, span: Span, old: str, new: "QuoteIndex") -> LabelledPassage:
    from medreview.evidence.grounding import ground

    span = _with_line(old, span) if span.end - span.start < _SHORT else span
    said = old[span.start : span.end]
    found = ground(said, new)
    fate = _FATES[found.status]
    if fate == "gone" or not found.spans:
        return LabelledPassage(basis, "gone", span, None, (DiffPart("gone", said),))
    after = found.spans[0] if fate == "stands" else Span(found.spans[0].start, found.spans[-1].end)
    if said[-1] in _STOPS and new.text[after.end : after.end + 1] == said[-1]:
        after = Span(after.start, after.end + 1)
    pieces = (DiffPart("same", said),) if fate == "stands" else _pieces(said, new.text[after.start : after.end])
    return LabelledPassage(basis, fate, span, after, pieces)


def _with_line(text: str, span: Span) -> Span:
    start = max(text.rfind("\n", 0, span.start) + 1, span.start - _LINE)
    end = text.find("\n", span.end)
    return Span(start, min(len(text) if end < 0 else end, span.end + _LINE))


def _pieces(before: str, after: str) -> tuple[DiffPart, ...]:
    """The two passages word by word, as one text."""
    old, new = before.split()[:_WORDS], after.split()[:_WORDS]
    pieces = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(DiffPart("same", " ".join(old[a:b])))
            continue
        if b > a:
            pieces.append(DiffPart("gone", " ".join(old[a:b])))
        if d > c:
            pieces.append(DiffPart("new", " ".join(new[c:d])))
    return tuple(pieces)
