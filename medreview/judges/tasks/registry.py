"""The tasks by name; the names are those of the prompt files."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.judges.prompts import Prompt, load_prompt
from medreview.judges.tasks import hallucination, key_facts, merged, parsing, verification
from medreview.judges.tasks.task import Task
from medreview.llm.settings import JudgeSettings
from medreview.study import Study

DEFAULT: Final = verification.NAME
_TASKS: Final[Mapping[str, Callable[[Study, JudgeSettings, Prompt], Task]]] = {
    parsing.STATEMENT_PARSING: parsing.Parsing,
    parsing.REFERENCE_PARSING: parsing.ReferenceParsing,
    verification.NAME: verification.Verification,
    merged.NAME: merged.Merged,
    hallucination.ALONE: hallucination.Hallucination,
    hallucination.ASSISTED: hallucination.Hallucination,
    PRESENCE: key_facts.KeyFacts,
    CONTRADICTION: key_facts.KeyFacts,
}
_ONCE: Final = {
    parsing.STATEMENT_PARSING: "A response is split into statements",
    parsing.REFERENCE_PARSING: "A reference is read",
}
NAMES: Final = tuple(_TASKS)


def task_for(study: Study, settings: JudgeSettings, name: str = DEFAULT, prompts: Path | None = None) -> Task:
    """A task for a configured judge; ``prompts`` is the user's folder of prompts.

    Raises :class:`UserError` for an unknown task, naming the known ones, and for an invalid prompt.
    """
    if name not in _TASKS:
        raise UserError(f"There is no task {name!r}; there are: {', '.join(NAMES)}.")
    return _TASKS[name](study, settings, load_prompt(name, prompts))


def tasks_of(study: Study, settings: Sequence[JudgeSettings], task: str, prompts: Path | None) -> list[Task]:
    """The task for each of these judges; raises :class:`UserError` for several where one is asked once."""
    if task in _ONCE and len(settings) > 1:
        raise UserError(f"{_ONCE[task]} once: name one judge for the task {task}.")
    return [task_for(study, each, task, prompts) for each in settings]
