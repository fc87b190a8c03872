"""What another program does to a study: rows changed past the triggers."""

from contextlib import closing
from pathlib import Path

from medreview.study.connection import connect


def meddle(path: Path, *statements: str, seals: bool = False) -> None:
    """Another program's changes, past the triggers; with ``seals``, by one that knows how to renew them."""
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("BEGIN")
        which = "'*_is_never_*'" if seals else "'*'"
        triggers = connection.execute(
            f"SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB {which}"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("COMMIT")
