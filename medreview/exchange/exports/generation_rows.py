"""The exported files, columns and rows, of what models were asked to generate, each attempt, and what came of it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from medreview.exchange.files.columns import Column
from medreview.exchange.files.csv_file import Cell, flatten

_RUN: Final = Column("generation_run_id", "text", "The run: one generator with one model, its prompts and options.")
_ITEM: Final = Column("item_id", "text", "The input that it was asked about.")

RUNS: Final = (
    _RUN,
    Column("ordinal", "integer", "Its number in the study, from 1."),
    Column("generator", "text", "What was generated: questions, answers, qa, ..."),
    Column("model_name", "text", "What the settings call the model."),
    Column("model", "text", "The model."),
    Column("host", "text", "Where it was asked."),
    Column("judge", "text", "The model that was asked to verify, as NAME: MODEL at HOST; empty when none was."),
    Column("prompts", "text", "Which values tell the prompts and their SHA-256: name:type, parted by blanks, as in the "
           "column payload of events.csv. The values stand in generation_values.csv."),
    Column("params", "text", "The same of the parameters that were sent."),
    Column("options", "text", "The same of the generator's own options."),
    Column("started_at", "time", "When it was first given.", unit="UTC"),
)  # fmt: skip

ITEMS: Final = (
    _RUN,
    _ITEM,
    Column("round", "integer", "How often it was done, from 1; that of the highest round counts."),
    Column("name", "text", "The input as people call it."),
    Column("code", "text", "Why nothing was made of it; empty when something was."),
    Column("attempts", "integer", "Answers of the model in all rounds."),
    Column("invalid", "integer", "Of these the ones that were not valid, whatever the reason."),
    Column("products", "integer", "What was made of it, in all rounds."),
    Column("dropped", "integer", "Parts of answers that a rule left out, in all rounds."),
    Column("report", "text", "Which values the generator keeps for its own report, as prompts of generation_runs.csv."),
    Column("finished_at", "time", "When it was done.", unit="UTC"),
)

VALUES: Final = (
    _RUN,
    Column("item_id", "text", "The input; empty for a value of the run."),
    Column("round", "integer", "Its round; empty for a value of the run."),
    Column("part", "text", "Of what it is a value.", levels=("prompts", "params", "options", "report")),
    Column("name", "text", "Name of the value, as written in that column."),
    Column("value", "text", "The value."),
)

ATTEMPTS: Final = (
    _RUN,
    _ITEM,
    Column("stage", "text", "Which of the generator's questions on the input."),
    Column("number", "integer", "Which attempt, from 1; the next one replaces one that was not valid."),
    Column("status", "text", "What the answer was.",
           levels=("ok", "invalid", "unparsable", "truncated", "refused")),
    Column("codes", "text", "Why it is not valid, one word after the other."),
    Column("prompt_tokens", "integer", "Tokens in, as the server counts them; empty when not told."),
    Column("completion_tokens", "integer", "Tokens out, likewise."),
    Column("latency_ms", "integer", "How long it took.", unit="ms"),
    Column("cost", "number", "What it cost by the configured prices; empty when not known."),
    Column("at_utc", "time", "When it came.", unit="UTC"),
    Column("cache_key", "text", "The request: SHA-256 of all that was sent."),
    Column("raw_output", "text", "What the model wrote."),
)  # fmt: skip

PRODUCTS: Final = (
    _RUN,
    _ITEM,
    Column("kind", "text", "What was made.", levels=("unit", "response", "passage", "case")),
    Column("made", "text", "Its id in units.csv, responses.csv, passages.csv, cases.csv."),
)

DROPPED: Final = (
    _RUN,
    _ITEM,
    Column("ordinal", "integer", "Its number among what was left out of this input's answers, from 1."),
    Column("code", "text", "The rule that left it out."),
    Column("what", "text", "What was left out."),
)


FILES: Final[dict[str, tuple[Column, ...]]] = {
    "generation_runs.csv": RUNS,
    "generation.csv": ITEMS,
    "generation_values.csv": VALUES,
    "generation_attempts.csv": ATTEMPTS,
    "generation_products.csv": PRODUCTS,
    "generation_dropped.csv": DROPPED,
}
"""Every file of generated material with its columns."""

_OF_RUN: Final = ("prompts", "params", "options")
_RUNS: Final = """
SELECT run_id, ordinal, generator, model_name, model, host, judge, prompts, params, options, started_at
FROM generation_run ORDER BY ordinal"""
_ORDER: Final = "JOIN generation_run AS run USING (run_id) ORDER BY run.ordinal"
_ITEMS: Final = f"""SELECT g.run_id, g.item_id, g.round, g.name, g.code,
    (SELECT count(*) FROM generation_attempt AS a WHERE (a.run_id, a.item_id) = (g.run_id, g.item_id)),
    (SELECT count(*) FROM generation_attempt AS a WHERE (a.run_id, a.item_id) = (g.run_id, g.item_id)
        AND a.status <> 'ok'),
    (SELECT count(*) FROM generation_product AS p WHERE (p.run_id, p.item_id) = (g.run_id, g.item_id)),
    (SELECT count(*) FROM generation_dropped AS d WHERE (d.run_id, d.item_id) = (g.run_id, g.item_id)),
    g.report, g.finished_at
FROM generation AS g {_ORDER}, g.item_id, g.round"""
_ATTEMPTS: Final = f"""SELECT a.run_id, a.item_id, a.stage, a.number, a.status, a.codes, c.prompt_tokens,
    c.completion_tokens, c.latency_ms, c.cost, a.at_utc, a.cache_key, c.raw_output
FROM generation_attempt AS a LEFT JOIN llm_call AS c USING (cache_key) {_ORDER}, a.item_id, a.stage, a.number,
    a.cache_key"""
_PLAIN: Final = {
    "generation_products.csv": f"SELECT p.run_id, p.item_id, p.kind, p.made FROM generation_product AS p {_ORDER}, "
    "p.item_id, p.kind, p.made",
    "generation_dropped.csv": "SELECT d.run_id, d.item_id, d.ordinal, d.code, d.what FROM generation_dropped AS d "
    f"{_ORDER}, d.item_id, d.ordinal",
}


def generation_files(reader: sqlite3.Connection) -> dict[str, Callable[[], Iterable[Sequence[Cell]]]]:
    """Each of :data:`FILES` with what gives its rows."""
    return {
        "generation_runs.csv": lambda: _run_rows(reader),
        "generation.csv": lambda: _item_rows(reader),
        "generation_values.csv": lambda: _value_rows(reader),
        "generation_attempts.csv": lambda: _attempt_rows(reader),
        **{name: partial(_rows, reader, query) for name, query in _PLAIN.items()},
    }


def _rows(reader: sqlite3.Connection, query: str) -> Iterator[Sequence[Cell]]:
    return (tuple(row) for row in reader.execute(query))


def _run_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_RUNS):
        yield [flatten(json.loads(row[name]))[0] if name in _OF_RUN else row[name] for name in row.keys()]  # noqa: SIM118


def _item_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_ITEMS):
        *first, report, finished_at = row
        yield *first, flatten(json.loads(report))[0], finished_at


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_RUNS):
        for part in _OF_RUN:
            for name, value in flatten(json.loads(row[part]))[1].items():
                yield row["run_id"], None, None, part, name, value
    for row in reader.execute(_ITEMS):
        for name, value in flatten(json.loads(row["report"]))[1].items():
            yield row["run_id"], row["item_id"], row["round"], "report", name, value


def _attempt_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for row in reader.execute(_ATTEMPTS):
        cells: list[Cell] = list(row)
        cells[5] = " ".join(json.loads(row["codes"]))
        yield cells
