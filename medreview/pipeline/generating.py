"""Running generators: live, and as batches; what they make is prepared for review like what comes in files."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from medreview.citations.stage import extract_all
from medreview.generators.counts import GenerationCounts, generation_counts
from medreview.generators.generation import Generation
from medreview.generators.generator import Generator
from medreview.judges.batch_in import BatchIn, read_batch
from medreview.judges.batch_jobs import refuse_while_open
from medreview.judges.batch_out import SHARD_BYTES, BatchOut, write_batch
from medreview.judges.llm_stage import Tally, put_to
from medreview.judges.planning import QuestionPlan, plan_of
from medreview.judges.tasks.task import store
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.rolling_up import rolled_up
from medreview.progress import SILENT, Progress
from medreview.sources.given_stage import store_given
from medreview.study import Study

Make = Callable[[Study, JudgeSettings, Path | None], Generator]
"""What sets a generator up: the class, or a ``partial`` of it with its own options."""


@dataclass(frozen=True, slots=True)
class Generating:
    """Which generator runs with which models; ``judge`` verifies. ``again``: also inputs of which nothing was made."""

    make: Make
    model: JudgeSettings
    judge: JudgeSettings | None = None
    prompts: Path | None = None
    again: bool = False

    def task(self, study: Study, *, one_model: bool = False) -> Generation:
        """The generator as a task for a study; raises :class:`UserError` for a prompt that cannot be used."""
        return Generation(self.make(study, self.model, self.prompts), self.judge, one_model=one_model)


@dataclass(frozen=True, slots=True)
class Generated:
    """What a run did: ``tally`` of the requests now, ``counts`` of the whole run, how many inputs still ``wait``."""

    tally: Tally
    counts: GenerationCounts
    waiting: int


def generate(
    study: Study,
    generating: Generating,
    *,
    limit: int | None = None,
    progress: Progress = SILENT,
    on_wait: Callable[[int], None] = lambda _: None,
) -> Generated:
    """Run a generator; what was answered before is not asked again, and what was made is ready to be reviewed.

    Ends as ``pipeline.judge_by`` at Ctrl-C, with ``pipeline.Interrupted``.
    """
    with rolled_up(study, progress):
        task = generating.task(study)
        study.write(task.record.add)
        done = put_to(
            study,
            [(generating.model, task)],
            task.generator.name,
            limit=limit,
            again=generating.again,
            progress=progress,
            what=f"{task.generator.noun}s",
            prompts=task.generator.prompt_names,
            on_wait=on_wait,
        )
        if task.generator.mixed:
            store(task, list(task.settled()))
        _finish(study, task, progress)
    return Generated(done.judges[0], counts_of(study, task), len(task.waiting(again=generating.again)))


def counts_of(study: Study, task: Generation) -> GenerationCounts:
    """The counts of a generator's run, which is in the study."""
    return generation_counts(study.reader, task.record.run_id)[0]


def plan_generation(
    study: Study, generating: Generating, *, limit: int | None = None, progress: Progress = SILENT
) -> tuple[QuestionPlan, int]:
    """What :func:`generate` would ask next, and about how many questions would follow these; nothing is sent."""
    task = generating.task(study)
    (planned,) = plan_of(study, [(generating.model, task)], limit=limit, again=generating.again, progress=progress)
    waiting = task.waiting(again=generating.again)[:limit]
    later = sum(task.generator.steps(task.item(ids)) for ids in waiting) - planned.estimate.calls
    return planned, max(0, later)


def generation_out(
    study: Study,
    generating: Generating,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    limit: int | None = None,
    only: Container[str] | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write what the writing model would be asked next to files for an engine elsewhere; nothing is sent.

    ``only`` as of :func:`medreview.pipeline.batch_out`.
    """
    task = _settled(study, generating)
    if only is None:
        refuse_while_open(study, {task.run.judge_run_id})
    return write_batch(
        task,
        generating.model,
        path,
        shard_bytes=shard_bytes,
        again=generating.again,
        limit=limit,
        only=only,
        progress=progress,
    )


def generation_in(
    study: Study,
    generating: Generating,
    paths: Sequence[Path],
    progress: Progress = SILENT,
    *,
    only: Container[str] | None = None,
) -> tuple[BatchIn, GenerationCounts]:
    """Take the results of such files back; what has further steps waits for the next batch, or for a live run.

    ``only`` as of :func:`medreview.pipeline.batch_in`.
    """
    with rolled_up(study, progress):
        task = _settled(study, generating)
        done = read_batch(task, generating.model, paths, progress, only=only)
        _settled(study, generating)
        _finish(study, task, progress)
    return done, counts_of(study, task)


def _finish(study: Study, task: Generation, progress: Progress) -> None:
    """What was made is made ready to be prepared for review."""
    extract_all(study, progress)
    if pages := task.generator.pages():
        store_given(study, pages, "what it was written from", progress)


def _settled(study: Study, generating: Generating) -> Generation:
    """The task, after all that needs no further answer was stored."""
    task = generating.task(study, one_model=True)
    study.write(task.record.add)
    store(task, list(task.settled()))
    return task
