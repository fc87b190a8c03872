"""What every task has: units that wait for a judge, requests made of them, rows made of the answers."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from medreview.evidence.grounding import Grounding
from medreview.judges.prompt_fencing import fenced
from medreview.judges.prompts import Prompt
from medreview.judges.runs import JudgeRun, add_run
from medreview.llm.call import Answer, Ask
from medreview.llm.settings import JudgeSettings
from medreview.study import Study

PASSING: Final = ("timeout", "error", "skipped")
"""Answers that say nothing on the unit, only on the way to the judge: it is asked again without being told to."""


@dataclass(frozen=True, slots=True)
class TaskUnit:
    """One thing to judge. ``asks``: one request, or one per part of a long text; ``ids`` say what it is about.

    ``more`` is the task's own: what it needs to make rows of the answers.
    """

    ids: tuple[str, ...]
    asks: tuple[Ask, ...]
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rows:
    """What one unit's answers became: rows by table, ready to be stored; ``outcome`` is a label or an abstention."""

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    outcome: str
    abstained: bool


class Task(Protocol):
    """A task for one judge run on one study; :func:`medreview.judges.tasks.registry.task_for` makes it."""

    study: Study
    run: JudgeRun

    def waiting(self, *, again: bool = False) -> list[tuple[str, ...]]:
        """The ids of the units without an answer, in the order in which to ask.

        Units whose judge could not be reached wait again by themselves; with ``again`` also those whose answer was of
        no use (``unparsable``, ``truncated``, ``refused``).
        """

    def unit(self, ids: tuple[str, ...]) -> TaskUnit | None:
        """What to ask on a unit; ``None`` when it needs no asking after all."""

    def rows(self, unit: TaskUnit, answers: Sequence[Answer]) -> Rows:
        """What is stored of the answers to all of a unit's requests, in their order. Call it on the reader's thread."""

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store them inside the caller's transaction; an abstention that is there already is replaced."""


def pending(task: Task, *, again: bool = False, limit: int | None = None) -> Iterator[TaskUnit]:
    """The units that wait, with their requests, made one at a time."""
    for ids in task.waiting(again=again)[:limit]:
        if (unit := task.unit(ids)) is not None:
            yield unit


def store(task: Task, done: Sequence[tuple[TaskUnit, Sequence[Answer]]]) -> list[Rows]:
    """Store the answers to whole units in one transaction."""
    rows = [task.rows(unit, answers) for unit, answers in done]
    task.study.write(lambda connection: task.save(connection, rows))
    return rows


def run_of(settings: JudgeSettings, prompt: Prompt) -> JudgeRun:
    """The judge run of a configured judge on a prompt; another model, host, parameter or prompt is another run."""
    return JudgeRun(
        judge=settings.name,
        kind="llm",
        model=settings.model,
        prompt_id=prompt.id,
        prompt_sha256=prompt.sha256,
        params={**settings.params, "host": settings.host},
    )


def ask_of(prompt: Prompt, key: str, texts: Mapping[str, str], notes: Mapping[str, str] | None = None) -> Ask:
    """A request with the prompt's fields filled in from ``texts``, each fenced; the longest one anchors the fence."""
    values = fenced(key, texts, max(texts.values(), key=len), notes)
    return Ask(prompt.task, prompt.id, prompt.sha256, prompt.messages(values), prompt.schema)


def failure(answers: Sequence[Answer]) -> Answer | None:
    """The first answer that is an abstention."""
    return next((answer for answer in answers if answer.status != "ok"), None)


def error_of(answer: Answer | None) -> str:
    """What the column ``error`` says: the status word and a sentence; ``""`` when there was no failure."""
    return "" if answer is None else f"{answer.status}: {answer.error or 'no answer of use'}"


def raw_of(answers: Sequence[Answer]) -> str:
    """What the judge wrote, of several parts one after the other."""
    if len(answers) == 1:
        return answers[0].raw
    return "\n".join(f"--- part {number} ---\n{answer.raw}" for number, answer in enumerate(answers, 1))


SETTLED: Final = 1
"""The last place of :func:`place_of` that stands whatever the other parts of a source say."""
_ORDER: Final = {"supported": 0, "contradicted": SETTLED, "partial": 3, "not_addressed": 5, "cannot_judge": 6}


def place_of(verdict: str | None, *, unproven: bool) -> int:
    """Which part's word stands for a whole source: the lowest. Support that is not shown goes before partial."""
    return 2 if unproven else _ORDER[verdict] if verdict else 4


def share(value: Any) -> float | None:
    """A confidence as 0..1; ``None`` when it is none. A whole number above 1 is read as per cent."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return float(value) if value <= 1 else value / 100 if value == int(value) else None


def places(quote: str, status: str, grounding: Grounding | None, **more: Any) -> dict[str, Any]:
    """A quote as the JSON columns hold it, with its status and its ranges."""
    return {"quote": quote, "status": status, **more, "spans": [list(s) for s in grounding.spans] if grounding else []}


def answered(alias: str, again: bool) -> str:
    """SQL: whether the row of a judgement table needs no more asking."""
    if again:
        return f"{alias}.error = ''"
    return f"({alias}.error = '' OR substr({alias}.error, 1, instr({alias}.error, ':') - 1) NOT IN {PASSING})"


def save_rows(connection: sqlite3.Connection, run: JudgeRun, rows: Sequence[Rows]) -> None:
    """Store the rows; of those that are there already only abstentions are replaced."""
    add_run(connection, run)
    for made in rows:
        for table, whole in made.tables.items():
            for row in whole:
                columns = list(row)
                marks = ", ".join(f":{column}" for column in columns)
                changes = ", ".join(f"{column} = excluded.{column}" for column in columns)
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) "
                    f"ON CONFLICT DO UPDATE SET {changes} WHERE {table}.error <> ''",
                    row,
                )
