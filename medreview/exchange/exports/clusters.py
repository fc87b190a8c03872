"""What figures resample, as a column of every file that has responses or their statements."""

import sqlite3
from collections.abc import Mapping
from typing import Final

CLUSTER_MEANING: Final = (
    "What to resample: statements with the same one resemble each other. It is what the intervals of the figures vary."
)


def clusters_of_responses(reader: sqlite3.Connection) -> Mapping[str, str]:
    """The cluster of each response."""
    return dict(reader.execute("SELECT response_id, response_id FROM response").fetchall())
