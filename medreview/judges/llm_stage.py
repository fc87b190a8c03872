"""The stage that runs a task with judges: concurrently, each answer stored as it arrives, no request sent twice."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

from medreview.errors import UserError
from medreview.event_loop import run_to_end, until_done
from medreview.judges.batch_jobs import refuse_while_open
from medreview.judges.tasks.task import Rows, Task, TaskUnit
from medreview.judges.tasks.verification import NAME as DEFAULT
from medreview.llm.call import STATUSES, JudgeRequest, ModelAnswer, cache_key
from medreview.llm.costs import CostEstimate, Requests, estimate, requests_sent
from medreview.llm.judge_client import Judge, open_model
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.study import Study

_EXTRA_WORKERS: Final = 2


@dataclass(slots=True)
class Tally:
    """The totals of one judge. ``units``: pairs, statements or responses, by task; ``abstained`` of these.

    ``in_parts`` counts what was too long for the judge's context and was put to it in parts: pages for the task
    ``source_verification``, units for others. ``outcomes`` counts labels and abstentions. ``calls`` counts requests
    sent now, tokens and cost are theirs; ``kept`` counts cache hits. ``failed`` of the units had no answer of use, and
    ``failure`` is why the last one had none, unless that would quote what the model wrote.
    ``requests_sent``, ``requests_kept`` and ``requests_lost`` are of this run (``llm.costs.Requests``),
    ``lost_before`` of earlier ones. ``dead`` says why the judge was given up (see ``llm.judge_client``), ``changes``
    what its server rejected of the configured request.
    """

    judge: str
    model: str
    task: str
    units: int = 0
    abstained: int = 0
    failed: int = 0
    failure: str = ""
    in_parts: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    kept: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    requests_sent: int = 0
    requests_kept: int = 0
    requests_lost: int = 0
    lost_before: int = 0
    dead: str = ""
    changes: tuple[str, ...] = ()

    def add(self, answer: ModelAnswer) -> None:
        """Count one answer."""
        if answer.cached:
            self.kept += 1
            return
        self.calls += answer.tries > 0
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0
        if answer.cost is not None:
            self.cost = (self.cost or 0.0) + answer.cost


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; ``tallies`` are of what was done and stored by then."""

    def __init__(self, tallies: list[Tally]) -> None:
        super().__init__()
        self.tallies = tallies


def put_to_models(
    study: Study,
    tasks: Sequence[Task],
    *,
    limit: int | None = None,
    again: bool = False,
    progress: Progress = SILENT,
    on_wait: Callable[[int], None] = lambda _: None,
) -> list[Tally]:
    """Put tasks to their models, concurrently; the totals of each.

    Of each the chosen units are asked about (``Task.chosen``). ``limit``: at most so many units of each. ``again``:
    also those whose answer was unusable. Can be interrupted, or killed, at any moment: answers are stored as they
    arrive, and the next run asks what is missing. The first Ctrl-C sends nothing more and waits for the answers in
    flight; ``on_wait`` gets their number. The second one ends the work at once. Raises :class:`Interrupted` then, and
    :class:`UserError` for a judge that cannot be set up or has a batch under way, and a study that cannot be written.
    """
    refuse_while_open(study, {task.run.judge_run_id for task in tasks})
    work = [
        (task, task.asked_about(again=again, limit=limit), Tally(task.settings.name, task.settings.model, task.name))
        for task in tasks
    ]
    progress.begin(tasks[0].counted, sum(len(waiting) for _, waiting, _ in work))
    before = _requests(study, tasks)
    stop = _Stop(on_wait)
    try:
        try:
            run_to_end(_run(study, work, progress, stop), stop)
        except* UserError as group:
            raise _first(group) from None
    except KeyboardInterrupt:
        stop.wanted = True
    study.write(lambda _: None)  # after it what was sent is in the study, also what nobody waited for
    tallies = [tally for _, _, tally in work]
    for tally, then, now in zip(tallies, before, _requests(study, tasks), strict=True):
        requests = now - then
        tally.requests_sent, tally.requests_kept, tally.requests_lost = requests.sent, requests.kept, requests.lost
        tally.lost_before = then.lost
    if stop.wanted:
        raise Interrupted(tallies)
    return tallies


def _requests(study: Study, tasks: Sequence[Task]) -> list[Requests]:
    asked = ((task.settings, task.prompt_names) for task in tasks)
    return [
        sum((requests_sent(study.reader, each.name, each.model, each.host, name) for name in names), Requests())
        for each, names in asked
    ]


class _Stop:
    """What the first Ctrl-C does; called in the event loop."""

    def __init__(self, on_wait: Callable[[int], None]) -> None:
        self.wanted = False
        self._on_wait = on_wait
        self._judges: list[Judge] = []

    def __call__(self) -> None:
        self.wanted = True
        for judge in self._judges:
            judge.stop()
        if in_flight := sum(judge.in_flight for judge in self._judges):
            self._on_wait(in_flight)

    def add(self, judge: Judge) -> Judge:
        """A judge to stop, at once if it comes after the word."""
        self._judges.append(judge)
        if self.wanted:
            judge.stop()
        return judge


def _first(group: BaseExceptionGroup[UserError]) -> UserError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, UserError) else UserError(str(error))


_Work = tuple[Task, list[tuple[str, ...]], Tally]


async def _run(study: Study, work: Sequence[_Work], progress: Progress, stop: _Stop) -> None:
    writer = _AnswerWriter(study, progress)
    calls = CallStore(study)
    try:
        async with AsyncExitStack() as stack:
            # All are opened before one is asked: a missing key is reported before anything is paid.
            clients = []
            for task, *_ in work:
                asked = {"": task.settings, **task.others}
                opened = {
                    by: stop.add(await stack.enter_async_context(open_model(each, calls))) for by, each in asked.items()
                }
                clients.append(opened)
            async with asyncio.TaskGroup() as group:
                for opened, (task, waiting, tally) in zip(clients, work, strict=True):
                    ids = iter(waiting)
                    for _ in range(min(len(waiting), task.settings.concurrency + _EXTRA_WORKERS)):
                        group.create_task(_ask(opened, task, ids, tally, writer))
            for opened, (*_, tally) in zip(clients, work, strict=True):
                tally.dead = next((model.dead for model in opened.values() if model.dead), "")
                tally.changes = tuple(change for model in opened.values() for change in model.changes)
            await writer.finish()
    finally:
        writer.save_remaining()


_Models = Mapping[str, Judge]


async def _ask(
    models: _Models, task: Task, ids: Iterator[tuple[str, ...]], tally: Tally, writer: "_AnswerWriter"
) -> None:
    """A worker of a judge, which takes units one after the other; the judge itself limits concurrent requests."""
    for one in ids:
        unit = task.unit(one)
        while unit is not None:
            answers = await _answers(models[unit.by], unit, tally)
            if answers is None:
                return  # the unit is as it was; what was answered of it is in the cache
            following = task.following(unit, answers)
            writer.put(_Done(task, tally, unit, answers, is_last=following is None))
            unit = following
            await asyncio.sleep(0)  # cache hits never suspend; give other tasks a turn


async def _answers(model: Judge, unit: TaskUnit, tally: Tally) -> list[ModelAnswer] | None:
    """The answers to a unit's requests; ``None`` when it was stopped before all were there."""
    answers: list[ModelAnswer] = []
    for request in unit.requests:
        if model.is_stopped:
            return None
        answer = ModelAnswer("skipped", error=f"Not asked. {model.dead}") if model.dead else await model.ask(request)
        tally.add(answer)
        if model.is_stopped and answer.status == "skipped":
            return None
        answers.append(answer)
    return answers


_Batch = list[tuple[Task, list[Rows]]]


def _saver(batch: _Batch) -> Callable[[sqlite3.Connection], None]:
    def save(connection: sqlite3.Connection) -> None:
        for task, rows in batch:
            task.save(connection, rows)

    return save


@dataclass(frozen=True, slots=True)
class _Done:
    task: Task
    tally: Tally
    unit: TaskUnit
    answers: Sequence[ModelAnswer]
    is_last: bool
    """Whether nothing more is asked of the same thing."""


class _AnswerWriter:
    """Stores answers as they arrive, by group commit: those that arrive during one commit share the next."""

    def __init__(self, study: Study, progress: Progress) -> None:
        self._study = study
        self._progress = progress
        self._ready: deque[_Done] = deque()
        self._saving: asyncio.Task[None] | None = None
        self._long: set[tuple[str, ...]] = set()
        self._ended = 0

    def put(self, done: _Done) -> None:
        """Queue an answered unit for the next commit."""
        self._ready.append(done)
        if self._saving is not None and self._saving.done():
            self._saving.result()  # a full disk stops the run: answers that cannot be stored must not be paid for
            self._saving = None
        if self._saving is None:
            self._saving = asyncio.create_task(self._save())

    async def finish(self) -> None:
        """Return when everything is committed."""
        if self._saving is not None:
            await self._saving

    def save_remaining(self) -> None:
        """Store the rest without an event loop, after an interruption."""
        if self._ready:
            self._study.write(_saver(self._rows()))

    async def _save(self) -> None:
        while self._ready:
            batch = self._rows()
            # Shielded: cancellation must not drop what waits for the writer thread.
            await until_done(self._study.submit(_saver(batch)))
            self._progress.step(self._ended)
            self._ended = 0

    def _rows(self) -> _Batch:
        by_task: dict[int, tuple[Task, list[Rows]]] = {}
        while self._ready:
            done = self._ready.popleft()
            self._ended += done.is_last
            rows = done.task.rows(done.unit, done.answers)
            done.tally.units += done.is_last
            done.tally.abstained += rows.abstained
            if rows.outcome in STATUSES:
                done.tally.failed += 1
                why = (one.error for one in done.answers if one.status not in ("ok", "refused", "unparsable"))
                done.tally.failure = next(why, done.tally.failure)
            done.tally.in_parts += self._is_new_and_long(done)
            done.tally.outcomes[rows.outcome] = done.tally.outcomes.get(rows.outcome, 0) + 1
            by_task.setdefault(id(done.task), (done.task, []))[1].append(rows)
        return list(by_task.values())

    def _is_new_and_long(self, done: _Done) -> bool:
        if sum(request.attempt == 1 for request in done.unit.requests) < 2:  # further ones are samples
            return False
        # A page is in as many units as there are statements to check against it.
        ids = done.unit.ids[:1] if done.tally.task == DEFAULT else done.unit.ids
        known = (done.tally.judge, *ids) in self._long
        self._long.add((done.tally.judge, *ids))
        return not known


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
    tasks: Sequence[Task],
    *,
    limit: int | None = None,
    again: bool = False,
    progress: Progress = SILENT,
) -> list[QuestionPlan]:
    """What :func:`put_to_models` would ask next, before anything is sent: of a task in steps, the next one of each
    unit."""
    store = CallStore(study)
    plans = []
    for task in tasks:
        asked = task.settings
        progress.begin(f"{asked.name}, counted", len(task.asked_about(again=again, limit=limit)))
        units = 0

        def uncached(task: Task = task) -> Iterator[JudgeRequest]:
            nonlocal units
            for unit in task.pending(again=again, limit=limit):
                units += 1
                who = {"": task.settings, **task.others}[unit.by]
                progress.step()
                yield from (one for one in unit.requests if store.get(cache_key(who, one), one.schema) is None)

        estimated = estimate(uncached(), asked)
        plans.append(QuestionPlan(asked.name, asked.model, asked.host, units, estimated))
    return plans
