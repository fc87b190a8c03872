"""The stage that runs a task with judges: concurrently, each answer stored as it arrives, no request sent twice."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from medreview.errors import UserError
from medreview.event_loop import run_to_end
from medreview.judges.tasks import parsing
from medreview.judges.tasks.registry import DEFAULT, task_for
from medreview.judges.tasks.task import Rows, Task, TaskUnit, pending
from medreview.llm.call import STATUSES, Answer, JudgeRequest, cache_key
from medreview.llm.client import Judge
from medreview.llm.cost_estimate import CostEstimate, estimate
from medreview.llm.report import Requests, requests_sent
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.progress import SILENT, Progress
from medreview.study import Study

_EXTRA_WORKERS: Final = 2


@dataclass(slots=True)
class Tally:
    """The totals of one judge. ``units``: pairs, statements or responses, by task; ``abstained`` of these.

    ``in_parts`` counts what was too long for the judge's context and was put to it in parts: pages for the task
    ``source_verification``, units for others. ``outcomes`` counts labels and abstentions. ``calls`` counts requests
    sent now, tokens and cost are theirs; ``kept`` counts cache hits. ``failed`` of the units had no answer of use.
    ``requests_sent``, ``requests_kept`` and ``requests_lost`` are of this run (``llm.report.Requests``),
    ``lost_before`` of earlier ones. ``dead`` says why the judge was given up (see ``llm.circuit_breaker``), ``changes``
    what its server rejected of the configured request.
    """

    judge: str
    model: str
    task: str
    units: int = 0
    abstained: int = 0
    failed: int = 0
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

    def add(self, answer: Answer) -> None:
        """Count one answer."""
        if answer.cached:
            self.kept += 1
            return
        self.calls += answer.tries > 0
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0
        if answer.cost is not None:
            self.cost = (self.cost or 0.0) + answer.cost


@dataclass(frozen=True, slots=True)
class LlmSummary:
    """The totals of every judge."""

    judges: list[Tally]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; ``summary`` is what was done and stored by then."""

    def __init__(self, summary: LlmSummary) -> None:
        super().__init__()
        self.summary = summary


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """The planned work of a judge: units, and calls, tokens and cost of the requests that are not cached."""

    judge: str
    model: str
    host: str
    units: int
    estimate: CostEstimate


def judge_with(
    study: Study,
    settings: Sequence[JudgeSettings],
    *,
    task: str = DEFAULT,
    prompts: Path | None = None,
    limit: int | None = None,
    again: bool = False,
    progress: Progress = SILENT,
    on_wait: Callable[[int], None] = lambda _: None,
) -> LlmSummary:
    """Run a task with one or more judges, concurrently.

    ``limit``: at most so many units for each judge. ``again``: also those whose answer was unusable. Can be
    interrupted, or killed, at any moment: answers are stored as they arrive, and the next run asks what is missing.
    At the first Ctrl-C nothing more is sent, what is in flight is waited for, and ``on_wait`` is told how many answers
    that are; the second one ends it at once. Raises :class:`Interrupted` then, and :class:`UserError` for an unknown
    task, a judge that cannot be set up, and a study that cannot be written.
    """
    tasks = _tasks(study, settings, task, prompts)
    waiting = [made.waiting(again=again)[:limit] for made in tasks]
    progress.begin("judgements", sum(map(len, waiting)))
    tallies = [Tally(each.name, each.model, task) for each in settings]
    before = _requests(study, settings, task)
    stop = _Stop(on_wait)
    try:
        try:
            work = list(zip(settings, tasks, waiting, tallies, strict=True))
            run_to_end(_run(study, work, progress, stop), stop)
        except* UserError as group:
            raise _first(group) from None
    except KeyboardInterrupt:
        stop.wanted = True
    study.write(lambda _: None)  # after it what was sent is in the study, also what nobody waited for
    for tally, then, now in zip(tallies, before, _requests(study, settings, task), strict=True):
        requests = now - then
        tally.requests_sent, tally.requests_kept, tally.requests_lost = requests.sent, requests.kept, requests.lost
        tally.lost_before = then.lost
    summary = LlmSummary(tallies)
    if stop.wanted:
        raise Interrupted(summary)
    return summary


def _requests(study: Study, settings: Sequence[JudgeSettings], task: str) -> list[Requests]:
    return [requests_sent(study.reader, each.name, each.model, each.host, task) for each in settings]


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
    """What :func:`judge_with` would ask (dry run)."""
    store = CallStore(study)
    plans = []
    for each, made in zip(settings, _tasks(study, settings, task, prompts), strict=True):
        progress.begin(f"{each.name}, counted", len(made.waiting(again=again)[:limit]))
        units = 0

        def uncached_requests(made: Task = made, each: JudgeSettings = each) -> Iterator[JudgeRequest]:
            nonlocal units
            for unit in pending(made, again=again, limit=limit):
                units += 1
                progress.step()
                yield from (
                    request for request in unit.requests if store.get(cache_key(each, request), request.schema) is None
                )

        estimated = estimate(uncached_requests(), each)
        plans.append(QuestionPlan(each.name, each.model, each.host, units, estimated))
    return plans


def _tasks(study: Study, settings: Sequence[JudgeSettings], task: str, prompts: Path | None) -> list[Task]:
    if task == parsing.NAME and len(settings) > 1:
        raise UserError("A response is split into statements once: name one judge for the task statement_parsing.")
    return [task_for(study, each, task, prompts) for each in settings]


def _first(group: BaseExceptionGroup[UserError]) -> UserError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, UserError) else UserError(str(error))


_Work = tuple[JudgeSettings, Task, list[tuple[str, ...]], Tally]


async def _run(study: Study, work: Sequence[_Work], progress: Progress, stop: _Stop) -> None:
    writer = _AnswerWriter(study, progress)
    calls = CallStore(study)
    try:
        async with AsyncExitStack() as stack:
            # All are opened before one is asked: a missing key is reported before anything is paid.
            judges = [stop.add(await stack.enter_async_context(Judge(settings, calls))) for settings, *_ in work]
            async with asyncio.TaskGroup() as group:
                for judge, (settings, task, waiting, tally) in zip(judges, work, strict=True):
                    ids = iter(waiting)
                    for _ in range(min(len(waiting), settings.concurrency + _EXTRA_WORKERS)):
                        group.create_task(_ask(judge, task, ids, tally, writer))
            for judge, (*_, tally) in zip(judges, work, strict=True):
                tally.dead, tally.changes = judge.dead, judge.changes
            await writer.finish()
    finally:
        writer.save_remaining()


async def _ask(judge: Judge, task: Task, ids: Iterator[tuple[str, ...]], tally: Tally, writer: "_AnswerWriter") -> None:
    """A worker of a judge, which takes units one after the other; the judge itself limits concurrent requests."""
    for one in ids:
        if judge.is_stopped:
            return
        unit = task.unit(one)
        if unit is None:
            continue
        answers = []
        for request in unit.requests:
            answer = _not_asked(judge.dead) if judge.dead else await judge.ask(request)
            tally.add(answer)
            if judge.is_stopped and answer.status == "skipped":
                return  # the unit is as it was; what was answered of it is in the cache
            answers.append(answer)
        writer.put(_Done(task, tally, unit, answers))
        await asyncio.sleep(0)  # cache hits never suspend; give other tasks a turn


def _not_asked(reason: str) -> Answer:
    return Answer(
        "skipped", None, "", f"Not asked. {reason}", None, None, 0, None, tries=0, rung="", cached=False, cache_key=""
    )


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
    answers: Sequence[Answer]


class _AnswerWriter:
    """Stores answers as they arrive, by group commit: those that arrive during one commit share the next."""

    def __init__(self, study: Study, progress: Progress) -> None:
        self._study = study
        self._progress = progress
        self._ready: deque[_Done] = deque()
        self._saving: asyncio.Task[None] | None = None
        self._long: set[tuple[str, ...]] = set()

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
            await asyncio.shield(asyncio.wrap_future(self._study.submit(_saver(batch))))
            self._progress.step(sum(len(rows) for _, rows in batch))

    def _rows(self) -> _Batch:
        by_task: dict[int, tuple[Task, list[Rows]]] = {}
        while self._ready:
            done = self._ready.popleft()
            rows = done.task.rows(done.unit, done.answers)
            done.tally.units += 1
            done.tally.abstained += rows.abstained
            done.tally.failed += rows.outcome in STATUSES
            done.tally.in_parts += self._is_new_and_long(done)
            done.tally.outcomes[rows.outcome] = done.tally.outcomes.get(rows.outcome, 0) + 1
            by_task.setdefault(id(done.task), (done.task, []))[1].append(rows)
        return list(by_task.values())

    def _is_new_and_long(self, done: _Done) -> bool:
        if len(done.unit.requests) < 2:
            return False
        # A page is in as many units as there are statements to check against it.
        ids = done.unit.ids[:1] if done.tally.task == DEFAULT else done.unit.ids
        known = (done.tally.judge, *ids) in self._long
        self._long.add((done.tally.judge, *ids))
        return not known
