"""Units without what names the models that wrote them, for who must not know."""

import re
import sqlite3
from collections.abc import Sequence
from json import loads
from typing import Any

from medreview.study.unit_rows import dumped
from medreview.text import sha256
from medreview.units.registry import KINDS


def without_models(kind: str, content: str) -> str:
    """The JSON text of a stored unit's content, with ``""`` for each value that names what wrote it.

    Which these are the kind says (``UnitKind.models``); the content of a kind that is not known here stays as it is.
    """
    names = KINDS[kind].models if kind in KINDS else ()
    if not names:
        return content
    patterns = [re.compile(re.escape(name).replace(r"\*", "[0-9]+")) for name in names]
    return dumped(_emptied(loads(content), patterns, ""))


def register(connection: sqlite3.Connection) -> None:
    """Give a connection the SQL functions ``without_models(kind, content)`` and ``sha256_of(text)``."""
    connection.create_function("without_models", 2, without_models, deterministic=True)
    connection.create_function("sha256_of", 1, sha256, deterministic=True)


def _emptied(value: Any, patterns: Sequence[re.Pattern[str]], path: str) -> Any:
    if isinstance(value, dict):
        return {key: _emptied(inner, patterns, _below(path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_emptied(inner, patterns, _below(path, str(place))) for place, inner in enumerate(value)]
    return "" if any(pattern.fullmatch(path) for pattern in patterns) else value


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
