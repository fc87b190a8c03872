"""A study whose audit is by default the same each time: who is a member is by chance of the study's id."""

from itertools import count
from pathlib import Path

from medreview.review.audit import AUDIT_SIZE
from medreview.study import Study
from medreview.study.audit_frame import permanent_number


def settle_audit(path: Path, never: str) -> None:
    """Give a study the first id by which no statement of a condition (SQL on ``s``, ``r``, ``v``) is in the audit."""
    with Study.open(path) as study:
        query = f"""SELECT s.statement_id, coalesce({never}, 0) FROM statement AS s
                    JOIN response AS r USING (response_id) LEFT JOIN verdict AS v USING (statement_id)"""
        units = dict(study.reader.execute(query).fetchall())
        rate = min(AUDIT_SIZE / len(units), 0.1)

        def members(name: str) -> list[str]:
            return [unit for unit in units if permanent_number(name, unit) < rate]

        settled = next(
            name
            for name in map("study_{:012x}".format, count(1))
            if (drawn := members(name)) and not any(units[unit] for unit in drawn)
        )
        study.write(
            lambda connection: connection.execute(
                "UPDATE study SET value = ? WHERE key IN ('study_id', 'seed')", (settled,)
            )
        )
