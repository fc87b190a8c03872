"""The numbered steps that bring a study file up to date; the file's ``user_version`` is the last one done."""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from threading import Lock
from typing import Final

from medreview.study.audit_frame import number_given_draw
from medreview.study.row_seals import all_misfits, is_sealed, register, seal_all, triggers_dropped
from medreview.text import sha256

APPLICATION_ID: Final = 0x6D647276  # "mdrv"
_STEPS: Final = (
    "0001_study.sql", "0002_shared_rules.sql", "0003_own_citations_and_audit.sql", "0004_nothing_lost.sql",
    "0005_units.sql", "0006_generators.sql", "0007_references.sql", "0008_semantic_and_ocr.sql",
    "0009_quick_labels.sql", "0010_flags_and_two_way_labels.sql", "0011_answers_of_any_system.sql",
    "0012_axes_tags_and_plans.sql", "0013_studies_by_a_team.sql", "0014_triage_and_models.sql",
    "0015_seals.sql",
)  # fmt: skip
NEWEST: Final = len(_STEPS)
_DIGEST: Final = "ef9603cebd3fec0b814707d7d56cd32794fb26246fa2240f52351bb598eb214c"
"""The :func:`schema_digest` of a new file: to make one for each comparison would take 65 ms."""
Schema = Mapping[tuple[str, str], tuple[str, str | None]]
_OF_ROWS: Final = (
    r"(?m)(?:^|;)\s*(?!(CREATE|DROP) (VIEW|INDEX)\b)(CREATE|DROP|ALTER|INSERT|REPLACE|UPDATE|DELETE|WITH)\b"
)
"""Where a statement of a script begins that may change a table or its rows."""
_ONE_AT_A_TIME: Final = Lock()
"""Held by who uses the connection of :func:`_empty`."""


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the last step that the file has seen; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, *, seal: bool = True) -> None:
    """Bring a file up to date: run the steps that it has not seen, and seal its rows."""
    if steps := _STEPS[schema_version(connection) :]:
        from importlib.resources import files

        run_steps(connection, [files(__name__).joinpath(name).read_text(encoding="utf-8") for name in steps], seal=seal)


@cache
def _empty() -> sqlite3.Connection:
    """A file of the newest version with nothing in it, in memory: a process makes it, and reads its schema, once."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection)
    return connection


def new_study_file(meta: Iterable[tuple[str, str]]) -> bytes:
    """A file of the newest version with nothing in it but these rows (key, value) of ``study``."""
    with _ONE_AT_A_TIME:
        connection = _empty()
        connection.execute("BEGIN")
        try:
            connection.executemany("INSERT INTO study VALUES (?, ?)", meta)
            return connection.serialize()
        finally:
            connection.execute("ROLLBACK")


@cache
def new_schema() -> Schema:
    """The schema of a new file, as :func:`schema_of`."""
    with _ONE_AT_A_TIME:
        return schema_of(_empty())


def schema_digest(schema: Schema) -> str:
    """The same for the same schema, whatever the order."""
    return sha256("\n".join(f"{kind}\0{name}\0{table}\0{sql}" for (kind, name), (table, sql) in sorted(schema.items())))


def altered(connection: sqlite3.Connection) -> list[str]:
    """Parts of a file's schema unlike this program's, so that to read or to write it may do something else:
    ``trigger x`` for one that was added, and for what was changed or is missing.

    Tables and views that somebody added are not named, since nothing here asks them; indexes change no answer.
    """
    here, version = schema_of(connection), schema_version(connection)
    if version == NEWEST and schema_digest(here) == _DIGEST:
        return []
    right = new_schema() if version == NEWEST else _older_schema(version, is_sealed(connection))
    names = [each for each in right if each[0] != "index" and here.get(each) != right[each]]
    names += [each for each in here if each[0] == "trigger" and each not in right]
    return [" ".join(each) for each in names]


def _older_schema(version: int, sealed: bool) -> Schema:
    from importlib.resources import files

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        texts = [files(__name__).joinpath(name).read_text(encoding="utf-8") for name in _STEPS[:version]]
        run_steps(made, texts, seal=sealed)
        return schema_of(made)


def schema_of(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, str | None]]:
    """All that a file is made of: (type, name) -> (table, SQL); without the tables of SQLite's ANALYZE."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*'"
    return {(kind, name): (table, sql) for kind, name, table, sql in connection.execute(query)}


def run_steps(connection: sqlite3.Connection, scripts: Sequence[str], *, seal: bool = True) -> None:
    """Run scripts and seal every row again, in one transaction: a cut anywhere leaves the file as it was.

    A row that did not fit its seal before does not fit it afterwards. Where scripts make views and indexes only, seals
    stay: all rows are as they were. Without ``seal`` a file that had no seals has none afterwards: for a copy that is
    only read, since to seal takes ten times as long as all else. Raises ``sqlite3.Error`` when a script cannot be run,
    or the file cannot be read.
    """
    if not scripts:
        return
    connection.create_function("number_given_draw", 5, number_given_draw, deterministic=True)
    register(connection)
    was_sealed = is_sealed(connection)
    sealed_anew = any(re.search(_OF_ROWS, script) for script in scripts) if was_sealed else seal
    unfit = all_misfits(connection) if was_sealed and sealed_anew else []
    steps = ";\n".join((*(triggers_dropped(connection) if sealed_anew else ()), *scripts))
    version = schema_version(connection) + len(scripts)
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{steps}\nPRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {version};"
        )
        if sealed_anew:
            seal_all(connection, unfit)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
