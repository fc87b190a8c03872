"""The rows of the exported files that hold what models were asked to generate."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from medreview.exchange.files import generation_columns
from medreview.exchange.files.columns import Column
from medreview.exchange.files.event_payload import Cell, flatten

FILES: Final[dict[str, tuple[Column, ...]]] = {
    "generation_runs.csv": generation_columns.RUNS,
    "generation.csv": generation_columns.ITEMS,
    "generation_values.csv": generation_columns.VALUES,
    "generation_attempts.csv": generation_columns.ATTEMPTS,
    "generation_products.csv": generation_columns.PRODUCTS,
    "generation_dropped.csv": generation_columns.DROPPED,
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
