"""labels.jsonl: every unit that a reviewer labelled, on a line of its own, with all that belongs to it.

The names are those of the CSV files. A key has one type in all lines, so that pandas and ``datasets`` can load them: a
text that is missing is empty, a list that is missing has no members, and nothing but a judge's ``confidence`` is null.
``datasets`` takes the types from the first ten megabytes: a key that is null in all of these could hold nothing later.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from medreview.exchange.files.columns import EXPOSURE
from medreview.judges.votes import COLUMNS, Vote, VoteReader, jury
from medreview.labels import SUPPORT
from medreview.study.ids import PAIR, STATEMENT, ids_of, kind_of
from medreview.study.rows import rows_in_turn
from medreview.study.unit_faults import response_of
from medreview.units.registry import KINDS
from medreview.units.statement_view import load_text, places_of

Record = dict[str, Any]

FILE: Final = "labels.jsonl"
CONSENSUS: Final = ("adjudicated", "unanimous", "single")
"""Where the consensus of a unit comes from: a conflict that was settled, several reviewers, or one alone."""

_PAGES_AT_ONCE: Final = 32
_OF_PAIR: Final = "iif({0} GLOB 'pair:*', substr({0}, 6, instr(substr({0}, 6), ':') - 1), {0})"
"""The statement that a unit, given as SQL, is or belongs to."""
_LABEL: Final = """l.unit, l.reviewer, l.pass, l.axis, l.mode, l.label, l.current, l.changed_after_reveal,
       l.current_event, e.at_utc, json_extract(e.payload, '$.exposure') AS exposure,
       (SELECT p.source_id FROM snapshot AS p WHERE p.snapshot_id = e.snapshot) AS source_id,
       l.event_id IN (SELECT event_id FROM decision_stale) AS stale
FROM axis_label AS l JOIN event AS e ON e.event_id = l.event_id"""
_LABELS: Final = f"""
SELECT s.response_id, s.statement_id, {_LABEL}
JOIN statement_standing AS s ON s.statement_id = {_OF_PAIR.format("l.unit")} JOIN response AS r USING (response_id)
ORDER BY r.ordinal, s.ordinal, l.unit, l.reviewer, l.pass, l.axis"""
_LABELS_OF_KIND: Final = f"""
SELECT {_LABEL} WHERE l.unit >= ?1 || ':' AND l.unit < ?1 || ';' ORDER BY l.unit, l.reviewer, l.pass, l.axis"""
_LABELLED: Final = f"(SELECT {_OF_PAIR.format('unit')} FROM axis_label)"
_TOLD: Final = ("response_id", "record_id", "question_id", "model", "origin", "created_at", "finish", "question")
"""What a line says of the response."""
_RESPONSE: Final = f"SELECT {', '.join(_TOLD)} FROM response WHERE response_id = ?"
_TURNS: Final = "SELECT role, text FROM turn WHERE response_id = ? ORDER BY ordinal"
_STATEMENTS: Final = f"""
SELECT s.response_id, s.statement_id, s."start", s."end", s.parts, s.text, v.verdict, v.supported, a.stratum
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id LEFT JOIN audit_item AS a ON a.statement_id = s.statement_id
WHERE s.statement_id IN {_LABELLED} ORDER BY r.ordinal, s.ordinal"""
_SOURCES: Final = """
SELECT r.response_id, c.source_id, u.url, u.current_snapshot AS snapshot_id, p.title, p.page_state
FROM response AS r CROSS JOIN citation AS c ON c.response_id = r.response_id JOIN source AS u USING (source_id)
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
GROUP BY r.ordinal, c.source_id ORDER BY r.ordinal, min(c.ordinal)"""
_HIGHLIGHTS: Final = f"""
SELECT s.response_id, s.statement_id, e.snapshot_id, e.highlights
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN evidence AS e ON e.statement_id = s.statement_id
WHERE s.statement_id IN {_LABELLED} ORDER BY r.ordinal, s.ordinal"""
_MARKERS: Final = """
SELECT r.response_id, m.statement_id, m.source_id
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN marker AS m ON m.statement_id = s.statement_id
WHERE m.source_id IS NOT NULL ORDER BY r.ordinal, s.ordinal"""
_JUDGEMENTS: Final = f"""
SELECT s.response_id, s.statement_id, {COLUMNS}, run.model, j.quote, j.reason
FROM response AS r CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN judgement AS j ON j.statement_id = s.statement_id JOIN judge_run AS run USING (judge_run_id)
WHERE s.statement_id IN {_LABELLED} ORDER BY r.ordinal, s.ordinal"""
_ASIDE: Final = """
SELECT unit, reviewer, pass, kind, payload FROM event_live WHERE kind IN ('note', 'reason', 'flag', 'tag')
ORDER BY event_id"""
_SETTLED: Final = "SELECT unit, axis, label, adjudicated_by, reviewer FROM adjudicated WHERE stands"
_GOLD: Final = "SELECT unit, axis, label FROM gold"


class LabelLines:
    """The lines of one study; whoever reads in it has the view ``axis_label`` as it is meant to be.

    ``page_text``: with the passages of the sources. ``told``: the units of which the reader may know what machines say,
    where these are not all; the study's tables say nothing of the others' judgements then. ``named``: what a reviewer
    is called.
    """

    def __init__(
        self,
        reader: sqlite3.Connection,
        *,
        page_text: bool = True,
        told: Collection[str] | None = None,
        named: Callable[[str], str] = str,
    ) -> None:
        self._reader = reader
        self._page_text = page_text
        self._told = told
        self._named = named
        self._axes = {STATEMENT: "evidence", **{name: kind.axis for name, kind in KINDS.items()}}
        self._aside = _asides(reader)
        self._settled = {(row["unit"], row["axis"]): row for row in reader.execute(_SETTLED)}
        self._gold = {(unit, axis): label for unit, axis, label in reader.execute(_GOLD)}
        self._text = lru_cache(_PAGES_AT_ONCE)(lambda snapshot_id: load_text(reader, snapshot_id))

    def __iter__(self) -> Iterator[str]:
        """The lines, in the order of the records."""
        encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        return map(encode, self.records())

    def records(self) -> Iterator[Record]:
        """By response, statement and pair; then the units of other kinds, by kind and id."""
        yield from self._statements()
        for kind in KINDS:
            if kind != PAIR:
                yield from self._of_kind(kind)

    def _statements(self) -> Iterator[Record]:
        reader = self._reader
        voters = VoteReader(reader)
        turns = [_STATEMENTS, _SOURCES, _HIGHLIGHTS, _MARKERS, _JUDGEMENTS]
        parts = [rows_in_turn(reader.execute(query), itemgetter(0)) for query in turns]
        labels = rows_in_turn(reader.execute(_LABELS), itemgetter(0))
        every = reader.execute("SELECT response_id FROM response ORDER BY ordinal").fetchall()
        for (response_id,) in every:
            statements, cited, *others = (part(response_id) for part in parts)
            of_response = labels(response_id)
            if not statements:
                continue
            highlights, markers, judgements = (_by(rows, "statement_id") for rows in others)
            response = self._response(response_id)
            given = _by(of_response, "statement_id")
            for row in statements:
                statement_id = row["statement_id"]
                own = {marker["source_id"] for marker in markers.get(statement_id, ())} if markers else None
                passages = {one["snapshot_id"]: one["highlights"] for one in highlights.get(statement_id, ())}
                sources = [self._source(source, own, passages.get(source["snapshot_id"])) for source in cited]
                said = _votes(voters, judgements.get(statement_id, ()))
                about = response | {"text": row["text"], "places": _places(row)}
                for unit, rows in groupby(given[statement_id], key=itemgetter("unit")):
                    if kind_of(unit) == STATEMENT:
                        rolled = {name: row[name] for name in ("verdict", "supported", "stratum")}
                        yield self._record(unit, about, sources, rows, said, rolled)
                    else:
                        _, source_id = ids_of(unit)
                        one = [source for source in sources if source["source_id"] == source_id]
                        words = [judge for judge in said if judge["source_id"] == source_id]
                        yield self._record(unit, about, one, rows, words)

    def _of_kind(self, kind: str) -> Iterator[Record]:
        """The units of another kind: what they hold beside their text has files of its own."""
        reader = self._reader
        rows = reader.execute(_LABELS_OF_KIND, (kind,)).fetchall()
        if not rows:
            return
        query = f"SELECT unit, text, model, origin, record_id FROM ({KINDS[kind].rows})"
        labelled = {row["unit"] for row in rows}
        texts = {row["unit"]: dict(row) for row in reader.execute(query) if row["unit"] in labelled}
        ratings = (one for one in KINDS[kind].machine_ratings(reader) if one.unit in labelled)
        said: dict[str, list[Record]] = {}
        for one in ratings:
            if self._told is None or one.unit in self._told:
                said.setdefault(one.unit, []).append(_judge(judge=one.rater, axis=one.axis, label=one.value))
        for unit, of_unit in groupby(rows, key=itemgetter("unit")):
            found = texts.get(unit)
            if found is None:  # taken back, or edited away
                continue
            response = self._response(response_of(reader, unit))
            about = response | {name: found[name] for name in ("text", "model", "origin", "record_id")}
            yield self._record(unit, about | {"places": []}, [], of_unit, said.get(unit, []))

    def _response(self, response_id: str) -> Record:
        row = self._reader.execute(_RESPONSE, (response_id,)).fetchone()
        turns = [dict(turn) for turn in self._reader.execute(_TURNS, (response_id,))]
        return (dict(row) if row else dict.fromkeys(_TOLD, "")) | {"turns": turns}

    def _source(self, row: sqlite3.Row, own: Collection[str] | None, highlights: str | None) -> Record:
        spans = json.loads(highlights) if highlights and self._page_text else ()
        text = self._text(row["snapshot_id"]) if spans else ""
        return {
            "source_id": row["source_id"],
            "url": row["url"],
            "title": row["title"] or "",
            "snapshot_id": row["snapshot_id"] or "",
            "page_state": row["page_state"] or "",
            "cited": "" if own is None else "yes" if row["source_id"] in own else "no",
            "passages": [{"start": start, "end": end, "text": text[start:end]} for start, end in spans],
        }

    def _record(
        self,
        unit: str,
        about: Mapping[str, Any],
        sources: Sequence[Record],
        rows: Iterable[sqlite3.Row],
        judges: Sequence[Record],
        rolled: Mapping[str, Any] | None = None,
    ) -> Record:
        kind, rolled = kind_of(unit), rolled or {}
        axis = self._axes[kind]
        given = list(rows)
        settled = self._settled.get((unit, axis))
        consensus, source = _consensus(axis, given, settled)
        return {
            "unit_id": unit,
            "kind": kind,
            "axis": axis,
            **{name: about[name] for name in (*_TOLD, "text")},
            "turns": about["turns"],
            "places": about["places"],
            "sources": sources,
            "labels": sorted(map(self._label, given), key=itemgetter("reviewer_id", "pass_no", "axis")),
            "consensus": consensus,
            "consensus_by": source,
            "adjudicated_by": settled["adjudicated_by"] if settled else "",
            "adjudicator_id": self._named(settled["reviewer"]) if settled else "",
            "gold": self._gold.get((unit, axis), ""),
            "judges": judges,
            "verdict": rolled.get("verdict") or "",
            "support": _two_way(rolled.get("supported")),
            "stratum": rolled.get("stratum") or "",
        }

    def _label(self, row: sqlite3.Row) -> Record:
        aside = self._aside.get((row["unit"], row["reviewer"], row["pass"]), _NOTHING_ASIDE)
        seen = json.loads(row["exposure"]) if row["exposure"] else {}
        return {
            "reviewer_id": self._named(row["reviewer"]),
            "pass_no": row["pass"],
            "axis": row["axis"],
            "mode": row["mode"],
            "label": row["label"],
            "label_final": row["current"],
            "changed_after_reveal": bool(row["changed_after_reveal"]),
            "stale": bool(row["stale"]),
            "source_id": row["source_id"] or "",
            "exposure": {part: seen.get(part, "") for part, _ in EXPOSURE},
            "reason_code": aside["reasons"].get(row["current_event"], ""),
            "note": aside["note"],
            "flags": " ".join(sorted(flag for flag, on in aside["flags"].items() if on)),
            "tags": " ".join(sorted(tag for tag, on in aside["tags"].items() if on)),
            "decided_utc": row["at_utc"],
        }


_NOTHING_ASIDE: Final[Mapping[str, Any]] = {"note": "", "reasons": {}, "flags": {}, "tags": {}}


def _asides(reader: sqlite3.Connection) -> dict[tuple[str, str, int], Record]:
    """The current note, reasons, flags and tags by unit, reviewer and pass."""
    found: dict[tuple[str, str, int], Record] = {}
    for unit, reviewer, pass_no, kind, payload in reader.execute(_ASIDE):
        said = json.loads(payload)
        one = found.setdefault((unit, reviewer, pass_no), {"note": "", "reasons": {}, "flags": {}, "tags": {}})
        if kind == "note":
            one["note"] = said["text"]
        elif kind == "reason":
            one["reasons"][said.get("decision")] = said.get("code") or ""
        elif kind == "flag":
            one["flags"][said["flag"]] = said["on"]
        else:
            one["tags"][said["tag"]] = said["on"]
    return found


def _consensus(axis: str, labels: Sequence[sqlite3.Row], settled: sqlite3.Row | None) -> tuple[str, str]:
    """The label of the main axis that stands for all reviewers, and one of :data:`CONSENSUS`; both empty without one.

    It is of the first pass, as conflicts are, and of labels on the text as it is now.
    """
    if settled is not None:
        return settled["label"], CONSENSUS[0]
    said = [row["current"] for row in labels if row["axis"] == axis and row["pass"] == 1 and not row["stale"]]
    if len(set(said)) != 1:
        return "", ""
    return said[0], CONSENSUS[2 if len(said) == 1 else 1]


def _votes(voters: VoteReader, rows: Sequence[sqlite3.Row]) -> list[Record]:
    """What the judges say that count on a statement, source by source; without a label where they abstain."""
    stored = {row["judgement_id"]: row for row in rows}
    return [_vote(vote, stored[vote.judgement_id]) for vote in jury(voters.votes(rows))]


def _vote(vote: Vote, row: sqlite3.Row) -> Record:
    return _judge(
        judge=vote.judge.name, model=row["model"], axis="evidence", source_id=vote.source_id, label=vote.verdict or "",
        support=_two_way(vote.supported), raw_label=row["raw_label"], confidence=vote.confidence, quote=row["quote"],
        quote_status=vote.quote_status, reason=row["reason"],
    )  # fmt: skip


def _judge(
    *, judge: str, axis: str, label: str, model: str = "", source_id: str = "", support: str = "", raw_label: str = "",
    confidence: float | None = None, quote: str = "", quote_status: str = "", reason: str = "",
) -> Record:  # fmt: skip
    return {
        "judge": judge, "model": model, "axis": axis, "source_id": source_id, "label": label, "support": support,
        "raw_label": raw_label, "confidence": confidence, "quote": quote, "quote_status": quote_status,
        "reason": reason,
    }  # fmt: skip


def _places(row: sqlite3.Row) -> list[dict[str, int]]:
    return [{"start": start, "end": end} for start, end in places_of(row)]


def _two_way(supported: int | bool | None) -> str:
    """A level of the axis ``support``; empty where nobody could tell."""
    return "" if supported is None else SUPPORT[not supported].level


def _by(rows: Iterable[sqlite3.Row], name: str) -> dict[str, list[sqlite3.Row]]:
    found: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        found.setdefault(row[name], []).append(row)
    return found
