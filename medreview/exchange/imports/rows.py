"""The result of parsing in every format: rows of named values, and invalid records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """The named values of one record, and its first line in the file (counted from 1)."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was rejected, and the reason; the rest of the file is imported."""

    line: int
    reason: str
