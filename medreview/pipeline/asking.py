"""Putting judges' tasks and generators to models, live and as batches.

What generators make is prepared for review like what comes in files.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from medreview.citations.stage import extract_all
from medreview.generators.counts import GenerationCounts, generation_counts
from medreview.generators.generation import Generation
from medreview.generators.generator import Generator
from medreview.judges import verdicts
from medreview.judges.batch_in import BatchIn, read_batch
from medreview.judges.batch_jobs import refuse_while_open
from medreview.judges.batch_out import SHARD_BYTES, BatchOut, write_batch
from medreview.judges.llm_stage import Tally, judge_with, put_to
from medreview.judges.planning import QuestionPlan, plan, plan_of
from medreview.judges.tasks.registry import task_for
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.rolling_up import replacing_answers, roll_up, rolled_up
from medreview.progress import SILENT, Progress
from medreview.sources.given_stage import store_given
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
            task.store_settled()
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
    task.store_settled()
    return task


class Batched(Protocol):
    """Questions of a study to one model, written as batch files and read from their results."""

    @property
    def settings(self) -> JudgeSettings:
        """The model that is asked."""

    def run(self, study: Study) -> tuple[str, str]:
        """The id of the run, and what it is called: a task or a generator."""

    def write(
        self,
        study: Study,
        path: Path,
        *,
        shard_bytes: int,
        limit: int | None,
        only: Container[str] | None,
        progress: Progress,
    ) -> BatchOut:
        """Write what waits; with ``only``, all the questions with these keys, whatever the limit."""

    def read(self, study: Study, paths: Sequence[Path], only: Container[str], progress: Progress) -> BatchIn:
        """Take results in that answer questions with these keys."""


@dataclass(frozen=True, slots=True)
class BatchedJudging:
    """The first of these judges, in batches."""

    judges: Judges

    @property
    def settings(self) -> JudgeSettings:
        """The judge."""
        return self.judges.settings[0]

    def run(self, study: Study) -> tuple[str, str]:
        """The judge run, and the task."""
        task = task_for(study, self.settings, self.judges.task, self.judges.prompts)
        return task.run.judge_run_id, self.judges.task

    def write(
        self,
        study: Study,
        path: Path,
        *,
        shard_bytes: int,
        limit: int | None,
        only: Container[str] | None,
        progress: Progress,
    ) -> BatchOut:
        """As :func:`medreview.pipeline.batch_out`."""
        judges = self.judges if only is None else replace(self.judges, again=True)
        limit = limit if only is None else None
        return batch_out(study, judges, path, shard_bytes=shard_bytes, limit=limit, only=only, progress=progress)

    def read(self, study: Study, paths: Sequence[Path], only: Container[str], progress: Progress) -> BatchIn:
        """As :func:`medreview.pipeline.batch_in`."""
        return batch_in(study, self.judges, paths, progress, only=only)


@dataclass(frozen=True, slots=True)
class BatchedGeneration:
    """A generator, in batches: each has the next question on every input."""

    generating: Generating

    @property
    def settings(self) -> JudgeSettings:
        """The model that writes."""
        return self.generating.model

    def run(self, study: Study) -> tuple[str, str]:
        """How batch files name the run, and the generator."""
        task = self.generating.task(study, one_model=True)
        return task.run.judge_run_id, task.generator.name

    def write(
        self,
        study: Study,
        path: Path,
        *,
        shard_bytes: int,
        limit: int | None,
        only: Container[str] | None,
        progress: Progress,
    ) -> BatchOut:
        """As :func:`medreview.pipeline.generation_out`."""
        generating = self.generating if only is None else replace(self.generating, again=True)
        limit = limit if only is None else None
        return generation_out(
            study, generating, path, shard_bytes=shard_bytes, limit=limit, only=only, progress=progress
        )

    def read(self, study: Study, paths: Sequence[Path], only: Container[str], progress: Progress) -> BatchIn:
        """As :func:`medreview.pipeline.generation_in`."""
        return generation_in(study, self.generating, paths, progress, only=only)[0]
