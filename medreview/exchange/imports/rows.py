"""What every format is read into: rows of named values, and the places where that failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """The named values that begin at one line of a file (counted from 1)."""

    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that was left out, and why; the rest of the file is kept."""

    line: int
    reason: str
