"""A study whose disk is full, for events of some kinds, as SQLite itself finds it."""

from collections.abc import Iterator
from contextlib import contextmanager

from medreview.study import Study


@contextmanager
def full_disk(study: Study, *kinds: str, table: str = "event") -> Iterator[None]:
    """Within, no event of these kinds (of any, without), or row of the table, finds room: each brings a megabyte."""
    when = f"WHEN new.kind IN ({', '.join(repr(kind) for kind in kinds)})" if kinds else ""
    study.write(
        lambda connection: connection.execute(
            f"CREATE TRIGGER much BEFORE INSERT ON {table} {when} "
            "BEGIN INSERT INTO study VALUES ('much', hex(zeroblob(1000000))); END"
        )
    )
    study.write(lambda connection: connection.execute("PRAGMA max_page_count = 1"))  # as many as there are
    try:
        yield
    finally:
        study.write(lambda connection: connection.execute("PRAGMA max_page_count = 4294967294"))
        study.write(lambda connection: connection.execute("DROP TRIGGER much"))
