"""The numbered steps that bring a study file up to date; the file's ``user_version`` is the last one done."""

import sqlite3
from importlib.resources import files
from typing import Final

from medreview.study.permanent_numbers import number_given_draw

APPLICATION_ID: Final = 0x6D647276  # "mdrv"
_STEPS: Final = ("0001_study.sql", "0002_shared_rules.sql", "0003_own_citations_and_audit.sql", "0004_nothing_lost.sql")
NEWEST: Final = len(_STEPS)


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the last step that the file has seen; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Run the steps that the file has not seen, each in a transaction of its own: a cut between two leaves it whole."""
    done = schema_version(connection)
    connection.create_function("number_given_draw", 5, number_given_draw, deterministic=True)
    for number, name in enumerate(_STEPS[done:], done + 1):
        script = files(__name__).joinpath(name).read_text(encoding="utf-8")
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script}\nPRAGMA application_id = {APPLICATION_ID};\n"
            f"PRAGMA user_version = {number};\nCOMMIT;"
        )
