"""The reviewers' labels worked out once for all files of an export, where the view would do it anew for each."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from medreview.study.connection import undone_after


@contextmanager
def labels_once(reader: sqlite3.Connection) -> Iterator[None]:
    """While it lasts, ``axis_label`` is a table of what the view of this name gave when it began.

    The rows lie in SQLite's temporary file and in no memory of their number. Whoever reads in it is in one transaction,
    so that the view would give the same; the study's own views go on with the view itself.
    """
    with undone_after(reader):
        reader.execute("CREATE TEMPORARY TABLE axis_label AS SELECT * FROM main.axis_label")
        reader.execute("CREATE INDEX temp.axis_label_of_unit ON axis_label (unit, reviewer, pass, axis)")
        yield
