"""Edits of statements that do not stand, because of another reviewer's: named after a merge."""

import sqlite3
from typing import Final

from medreview.study.statement_edits import EXCLUDE, JOIN, PROMOTE, SPLIT, Edit, all_edits, fold
from medreview.units.statement_view import load_name

_DONE: Final = {SPLIT: "cut in two", JOIN: "joined with the next", EXCLUDE: "excluded", PROMOTE: "made a statement"}


def edit_conflicts(reader: sqlite3.Connection) -> list[str]:
    """A sentence for each edit that was not taken back and does not stand, by response and time."""
    every = all_edits(reader).values()
    return [_sentence(reader, edit, before) for edits in every for edit, before in fold(edits).conflicts]


def _sentence(reader: sqlite3.Connection, edit: Edit, before: Edit | None) -> str:
    name = load_name(reader, edit.replaced[0])
    lost = f"{name}, {_DONE[edit.kind]} by {edit.reviewer}, is not"
    if before is None:
        return f"{lost}: what that was done to was taken back."
    return f"{lost}: {load_name(reader, before.replaced[0])} was {_DONE[before.kind]} by {before.reviewer} first."
