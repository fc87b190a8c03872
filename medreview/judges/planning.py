"""What would be asked, and what that would cost, before anything is sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from medreview.judges.tasks.registry import DEFAULT, tasks_of
from medreview.judges.tasks.task import Task
from medreview.llm.call import JudgeRequest, cache_key
from medreview.llm.costs import CostEstimate, estimate
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.study import Study


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """The planned work of a judge: units, and calls, tokens and cost of the requests that are not cached."""

    judge: str
    model: str
    host: str
    units: int
    estimate: CostEstimate


def plan(
    study: Study,
    settings: Sequence[JudgeSettings],
    *,
    task: str = DEFAULT,
    prompts: Path | None = None,
    limit: int | None = None,
    again: bool = False,
    progress: Progress = SILENT,
) -> list[QuestionPlan]:
    """What :func:`~medreview.judges.llm_stage.judge_with` would ask (dry run)."""
    work = list(zip(settings, tasks_of(study, settings, task, prompts), strict=True))
    return plan_of(study, work, limit=limit, again=again, progress=progress)


def plan_of(
    study: Study,
    tasks: Sequence[tuple[JudgeSettings, Task]],
    *,
    limit: int | None = None,
    again: bool = False,
    progress: Progress = SILENT,
) -> list[QuestionPlan]:
    """What :func:`~medreview.judges.llm_stage.put_to` would ask next: of a task in steps, the next one of each unit."""
    store = CallStore(study)
    plans = []
    for each, made in tasks:
        progress.begin(f"{each.name}, counted", len(made.waiting(again=again)[:limit]))
        units = 0

        def uncached_requests(made: Task = made, each: JudgeSettings = each) -> Iterator[JudgeRequest]:
            nonlocal units
            for unit in made.pending(again=again, limit=limit):
                units += 1
                who = {"": each, **made.others}[unit.by]
                progress.step()
                yield from (
                    request for request in unit.requests if store.get(cache_key(who, request), request.schema) is None
                )

        estimated = estimate(uncached_requests(), each)
        plans.append(QuestionPlan(each.name, each.model, each.host, units, estimated))
    return plans
