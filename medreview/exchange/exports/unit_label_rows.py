"""unit_labels.csv: a row for every unit of any kind, reviewer, pass and axis; and reviewers.csv."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Final

from medreview.exchange.exports.label_rows import acts, deferred, first_shown, flagged, spans
from medreview.exchange.exports.unit_rows import UNIT
from medreview.exchange.files.columns import EXPOSURE, Cell, Column, ExportFile, cells, cells_of
from medreview.labels import ADJUDICATED_BY, FLAGS
from medreview.study.ids import STATEMENT, kind_of
from medreview.study.rows import dict_of, rows_in_turn
from medreview.study.study_acts import backgrounds
from medreview.study.unit_faults import response_of
from medreview.units.label_comparisons import told_results
from medreview.units.registry import KINDS


def _in(part: str, name: str) -> Callable[[Any], Cell]:
    """The cell is what the ``label`` of the axis, its ``event``, what that ``said``, the ``first`` label's event, or
    what ``settled`` the conflict has of this name."""
    return lambda one: getattr(one, part).get(name)


def _exposure(part: str, words: str) -> Column:
    meaning = f"Whether {words} had been seen before label_final; empty when not known."
    return Column(f"exposure_{part}", "text", meaning, levels=("no", "before"),
                  made=lambda one: one.said.get("exposure", {}).get(part))  # fmt: skip


def _order(shown: Any) -> str | None:
    """The numbers of a ranking's outputs as they stood on the screen, parted by blanks."""
    return " ".join(map(str, shown)) if isinstance(shown, list) else shown


_COLUMNS: Final = (
    UNIT,
    Column("kind", "text", "Which kind of unit it is."),
    Column("cluster_id", "text", "The response, case or passage that it is part of, or itself: what to resample."),
    Column("record_id", "text", "Its id, or that of its response, in the file it came from."),
    Column("origin", "text", "Where it, or its response, came from: a stratum."),
    Column("model", "text", "The model that wrote it, or its response."),
    Column("reviewer_id", "text", "Who labelled."),
    Column("pass_no", "integer", "Which time this reviewer went through the study, from 1."),
    Column("axis", "text", "The axis of the label; without a label the main axis of the kind."),
    Column("mode", "text", "blind: label_first was given before anything of the machines' opinion had been seen; "
           "assisted: it had been. Never pool them. Empty without a label.", levels=("blind", "assisted"),
           made=_in("label", "mode")),
    Column("label_first", "text", "The label that stood when the machines' opinion was seen; where it was seen from "
           "the start, the first that still stands.",
           made=lambda one: one.label.get("first_label") or one.label.get("label")),
    Column("label_final", "text", "The current label; of a ranking the outputs' numbers, best first.",
           made=_in("label", "current")),
    Column("changed_after_reveal", "boolean", "1: label_first is blind and was changed once the machines' opinion had "
           "been seen.", made=_in("label", "changed_after_reveal")),
    Column("text", "text", "The text that the label goes with, as of a key fact that was edited.",
           made=_in("said", "text")),
    Column("category", "text", "The category that the label goes with.", made=_in("said", "category")),
    Column("via", "text", "How label_final was given.", made=_in("said", "via")),
    Column("reason_code", "text", "Why label_final differs from the machines'.",
           made=lambda one: one.reasons.get(one.label.get("current_event", ""))),
    Column("adjudicated_label", "text", "The label that settles a conflict of reviewers on this unit and axis, as long "
           "as it stands.", made=_in("settled", "label")),
    Column("adjudicated_by", "text", "Settled by a third reviewer, or by agreement.", levels=ADJUDICATED_BY,
           made=_in("settled", "adjudicated_by")),
    Column("adjudicator_id", "text", "Who recorded that.", made=_in("settled", "reviewer")),
    Column("note", "text", "The reviewer's current note on the unit."),
    *(replace(flagged(flag.level), name=f"flag_{flag.level}", type="boolean") for flag in FLAGS),
    Column("deferred_times", "integer", "How often the unit was put off.",
           made=deferred),
    Column("n_spans", "integer", "Spans of the unit that stand in spans.csv.",
           made=spans),
    *(_exposure(part, words) for part, words in EXPOSURE),
    Column("shown_order", "text", "The order in which a ranking's outputs stood on the screen, by their numbers.",
           made=lambda one: _order(one.said.get("shown"))),
    Column("seed", "integer", "The seed of that order.", made=_in("said", "seed")),
    Column("guideline_version", "text", "Version of the guidelines at label_final.", made=_in("said", "guideline")),
    Column("queue_name", "text", "The queue in which label_first was given (without one: the last queue).",
           made=lambda one: {**one.live[-1], **one.first}["block"]),
    Column("first_shown_utc", "time", "When the unit was first shown.", unit="UTC", made=first_shown),
    Column("first_decided_utc", "time", "When label_first was given.", unit="UTC", made=_in("first", "at_utc")),
    Column("decided_utc", "time", "When label_final was given.", unit="UTC", made=_in("event", "at_utc")),
    Column("active_ms", "integer", "Working time up to label_final, as the workbench measured it.", unit="ms",
           made=_in("said", "active_ms")),
    Column("n_keys", "integer", "Keys pressed up to label_final.", made=_in("said", "keys")),
    Column("text_sha256", "text", "SHA-256 of the text that label_final is about.",
           made=lambda one: one.said.get("statement_sha256") or one.said.get("unit_sha256")),
    Column("label_set_version", "text", "Version of the label set at label_final.",
           made=_in("event", "label_set_version")),
    Column("first_event_id", "text", "The event of label_first.", made=_in("first", "event_id")),
    Column("final_event_id", "text", "The event of label_final.", made=_in("event", "event_id")),
    Column("n_events", "integer", "Events of this reviewer on the unit in this pass, retracted ones too.",
           made=lambda one: len(one.events)),
)  # fmt: skip


_HERE: Final = "EXISTS (SELECT 1 FROM statement AS s WHERE s.statement_id = e.unit) OR instr(e.unit, ':')"
_EVENTS: Final = f"""
SELECT e.unit, e.event_id, e.at_utc, e.reviewer, e.kind, e.pass, e.block, e.payload, e.label_set_version,
       e.event_id IN (SELECT event_id FROM event_live) AS live,
       e.event_id IN (SELECT event_id FROM span_live) AS span
FROM event AS e
WHERE {_HERE}
ORDER BY e.unit, e.reviewer, e.pass, e.event_id"""

_LABELS: Final = f"SELECT * FROM axis_label AS e WHERE {_HERE} ORDER BY unit, reviewer, pass, axis"
_SETTLED: Final = "SELECT unit, axis, label, adjudicated_by, reviewer FROM adjudicated WHERE stands ORDER BY unit"
_OF_STATEMENT: Final = """
SELECT response_id AS cluster_id, r.record_id, r.origin, r.model
FROM statement AS s JOIN response AS r USING (response_id) WHERE s.statement_id = ?"""
_STORED: Final = "SELECT record_id, origin, model FROM unit WHERE unit_id = ?"
_RESPONSE: Final = "SELECT record_id, origin, model FROM response WHERE response_id = ?"


def _unit_label_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By unit, reviewer, pass and axis.

    Only looking at a unit, or taking back everything, gives no row; deferring it or a note gives one without a label.
    """
    made = cells_of(_COLUMNS)
    axes = dict(reader.execute("SELECT kind, axis FROM unit_kind").fetchall())
    adjudicated = rows_in_turn(reader.execute(_SETTLED), itemgetter(0))
    labelled = rows_in_turn(reader.execute(_LABELS), itemgetter("unit", "reviewer", "pass"))
    for unit, of_unit in groupby(reader.execute(_EVENTS), key=itemgetter(0)):
        material = _material(reader, unit)
        settled = {row["axis"]: dict(row) for row in adjudicated(unit)}
        for who, events in groupby(of_unit, key=itemgetter("reviewer", "pass")):
            done, labels = acts(events), list(map(dict_of, labelled((unit, *who))))
            if all(event["kind"] in ("shown", "listed", "reveal", "adjudicate") for event in done["live"]):
                continue
            by_id = {event["event_id"]: event for event in done["live"]}
            for label in labels or [{"axis": axes[kind_of(unit)]}]:
                event = by_id[label["current_event"]] if len(label) > 1 else {}
                one = SimpleNamespace(
                    **material, **done, reviewer_id=who[0], pass_no=who[1], axis=label["axis"], label=label,
                    event=event, said=event.get("said", {}), first=by_id.get(label.get("first_event"), event),
                    settled=settled.get(label["axis"], {}) if event else {},
                )  # fmt: skip
                yield made(one)


def _material(reader: sqlite3.Connection, unit: str) -> dict[str, Any]:
    """The columns on the unit itself."""
    kind = kind_of(unit)
    named = {"unit_id": unit, "kind": kind, "record_id": None, "origin": None, "model": None}
    if kind == STATEMENT and (found := reader.execute(_OF_STATEMENT, (unit,)).fetchone()):
        return named | dict_of(found)
    response_id = response_of(reader, unit)
    row = reader.execute(_STORED, (unit,)).fetchone() or reader.execute(_RESPONSE, (response_id,)).fetchone()
    cluster = KINDS[kind].cluster(reader, unit) if kind in KINDS else response_id
    return named | {"cluster_id": cluster or unit} | (dict(row) if row else {})


UNIT_LABELS: Final = ExportFile(
    "unit_labels.csv",
    _COLUMNS,
    _unit_label_rows,
    "One row for every unit of any kind, reviewer, pass and axis, with the label that settles a conflict. Blind and "
    "assisted labels answer different questions: never count them together.",
    key=("unit_id", "reviewer_id", "pass_no", "axis"),
    leads={"unit_id": "", "first_event_id": "events", "final_event_id": "events"},
    facets=("kind", "axis", "label_final", "reviewer_id", "mode"),
)

_REVIEWERS: Final = (
    Column("reviewer_id", "text", "The reviewer.", made=lambda one: one.name),
    Column("role", "text", "Physician, nurse, student, ..., as the reviewer says; empty, as the next three: nothing "
           "was said.", made=lambda one: one.said.role or None),
    Column("years_of_practice", "integer", "Years of practice.", unit="years", made=lambda one: one.said.years),
    Column("specialty", "text", "Specialty.", made=lambda one: one.said.specialty or None),
    Column("words", "text", "Anything else that bears on the labels.", made=lambda one: one.said.words or None),
    Column("said_utc", "text", "When that was said.", made=lambda one: one.at or None),
    Column("decided", "integer", "Units that the reviewer decided, in any pass."),
    Column("gold_right", "integer", "Gold items that the reviewer gave the right label, of the blocks that are done.",
           made=lambda one: sum(item.right for item in one.gold)),
    Column("gold_wrong", "integer", "Gold items that got another label.",
           made=lambda one: sum(not item.right for item in one.gold)),
    Column("attention_failed", "integer", "Of these the checks of attention.",
           made=lambda one: sum(item.gold.attention for item in one.gold if not item.right)),
)  # fmt: skip


def reviewer_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    """By name."""
    decided = "SELECT count(*) FROM standing WHERE reviewer = ? AND state = 'decided'"
    for name, said, at in list(backgrounds(reader)):
        count, gold = reader.execute(decided, (name,)).fetchone()[0], told_results(reader, name)
        yield cells(_REVIEWERS, SimpleNamespace(name=name, said=said, at=at, decided=count, gold=gold))


REVIEWERS: Final = ExportFile(
    "reviewers.csv",
    _REVIEWERS,
    reviewer_rows,
    "Who gave the labels: what they say of themselves, and the result of gold items.",
)
