"""The rows of unit_labels.csv, one for every unit of any kind, reviewer, pass and axis; and of reviewers.csv."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from medreview.exchange.exports.unit_rows import UNIT_LABELS
from medreview.exchange.files.columns import EXPOSURE, Column
from medreview.exchange.files.csv_file import Cell
from medreview.labels import FLAGS
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.rows import rows_in_turn
from medreview.study.study_acts import backgrounds
from medreview.study.unit_faults import response_of
from medreview.units.label_comparisons import told_results
from medreview.units.registry import KINDS

REVIEWERS: Final = (
    Column("reviewer_id", "text", "The reviewer."),
    Column("role", "text", "Physician, nurse, student, ..., as the reviewer says; empty, as the next three: nothing "
           "was said."),
    Column("years_of_practice", "integer", "Years of practice.", unit="years"),
    Column("specialty", "text", "Specialty."),
    Column("words", "text", "Anything else that bears on the labels."),
    Column("said_utc", "text", "When that was said."),
    Column("decided", "integer", "Units that the reviewer decided, in any pass."),
    Column("gold_right", "integer", "Gold items that the reviewer gave the right label, of the blocks that are done."),
    Column("gold_wrong", "integer", "Gold items that got another label."),
    Column("attention_failed", "integer", "Of these the checks of attention."),
)  # fmt: skip


_DECIDED = "SELECT count(*) FROM standing WHERE reviewer = ? AND state = 'decided'"


def reviewer_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By name."""
    for name, said, at in list(backgrounds(reader)):
        gold = told_results(reader, name)
        wrong = [one for one in gold if not one.right]
        yield (
            name,
            said.role or None,
            said.years,
            said.specialty or None,
            said.words or None,
            at or None,
            reader.execute(_DECIDED, (name,)).fetchone()[0],
            len(gold) - len(wrong),
            len(wrong),
            sum(one.gold.attention for one in wrong),
        )


_NAMES: Final = tuple(column.name for column in UNIT_LABELS)
_LOOKS: Final = ("shown", "listed", "reveal")

_EVENTS: Final = """
SELECT e.unit, e.event_id, e.at_utc, e.reviewer, e.kind, e.pass, e.block, e.payload, e.label_set_version,
       e.event_id IN (SELECT event_id FROM event_live) AS live,
       e.event_id IN (SELECT event_id FROM span_live) AS span
FROM event AS e
WHERE EXISTS (SELECT 1 FROM statement AS s WHERE s.statement_id = e.unit) OR instr(e.unit, ':')
ORDER BY e.unit, e.reviewer, e.pass, e.event_id"""

_LABELS: Final = "SELECT * FROM axis_label WHERE unit = ? AND reviewer = ? AND pass = ? ORDER BY axis"
_SETTLED: Final = "SELECT unit, axis, label, adjudicated_by, reviewer FROM adjudicated WHERE stands ORDER BY unit"
_OF_STATEMENT: Final = """
SELECT response_id, r.record_id, r.origin, r.model
FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?"""
_STORED: Final = "SELECT record_id, origin, model FROM unit WHERE unit_id = ?"
_RESPONSE: Final = "SELECT record_id, origin, model FROM response WHERE response_id = ?"


def unit_label_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """The rows in the order of :data:`UNIT_LABELS`, by unit, reviewer, pass and axis.

    Who only looked at a unit, or took back everything, has no row; who put it off or made a note has one without a
    label.
    """
    axes = dict(reader.execute("SELECT kind, axis FROM unit_kind").fetchall())
    adjudicated = rows_in_turn(reader.execute(_SETTLED), itemgetter(0))
    for unit, of_unit in groupby(reader.execute(_EVENTS), key=itemgetter(0)):
        material = _material(reader, unit)
        settled = {row["axis"]: row for row in adjudicated(unit)}
        for (reviewer, pass_no), of_one in groupby(of_unit, key=itemgetter("reviewer", "pass")):
            events = list(of_one)
            live = [(event, json.loads(event["payload"])) for event in events if event["live"]]
            if all(event["kind"] in (*_LOOKS, "adjudicate") for event, _ in live):
                continue
            beside = material | _beside(events, live) | {"reviewer_id": reviewer, "pass_no": pass_no}
            labels = reader.execute(_LABELS, (unit, reviewer, pass_no)).fetchall()
            rows = [_label(label, live) | _adjudicated(settled.get(label["axis"])) for label in labels]
            for row in rows or [{"axis": axes[kind_of(unit)], "queue_name": live[-1][0]["block"]}]:
                cells = beside | row
                yield [cells.get(name) for name in _NAMES]


def _material(reader: sqlite3.Connection, unit: str) -> dict[str, Any]:
    """The columns on the unit itself."""
    kind = kind_of(unit)
    if kind == STATEMENT and (found := reader.execute(_OF_STATEMENT, (unit,)).fetchone()):
        response_id, record_id, origin, model = found
        named = {"record_id": record_id, "origin": origin, "model": model}
        return {"unit_id": unit, "kind": kind, "cluster_id": response_id, **named}
    response_id = response_of(reader, unit)
    row = reader.execute(_STORED, (unit,)).fetchone() or reader.execute(_RESPONSE, (response_id,)).fetchone()
    cluster = KINDS[kind].cluster(reader, unit) if kind in KINDS else response_id
    return {"unit_id": unit, "kind": kind, "cluster_id": cluster or unit, **(dict(row) if row else {})}


def _beside(events: Sequence[sqlite3.Row], live: Sequence[tuple[sqlite3.Row, Mapping[str, Any]]]) -> dict[str, Any]:
    """What a reviewer did with the unit beside labelling it."""
    flags = {said["flag"]: int(said["on"]) for event, said in live if event["kind"] == "flag"}
    notes = [said["text"] for event, said in live if event["kind"] == "note"]
    return {
        "note": notes[-1] if notes else None,
        **{f"flag_{flag.level}": flags.get(flag.level, 0) for flag in FLAGS},
        "deferred_times": sum(event["kind"] == "defer" for event, _ in live),
        "n_spans": sum(event["span"] for event in events),
        "first_shown_utc": min((event["at_utc"] for event, _ in live if event["kind"] == "shown"), default=None),
        "n_events": len(events),
    }


def _label(label: sqlite3.Row, live: Sequence[tuple[sqlite3.Row, Mapping[str, Any]]]) -> dict[str, Any]:
    """The label on one axis."""
    by_id = {event["event_id"]: (event, said) for event, said in live}
    event, said = by_id[label["current_event"]]
    first, _ = by_id.get(label["first_event"], (event, said))
    reasons = [s["code"] for e, s in live if e["kind"] == "reason" and s.get("decision") == label["current_event"]]
    exposure = said.get("exposure", {})
    return {
        "axis": label["axis"],
        "mode": label["mode"],
        "label_first": label["first_label"] or label["label"],
        "label_final": label["current"],
        "changed_after_reveal": label["changed_after_reveal"],
        **{name: said.get(name) for name in ("text", "category", "via", "seed", "active_ms")},
        "n_keys": said.get("keys"),
        "shown_order": _order(said.get("shown")),
        "guideline_version": said.get("guideline"),
        "text_sha256": said.get("statement_sha256") or said.get("unit_sha256"),
        **{f"exposure_{part}": exposure.get(part) for part, _ in EXPOSURE},
        "reason_code": reasons[-1] if reasons else None,
        "queue_name": first["block"],
        "first_decided_utc": first["at_utc"],
        "decided_utc": event["at_utc"],
        "label_set_version": event["label_set_version"],
        "first_event_id": first["event_id"],
        "final_event_id": event["event_id"],
    }


def _order(shown: Any) -> str | None:
    """The numbers of a ranking's outputs as they stood on the screen, parted by blanks."""
    return " ".join(map(str, shown)) if isinstance(shown, list) else shown


def _adjudicated(row: sqlite3.Row | None) -> dict[str, Any]:
    if row is None:
        return {}
    return {
        "adjudicated_label": row["label"],
        "adjudicated_by": row["adjudicated_by"],
        "adjudicator_id": row["reviewer"],
    }
