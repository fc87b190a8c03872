"""Rows of the table ``unit``: ids by content, and how they come in, from files and by events alike."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from medreview.study.ids import content_id
from medreview.study.rows import insert
from medreview.study.unit_ids import unit_id
from medreview.text import sha256


def dumped(content: Mapping[str, Any]) -> str:
    """The JSON text of a content, the same for the same content."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def content_unit_id(kind: str, belongs_to: str, content: Mapping[str, Any]) -> str:
    """The id of a unit that came as such: the same content has the same one in every study."""
    return unit_id(kind, content_id("x", belongs_to, dumped(content)))


def insert_unit(
    connection: sqlite3.Connection, kind: str, belongs_to: str, content: Mapping[str, Any], **columns: str
) -> int:
    """Insert a unit after the last of its kind; 0 when it is there already.

    ``columns``: record_id, origin, model, text, made_by, imported_at, imported_from.
    """
    last = connection.execute("SELECT max(ordinal) FROM unit WHERE kind = ?", (kind,)).fetchone()[0]
    row = {
        "unit_id": content_unit_id(kind, belongs_to, content),
        "kind": kind,
        "ordinal": 1 + (last or 0),
        "belongs_to": belongs_to,
        "content": dumped(content),
        "content_sha256": sha256(dumped(content)),
        **columns,
    }
    return insert(connection, "unit", [row])
