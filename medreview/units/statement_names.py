"""What statements are called: by their place in the response, and parts by what they were cut from."""

import sqlite3
from collections.abc import Mapping

from medreview.study.statement_edits import SPLIT, Edit, edits_of, fold


def statement_name(reader: sqlite3.Connection, statement_id: str, response_id: str, ordinal: int) -> str:
    """``S3``; the parts that it was cut into are ``S3a`` and ``S3b``, and joined with the next one it is ``S3+4``."""
    edits = edits_of(reader, response_id)
    if not edits:
        return f"S{ordinal}"
    rows = reader.execute("SELECT statement_id, ordinal FROM statement WHERE response_id = ?", (response_id,))
    return f"S{_number(statement_id, fold(edits).first, dict(rows.fetchall()))}"


def _number(statement_id: str, first: Mapping[str, Edit], ordinals: Mapping[str, int]) -> str:
    edit = first.get(statement_id)
    if edit is None or not edit.replaced:
        return str(ordinals.get(statement_id, "?"))
    names = [_number(each, first, ordinals) for each in edit.replaced]
    if edit.kind == SPLIT:
        return names[0] + "ab"[[one.statement_id for one in edit.made].index(statement_id)]
    return "+".join(names)
