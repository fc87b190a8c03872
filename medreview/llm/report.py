"""What judges have cost and how long they took, from the table ``llm_call``."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from medreview.llm.call import STATUSES


@dataclass(frozen=True, slots=True)
class Spent:
    """One judge and model on one task. Questions are counted with their last outcome; tokens and cost are of all tries.
    ``reused``: how often a stored answer took the place of a question.

    ``cost`` is ``None`` when no answer has one; ``unpriced`` counts the answers whose cost is not known. Latencies are
    of the questions that were answered ``ok`` live, not in a batch, in milliseconds; ``None`` when none was.
    """

    judge: str
    model: str
    host: str
    task: str
    calls: int
    statuses: dict[str, int] = field(default_factory=dict)
    tries: int = 0
    reused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    unpriced: int = 0
    latency_median_ms: int | None = None
    latency_p95_ms: int | None = None


_SUMS = """SELECT judge, model, host, task, count(*) AS calls, sum(tries) AS tries, sum(reused) AS reused,
    coalesce(sum(prompt_tokens), 0) AS prompt_tokens, coalesce(sum(completion_tokens), 0) AS completion_tokens,
    sum(cost) AS cost, sum(cost IS NULL AND tries > 0) AS unpriced
    FROM llm_call GROUP BY judge, model, host, task ORDER BY judge, model, host, task"""
_STATUSES = """SELECT status, count(*) FROM llm_call
    WHERE judge = ? AND model = ? AND host = ? AND task = ? GROUP BY status"""
_LATENCIES = """SELECT latency_ms FROM llm_call
    WHERE judge = ? AND model = ? AND host = ? AND task = ? AND status = 'ok' AND rung <> ''
    ORDER BY latency_ms"""


def spent(connection: sqlite3.Connection) -> list[Spent]:
    """Cost and latency by judge, model, host and task."""
    found = []
    for row in connection.execute(_SUMS).fetchall():
        who = (row["judge"], row["model"], row["host"], row["task"])
        counts = dict(connection.execute(_STATUSES, who).fetchall())
        latencies = [int(latency[0]) for latency in connection.execute(_LATENCIES, who)]
        found.append(
            Spent(
                *who,
                calls=row["calls"],
                statuses={status: counts[status] for status in STATUSES if status in counts},
                tries=row["tries"],
                reused=row["reused"],
                prompt_tokens=row["prompt_tokens"],
                completion_tokens=row["completion_tokens"],
                cost=row["cost"],
                unpriced=row["unpriced"],
                latency_median_ms=quantile(latencies, 0.5),
                latency_p95_ms=quantile(latencies, 0.95),
            )
        )
    return found


def quantile(ordered: Sequence[int], share: float) -> int | None:
    """The smallest value that at least ``share`` of the ordered values do not exceed; ``None`` of none."""
    if not ordered:
        return None
    at = -(-len(ordered) * round(share * 1000) // 1000) - 1
    return ordered[max(0, at)]
