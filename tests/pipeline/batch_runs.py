"""Judging in batches at a server of the tests: submitted, collected, and what is stored of it."""

from typing import Any

from medreview.judges import batch_jobs
from medreview.llm.batch_server import BatchServer
from medreview.pipeline import Judges, batches
from medreview.pipeline.asking import BatchedJudging
from medreview.study import Study

LIMIT = 12


def judges_at(server, **more: Any) -> Judges:
    return Judges([server.settings(**more)])


def at(judges) -> BatchServer:
    return BatchServer(judges.settings[0], backoff=0.001)


def submitted(demo, judges, **more: Any) -> batches.Submitted:
    with Study.open(demo) as study:
        return batches.submit(study, BatchedJudging(judges), at(judges), limit=LIMIT, **more)


def collected(demo, judges, jobs, states=None) -> list[batches.Taken]:
    told = [] if states is None else states
    found = []
    for job, batch in batches.finished(
        at(judges), jobs, tell=lambda _, it: told.append((it.state, it.completed)), pause=0.001
    ):
        with Study.open(demo) as study:
            found.append(batches.take(study, BatchedJudging(judges), at(judges), job, batch))
    return found


def run(demo, judges, **more: Any) -> list[batches.Taken]:
    return collected(demo, judges, submitted(demo, judges, **more).jobs)


def stored(demo) -> list[batch_jobs.Job]:
    with Study.open(demo, read_only=True) as study:
        return batch_jobs.jobs(study.reader)


def judged(demo) -> int:
    with Study.open(demo, read_only=True) as study:
        query = "SELECT count(*) FROM judgement JOIN judge_run USING (judge_run_id) WHERE kind = 'llm' AND error = ''"
        return int(study.reader.execute(query).fetchone()[0])
