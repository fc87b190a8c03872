"""The files of an export on what models were asked to generate, each attempt, and what came of it."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from medreview.exchange.files.columns import Cell, Column, ExportFile
from medreview.exchange.files.csv_file import flat_rows, names_in

_ORDER: Final = "JOIN generation_run AS run USING (run_id) ORDER BY run.ordinal"
_RUN: Final = Column("generation_run_id", "text", "The run: one generator with one model, its prompts and options.",
                     sql="run_id")  # fmt: skip
_ITEM: Final = Column("item_id", "text", "The input that it was asked about.")


def _number(name: str, meaning: str, table: str, also: str = "") -> Column:
    """How many rows a table has of the input."""
    of_item = "(o.run_id, o.item_id) = (g.run_id, g.item_id)"
    return Column(name, "integer", meaning, sql=f"(SELECT count(*) FROM {table} AS o WHERE {of_item}{also})")


RUNS: Final = ExportFile(
    "generation_runs.csv",
    (
        _RUN,
        Column("ordinal", "integer", "Its number in the study, from 1."),
        Column("generator", "text", "What was generated: questions, answers, qa, ..."),
        Column("model_name", "text", "What the settings call the model."),
        Column("model", "text", "The model."),
        Column("host", "text", "Where it was asked."),
        Column("judge", "text", "The model that was asked to verify, as NAME: MODEL at HOST; empty when none was."),
        names_in("prompts", "Which values tell the prompts and their SHA-256: name:type, parted by blanks, as in the "
               "column payload of events.csv. The values stand in generation_values.csv."),
        names_in("params", "The same of the parameters that were sent."),
        names_in("options", "The same of the generator's own options."),
        Column("started_at", "time", "When it was first given.", unit="UTC"),
    ),
    "FROM generation_run ORDER BY ordinal",
    "What models were asked to write: a row for each model, with its prompts and options.",
    key=("generation_run_id",),
)  # fmt: skip

ITEMS: Final = ExportFile(
    "generation.csv",
    (
        _RUN,
        _ITEM,
        Column("round", "integer", "How often it was done, from 1; that of the highest round counts."),
        Column("name", "text", "The input as people call it."),
        Column("code", "text", "Why nothing was made of it; empty when something was."),
        _number("attempts", "Answers of the model in all rounds.", "generation_attempt"),
        _number("invalid", "Of these the ones that were not valid, whatever the reason.",
                "generation_attempt", " AND o.status <> 'ok'"),
        _number("products", "What was made of it, in all rounds.", "generation_product"),
        _number("dropped", "Parts of answers that a rule left out, in all rounds.", "generation_dropped"),
        names_in("report", "Which values the generator keeps for its own report, as prompts of generation_runs.csv."),
        Column("finished_at", "time", "When it was done.", unit="UTC"),
    ),
    f"FROM generation AS g {_ORDER}, g.item_id, g.round",
    "What came of each input that a model was given to write from.",
    key=("generation_run_id", "item_id", "round"),
    facets=("code",),
)  # fmt: skip


def _value_rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    for run in reader.execute("SELECT * FROM generation_run ORDER BY ordinal"):
        parts = ((run["run_id"], None, None, part, run[part]) for part in ("prompts", "params", "options"))
        yield from flat_rows(parts)
    items = f"SELECT g.run_id, g.item_id, g.round, 'report', g.report FROM generation AS g {_ORDER}, g.item_id, g.round"
    yield from flat_rows(reader.execute(items))


VALUES: Final = ExportFile(
    "generation_values.csv",
    (
        _RUN,
        Column("item_id", "text", "The input; empty for a value of the run."),
        Column("round", "integer", "Its round; empty for a value of the run."),
        Column("part", "text", "Of what it is a value.", levels=("prompts", "params", "options", "report")),
        Column("name", "text", "Name of the value, as written in that column."),
        Column("value", "text", "The value."),
    ),
    _value_rows,
    "Prompts, parameters and options of these runs, and what they keep for their reports.",
)

ATTEMPTS: Final = ExportFile(
    "generation_attempts.csv",
    (
        _RUN,
        _ITEM,
        Column("stage", "text", "Which of the generator's questions on the input."),
        Column("number", "integer", "Which attempt, from 1; the next one replaces one that was not valid."),
        Column("status", "text", "What the answer was.",
               levels=("ok", "invalid", "unparsable", "truncated", "refused"), sql="a.status"),
        Column("codes", "text", "Why it is not valid, one word after the other.", sql="codes",
               made=lambda row: " ".join(json.loads(row["codes"]))),
        Column("prompt_tokens", "integer", "Tokens in, as the server counts them; empty when the server does not say."),
        Column("completion_tokens", "integer", "Tokens out, likewise."),
        Column("latency_ms", "integer", "How long it took.", unit="ms"),
        Column("cost", "number", "What it cost by the configured prices; empty when not known."),
        Column("at_utc", "time", "When it came.", unit="UTC", sql="a.at_utc"),
        Column("cache_key", "text", "The request: SHA-256 of all that was sent.", sql="a.cache_key"),
        Column("raw_output", "text", "What the model wrote."),
    ),
    f"""FROM generation_attempt AS a LEFT JOIN llm_call AS c USING (cache_key)
        {_ORDER}, a.item_id, a.stage, a.number, a.cache_key""",
    "Every answer of a model that was asked to write, the invalid ones too.",
    key=("generation_run_id", "item_id", "stage", "number", "cache_key"),
    facets=("status", "stage"),
)  # fmt: skip

PRODUCTS: Final = ExportFile(
    "generation_products.csv",
    (
        _RUN,
        _ITEM,
        Column("kind", "text", "What was made.", levels=("unit", "response", "passage", "case")),
        Column("made", "text", "Its id in units.csv, responses.csv, passages.csv, cases.csv."),
    ),
    f"FROM generation_product AS p {_ORDER}, p.item_id, p.kind, p.made",
    "Which unit, response, passage or case was made of which input.",
    key=("generation_run_id", "item_id", "kind", "made"),
    facets=("kind",),
)

DROPPED: Final = ExportFile(
    "generation_dropped.csv",
    (
        _RUN,
        _ITEM,
        Column("ordinal", "integer", "Its number among what was left out of this input's answers, from 1.",
               sql="d.ordinal"),
        Column("code", "text", "The rule that left it out."),
        Column("what", "text", "What was left out."),
    ),
    f"FROM generation_dropped AS d {_ORDER}, d.item_id, d.ordinal",
    "What rules left out of what models wrote.",
    key=("generation_run_id", "item_id", "ordinal"),
    facets=("code",),
)  # fmt: skip

FILES: Final = (RUNS, ITEMS, VALUES, ATTEMPTS, PRODUCTS, DROPPED)
"""Every file of generated material."""
