"""Where a figure comes from: which state of which study, by which version and rules; how the study was reviewed.

One home for every report. ``review_record`` says by which judges, in which queues and modes, on which pages.
"""

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import medreview
from medreview.judges.rollup import tie_rule
from medreview.labels import LABEL_SET_VERSION, PAGE_STATES
from medreview.llm.costs import requests_sent
from medreview.stats.formulas.bootstrap import Resampling
from medreview.study.ids import kind_of
from medreview.units.left_out_reviewers import LeftOutReviewer, reviewers_left_out


@dataclass(frozen=True)
class Provenance:
    """What to name beside a figure that is quoted.

    ``event_head`` is the hash of the newest of ``events`` (``""`` without any): with the same one, the same decisions
    stand. ``made_at``: UTC. ``labels``: how many labels of which mode and queue are in the figures, by reviewer and
    name of the group. ``comparisons``: how many of two opinions stand side by side, so that some will look good by
    chance. ``requests_lost`` of the ``requests`` to models were sent and not answered in full, as far as is known.
    ``where``: the filter that chose the part of the study that the figures are of, ``""`` for all of it. ``left_out``:
    reviewers whose labels are in no figure. ``events`` and ``event_head`` are those of the file all the same.
    """

    study_id: str
    events: int
    event_head: str
    version: str
    made_at: str = field(compare=False)
    label_set_version: str
    level: float
    seed: int
    replicates: int
    tie_rule: str
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    comparisons: int = 0
    requests: int = 0
    requests_lost: int = 0
    where: str = ""
    left_out: tuple[LeftOutReviewer, ...] = ()


def provenance(
    reader: sqlite3.Connection,
    resampling: Resampling,
    *,
    labels: Mapping[str, Mapping[str, int]] | None = None,
    comparisons: int = 0,
    tie: str | None = None,
    where: str = "",
) -> Provenance:
    """That of figures of a study as it is now. ``tie``: the rule of the figures, where it is not that of the study."""
    newest = reader.execute("SELECT hash FROM main.event ORDER BY event_id DESC LIMIT 1").fetchone()
    requests = requests_sent(reader)
    return Provenance(
        study_id=str(reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]),
        events=int(reader.execute("SELECT count(*) FROM main.event").fetchone()[0]),
        event_head=str(newest[0]) if newest else "",
        version=medreview.__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        label_set_version=LABEL_SET_VERSION,
        level=resampling.level,
        seed=resampling.seed,
        replicates=resampling.replicates,
        tie_rule=tie or tie_rule(reader),
        labels=labels or {},
        comparisons=comparisons,
        requests=requests.sent,
        requests_lost=requests.lost,
        where=where,
        left_out=reviewers_left_out(reader),
    )


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
