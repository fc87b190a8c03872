"""What figures resample, by response: for every file that has responses or their statements."""

import sqlite3
from collections.abc import Mapping


def clusters_of_responses(reader: sqlite3.Connection) -> Mapping[str, str]:
    """The cluster of each response."""
    return dict(reader.execute("SELECT response_id, response_id FROM response").fetchall())
