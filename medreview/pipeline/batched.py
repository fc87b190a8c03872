"""What can be put to a model in batches: a judge's task, a generator."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from medreview.judges.batch_in import BatchIn
from medreview.judges.batch_out import BatchOut
from medreview.judges.tasks.registry import task_for
from medreview.llm.settings import JudgeSettings
from medreview.pipeline.asking import Judges, batch_in, batch_out
from medreview.pipeline.generating import Generating, generation_in, generation_out
from medreview.progress import Progress
from medreview.study import Study


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
