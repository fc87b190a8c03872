"""Cost and latency of judges, from the table ``llm_call``."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from medreview.llm.call import STATUSES


@dataclass(frozen=True, slots=True)
class Spent:
    """The totals of one judge and model on one task.

    ``calls`` are counted with their last status; tokens and cost are those of all tries. ``reused`` counts the cache
    hits. ``cost`` is ``None`` when no answer has one; ``unpriced`` counts the answers of unknown cost. Latencies are
    those of live calls (not of a batch) with status ``ok``, in milliseconds; ``None`` without any.
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
    """The smallest value that at least ``share`` of the sorted values do not exceed; ``None`` without values."""
    if not ordered:
        return None
    at = -(-len(ordered) * round(share * 1000) // 1000) - 1
    return ordered[max(0, at)]
