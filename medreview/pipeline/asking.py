"""Putting judges' tasks and generators to models, live and as batches.

What generators make is prepared for review like what comes in files.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from medreview.citations.stage import extract_all
from medreview.errors import UserError
from medreview.generators.counts import GenerationCounts
from medreview.generators.generation import Generation
from medreview.generators.generator import Generator
from medreview.judges import llm_stage, verdict_fingerprint, verdicts
from medreview.judges.batch_in import BatchIn, read_batch
from medreview.judges.batch_jobs import refuse_while_open
from medreview.judges.batch_out import SHARD_BYTES, BatchOut, write_batch
from medreview.judges.llm_stage import QuestionPlan, Tally, put_to_models
from medreview.judges.runs import add_run
from medreview.judges.tasks.registry import task_for, tasks_of
from medreview.judges.tasks.task import Task
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.choosing import Choice
from medreview.pipeline.drawing_examples import Examples, told_of_examples
from medreview.pipeline.identifier_check import refuse_identifiers
from medreview.pipeline.rolling_up import replacing_answers, roll_up, rolled_up
from medreview.progress import SILENT, Progress
from medreview.sources.stage import store_given
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class Judges:
    """Which models to put which task to; ``again``: also where they gave no answer of use before; ``choice``: about
    which part of the study; ``examples``: worked ones to show with each question."""

    settings: Sequence[JudgeSettings]
    task: str = "source_verification"
    prompts: Path | None = None
    again: bool = False
    choice: Choice = field(default_factory=Choice)
    examples: Examples | None = None

    @property
    def model(self) -> JudgeSettings:
        """The first of them, which batches are for."""
        return self.settings[0]

    def tasks(self, study: Study) -> list[Task]:
        """The task of each for a study, to be asked about the chosen units; raises :class:`UserError` for a task or a
        prompt that cannot be used, and for a choice that nothing fits."""
        return self._chosen(study, self._shown(study, tasks_of(study, self.settings, self.task, self.prompts)))

    def batch_task(self, study: Study) -> Task:
        """What is asked in batches, about all units."""
        return self._shown(study, [task_for(study, self.model, self.task, self.prompts)])[0]

    def chosen_task(self, study: Study) -> Task:
        """What is asked in batches, about the chosen units; raises as :meth:`tasks`."""
        return self._chosen(study, [self.batch_task(study)])[0]

    def _shown(self, study: Study, tasks: list[Task]) -> list[Task]:
        if self.examples is not None:
            for task in tasks:
                task.show(self.examples.of(study, task.prompt))
        return tasks

    def told_of_examples(self, study: Study) -> str:
        """A sentence on the examples that are shown; ``""`` without any. Raises :class:`UserError` for too few."""
        shown = self.batch_task(study).examples
        return told_of_examples(shown) if shown is not None else ""

    def keep_examples(self, study: Study, tasks: Sequence[Task]) -> None:
        """Store what was drawn, before anything is asked: the same command then shows the same examples again."""
        for task in tasks if self.examples is not None else ():
            study.write(partial(add_run, run=task.run))

    def _chosen(self, study: Study, tasks: list[Task]) -> list[Task]:
        chosen = self.choice.units_of(study)
        for task in tasks:
            task.chosen = chosen
        return tasks


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

    @property
    def models(self) -> list[JudgeSettings]:
        """The one that writes and, where there is one, the one that verifies."""
        return [self.model, *([self.judge] if self.judge not in (None, self.model) else [])]

    def task(self, study: Study) -> Generation:
        """The generator as a task for a study; raises :class:`UserError` for a prompt that cannot be used."""
        return Generation(self.make(study, self.model, self.prompts), self.judge)

    def batch_task(self, study: Study) -> Generation:
        """What is asked in batches: of every input the next question, where it is for the model that writes."""
        return Generation(self.make(study, self.model, self.prompts), self.judge, one_model=True)


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

    Also after an interruption: what had been answered by then counts. The first Ctrl-C waits for answers in flight
    (``on_wait`` gets their number), the second ends it; :class:`Interrupted` is raised at the end of both.
    """
    refuse_identifiers(study, judges.settings)
    with replacing_answers(study, progress):
        tasks = judges.tasks(study)
        judges.keep_examples(study, tasks)
        done = put_to_models(study, tasks, limit=limit, again=judges.again, progress=progress, on_wait=on_wait)
        if not any(tally.units for tally in done):
            verdict_fingerprint.confirm(study)
    return JudgedBy(done, verdicts.flagged(study.reader))


def plan_for(
    study: Study, judges: Judges, *, limit: int | None = None, progress: Progress = SILENT
) -> list[QuestionPlan]:
    """What :func:`judge_by` would ask, and what that would cost; nothing is sent."""
    if study.writable:
        roll_up(study, progress)
    return llm_stage.plan(study, judges.tasks(study), limit=limit, again=judges.again, progress=progress)


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
    refuse_identifiers(study, generating.models)
    with rolled_up(study, progress):
        task = generating.task(study)
        study.write(task.add_run)
        (tally,) = put_to_models(study, [task], limit=limit, again=generating.again, progress=progress, on_wait=on_wait)
        if task.generator.mixed:
            task.store_settled()
        _finish(study, task, progress)
    return Generated(tally, task.counts(), len(task.waiting(again=generating.again)))


def plan_generation(
    study: Study, generating: Generating, *, limit: int | None = None, progress: Progress = SILENT
) -> tuple[QuestionPlan, int]:
    """What :func:`generate` would ask next, and about how many questions would follow these; nothing is sent."""
    task = generating.task(study)
    (planned,) = llm_stage.plan(study, [task], limit=limit, again=generating.again, progress=progress)
    waiting = task.waiting(again=generating.again)[:limit]
    later = sum(task.generator.steps(task.item(ids)) for ids in waiting) - planned.estimate.calls
    return planned, max(0, later)


def _finish(study: Study, task: Generation, progress: Progress) -> None:
    """What was made is made ready to be prepared for review."""
    extract_all(study, progress)
    if pages := task.generator.pages():
        store_given(study, pages, "what it was written from", progress)


def _settled(study: Study, generating: Generating) -> Generation:
    """What is asked in batches, after all that needs no further answer was stored."""
    task = generating.batch_task(study)
    study.write(task.add_run)
    task.store_settled()
    return task


def batch_out(
    study: Study,
    asked: Judges | Generating,
    path: Path,
    *,
    shard_bytes: int = SHARD_BYTES,
    limit: int | None = None,
    only: Container[str] | None = None,
    progress: Progress = SILENT,
) -> BatchOut:
    """Write what a model would be asked next to files for an engine elsewhere; nothing is sent.

    ``only``: the cache keys of the questions to write, all of them whatever the limit, also of a batch that is under
    way.
    """
    refuse_identifiers(study, [asked.model])
    if isinstance(asked, Judges):
        with rolled_up(study, progress):
            extract_all(study, progress)
        task = asked.chosen_task(study) if only is None else asked.batch_task(study)
        asked.keep_examples(study, [task])
    else:
        task = _settled(study, asked)
    if only is None:
        refuse_while_open(study, {task.run.judge_run_id})
        again = asked.again
    else:
        limit, again = None, True
    return write_batch(task, path, shard_bytes=shard_bytes, again=again, limit=limit, only=only, progress=progress)


def _waiting(study: Study, judges: Judges) -> int:
    """How many units of the chosen part wait, whatever was drawn of them; 0 where nothing is in it any more: answers
    change what is flagged."""
    try:
        return len(replace(judges, choice=replace(judges.choice, seed=None)).chosen_task(study).asked_about())
    except UserError:
        return 0


def batch_in(
    study: Study,
    asked: Judges | Generating,
    paths: Sequence[Path],
    progress: Progress = SILENT,
    *,
    only: Container[str] | None = None,
) -> BatchIn:
    """Take the results of batches back, and roll all judgements up; of a generator, what has further steps waits for
    the next batch, or for a live run.

    ``only``: the cache keys of the questions that were in the batch.
    """
    if isinstance(asked, Judges):
        with replacing_answers(study, progress):
            done = read_batch(asked.batch_task(study), paths, progress, only=only)
            if done.judged == done.abstained == 0:
                verdict_fingerprint.confirm(study)
        done.waiting = _waiting(study, asked)
        return done
    with rolled_up(study, progress):
        task = _settled(study, asked)
        done = read_batch(task, paths, progress, only=only)
        _settled(study, asked)
        _finish(study, task, progress)
    return done
