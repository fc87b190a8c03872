"""The rows of labels.csv: one for every statement, reviewer and pass."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from medreview.exchange.files.columns import EXPORT_VERSION, LABELS
from medreview.exchange.files.csv_file import Cell
from medreview.judges.rollup import tie_rule
from medreview.labels import FLAGS, TieRule
from medreview.study.ids import content_id
from medreview.units.derived_label import Derived, derived_labels

_NAMES: Final = tuple(column.name for column in LABELS)

# CROSS JOIN fixes the order of the loops, so that rows come sorted from the indexes and are never all held at once.
_MATERIAL: Final = """
SELECT s.statement_id, s.response_id, s.ordinal, s.text, s.text_sha256, r.record_id, r.question,
       r.model, r.origin,
       j.judge_run_id, run.model AS judge_model, run.prompt_sha256, j.raw_label, j.confidence, j.quote, j.quote_status,
       j.quote_doubt,
       v.statement_id IS NOT NULL AS rolled_up, v.verdict, v.supported, v.conflict, v.votes_for, v.votes_other,
       v.abstained, v.tied,
       a.stratum, a.inclusion_prob, judged.url AS judged_url, x.how AS retired
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
LEFT JOIN judgement AS j ON j.judgement_id = v.judgement_id
LEFT JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
LEFT JOIN snapshot AS page ON page.snapshot_id = j.snapshot_id
LEFT JOIN source AS judged ON judged.source_id = page.source_id
LEFT JOIN audit_item AS a ON a.statement_id = s.statement_id
LEFT JOIN retired_statement AS x ON x.statement_id = s.statement_id
WHERE EXISTS (SELECT 1 FROM event WHERE unit = s.statement_id)
ORDER BY r.ordinal, s.ordinal"""

_EVENTS: Final = """
SELECT e.unit, e.event_id, e.at_utc, e.reviewer, e.kind, e.pass, e.block, e.mode, e.payload, e.label_set_version,
       e.event_id IN (SELECT event_id FROM event_live) AS live,
       l.first_event IS e.event_id AS is_first,
       e.event_id IN (SELECT event_id FROM decision_current) AS is_current,
       e.snapshot, p.text_sha256 AS page_sha256, p.fetched_at, p.extractor, u.url,
       (SELECT text_sha256 FROM snapshot WHERE snapshot_id = u.current_snapshot) AS newest_sha256,
       e.event_id IN (SELECT event_id FROM decision_stale) AS stale,
       e.event_id IN (SELECT event_id FROM span_live) AS span,
       seen.event_id AS judges_seen, l.mode AS label_mode, l.changed_after_reveal
FROM response AS r CROSS JOIN statement AS s ON s.response_id = r.response_id
CROSS JOIN event AS e ON e.unit = s.statement_id
LEFT JOIN snapshot AS p ON p.snapshot_id = e.snapshot AND e.kind IN ('decide', 'revise')
LEFT JOIN source AS u ON u.source_id = p.source_id
LEFT JOIN judges_seen AS seen ON seen.reviewer = e.reviewer AND seen.unit = e.unit
LEFT JOIN axis_label AS l ON l.reviewer = e.reviewer AND l.pass = e.pass AND l.unit = e.unit AND l.axis = 'evidence'
ORDER BY r.ordinal, s.ordinal, e.reviewer, e.pass, e.event_id"""


def label_rows(reader: sqlite3.Connection, study_id: str) -> Iterator[Sequence[Cell]]:
    """The rows in the order of :data:`LABELS`, by response, statement, reviewer and pass.

    A row stands for every reviewer and pass with an event on the statement that was not retracted.
    """
    materials, tie = reader.execute(_MATERIAL), tie_rule(reader)
    derived = {(one.statement_id, one.reviewer, one.pass_no): one.current for one in derived_labels(reader)}
    for _, of_unit in groupby(reader.execute(_EVENTS), key=lambda event: event["unit"]):
        material = _material(next(materials), tie)
        for who, events in groupby(of_unit, key=lambda event: (event["reviewer"], event["pass"])):
            from_pairs = _from_pairs(derived.get((material["unit_id"], *who)))
            row = _human(list(events), material["statement_sha256"])
            if row:
                cells = (
                    material
                    | row
                    | from_pairs
                    | {"export_version": EXPORT_VERSION, "study_id": study_id, "unit_type": "statement"}
                )
                yield [cells.get(name) for name in _NAMES]


def _material(row: sqlite3.Row, tie: TieRule) -> dict[str, Any]:
    """The columns on the statement, its response and the judges."""
    return {
        "unit_id": row["statement_id"],
        "response_id": row["response_id"],
        "record_id": row["record_id"],
        "question_id": content_id("q", row["question"]) if row["question"] else None,
        "statement_ordinal": row["ordinal"],
        "statement_text": row["text"],
        "statement_sha256": row["text_sha256"],
        "response_model": row["model"],
        "origin": row["origin"],
        "judge_run_id": row["judge_run_id"],
        "judge_model": row["judge_model"],
        "judge_prompt_sha256": row["prompt_sha256"],
        "judge_raw_label": row["raw_label"],
        "judge_verdict": row["verdict"],
        "judge_supported": row["supported"],
        "judge_conflict": row["conflict"],
        "judge_confidence": row["confidence"],
        "judge_source_url": row["judged_url"],
        "judge_quote": row["quote"],
        "judge_quote_status": row["quote_status"],
        "judge_quote_doubt": row["quote_doubt"],
        "jury_n": row["votes_for"] + row["votes_other"] if row["rolled_up"] else None,
        "jury_for": row["votes_for"],
        "jury_against": row["votes_other"],
        "jury_abstained": row["abstained"],
        "jury_rule": f"plurality, tie {tie}" if row["votes_for"] else None,
        "jury_tie": row["tied"],
        "stratum": row["stratum"],
        "inclusion_prob": row["inclusion_prob"],
        "retired": row["retired"],
    }


def _from_pairs(derived: Derived | None) -> dict[str, Any]:
    """The columns on what the same reviewer's labels on the statement's pairs come to."""
    if derived is None:
        return {}
    return {
        "label_from_pairs": derived.label,
        "supported_from_pairs": None if derived.supported is None else int(derived.supported),
        "pairs_labelled": derived.labelled,
        "pairs": derived.pairs,
    }


def _human(events: list[sqlite3.Row], statement_sha256: str) -> dict[str, Any]:
    """The columns on what one reviewer did with one statement in one pass.

    Empty when all of it was retracted, and when the statement was only looked at: a look is no label.
    """
    live = [(event, json.loads(event["payload"])) for event in events if event["live"]]
    if all(event["kind"] in ("shown", "listed", "reveal") for event, _ in live):
        return {}
    decided = {said["axis"]: (event, said) for event, said in live if event["is_current"]}
    first = next(((event, said) for event, said in live if event["is_first"]), None)
    final = decided.get("evidence")
    met = first[0] if first else live[-1][0]
    flags = {said["flag"]: int(said["on"]) for event, said in live if event["kind"] == "flag"}
    notes = [said["text"] for event, said in live if event["kind"] == "note"]
    return {
        "reviewer_id": met["reviewer"],
        "pass_no": met["pass"],
        "mode": met["label_mode"] or ("assisted" if met["judges_seen"] else "blind"),
        "queue_name": met["block"],
        "verdict_first": first[1]["label"] if first else None,
        "verdict_final": final[1]["label"] if final else None,
        "halluc_type": decided["hallucination"][1]["label"] if "hallucination" in decided else None,
        "note": notes[-1] if notes else None,
        **{f"flag_{flag.level}": flags.get(flag.level, 0) for flag in FLAGS},
        "deferred_times": sum(event["kind"] == "defer" for event, _ in live),
        "n_spans": sum(event["span"] for event in events),
        "n_events": len(events),
        "first_shown_utc": min((event["at_utc"] for event, _ in live if event["kind"] == "shown"), default=None),
        "label_set_version": (final[0] if final else events[-1])["label_set_version"],
        "first_event_id": events[0]["event_id"],
        "last_event_id": events[-1]["event_id"],
        **(_first(events, *first, final) if first else {}),
        **(_final(live, *final, statement_sha256) if final else {}),
    }


def _first(
    events: list[sqlite3.Row],
    event: sqlite3.Row,
    said: dict[str, Any],
    final: tuple[sqlite3.Row, dict[str, Any]] | None,
) -> dict[str, Any]:
    """How the first decision was made, and what the reviewer saw before and after it."""
    # A retracted reveal counts: what was seen cannot be unseen.
    revealed = any(e["kind"] == "reveal" and e["event_id"] > event["event_id"] for e in events)
    later = final[1].get("exposure", {}) if final else {}
    # Seen by the record, which a merged copy completes, though not by what was known when it was decided.
    unknown = event["mode"] == "blind" and event["label_mode"] == "assisted"

    def seen(what: str) -> str | None:
        before = said.get("exposure", {}).get(what)
        if before != "no":
            return str(before) if before else None
        return "before" if unknown else "after" if revealed or later.get(what, "no") != "no" else "no"

    return {
        "changed_after_reveal": event["changed_after_reveal"],
        "exposure_judge_verdict": seen("judge_verdict"),
        "exposure_judge_highlight": seen("judge_highlight"),
        "exposure_jury": seen("jury"),
        "active_ms": said.get("active_ms"),
        "wall_ms": _wall_ms(events, event),
        "n_keys": said.get("keys"),
    }


def _final(
    live: list[tuple[sqlite3.Row, dict[str, Any]]], event: sqlite3.Row, said: dict[str, Any], statement_sha256: str
) -> dict[str, Any]:
    """When, why and on which page the current decision was made."""
    reasons = [s["code"] for e, s in live if e["kind"] == "reason" and s.get("decision") == event["event_id"]]
    return {
        "reason_code": reasons[-1] if reasons else None,
        "decided_utc": event["at_utc"],
        "guideline": said.get("guideline"),
        "snapshot_id": event["snapshot"],
        "source_url": event["url"],
        "source_text_sha256": event["page_sha256"],
        "source_fetched_at": event["fetched_at"],
        "extractor": event["extractor"],
        "stale": _stale(event, said, statement_sha256),
    }


def _stale(event: sqlite3.Row, said: dict[str, Any], statement_sha256: str) -> int | None:
    if said.get("statement_sha256", statement_sha256) != statement_sha256:
        return 1
    if event["snapshot"] and event["newest_sha256"] is None and not event["stale"]:
        return None
    return int(event["stale"])


def _wall_ms(events: list[sqlite3.Row], decision: sqlite3.Row) -> int | None:
    """From the last time it came on the screen; a clock that was set back gives 0."""
    shown = [e["at_utc"] for e in events if e["kind"] == "shown" and e["event_id"] < decision["event_id"]]
    if not shown:
        return None
    passed = datetime.fromisoformat(decision["at_utc"]) - datetime.fromisoformat(shown[-1])
    return max(0, round(passed.total_seconds() * 1000))
