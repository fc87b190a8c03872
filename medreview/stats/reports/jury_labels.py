"""What candidate judges and a reviewer said of the same units: what a search for a jury starts from."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from medreview.errors import UserError
from medreview.judges.votes import Judge, judges_of_support
from medreview.stats.formulas.agreement import encode
from medreview.stats.formulas.bootstrap import Ints
from medreview.stats.reports.label_scales import BINARY, Scale, judges_label, reviewers_label
from medreview.stats.reports.reviewer_labels import GROUPS, Group, Mode, ReviewerLabel, reviewer_labels
from medreview.stats.reports.study_reader import judged_responses

NOT_ASKED: Final = "not every candidate was asked"

# A call names judge, model, prompt and host: runs that differ in parameters only cannot be told apart by it.
_COSTS: Final = """
SELECT run.judge, sum(l.cost) AS cost, sum(l.cost IS NULL AND l.tries > 0) AS unpriced,
       (SELECT count(DISTINCT {unit}) FROM {table} AS j WHERE j.judge_run_id = run.judge_run_id) AS units,
       (SELECT count(*) FROM judge_run AS r WHERE r.kind = 'llm' AND (r.judge, r.model, r.prompt_sha256,
        coalesce(json_extract(r.params, '$.host'), '')) = (l.judge, l.model, l.prompt_sha256, l.host)) AS runs
FROM judge_run AS run JOIN llm_call AS l
     ON l.judge = run.judge AND l.model = run.model AND l.prompt_sha256 = run.prompt_sha256
     AND l.host = coalesce(json_extract(run.params, '$.host'), '')
WHERE run.kind = 'llm' AND run.ordinal = (
    SELECT max(ordinal) FROM judge_run AS newest WHERE newest.judge = run.judge
    AND EXISTS (SELECT 1 FROM {table} AS j WHERE j.judge_run_id = newest.judge_run_id {which}))
GROUP BY run.judge"""
_OF_STATEMENTS: Final = _COSTS.format(table="judgement", unit="j.statement_id", which="")
_OF_FACTS: Final = _COSTS.format(
    table="key_fact_vote", unit="j.response_id || j.key_fact_id", which="AND j.task = :task"
)


@dataclass(frozen=True)
class JuryLabels:
    """The units that a reviewer labelled and every candidate was asked about.

    ``mine`` (n) and ``votes`` (n x judges) are places in ``scale.labels``, -1 where a judge abstained; ``clusters``
    (n) are what is resampled. ``costs``: what a judge's newest run costs for one unit, all its sources and failed
    calls included; ``None`` when that is not known. ``unit``, ``cluster``: what one of these is.
    """

    reviewer: str
    group: Group
    scale: Scale
    judges: tuple[str, ...]
    mine: Ints
    votes: Ints
    clusters: tuple[str, ...]
    costs: tuple[float | None, ...]
    dropped: Mapping[str, int]
    unit: str = "statement"
    cluster: str = "response"


def jury_labels(
    reader: sqlite3.Connection,
    reviewer: str,
    *,
    judges: Sequence[str] = (),
    scale: Scale = BINARY,
    mode: Mode = "blind",
    pass_no: int = 1,
) -> JuryLabels:
    """The labels of a reviewer, the larger of the random audit and the chosen ones (never both), beside the judges'.

    ``judges`` names the candidates; all but the offline one by default. Raises :class:`UserError` for a judge that is
    not there, fewer than two candidates, or a reviewer without labels of that mode.
    """
    candidates = _candidates(reader, judges)
    labels = reviewer_labels(reader, reviewer, pass_no)
    group, mine = _group(labels, reviewer, mode)
    dropped: Counter[str] = Counter()
    rows: list[tuple[str, list[str | None]]] = []
    responses: list[str] = []
    for case in judged_responses(reader):
        for statement in case.statements:
            label = mine.get(statement.statement_id)
            if label is None:
                continue
            own, said = reviewers_label(label.label, scale), statement.by_judge
            if own.label is None or not said.keys() >= set(candidates):
                dropped[own.missing or NOT_ASKED] += 1
                continue
            rows.append((own.label, [judges_label(said[judge], scale).label for judge in candidates]))
            responses.append(case.response_id)
    costs = judge_costs(reader)
    flat = encode([vote for _, votes in rows for vote in votes], scale.labels)
    return JuryLabels(
        reviewer=reviewer,
        group=group,
        scale=scale,
        judges=tuple(judge.name for judge in candidates),
        mine=encode([own for own, _ in rows], scale.labels),
        votes=np.asarray(flat.reshape(len(rows), len(candidates)), dtype=np.int64),
        clusters=tuple(responses),
        costs=tuple(costs.get(judge.name) for judge in candidates),
        dropped=dict(dropped),
    )


def judge_costs(reader: sqlite3.Connection, task: str = "") -> dict[str, float]:
    """By judge: what one statement costs in its newest run, where that is known of every call; of key facts with
    their ``task``, what one fact in one response costs."""
    return {
        row["judge"]: row["cost"] / row["units"]
        for row in reader.execute(_OF_FACTS if task else _OF_STATEMENTS, {"task": task})
        if row["cost"] is not None and not row["unpriced"] and row["units"] and row["runs"] == 1
    }


def _candidates(reader: sqlite3.Connection, wanted: Sequence[str]) -> list[Judge]:
    known = [judge for judge in judges_of_support(reader) if not judge.offline]
    names = {judge.name for judge in known}
    for name in wanted:
        if name not in names:
            raise UserError(
                f"There is no judge {name!r} in this study; there are {', '.join(sorted(names)) or 'none'}."
            )
    chosen = [judge for judge in known if not wanted or judge.name in wanted]
    if len(chosen) < 2:
        raise UserError("A jury is chosen from two judges or more; there are fewer (the offline judge is no juror).")
    return chosen


def _group(labels: Mapping[str, ReviewerLabel], reviewer: str, mode: Mode) -> tuple[Group, dict[str, ReviewerLabel]]:
    """The larger of the two groups of this mode; labels of different groups are never pooled."""
    found = {
        group: {unit: label for unit, label in labels.items() if label.group == group}
        for group in GROUPS
        if group.mode == mode
    }
    group = max(found, key=lambda group: len(found[group]))
    if not found[group]:
        other = " (labels given after the judges were seen need --assisted)" if labels and mode == "blind" else ""
        raise UserError(f"{reviewer} has no {mode} labels in this study{other}.")
    return group, found[group]
