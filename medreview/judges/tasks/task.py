"""What all tasks have in common: units that wait for a judge, which of them are chosen (of a part of the study, what is
cited, a random draw), their requests, and the rows made of the answers.

Tasks on whole responses share the texts, and the grounding of quotes in them.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from medreview.errors import UserError
from medreview.evidence.grounding import Grounding, QuoteIndex, ground
from medreview.judges.judge_caveats import outputs_of_parts
from medreview.judges.prompt_texts import fence_key, fenced
from medreview.judges.prompts import Prompt
from medreview.judges.runs import JudgeRun, add_run
from medreview.judges.worked_examples import WorkedExamples
from medreview.llm.call import JudgeRequest, ModelAnswer
from medreview.llm.settings import JudgeSettings
from medreview.redaction import row_without_keys
from medreview.study import Study
from medreview.study.audit_frame import permanent_number
from medreview.text import Span

TRANSIENT: Final = ("timeout", "error", "skipped")
"""Statuses that say nothing about the unit, only about the connection: the unit is asked again by default."""


Unit = tuple[str, ...]
"""The ids of a unit, as :class:`TaskUnit` has them."""


@dataclass(frozen=True, slots=True)
class ChosenUnits:
    """The units that may be asked about now; :data:`EVERY_UNIT` without a choice.

    ``about``: the ids of statements and responses that were chosen, ``None`` for all of the study. ``units``: single
    units chosen beside them, such as labelled pairs. ``cited_only``: only pairs whose statement cites the source
    itself. ``seed``: the seed of a random draw, ``None`` without one.
    """

    about: Collection[str] | None = None
    units: Collection[Unit] = frozenset()
    cited_only: bool = False
    seed: int | None = None

    def holds(self, unit: Unit, about: Callable[[Unit], str]) -> bool:
        """Whether the part of the study has a unit, which is ``about`` a statement or a response."""
        return self.about is None or unit in self.units or about(unit) in self.about


EVERY_UNIT: Final = ChosenUnits()


def draw(units: Sequence[Unit], about: Callable[[Unit], str], seed: int, size: int) -> frozenset[Unit]:
    """Draw at random at most ``size`` units: whole statements (or responses), each with all of its units.

    What is drawn depends on the seed and the ids alone, and a larger draw of the same seed contains the smaller one. A
    statement of which not all units fit any more ends the draw; only where it is the first one, a part of it is taken.
    """

    def turn(unit: Unit) -> tuple[float, str]:
        return permanent_number(str(seed), about(unit)), about(unit)

    drawn: list[Unit] = []
    for _, group in groupby(sorted(units, key=turn), key=about):
        together = list(group)
        if drawn and len(drawn) + len(together) > size:
            break
        drawn += together
    return frozenset(drawn[:size])


@dataclass(frozen=True, slots=True)
class TaskUnit:
    """One thing to judge. ``ids`` identify it; ``requests`` is one request, or one per window of a long text.

    ``more`` is private to the task: what it needs to make rows of the answers. ``by`` names which of the task's
    :attr:`Task.others` is asked; ``""`` is the model that the task is put to.
    """

    ids: tuple[str, ...]
    requests: tuple[JudgeRequest, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    by: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one unit by table, ready to be stored; ``outcome`` is a label or the kind of abstention."""

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    outcome: str
    abstained: bool


class Task(ABC):
    """A task for one judge run on one study; created by :func:`medreview.judges.tasks.registry.task_for`.

    A subclass says which units wait, what is asked of one, and what rows its answers become. Another model, host,
    parameter or prompt is another run.
    """

    study: Study
    run: JudgeRun
    settings: JudgeSettings
    """The model that it is put to."""
    name: str
    """What it is called: a task, or a generator."""
    counted: str = "judgements"
    """What its progress counts, in the plural."""
    prompt_names: Sequence[str]
    """The prompts that it asks with."""
    others: Mapping[str, JudgeSettings] = MappingProxyType({})
    """Further models that some of its units are for, by what these say in ``TaskUnit.by``."""
    chosen: ChosenUnits = EVERY_UNIT
    """The units that are asked about now. Answers to others are taken all the same."""
    examples: WorkedExamples | None = None
    """Worked examples that are shown with each question."""

    def __init__(self, study: Study, settings: JudgeSettings, prompt: Prompt) -> None:
        self.study = study
        self.settings = settings
        self.prompt = prompt
        self.name = prompt.task
        self.prompt_names = (prompt.task,)
        self.responses = Responses(study.reader)
        self._key = fence_key(study)
        params = {**settings.params, "host": settings.host}
        self.run = JudgeRun(settings.name, "llm", settings.model, prompt.id, prompt.sha256, params)

    def show(self, examples: WorkedExamples) -> None:
        """Show examples with each question. Raises :class:`UserError` where the task has no place for them."""
        raise UserError(f"--examples are for the task source_verification; {self.name} has no place for them.")

    def units_without(self, answer: str) -> list[Unit]:
        """The ids of the units, in the order in which to ask, that have no row of this run, ``AS j``, for which the SQL
        condition ``answer`` holds. Raises :class:`UserError` where nobody can list them."""
        raise UserError(
            f"The task {self.name} has no random draw: what it has done is not a unit of it any more. Leave --seed out."
        )

    def waiting(self, *, again: bool = False) -> list[Unit]:
        """The ids of the units without an answer, in the order in which to ask.

        Units whose judge could not be reached are included; with ``again`` also those whose answer was unusable
        (``unparsable``, ``truncated``, ``refused``).
        """
        reached = f"OR substr(j.error, 1, instr(j.error, ':') - 1) NOT IN {TRANSIENT}"
        return self.units_without(f"(j.error = '' {'' if again else reached})")

    def about(self, unit: Unit) -> str:
        """The id of the statement or the response that a unit is about."""
        return unit[0]

    def cited(self) -> Collection[Unit]:
        """The ids of the units whose statement cites the source itself. Raises :class:`UserError` where a unit is no
        pair of a statement and a source."""
        raise UserError(
            f"The task {self.name} does not ask about pairs of statement and source: leave --cited-only out."
        )

    def asked_about(self, *, again: bool = False, limit: int | None = None) -> list[Unit]:
        """The ids of the chosen units that wait, in the order in which to ask; at most ``limit``.

        With a seed these are what waits of a random draw of ``limit`` units, so that the same draw again goes on.
        Raises :class:`UserError` for a seed without a limit, and for a choice that the task does not have.
        """
        chosen = self.chosen
        cited = self.cited() if chosen.cited_only else None

        def fits(unit: Unit) -> bool:
            return chosen.holds(unit, self.about) and (cited is None or unit in cited)

        if chosen.seed is None:
            return [unit for unit in self.waiting(again=again) if fits(unit)][:limit]
        if limit is None:
            raise UserError("A random draw needs its size: give --limit with --seed.")
        drawn = draw([unit for unit in self.units_without("0") if fits(unit)], self.about, chosen.seed, limit)
        return [unit for unit in self.waiting(again=again) if unit in drawn]

    @abstractmethod
    def unit(self, ids: tuple[str, ...]) -> TaskUnit | None:
        """The unit with its requests; ``None`` when it needs no request after all."""

    @abstractmethod
    def rows(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> Rows:
        """The rows for the answers to all of a unit's requests, in order. To be called on the reader's thread."""

    def following(self, unit: TaskUnit, answers: Sequence[ModelAnswer]) -> TaskUnit | None:
        """What is asked of the same thing next, which depends on these answers; ``None`` when that was all."""
        return None

    def save(self, connection: sqlite3.Connection, rows: Sequence[Rows]) -> None:
        """Store rows inside the caller's transaction; of existing rows only abstentions are replaced."""
        add_run(connection, self.run)
        for made in rows:
            for table, whole in made.tables.items():
                for row in whole:
                    columns = list(row)
                    placeholders = ", ".join(f":{column}" for column in columns)
                    changes = ", ".join(f"{column} = excluded.{column}" for column in columns)
                    connection.execute(
                        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders}) "
                        f"ON CONFLICT DO UPDATE SET {changes} WHERE {table}.error <> ''",
                        row_without_keys(row),
                    )

    def store(self, done: Sequence[tuple[TaskUnit, Sequence[ModelAnswer]]]) -> None:
        """Store the answers to complete units in one transaction."""
        rows = [self.rows(unit, answers) for unit, answers in done]
        self.study.write(lambda connection: self.save(connection, rows))

    def pending(self, *, again: bool = False, limit: int | None = None) -> Iterator[TaskUnit]:
        """The chosen units that wait, with their requests, generated lazily; at most ``limit``."""
        for ids in self.asked_about(again=again, limit=limit):
            if (unit := self.unit(ids)) is not None:
                yield unit

    def request(self, texts: Mapping[str, str], about: str, notes: Mapping[str, str] | None = None) -> JudgeRequest:
        """The task's question about these texts (:func:`request_of`)."""
        return request_of(self.prompt, self._key, texts, notes, about=about)


def request_of(
    prompt: Prompt,
    key: str,
    texts: Mapping[str, str],
    notes: Mapping[str, str] | None = None,
    *,
    about: str = "",
    attempt: int = 1,
    repair: bool = True,
) -> JudgeRequest:
    """A request with the prompt's placeholders replaced by ``texts``, each delimited (see ``prompt_texts``)."""
    values = fenced(key, texts, max(texts.values(), key=len), notes)
    return JudgeRequest(
        prompt.task, prompt.id, prompt.sha256, prompt.messages(values), prompt.schema, attempt, about, repair
    )


def failure(answers: Sequence[ModelAnswer]) -> ModelAnswer | None:
    """The first answer that is an abstention, or ``None``."""
    return next((answer for answer in answers if answer.status != "ok"), None)


def said(answers: Sequence[ModelAnswer]) -> tuple[Mapping[str, Any], ModelAnswer | None]:
    """The object that the one answer holds, ``{}`` of an abstention; and the answer again where it is one."""
    failed = failure(answers)
    return ({}, failed) if failed else (answers[0].value or {}, None)


def error_of(answer: ModelAnswer | None) -> str:
    """The value of the column ``error``: the status and a sentence; ``""`` without a failure."""
    return "" if answer is None else f"{answer.status}: {answer.error or 'no answer of use'}"


def raw_of(answers: Sequence[ModelAnswer]) -> str:
    """The judge's output; of several parts one after the other."""
    return outputs_of_parts([answer.raw for answer in answers])


def confidence_of(value: Any) -> float | None:
    """A confidence as 0..1, ``None`` for an invalid value. A whole number above 1 is read as per cent."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return None
    return float(value) if value <= 1 else value / 100 if value == int(value) else None


def quote_json(quote: str, status: str, grounding: Grounding | None, **more: Any) -> dict[str, Any]:
    """A quote with its status and its ranges, for a JSON column."""
    return {"quote": quote, "status": status, **more, "spans": [list(s) for s in grounding.spans] if grounding else []}


class ResponseText(NamedTuple):
    """A response with the question it answers; ``name``: whose answer it is to what, for people."""

    question: str
    text: str
    name: str


class Responses:
    """The responses of a study, loaded when they are asked for, the last ones kept."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self.get = lru_cache(maxsize=32)(self._read)
        self._index = lru_cache(maxsize=32)(lambda response_id: QuoteIndex(self.get(response_id).text))

    def ground(self, quote: str, response_id: str) -> tuple[str, Grounding | None]:
        """Quote status and grounding of a quote in a response."""
        if not quote.strip():
            return "none", None
        found = ground(quote, self._index(response_id))
        # An error may be a single drug or dose: a quote that is too short counts if it is there verbatim.
        if found.status == "too_short":
            text = self.get(response_id).text
            start = text.find(quote.strip())
            if start >= 0:
                return "exact", Grounding("exact", (Span(start, start + len(quote.strip())),), ())
        return found.status, found

    def quote_json(self, quote: str, response_id: str) -> dict[str, Any]:
        """The quote with its status and ranges, for a JSON column."""
        return quote_json(quote, *self.ground(quote, response_id))

    def _read(self, response_id: str) -> ResponseText:
        row = self._reader.execute(
            """SELECT question, text, coalesce(nullif(record_id, ''), question) || ' (' || model || ')' AS name
               FROM response WHERE response_id = ?""",
            (response_id,),
        )
        return ResponseText(*row.fetchone())
