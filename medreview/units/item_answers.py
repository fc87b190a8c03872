"""What models answered to QA items, as the study's runs hold it, and the file of an export that has it."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Final

from medreview.exchange.files.columns import Cell, Column, ExportFile, cells
from medreview.units.qa import QAItem, items_of
from medreview.units.qa_key import CLOSED, ReadChoice, key_of, overlap, read_choice

GENERATOR: Final = "answers --to qa"
"""The generator whose runs these are."""

# Of a model that was asked with two prompts or parameters, the run that got farthest counts, of equals the newest: one
# that has only begun takes the place of none.
_ANSWERS: Final = """
WITH counted AS (
    SELECT o.run_id, row_number() OVER (PARTITION BY o.model_name ORDER BY count(*) DESC, o.ordinal DESC) AS place
    FROM generation_run AS o JOIN generation_current AS n USING (run_id) WHERE o.generator = ?1 GROUP BY o.run_id)
SELECT g.item_id, g.code, g.report, r.run_id, r.model_name, sum(l.cost) AS cost, sum(l.cost IS NULL) AS unpriced,
       sum(l.latency_ms) AS latency_ms, sum(coalesce(l.rung, '') = '') AS batched, (
           SELECT cache_key FROM generation_attempt AS n WHERE n.run_id = r.run_id AND n.item_id = g.item_id
           ORDER BY n.number DESC LIMIT 1) AS call
FROM generation_run AS r JOIN generation_current AS g USING (run_id)
LEFT JOIN generation_attempt AS a USING (run_id, item_id)
LEFT JOIN llm_call AS l USING (cache_key)
WHERE r.run_id IN (SELECT run_id FROM counted WHERE place = 1)
GROUP BY r.run_id, g.item_id ORDER BY r.model_name, g.item_id"""


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """The answer of a ``model``, by its name in the settings, to the QA item ``unit``; ``text`` is empty without one.

    ``prompt``: the id of the prompt with its version. ``code``: why there is no answer (``empty``, ``over_context``).
    ``ended``: ``cut_off`` where it breaks off, ``refused`` where the service says so. ``cost`` and ``seconds`` are
    those of all attempts; ``None`` where a price or a time is not known. ``call``: the key of the last call in the
    ledger.
    """

    unit: str
    model: str
    run: str
    prompt: str
    text: str
    code: str
    ended: str
    cost: float | None
    seconds: float | None
    call: str


def item_answers(reader: sqlite3.Connection) -> list[ItemAnswer]:
    """The answers that count, model by model."""
    return [_answer(row, json.loads(row["report"])) for row in reader.execute(_ANSWERS, (GENERATOR,))]


def _answer(row: sqlite3.Row, report: dict[str, str]) -> ItemAnswer:
    unknown = row["call"] is None
    return ItemAnswer(
        unit=row["item_id"],
        model=row["model_name"],
        run=row["run_id"],
        prompt=report.get("prompt", ""),
        text=report.get("answer", ""),
        code=row["code"],
        ended=report.get("ended", ""),
        cost=None if unknown or row["unpriced"] else row["cost"],
        seconds=None if unknown or row["batched"] else row["latency_ms"] / 1000,
        call=row["call"] or "",
    )


def _of_closed(one: SimpleNamespace) -> ReadChoice | None:
    item: QAItem = one.item
    return read_choice(item, one.answer.text) if item.type in CLOSED else None


def _right(one: SimpleNamespace) -> bool | None:
    read, key = _of_closed(one), key_of(one.item)
    return None if read is None or not key else read.chosen == key


_COLUMNS: Final = (
    Column("unit_id", "text", "The QA item.", made=lambda one: one.answer.unit),
    Column("item_type", "text", "What kind of question it is.", made=lambda one: one.item.type),
    Column("model", "text", "The model that answered, as the settings call it.", made=lambda one: one.answer.model),
    Column("generation_run_id", "text", "The run that asked it.", made=lambda one: one.answer.run),
    Column("prompt", "text", "The prompt, with its version.", made=lambda one: one.answer.prompt),
    Column("read_as", "text", "Of a closed item, whether a choice can be read in the answer.",
           levels=("read", "unread", "refused", "empty"),
           made=lambda one: read.how if (read := _of_closed(one)) else None),
    Column("chosen", "text", "The choice that is read in it: letters of options, True, False, parts of a list.",
           made=lambda one: ", ".join(sorted(read.chosen)) if (read := _of_closed(one)) else None),
    Column("right", "boolean", "1: the choice is that of the key and nothing else; empty of open items.", made=_right),
    Column("overlap", "number", "Of a list, F1 of the choice against the key.",
           made=lambda one: overlap(read_choice(one.item, one.answer.text).chosen, key_of(one.item))
           if one.item.type == "list" else None),
    Column("ended", "text", "cut_off: it breaks off; refused: the service says that the model declined.",
           made=lambda one: one.answer.ended),
    Column("code", "text", "Why there is no answer.", made=lambda one: one.answer.code),
    Column("cost", "number", "What all attempts cost, by the configured prices.", made=lambda one: one.answer.cost),
    Column("seconds", "number", "How long they took.", unit="s", made=lambda one: one.answer.seconds),
    Column("text", "text", "The answer.", made=lambda one: one.answer.text),
)  # fmt: skip


def _rows(reader: sqlite3.Connection) -> Iterator[Sequence[Cell]]:
    answers = item_answers(reader)
    items = items_of(reader) if answers else {}
    for one in answers:
        if one.unit in items:
            yield cells(_COLUMNS, SimpleNamespace(answer=one, item=items[one.unit][1]))


ANSWERS_FILE: Final = ExportFile(
    "qa_answers.csv", _COLUMNS, _rows, "What models answered to QA items, and how closed ones are scored by the key.",
    key=("generation_run_id", "unit_id"), facets=("model", "item_type", "read_as"),
)  # fmt: skip
