"""Files that other programs wrote and that hold no answers as medreview reads them: refused with what they look like.

An answer is a text. Where a record has an object in its place, the members of that object are an API's and no models;
where it has the turns of a conversation, half of the texts are the user's. Shapes are recognised by structure, never by
the name of one program.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from medreview.errors import UserError
from medreview.exchange.imports.field_mapping import LIKE, Fields, columns_of, normalise_column
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.json_rows import NESTING, written_out

_ROLES: Final = ("role", "sender", "author", "from", "speaker")
"""Members that say whose turn a text of a conversation is."""
_NO_MODEL: Final = frozenset({"user", "human", "system", "developer", "prompter", "tool", "function"})
_PARTS: Final = frozenset({"text", "input_text", "output_text", "message", "thinking", "reasoning", "refusal"})
"""What an API says of the type of a part."""
_OF_AN_API: Final = frozenset(
    {
        "role", "content", "message", "messages", "choices", "candidates", "parts", "delta", "body", "value", "result",
        "results", "data", "type", "object", "status", "status_code", "error", "usage", "stop_reason", "finish_reason",
        "created", "created_at", "request_id", "metadata", "tool_calls", "reasoning", "refusal", "logprobs",
    }
)  # fmt: skip
"""Members of an object that are an API's: no model has such a name."""
_STREAM_LINE: Final = re.compile(r"(?:data|event|id|retry)?:")
_STREAM_DATA: Final = re.compile(r"^data:[ \t]*[\[{]", re.MULTILINE)
_MARKUP: Final = re.compile(r"\s*<(?:!doctype|html|\?xml)\b", re.IGNORECASE)
"""How XML begins, and a web page, which is read as a document where it is a file."""
_BEGINNING: Final = 1 << 20
"""Characters of a text that are looked at."""
_DEEPEST: Final = 8
_NO_ANSWER: Final = frozenset({"question", "prompt", "title", "name", "description", "input", "query", "date"})
"""Members whose text is about an answer."""

_LABELS: Final = re.compile(r"(?:^|_)(?:label|verdict|decision|rating|grade|judge?ment|annotation)(?:s|_|\Z)")
"""Columns that hold a label."""
_STATEMENTS: Final = frozenset({"statement", "statements", "claim", "claims", "fact", "sentence"})
_MOST_LABELS: Final = 10
_LONGEST_ID: Final = 64


def refuse_foreign_text(path: Path, text: str) -> None:
    """Raise :class:`UserError` for a text that is the saved stream of an API or XML, and no prose."""
    if what := _shape_of_text(text):
        raise _refused(path, what)


def _shape_of_text(text: str) -> str:
    """What a text looks like that is no prose; ``""`` for one that may be."""
    text = text.lstrip("\ufeff \t\r\n")
    lines = [line for line in text[:_BEGINNING].split("\n") if line.strip()]
    if _STREAM_DATA.search(text) and 2 * sum(_STREAM_LINE.match(line) is not None for line in lines) > len(lines):
        return "the saved stream of an API (lines of `data: {...}`)"
    return "the source of a document in XML or HTML" if _MARKUP.match(text) else ""


def refuse_foreign(path: Path, rows: Iterable[NamedRow | BadRecord], fields: Fields) -> None:
    """Raise :class:`UserError` where most of the first records are of a shape that holds no answers, or one of them is
    a user's turn. ``fields`` are those of answers."""
    shapes = [(_shape_of(row, fields), row) for row in rows if isinstance(row, NamedRow)]
    turns = [what for what, row in shapes if _role(row.values) in _NO_MODEL]
    foreign = [what for what, _ in shapes if what]
    if turns or 2 * len(foreign) > len(shapes):
        raise _refused(path, (turns or foreign)[0])


def _shape_of(row: NamedRow, fields: Fields) -> str:
    """What a record looks like that holds no answer where medreview looks for it; ``""`` for any other."""
    columns = fields.columns(row).get("response", [])
    response = row.values[columns[0]] if columns else None
    where = columns[0] if columns else next((name for name in row.values if normalise_column(name) in NESTING), "")
    if _role(row.values) in _NO_MODEL:
        return "a conversation: its records are turns, those of the user among them"
    if where and (not isinstance(response, str) or normalise_column(where) in NESTING):
        return shape_of_nested(where, row.values, fields)
    if _is_part(row.values) and "question" not in fields.columns(row):
        return "the parts of one answer of an API"
    if where:
        pieces = any(normalise_column(name) == "done" and value is False for name, value in row.values.items())
        return "a stream that was saved piece by piece (`done` is false)" if pieces else ""
    if _mappable(row.values):
        return ""
    texts = {normalise_column(name) for name, value in row.values.items() if isinstance(value, str) and " " in value}
    if _holds_turn(row.values):
        return "a conversation or the log of an API: the turns of the user and of the model stand in it together"
    if _holds_objects(row.values) and texts <= _NO_ANSWER:
        api = not _OF_AN_API.isdisjoint(map(normalise_column, row.values))
        whose = "the answer of an API as it came" if api else "the records of another program"
        return f"{whose}: no member of them is the text of an answer ({_names(row.values)})"
    return ""


def shape_of_nested(column: str, record: Mapping[str, Any], fields: Fields) -> str:
    """What the column of a record looks like that should hold one or several answers; ``""`` where it does."""
    value = record[column]
    if isinstance(value, str):
        value = written_out(value)
    if isinstance(record.get("request"), dict) and isinstance(value, dict | list):
        return f"the log of an API: {column} holds no answer of a form that medreview knows"
    if isinstance(value, list):
        objects = [item for item in value if isinstance(item, dict)]
        fits = not objects or any(_answers(item, fields) for item in objects)
        if fits and not any(_role(item) in _NO_MODEL or _is_part(item) for item in objects):
            return ""
    elif isinstance(value, dict):
        objects = [value]
        if not value or _holds_answers(value, fields):
            return ""
    else:
        return ""
    if _holds_turn(value):
        return f"a conversation: the turns of the user stand in {column}, too"
    return f"a log or the answer of an API: {column} holds {_names(objects[0])} where the text of an answer should be"


def _holds_answers(value: Mapping[str, Any], fields: Fields) -> bool:
    """Whether an object is an answer, or has one for each model."""
    if "response" in fields.columns(NamedRow(0, value)):
        return _answers(value, fields)
    if not _OF_AN_API.isdisjoint(map(normalise_column, value)) or fields.columns(NamedRow(0, value)):
        return False
    return all(
        item is None or isinstance(item, str) or (isinstance(item, dict) and _answers(item, fields))
        for item in value.values()
    )


def _answers(value: Mapping[str, Any], fields: Fields) -> bool:
    """Whether an object has the text of an answer, be it empty, or one that ``--map`` can name."""
    row = NamedRow(0, value)
    if columns := fields.columns(row).get("response"):
        return isinstance(value[columns[0]], str)
    return fields.has_column(row, "response") or bool(_mappable(value))


def _mappable(value: Mapping[str, Any]) -> list[str]:
    """The members with a text that have the name of an answer."""
    return [
        name for name, it in value.items() if isinstance(it, str) and LIKE["response"].search(normalise_column(name))
    ]


def _role(value: Mapping[str, Any]) -> str:
    """Whose turn an object is, in lower case; ``""`` if it is not a turn."""
    named = {normalise_column(name): member for name, member in value.items()}
    for name in _ROLES:
        member = named.get(name)
        if isinstance(member, dict):
            member = member.get("role")
        if isinstance(member, str):
            return member.strip().casefold()
    return ""


def _is_part(value: Mapping[str, Any]) -> bool:
    kind = next((member for name, member in value.items() if normalise_column(name) == "type"), "")
    return isinstance(kind, str) and (kind in _PARTS or kind.endswith(("_call", "_use", "_result")))


def _holds_turn(value: Any, depth: int = 0) -> bool:
    """Whether the turn of a user stands anywhere in a value."""
    if isinstance(value, dict) and depth < _DEEPEST:
        return _role(value) in _NO_MODEL or any(_holds_turn(member, depth + 1) for member in value.values())
    return isinstance(value, list) and depth < _DEEPEST and any(_holds_turn(item, depth + 1) for item in value)


def _holds_objects(value: Mapping[str, Any]) -> bool:
    return any(
        isinstance(member, dict) or (isinstance(member, list) and any(isinstance(item, dict) for item in member))
        for member in value.values()
    )


def is_json(text: str) -> bool:
    """Whether a text is JSON with an object in it, or JSON lines."""
    for part in (text, text.split("\n", 1)[0]) if text[:1] in ("{", "[") else ():
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        lines = text.split("\n") if part is not text else []
        if all(line.lstrip()[:1] in ("{", "") for line in lines):
            return isinstance(found, dict) or any(isinstance(item, dict) for item in found)
    return False


def refuse_labels(path: Path, rows: Iterable[NamedRow | BadRecord], fields: Fields) -> None:
    """Raise :class:`UserError` for a table of labels in which a text of what is labelled, or the id of a response,
    stands where the response would be. A column that ``--map`` names as the response is one."""
    read = [row for row in rows if isinstance(row, NamedRow)]
    columns = {normalise_column(name): name for name in columns_of(read)}
    labels = [name for column, name in columns.items() if _LABELS.search(column)]
    if "response" in fields.mapped.values() or not any(_is_label(row.values.get(it) for row in read) for it in labels):
        return
    found = [fields.columns(row) for row in read]
    texts = [row.values[its["response"][0]] for row, its in zip(read, found, strict=True) if "response" in its]
    named = {normalise_column(its["response"][0]) for its in found if "response" in its}
    asked = any("question" in its for its in found)
    if _STATEMENTS & columns.keys() or all(map(_is_id, texts)) or (named == {"text"} and not asked):
        raise UserError(
            f"{path} looks like labels, not answers (it has {', '.join(list(columns.values())[:12])}); labels "
            "of judges need the columns judge, response, statement, source and label, those of people reviewer, "
            "response, statement and label (docs/how-to/units.md); name the answers with --map COLUMN=response "
            "if they are in it."
        )


def _is_label(values: Iterable[Any]) -> bool:
    """Whether some values are those of a scale: few, and short."""
    told = {str(value) for value in values if value not in (None, "")}
    return 0 < len(told) <= _MOST_LABELS and all(len(value) <= _LONGEST_ID for value in told)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_ID and len(value.split()) == 1


def _names(value: Any) -> str:
    members: Collection[str] = value if isinstance(value, dict) else ()
    return ", ".join(list(members)[:6]) + (", ..." if len(members) > 6 else "")


def _refused(path: Path, what: str) -> UserError:
    return UserError(
        f"{path} looks like {what}; write each answer as a JSON line with question, response (its text), model and "
        "citations, and import that."
    )
