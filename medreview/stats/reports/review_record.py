"""How a study was reviewed, as its record has it: by which judges, in which queues and modes, on which pages."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.labels import PAGE_STATES
from medreview.study.unit_ids import kind_of

_RUNS: Final = """
SELECT run.*, n.judged FROM judge_run AS run JOIN (
    SELECT judge_run_id, count(*) AS judged FROM (
        SELECT judge_run_id FROM judgement UNION ALL SELECT judge_run_id FROM merged_judgement
        UNION ALL SELECT judge_run_id FROM hallucination_finding UNION ALL SELECT judge_run_id FROM key_fact_vote)
    GROUP BY judge_run_id) AS n USING (judge_run_id) ORDER BY run.ordinal"""
_LABELS: Final = "SELECT reviewer, unit, mode, block FROM reviewer_label WHERE pass = 1 ORDER BY reviewer, block, mode"
_EXPOSURE: Final = """
SELECT d.reviewer, d.unit, d.payload FROM decision_first AS d
WHERE d.pass = 1 AND d.axis = 'evidence' ORDER BY d.reviewer, d.event_id"""
_PAGES: Final = """
SELECT coalesce(p.page_state, ''), count(*)
FROM source AS u LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
WHERE EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = u.source_id) GROUP BY 1"""
_BY_OCR: Final = """
SELECT count(*) FROM source AS u WHERE EXISTS (SELECT 1 FROM citation AS c WHERE c.source_id = u.source_id)
AND EXISTS (SELECT 1 FROM snapshot_ocr AS o WHERE o.snapshot_id = u.current_snapshot)"""


@dataclass(frozen=True)
class JudgeRunRow:
    """A run of a judge, and how many judgements came of it. ``kind``: ``offline``, ``llm``, ``recorded``."""

    judge: str
    kind: str
    model: str
    prompt_id: str
    prompt_sha256: str
    params: Mapping[str, Any]
    started_at: str
    judged: int


@dataclass(frozen=True)
class LabelsGiven:
    """How many labels on units of one kind a reviewer gave in one queue and mode, in the first pass."""

    reviewer: str
    kind: str
    queue: str
    mode: str
    labels: int


@dataclass(frozen=True)
class Exposure:
    """What a reviewer had seen before the first decision on a statement: how often, and of how many it is known."""

    reviewer: str
    part: str
    before: int
    known: int


@dataclass(frozen=True)
class ReviewRecord:
    """Everything of this module. ``pages``: cited sources by the state of their page, ``""`` for those not fetched;
    ``by_ocr``: of how many the page was read by OCR, in whole or in part."""

    runs: tuple[JudgeRunRow, ...] = ()
    labels: tuple[LabelsGiven, ...] = ()
    exposure: tuple[Exposure, ...] = ()
    pages: Mapping[str, int] = field(default_factory=dict)
    by_ocr: int = 0


def review_record(
    reader: sqlite3.Connection, reviewers: Collection[str], only: Collection[str] | None = None
) -> ReviewRecord:
    """The record of some reviewers; ``only``: of their labels on these statements."""
    return ReviewRecord(
        runs=tuple(map(_run, reader.execute(_RUNS))),
        labels=_labels(reader, reviewers, only),
        exposure=_exposure(reader, reviewers, only),
        pages=_pages(reader),
        by_ocr=int(reader.execute(_BY_OCR).fetchone()[0]),
    )


def _run(row: sqlite3.Row) -> JudgeRunRow:
    return JudgeRunRow(
        row["judge"], row["kind"], row["model"], row["prompt_id"], row["prompt_sha256"], json.loads(row["params"]),
        row["started_at"], row["judged"],
    )  # fmt: skip


def _labels(
    reader: sqlite3.Connection, reviewers: Collection[str], only: Collection[str] | None
) -> tuple[LabelsGiven, ...]:
    found: dict[tuple[str, str, str, str], int] = {}
    for row in reader.execute(_LABELS):
        if row["reviewer"] in reviewers and (only is None or row["unit"] in only):
            key = row["reviewer"], kind_of(row["unit"]), row["block"], row["mode"]
            found[key] = found.get(key, 0) + 1
    return tuple(LabelsGiven(*key, count) for key, count in found.items())


def _exposure(
    reader: sqlite3.Connection, reviewers: Collection[str], only: Collection[str] | None
) -> tuple[Exposure, ...]:
    found: dict[tuple[str, str], list[int]] = {}
    for row in reader.execute(_EXPOSURE):
        if row["reviewer"] in reviewers and (only is None or row["unit"] in only):
            for part, when in json.loads(row["payload"]).get("exposure", {}).items():
                counts = found.setdefault((row["reviewer"], part), [0, 0])
                counts[0] += when == "before"
                counts[1] += 1
    return tuple(Exposure(*key, *counts) for key, counts in found.items())


def _pages(reader: sqlite3.Connection) -> dict[str, int]:
    found = dict(reader.execute(_PAGES).fetchall())
    return {state: found[state] for state in (*PAGE_STATES, "") if state in found}
