"""Records with several answers to one question: ``answers: {model: text}``, or a list of models with their answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from medreview.exchange.imports.field_mapping import Fields, normalise_column
from medreview.exchange.imports.foreign_files import shape_of_nested
from medreview.exchange.imports.json_rows import written_out
from medreview.exchange.imports.json_shapes import NESTING
from medreview.exchange.imports.rows import BadRecord, Row


def one_by_one(rows: Iterator[Row | BadRecord], fields: Fields) -> Iterator[Row | BadRecord]:
    """The same rows; one for each answer of a record that nests several, with what the record says of all of them.

    The key of an answer is its model. Its id is that of the record and its model (``q7-atlas-2``) or number, unless it
    has one of its own, so that every response can be named.
    """
    for row in rows:
        if isinstance(row, BadRecord):
            yield row
        else:
            yield from _answers(row, fields)


def _answers(row: Row, fields: Fields) -> Iterator[Row | BadRecord]:
    column = _nesting(row, fields)
    if column is None:
        yield row
        return
    if what := shape_of_nested(column, row.values[column], fields):
        yield BadRecord(row.line, f"looks like {what}")
        return
    shared = {name: value for name, value in row.values.items() if name != column}
    named = fields.columns(row)
    answers = _each(row.values[column], fields)
    if not answers:
        yield Row(row.line, shared)
    for number, answer in enumerate(answers, 1):
        own = fields.columns(Row(row.line, answer))
        values = {name: value for name, value in shared.items() if not _replaced(name, named, own)} | answer
        if len(answers) > 1 and "id" in named and "id" not in own:
            model = answer[own["model"][0]] if "model" in own else number
            values[named["id"][0]] = f"{row.values[named['id'][0]]}-{model}"
        yield Row(row.line, values)


def _nesting(row: Row, fields: Fields) -> str | None:
    """The column that holds several answers, or ``None``."""
    columns = fields.columns(row).get("response", [])
    if not columns:
        columns = [name for name in row.values if normalise_column(name) in NESTING]
    nests = dict | list | str if columns and normalise_column(columns[0]) in NESTING else dict | list
    return columns[0] if columns and isinstance(row.values[columns[0]], nests) else None


def _replaced(name: str, shared: Mapping[str, list[str]], own: Mapping[str, list[str]]) -> bool:
    """Whether an answer has a field of its own in place of what a column says of all answers."""
    return any(name in columns and field in own for field, columns in shared.items())


def _each(value: Any, fields: Fields) -> list[dict[str, Any]]:
    if isinstance(value, str):
        value = written_out(value)
    if isinstance(value, str):
        return [{"response": value}]
    if isinstance(value, list):
        return [item if isinstance(item, dict) else {"response": item} for item in value]
    if "response" in fields.columns(Row(0, value)):
        return [value]
    return [
        {"model": model, **answer} if isinstance(answer, dict) else {"model": model, "response": answer}
        for model, answer in value.items()
    ]
