"""References that come in with a colleague's decisions on them: looked at, and read by no rules yet."""

import json
from collections.abc import Mapping
from typing import Any, Final

from medreview.storable import unstorable
from medreview.text import sha256

REFERENCE_COLUMNS: Final = (
    "reference_id", "response_id", "ordinal", "start_cp", "end_cp", "standing", "number", "found_at", "text",
    "text_sha256",
)  # fmt: skip


def reference_fault(row: Mapping[str, Any], response: str) -> str:
    """What is wrong with a reference of a response with this text, half a sentence; ``""`` when nothing is.

    Whether its columns are of their types and its standing is one that there is, the table itself asks.
    """
    start, end = row["start_cp"], row["end_cp"]
    if not isinstance(row["text"], str) or unstorable(row["text"]) or sha256(row["text"]) != row["text_sha256"]:
        return "the text does not fit its hash"
    if (start is None) != (end is None):
        return "the place has a start or an end alone"
    if start is not None and not (0 <= start <= end <= len(response) and response[start:end] == row["text"]):
        return "the place in the response does not hold the text"
    return ""


def bare_reading(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that say how a reference is read, for one that no rules of this study have read yet."""
    named = {"text": row["text"], "standing": row["standing"], "number": row["number"]}
    placed = {} if row["start_cp"] is None else {"start": row["start_cp"], "end": row["end_cp"]}
    reading = {name: value for name, value in (named | placed).items() if value is not None}
    return {"parser": "", "reading": json.dumps(reading, ensure_ascii=False), "bare_url": 0}
