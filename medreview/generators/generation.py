"""Generation as a task: questions one after the other on each input, attempts, and what is stored of them.

What a model has answered is found again by its key, so that work that was broken off goes on where it was: the
generator is run again from the answers that are stored, and asked for its next question.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.generators.ask import JUDGE, Ask, Checked, Got, Item, Made, Work
from medreview.generators.every_answer import codes_of
from medreview.generators.generator import Generator
from medreview.generators.quiet_inputs import QuietInputs
from medreview.generators.run import Ended, GenerationRun, save_end
from medreview.judges.prompt_fencing import fence_key
from medreview.judges.tasks.task import Rows, TaskUnit, request_of
from medreview.llm.call import ENDED, Answer, JudgeRequest, cache_key
from medreview.llm.settings import JudgeSettings
from medreview.llm.store import CallStore
from medreview.study import Study
from medreview.study.rows import insert
from medreview.units.stored import now

_VALID: Final = "ok"
_INVALID: Final = "invalid"


@dataclass(frozen=True, slots=True)
class StepRows(Rows):
    """The rows of one step: attempts, and the ends of work that it came to, in the order in which they are stored."""

    ends: tuple[Ended, ...] = ()


@dataclass(slots=True)
class _Running:
    """The work on one input as far as it went. ``attempts``: rows that are not stored yet; ``made``: it has ended."""

    item: Item
    work: Work
    round: int
    ask: Ask | None = None
    number: int = 1
    attempts: list[dict[str, Any]] = field(default_factory=list)
    made: Made | None = None


@dataclass(slots=True)
class _Step:
    """One question that was put; ``rows`` and ``next`` are known once its answer was taken."""

    running: _Running
    rows: StepRows | None = None
    next: TaskUnit | None = None


class Generation:
    """A generator as a task (``judges.tasks.task.Task``); ``judge`` is the model for questions that verify.

    ``one_model``: only what the writing model is asked is put, as for a batch; the rest waits.
    """

    def __init__(self, generator: Generator, judge: JudgeSettings | None = None, *, one_model: bool = False) -> None:
        self.study: Study = generator.study
        self.generator = generator
        generator.judge = judge
        self.record = GenerationRun.of(generator, judge)
        self.run = self.record.for_batches
        self.others: Mapping[str, JudgeSettings] = {JUDGE: judge} if judge else {}
        self._one_model = one_model
        self._key = fence_key(self.study)
        self._calls = CallStore(self.study)
        self._items = {item.item_id: item for item in generator.items()}
        quiet = [one for one, item in self._items.items() if not generator.steps(item)] if generator.mixed else ()
        self._quiet = QuietInputs(list(self._items), quiet)

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """(item id,) of the inputs of which nothing came yet; ``again``: also those of which nothing was made."""
        rows = self.study.reader.execute(
            "SELECT item_id, code FROM generation_current WHERE run_id = ?", (self.record.run_id,)
        )
        ended = {row["item_id"]: row["code"] for row in rows}
        waiting = [one for one in self._items if one not in ended or (again and ended[one])]
        self._quiet.begin(waiting)
        return [(one,) for one in waiting]

    def item(self, ids: tuple[str, ...]) -> Item:
        """The input with an id of :meth:`waiting`."""
        return self._items[ids[0]]

    def unit(self, ids: tuple[str, ...]) -> TaskUnit | None:
        """The next question on an input, after what was answered before; without a request when there is none left.

        ``None`` where it is for another model than this task may ask, and where its turn has not come.
        """
        item = self._items[ids[0]]
        if self._quiet.is_early(item.item_id):
            return None
        rounds = self.study.reader.execute(
            "SELECT coalesce(max(round), 0) FROM generation WHERE run_id = ? AND item_id = ?",
            (self.record.run_id, item.item_id),
        ).fetchone()[0]
        running = _Running(item, self.generator.work(item), rounds + 1)
        self._go_on(running, None)
        return self._next(running)

    def following(self, unit: TaskUnit, answers: Sequence[Answer]) -> TaskUnit | None:
        """The next question on the same input; ``None`` when the work has ended, or no answer came."""
        return self._taken(unit, answers).next

    def rows(self, unit: TaskUnit, answers: Sequence[Answer]) -> StepRows:
        """The attempt, and at the end of the work what was made."""
        rows = self._taken(unit, answers).rows
        assert rows is not None
        return rows

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store attempts, and of work that has ended what was made, each once."""
        self.record.add(connection)
        for made in rows:
            insert(connection, "generation_attempt", made.tables.get("generation_attempt", ()))
            for end in made.ends if isinstance(made, StepRows) else ():
                save_end(connection, self.record, end)

    def settled(self) -> Iterator[tuple[TaskUnit, list[Answer]]]:
        """Inputs on which nothing is left to be asked, and of which nothing is stored yet: an earlier run was killed
        between the answer and its rows, or the answers came in a batch."""
        for ids in self.waiting():
            unit = self.unit(ids)
            if unit is not None and not unit.requests:
                yield unit, []

    def _taken(self, unit: TaskUnit, answers: Sequence[Answer]) -> _Step:
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
        before = (self._ended_quietly(one) for one in self._quiet.ended(running.item.item_id))
        ends = (*before, Ended(running.item, running.round, running.made))
        return StepRows({"generation_attempt": attempts}, running.made.code or "made", abstained=False, ends=ends)

    def _ended_quietly(self, item_id: str) -> Ended:
        """The end of work on an input that asks nothing."""
        running = _Running(self._items[item_id], self.generator.work(self._items[item_id]), 1)
        self._go_on(running, None)
        assert running.made is not None
        return Ended(running.item, running.round, running.made)

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

    def _take(self, running: _Running, answer: Answer) -> None:
        """Note an attempt; go on when it was valid, or the last one."""
        ask = running.ask
        assert ask is not None
        value = answer.value
        if value is None and ask.read is not None:
            value = ask.read(answer.status, answer.raw)
        checked = _checked(ask, value) if value is not None else Checked((answer.status,))
        status = _VALID
        if checked.codes:
            status = answer.status if answer.status != _VALID else _INVALID
        running.attempts.append(
            {
                "run_id": self.record.run_id,
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

    def _asked(self, ask: Ask) -> JudgeSettings:
        return self.others.get(ask.by, self.generator.model)

    def _by(self, ask: Ask) -> str:
        """The key of the other model that a question is for; ``""`` for the one that writes."""
        return ask.by if self._asked(ask) != self.generator.model else ""

    def _request(self, running: _Running, ask: Ask) -> JudgeRequest:
        about = ask.about or f"{running.item.name} / {ask.stage}"
        return request_of(
            ask.prompt, self._key, ask.texts, ask.notes, about=about, attempt=running.number, repair=ask.read is None
        )


def _checked(ask: Ask, value: Mapping[str, Any]) -> Checked:
    """What the generator's own validator says, after what holds for everything that is written.

    What a judge says is no text of ours: it may well repeat its prompt.
    """
    checked = ask.check(value)
    of_all = () if ask.by == JUDGE else codes_of(value, ask.prompt.schema, ask.prompt.text, ask.texts, ask.headings)
    told = (code for code in of_all if code not in ask.allowed)
    return Checked(tuple(dict.fromkeys((*told, *checked.codes))), checked.value)
