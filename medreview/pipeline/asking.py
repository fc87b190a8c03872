"""Putting tasks to models, live and as batches."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from medreview.citations.stage import extract_all
from medreview.judges import verdicts
from medreview.judges.batch_in import BatchIn, read_batch
from medreview.judges.batch_jobs import refuse_while_open
from medreview.judges.batch_out import SHARD_BYTES, BatchOut, write_batch
from medreview.judges.llm_stage import Tally, judge_with
from medreview.judges.planning import QuestionPlan, plan
from medreview.judges.tasks.registry import task_for
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.rolling_up import replacing_answers, roll_up, rolled_up
from medreview.progress import SILENT, Progress
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class Judges:
    """Which models to put which task to; ``again``: also where they gave no answer of use before."""

    settings: Sequence[JudgeSettings]
    task: str = "source_verification"
    prompts: Path | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """What each model did, and how many statements of the study are flagged."""

    judges: list[Tally]
    flagged: int


def judge_by(
    study: Study,
    judges: Judges,
    *,
    limit: int | None = None,
    progress: Progress = SILENT,
    on_wait: Callable[[int], None] = lambda _: None,
) -> JudgedBy:
    """Put a task to models, and roll all judgements up; what was answered before is not asked again.

    Also after an interruption: what had been answered by then counts. The first Ctrl-C lets come in what is in flight
    (``on_wait`` is told how many answers), the second ends it; :class:`Interrupted` is raised at the end of both.
    """
    with replacing_answers(study, progress) as replacing:
        done = judge_with(
            study,
            judges.settings,
            task=judges.task,
            prompts=judges.prompts,
            limit=limit,
            again=judges.again,
            progress=progress,
            on_wait=on_wait,
        )
        replacing.nothing = not any(tally.units for tally in done.judges)
    return JudgedBy(done.judges, verdicts.flagged(study.reader))


def plan_for(
    study: Study, judges: Judges, *, limit: int | None = None, progress: Progress = SILENT
) -> list[QuestionPlan]:
    """What :func:`judge_by` would ask, and what that would cost; nothing is sent."""
    if study.writable:
        roll_up(study, progress)
    return plan(
        study,
        judges.settings,
        task=judges.task,
        prompts=judges.prompts,
        limit=limit,
        again=judges.again,
        progress=progress,
    )


def batch_out(
    study: Study,
    judges: Judges,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    limit: int | None = None,
    only: Container[str] | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write what the first of these judges would be asked to files for an engine elsewhere; nothing is sent.

    ``only``: the cache keys of the questions to write, also of a batch that is under way.
    """
    with rolled_up(study, progress):
        extract_all(study, progress)
    settings = judges.settings[0]
    task = task_for(study, settings, judges.task, judges.prompts)
    if only is None:
        refuse_while_open(study, {task.run.judge_run_id})
    return write_batch(
        task, settings, path, shard_bytes=shard_bytes, again=judges.again, limit=limit, only=only, progress=progress
    )


def batch_in(
    study: Study,
    judges: Judges,
    paths: Sequence[Path],
    progress: Progress = SILENT,
    *,
    only: Container[str] | None = None,
) -> BatchIn:
    """Take the results of the first judge's batches back, and roll all judgements up.

    ``only``: the cache keys of the questions that were in the batch.
    """
    settings = judges.settings[0]
    with replacing_answers(study, progress) as replacing:
        task = task_for(study, settings, judges.task, judges.prompts)
        done = read_batch(task, settings, paths, progress, only=only)
        replacing.nothing = done.judged == done.abstained == 0
    return done
