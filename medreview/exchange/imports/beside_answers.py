"""What the record of an answer may say beside the answer: a reference text, how long it took, what it cost."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from medreview.exchange.imports.field_mapping import Fields
from medreview.exchange.imports.file_rows import NamedRow

BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "reference": ("reference", "reference_snippet", "reference_answer"),
    "latency_ms": ("latency_ms",),
    "latency_s": ("latency_s", "latency_seconds", "latency"),
    "cost": ("cost", "cost_usd"),
}
"""Field -> the column names that are recognised without ``--map``."""

_FIELDS: Final = Fields(BESIDE)


def told_beside(extra: str) -> dict[str, Any]:
    """These fields of what else a record said, as the study keeps it (JSON)."""
    return dict(_FIELDS.values(NamedRow(0, json.loads(extra))))


def cost_and_seconds(extra: str) -> tuple[float | None, float | None]:
    """What a response cost to write and how many seconds that took, as its record says; ``None`` where it says nothing,
    or no number from 0."""
    told = told_beside(extra)
    return _amount(told, ("cost", 1.0)), seconds_of(told)


def seconds_of(told: Mapping[str, Any]) -> float | None:
    """The latency in seconds; ``None`` where there is no number from 0."""
    return _amount(told, ("latency_s", 1.0), ("latency_ms", 1000.0))


def _amount(told: Mapping[str, Any], *fields: tuple[str, float]) -> float | None:
    for field, scale in fields:
        value = told.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        try:
            amount = float(value) / scale
        except (ValueError, OverflowError):
            continue
        if math.isfinite(amount) and amount >= 0:
            return amount
    return None
