"""Judges are asked: one task, put to every judge that was named."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview import pipeline
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.judges.llm_stage import Tally
from medreview.judges.tasks import hallucination, merged, verification
from medreview.judges.tasks.registry import task_for
from medreview.pipeline import Judges
from medreview.replays.replay import Given, Outcome, Plan, Step
from medreview.words import counted

_TABLES: Final = {
    verification.NAME: "judgement",
    merged.NAME: "merged_judgement",
    hallucination.ALONE: "hallucination_finding",
    hallucination.ASSISTED: "hallucination_finding",
    PRESENCE: "key_fact_vote",
    CONTRADICTION: "key_fact_vote",
}
"""Where the answers to each task that replays ask are stored."""


def answered(reader: sqlite3.Connection, task: str, judges: Sequence[str]) -> int:
    """How many answers of use these judges have given to a task."""
    query = f"""SELECT count(*) FROM {_TABLES[task]} AS a JOIN judge_run AS run USING (judge_run_id)
                WHERE a.error = '' AND substr(run.prompt_id, 1, length(?1) + 1) = ?1 || '/'
                AND run.judge IN (SELECT value FROM json_each(?2))"""
    return int(reader.execute(query, (task, json.dumps(list(judges)))).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Ask(Step):
    """``task`` is one of ``medreview.judges.tasks.registry.NAMES``; ``waits``: what there must be before, in words.

    ``single``: the first of the judges alone.
    """

    name: str
    about: str
    task: str
    waits: str
    single: bool = False

    def plan(self, given: Given) -> Plan:
        """Units, calls and cost of each judge."""
        if not given.judges:
            return Plan()
        plans = pipeline.plan_for(given.study, self._judges(given), limit=given.limit, progress=given.progress)
        waiting = [plan for plan in plans if plan.units]
        return Plan(tuple(waiting))

    def run(self, given: Given) -> Outcome:
        """Ask what was not answered yet; a second time nothing is asked."""
        if not given.judges:
            return Outcome("left", "no judge is named: --judge NAME")
        judges = self._judges(given)
        tasks = [task_for(given.study, each, self.task, given.prompts) for each in judges.settings]
        if any(task.waiting(again=given.again) for task in tasks):
            done = pipeline.judge_by(
                given.study, judges, limit=given.limit, progress=given.progress, on_wait=given.on_wait
            )
            if any(tally.units for tally in done.judges):
                return _outcome(done.judges, given.limit)
        there = answered(given.study.reader, self.task, [judge.name for judge in judges.settings])
        return Outcome("done", f"{counted(there, 'answer')} there") if there else Outcome("waits", self.waits)

    def _judges(self, given: Given) -> Judges:
        settings = given.judges[:1] if self.single else given.judges
        return Judges(settings, self.task, given.prompts, given.again)


def _outcome(tallies: Sequence[Tally], limit: int | None) -> Outcome:
    units, failed = sum(tally.units for tally in tallies), sum(tally.failed for tally in tallies)
    costs = [tally.cost for tally in tallies if tally.cost is not None]
    more = "; the same command goes on" if limit is not None and any(t.units == limit for t in tallies) else ""
    return Outcome(
        "failed" if failed and failed == units else "did",
        counted(units, "answer") + (f", {failed} without use" if failed else "") + more,
        asked=sum(tally.calls for tally in tallies),
        failed=failed,
        cost=sum(costs) if costs else None,
        tallies=tuple(tallies),
    )
