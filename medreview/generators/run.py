"""The run of a generator: what it is known by, and its rows in the study."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from medreview.exchange.imports.responses import response_row
from medreview.generators.ask import Item, Made
from medreview.generators.generator import Generator
from medreview.judges.runs import JudgeRun
from medreview.llm.settings import JudgeSettings, told_of
from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.units.brought import Brought, store_brought
from medreview.units.stored import now


@dataclass(frozen=True, slots=True)
class GenerationRun:
    """A generator with one model, one set of prompts, parameters and options; another of these is another run."""

    generator: str
    model: JudgeSettings
    judge: JudgeSettings | None
    prompts: Mapping[str, str]
    options: Mapping[str, Any]
    run_id: str = field(init=False)

    def __post_init__(self) -> None:
        row = self._row()
        object.__setattr__(self, "run_id", content_id("n", *row.values()))

    @classmethod
    def of(cls, generator: Generator, judge: JudgeSettings | None) -> "GenerationRun":
        """The run of a generator that was set up."""
        prompts = {prompt.id: prompt.sha256 for prompt in generator.prompts.values()}
        return cls(generator.name, generator.model, judge, prompts, generator.options)

    def _row(self) -> dict[str, Any]:
        return {
            "generator": self.generator,
            "model_name": self.model.name,
            "model": self.model.model,
            "host": self.model.host,
            "judge": told_of(self.judge) if self.judge else "",
            "prompts": json.dumps(dict(self.prompts), sort_keys=True),
            "params": json.dumps(dict(self.model.params), sort_keys=True),
            "options": json.dumps(dict(self.options), sort_keys=True, ensure_ascii=False),
        }

    @property
    def for_batches(self) -> JudgeRun:
        """How files of a batch name it (``judges.batch_out``)."""
        ids, hashes = "+".join(self.prompts), "+".join(self.prompts.values())
        params = {**self.model.params, "host": self.model.host, "generator": self.generator, "run": self.run_id}
        return JudgeRun(self.model.name, "model", self.model.model, ids, hashes, params)

    @property
    def made_by(self) -> dict[str, str]:
        """What stands beside what it makes: model, prompt, run."""
        return {"model": self.model.model, "prompt": "+".join(self.prompts), "run": self.run_id}

    def add(self, connection: sqlite3.Connection) -> None:
        """Store the run unless it is there."""
        last = connection.execute("SELECT coalesce(max(ordinal), 0) FROM generation_run").fetchone()[0]
        insert(
            connection,
            "generation_run",
            [{"run_id": self.run_id, "ordinal": last + 1, **self._row(), "started_at": now()}],
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the work on an input: in which round, and what was made."""

    item: Item
    round: int
    made: Made


def save_end(connection: sqlite3.Connection, run: GenerationRun, end: Ended) -> None:
    """Store what came of an input, and its products, inside the caller's transaction."""
    brought = _signed(end.made.brought, run)
    store_brought(connection, [brought], f"generated: {run.generator}")
    whose = {"run_id": run.run_id, "item_id": end.item.item_id}
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


def _signed(brought: Brought, run: GenerationRun) -> Brought:
    """With what it was made by, and with what the settings call the model, in each unit that does not say so itself:
    two settings of one model are two systems."""
    from dataclasses import replace

    units = tuple(
        replace(one, model=one.model or run.model.name, made_by={**run.made_by, **one.made_by}) for one in brought.units
    )
    return replace(brought, units=units)


def _products(brought: Brought) -> Sequence[tuple[str, str]]:
    return [
        *(("unit", one.unit) for one in brought.units),
        *(("response", str(response_row(one, "")["response_id"])) for one in brought.answers),
        *(("passage", one.passage_id) for one in brought.passages),
        *(("case", one.case_id) for one in brought.cases),
    ]
