"""Records of judgements made elsewhere, in files."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from medreview.exchange.imports.field_mapping import AS_NAMED, Fields, UnusedColumns, name_of, text_of
from medreview.exchange.imports.file_rows import BadRecord, NamedRow
from medreview.exchange.imports.json_rows import kind_of
from medreview.exchange.imports.open_rows import open_rows

_NAMES: Final = ("judge", "model", "prompt", "response")
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    name: (name,)
    for name in (
        *_NAMES, "statement", "source", "label", "confidence", "reason", "quote", "quotes", "missing", "opposes",
        "opposing_quote",
    )
}  # fmt: skip
"""Field -> the column names that are recognised without ``--map``."""

REQUIRED: Final = ("judge", "response", "statement", "source", "label")


@dataclass(frozen=True, slots=True)
class JudgementRecord:
    """The judgement of one judge on one statement and one source.

    ``response`` is the id of the response in its own file (or in the study), ``source`` the citation as written there,
    ``label`` the judge's raw label, ``confidence`` 0..1 or ``None``. ``said`` is the rest of its answer, named as in
    the prompt ``source_verification``: ``quotes``, ``missing``, ``opposing_quote``, and ``opposes`` where it is given.
    """

    judge: str
    model: str
    prompt: str
    response: str
    statement: str
    source: str
    label: str
    confidence: float | None
    reason: str
    said: Mapping[str, Any]
    line: int


def read_judgements(
    path: Path, mapping: Mapping[str, str] = AS_NAMED, unused: UnusedColumns | None = None
) -> Iterator[JudgementRecord | BadRecord]:
    """The judgements in a file of any format of ``open_rows``; one without a required field is a bad record.

    ``unused`` receives every record. Raises :class:`UserError` at once when the whole file cannot be used.
    """
    rows, _ = open_rows(path)
    fields = Fields(FIELDS, mapping)
    return (_judgement(row, fields, unused) for row in fields.check(rows, path, REQUIRED))


def _judgement(row: NamedRow | BadRecord, fields: Fields, unused: UnusedColumns | None) -> JudgementRecord | BadRecord:
    if isinstance(row, BadRecord):
        return row
    values = fields.values(row)
    if unused is not None:
        unused.add(row, [columns[0] for columns in fields.columns(row).values()], values)
    try:
        record = JudgementRecord(
            **{name: name_of(values, name) for name in _NAMES},
            **{name: text_of(values, name) for name in ("statement", "reason")},
            source=text_of(values, "source").strip(),
            label=_label_of(values),
            confidence=confidence_of(values),
            said=_said(values),
            line=row.line,
        )
    except ValueError as error:
        return BadRecord(row.line, str(error))
    for field in REQUIRED:
        if not getattr(record, field).strip():
            return BadRecord(row.line, f"has no {field}")
    return record


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {name: text_of(values, name) for name in ("missing", "opposing_quote")}
    if (opposes := _yes_or_no(values)) is not None:
        said["opposes"] = opposes
    return {"quotes": _quotes_of(values) or [text_of(values, "quote")], **said}


def _quotes_of(values: Mapping[str, Any]) -> list[str]:
    """The list of quotes: texts, or objects with a ``quote`` as an export has them; in a cell of a table as JSON, or
    one quote as it stands. Raises ``ValueError``, which says what is wrong."""
    given = values.get("quotes") or []
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.lstrip().startswith("[") else [given]
        except (ValueError, RecursionError) as error:
            raise ValueError("has a list of quotes that is not JSON") from error
    if not isinstance(given, list):
        raise ValueError(f"has {kind_of(given)} as its quotes, not a list")
    each = [one if isinstance(one, dict) else {"quote": one} for one in given]
    return [text_of(one, "quote") for one in each if not one.get("opposes")]


_WORDS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}


def _yes_or_no(values: Mapping[str, Any]) -> bool | None:
    """Whether the page says the opposite; ``None`` where it is not said."""
    value = values.get("opposes")
    word = "" if value is None else str(value).strip().lower()
    if word not in _WORDS:
        raise ValueError(f"has {str(value)[:20]!r} as its opposes, not true or false")
    return _WORDS[word]


def _label_of(values: Mapping[str, Any]) -> str:
    """A label as text; numbers and booleans, which some evaluators write, are converted."""
    value = values.get("label")
    return str(value).lower() if isinstance(value, bool) else name_of(values, "label")


def confidence_of(values: Mapping[str, Any]) -> float | None:
    """A confidence of 0..1, ``None`` when it is missing. Raises ``ValueError``, which says what is wrong."""
    value = values.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"has {kind_of(value)} as its confidence, not a number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        number = -1.0
    if not 0 <= number <= 1:
        raise ValueError(f"has a confidence of {str(value)[:20]}, which is not a number from 0 to 1")
    return number
