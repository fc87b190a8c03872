"""Generation as a task: questions one after the other on each input, attempts, and what is stored of them.

A run has an id, and rows in the study; inputs of which something is made without a question keep their place.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from medreview.exchange.imports.answer_records import response_row
from medreview.generators.answer_rules import codes_of
from medreview.generators.counts import GenerationCounts, generation_counts
from medreview.generators.generator import (
    JUDGE,
    Generator,
    Got,
    InputResult,
    Item,
    ModelQuestion,
    NothingMade,
    ValidatorResult,
    Work,
)
from medreview.judges.prompt_texts import fence_key
from medreview.judges.runs import JudgeRun
from medreview.judges.tasks.task import Rows, Task, TaskUnit, request_of
from medreview.llm.call import ENDED, JudgeRequest, ModelAnswer, cache_key
from medreview.llm.settings import JudgeSettings, told_of
from medreview.llm.store import CallStore
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.units.new_units import ImportRecord, store_records
from medreview.units.stored import now


class QuietInputs:
    """Which of them wait; ``order`` are all inputs, ``quiet`` those without a question."""

    def __init__(self, order: Sequence[str], quiet: Iterable[str]) -> None:
        self._place = {one: place for place, one in enumerate(order)}
        self._quiet = frozenset(quiet)
        self._waiting: list[str] = []
        self._open: dict[str, None] = {}

    def begin(self, waiting: Iterable[str]) -> None:
        """These inputs have not ended."""
        still = sorted(waiting, key=self._place.__getitem__)
        self._waiting = [one for one in still if one in self._quiet]
        self._open = dict.fromkeys(one for one in still if one not in self._quiet)

    def is_early(self, one: str) -> bool:
        """Whether an input without a question still has its turn before it."""
        if one not in self._quiet:
            return False
        if one not in self._waiting:
            return True  # it is on its way with another one
        first = next(iter(self._open), None)
        return first is not None and self._place[first] < self._place[one]

    def ended(self, one: str) -> list[str]:
        """Work on an input has ended; those before it whose turn has come with that."""
        self._open.pop(one, None)
        if one in self._waiting:
            self._waiting.remove(one)
        due = [other for other in self._waiting if self._place[other] < self._place[one]]
        self._waiting = self._waiting[len(due) :]
        return due


def _products(brought: ImportRecord) -> Sequence[tuple[str, str]]:
    return [
        *(("unit", one.unit) for one in brought.units),
        *(("response", str(response_row(one, "")["response_id"])) for one in brought.answers),
        *(("passage", one.passage_id) for one in brought.passages),
        *(("case", one.case_id) for one in brought.cases),
    ]


_VALID: Final = "ok"
_INVALID: Final = "invalid"


@dataclass(slots=True)
class _Running:
    """The work on one input as far as it went. ``attempts``: rows that are not stored yet; ``made``: it has ended."""

    item: Item
    work: Work
    round: int
    ask: ModelQuestion | None = None
    number: int = 1
    attempts: list[dict[str, Any]] = field(default_factory=list)
    made: InputResult | None = None


@dataclass(frozen=True, slots=True)
class StepRows(Rows):
    """The rows of one step: attempts, and the work that ended with it, in the order in which it is stored."""

    ends: tuple[_Running, ...] = ()


@dataclass(slots=True)
class _Step:
    """One question that was put; ``rows`` and ``next`` are known once its answer was taken."""

    running: _Running
    rows: StepRows | None = None
    next: TaskUnit | None = None


class Generation(Task):
    """A generator as a task; ``judge`` is the model for questions that verify.

    Its run has one model, one set of prompts, parameters and options; another of these is another run. ``one_model``:
    only what the writing model is asked is put, as for a batch; the rest waits.
    """

    def __init__(self, generator: Generator, judge: JudgeSettings | None = None, *, one_model: bool = False) -> None:
        self.study = generator.study
        self.settings = generator.model
        self.name = generator.name
        self.counted = f"{generator.noun}s"
        self.prompt_names = generator.prompt_names
        self.generator = generator
        generator.judge = judge
        prompts = {prompt.id: prompt.sha256 for prompt in generator.prompts.values()}
        self._row = {
            "generator": self.name,
            "model_name": self.settings.name,
            "model": self.settings.model,
            "host": self.settings.host,
            "judge": told_of(judge) if judge else "",
            "prompts": json.dumps(prompts, sort_keys=True),
            "params": json.dumps(dict(self.settings.params), sort_keys=True),
            "options": json.dumps(dict(generator.options), sort_keys=True, ensure_ascii=False),
        }
        self.run_id = content_id("n", *self._row.values())
        params = {**self.settings.params, "host": self.settings.host, "generator": self.name, "run": self.run_id}
        ids, hashes = "+".join(prompts), "+".join(prompts.values())
        self.run = JudgeRun(self.settings.name, "model", self.settings.model, ids, hashes, params)
        self.others = {JUDGE: judge} if judge else {}
        self._one_model = one_model
        self._key = fence_key(self.study)
        self._calls = CallStore(self.study)
        self._items = {item.item_id: item for item in generator.items()}
        quiet = [one for one, item in self._items.items() if not generator.steps(item)] if generator.mixed else ()
        self._quiet = QuietInputs(list(self._items), quiet)

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """(item id,) of the inputs of which nothing came yet; ``again``: also those of which nothing was made."""
        rows = self.study.reader.execute(
            "SELECT item_id, code FROM generation_current WHERE run_id = ?", (self.run_id,)
        )
        ended = {row["item_id"]: row["code"] for row in rows}
        waiting = [one for one in self._items if one not in ended or (again and ended[one])]
        self._quiet.begin(waiting)
        return [(one,) for one in waiting]

    def item(self, ids: tuple[str, ...]) -> Item:
        """The input with an id of :meth:`waiting`."""
        return self._items[ids[0]]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit | None:
        """The next question on an input, after what was answered before; without a request when none is left.

        ``None`` where it is for another model than this task may ask, and where its turn has not come.
        """
        item = self._items[ids[0]]
        if self._quiet.is_early(item.item_id):
            return None
        rounds = self.study.reader.execute(
            "SELECT coalesce(max(round), 0) FROM generation WHERE run_id = ? AND item_id = ?",
            (self.run_id, item.item_id),
        ).fetchone()[0]
        running = _Running(item, self.generator.work(item), rounds + 1)
        self._go_on(running, None)
        return self._next(running)

    def following(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> TaskUnit | None:
        """The next question on the same input; ``None`` when the work has ended, or no answer came."""
        return self._taken(unit, answers).next

    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> StepRows:
        """The attempt, and at the end of the work what was made."""
        rows = self._taken(unit, answers).rows
        assert rows is not None
        return rows

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store attempts, and of work that has ended what was made, each once."""
        self.add_run(connection)
        for made in rows:
            insert(connection, "generation_attempt", made.tables.get("generation_attempt", ()))
            for end in made.ends if isinstance(made, StepRows) else ():
                self._save_end(connection, end)

    def add_run(self, connection: sqlite3.Connection) -> None:
        """Store the run unless it is there."""
        last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()[0]
        row = {"run_id": self.run_id, "ordinal": last + 1, **self._row, "started_at": now()}
        insert(connection, "generation_run", [row])

    def _save_end(self, connection: sqlite3.Connection, end: _Running) -> None:
        """Store what came of an input, and its products."""
        assert end.made is not None
        brought = self._signed(end.made.brought)
        store_records(connection, [brought], f"generated: {self.name}")
        whose = {"run_id": self.run_id, "item_id": end.item.item_id}
        last = connection.execute(
            "SELECT coalesce(max(ordinal), 0) FROM generation_dropped WHERE run_id = ? AND item_id = ?",
            tuple(whose.values()),
        ).fetchone()[0]
        dropped = [
            {**whose, "ordinal": number, "code": code, "what": what}
            for number, (code, what) in enumerate(end.made.dropped, last + 1)
        ]
        outcome = {
            **whose,
            "round": end.round,
            "name": end.item.name,
            "code": end.made.code,
            "report": json.dumps(dict(end.made.report), ensure_ascii=False),
            "finished_at": now(),
        }
        if insert(connection, "generation", [outcome]):
            insert(connection, "generation_dropped", dropped)
        products = ({**whose, "kind": kind, "made": made} for kind, made in _products(brought))
        insert(connection, "generation_product", products)

    def _signed(self, brought: ImportRecord) -> ImportRecord:
        """With what it was made by, and with what the settings call the model, in each unit that does not say so
        itself: two settings of one model are two systems."""
        made_by = {"model": self.settings.model, "prompt": self.run.prompt_id, "run": self.run_id}
        units = (
            replace(one, model=one.model or self.settings.name, made_by={**made_by, **one.made_by})
            for one in brought.units
        )
        return replace(brought, units=tuple(units))

    def store_settled(self) -> None:
        """Store what was made of inputs on which nothing is left to be asked: an earlier run was killed between the
        answer and its rows, or the answers came in a batch."""
        self.store([(unit, []) for unit in self.pending() if not unit.requests])

    def counts(self) -> GenerationCounts:
        """The counts of its run, which is in the study."""
        return generation_counts(self.study.reader, self.run_id)[0]

    def _taken(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> _Step:
        step: _Step = unit.more["step"]
        if step.rows is None:
            running = step.running
            failed = next((one for one in answers if one.status not in ENDED), None)
            if failed is not None:
                step.rows = StepRows({}, failed.status, abstained=True)
                return step
            for answer in answers:
                self._take(running, answer)
            step.next = self._next(running) if running.made is None else None
            step.rows = self._rows(running)
        return step

    def _rows(self, running: _Running) -> StepRows:
        attempts, running.attempts = running.attempts, []
        if running.made is None:
            return StepRows({"generation_attempt": attempts}, "asked", abstained=False)
        ends = (*map(self._ended_quietly, self._quiet.ended(running.item.item_id)), running)
        return StepRows({"generation_attempt": attempts}, running.made.code or "made", abstained=False, ends=ends)

    def _ended_quietly(self, item_id: str) -> _Running:
        """The end of work on an input that asks nothing."""
        running = _Running(self._items[item_id], self.generator.work(self._items[item_id]), 1)
        self._go_on(running, None)
        return running

    def _next(self, running: _Running) -> TaskUnit | None:
        """The unit with the next question that no answer is stored of."""
        while running.ask is not None:
            request = self._request(running, running.ask)
            stored = self._calls.ended(cache_key(self._asked(running.ask), request), request.schema)
            if stored is None:
                by = self._by(running.ask)
                if self._one_model and by:
                    return None
                return TaskUnit((running.item.item_id,), (request,), {"step": _Step(running)}, by)
            self._take(running, stored)
        return TaskUnit((running.item.item_id,), (), {"step": _Step(running)})

    def _take(self, running: _Running, answer: ModelAnswer) -> None:
        """Note an attempt; go on when it was valid, or the last one."""
        ask = running.ask
        assert ask is not None
        value = answer.value
        if value is None and ask.read is not None:
            value = ask.read(answer.status, answer.raw)
        checked = _checked(ask, value) if value is not None else ValidatorResult((answer.status,))
        status = _VALID
        if checked.codes:
            status = answer.status if answer.status != _VALID else _INVALID
        running.attempts.append(
            {
                "run_id": self.run_id,
                "item_id": running.item.item_id,
                "stage": ask.stage,
                "number": running.number,
                "cache_key": answer.cache_key,
                "status": status,
                "codes": json.dumps(checked.codes),
                "at_utc": now(),
            }
        )
        valid = status == _VALID
        if valid or running.number >= ask.attempts * running.round:
            self._go_on(running, Got(valid, checked.value, status, checked.codes, answer.raw))
        else:
            running.number += 1

    def _go_on(self, running: _Running, got: Got | None) -> None:
        """Run the generator to its next question, or to its end."""
        running.number = 1
        try:
            running.ask = next(running.work) if got is None else running.work.send(got)
        except StopIteration as ended:
            running.ask, running.made = None, ended.value
        except NothingMade as ended:
            running.ask, running.made = None, ended.result

    def _asked(self, ask: ModelQuestion) -> JudgeSettings:
        return self.others.get(ask.by, self.settings)

    def _by(self, ask: ModelQuestion) -> str:
        """The key of the other model that a question is for; ``""`` for the one that writes."""
        return ask.by if self._asked(ask) != self.settings else ""

    def _request(self, running: _Running, ask: ModelQuestion) -> JudgeRequest:
        about = ask.about or f"{running.item.name} / {ask.stage}"
        return request_of(
            ask.prompt, self._key, ask.texts, ask.notes, about=about, attempt=running.number, repair=ask.read is None
        )


def _checked(ask: ModelQuestion, value: Mapping[str, Any]) -> ValidatorResult:
    """What the generator's own validator says, after what holds for everything that is written.

    A judge's answer skips the latter: it may well repeat its prompt.
    """
    checked = ask.check(value)
    of_all = () if ask.by == JUDGE else codes_of(value, ask.prompt.schema, ask.prompt.text, ask.texts, ask.headings)
    codes = (code for code in of_all if code not in ask.allowed)
    return ValidatorResult(tuple(dict.fromkeys((*codes, *checked.codes))), checked.value)
