"""What systems cost and how long they take per case, beside their presence score (MedFactEval, figure 1).

Cost and time are those of the calls that made a text, of all attempts and stages, from the table ``llm_call``. They are
known only of texts that were generated here, and of a system only when they are known of all its texts.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from medreview.judges.fact_votes import PRESENCE
from medreview.stats.facts.fact_scores import SystemScores
from medreview.stats.formulas.estimate import Estimate
from medreview.words import counted

_MADE: Final = """
SELECT s.model AS system, count(*) AS texts, sum(m.made IS NULL) AS foreign_texts, max(m.model) AS model,
       max(m.strategy) AS strategy, sum(m.cost) AS cost, sum(m.unpriced) AS unpriced, sum(m.latency_ms) AS latency_ms,
       sum(m.batched) AS batched
FROM response AS s LEFT JOIN (
    SELECT p.made, r.model_name AS model, coalesce(json_extract(r.options, '$.strategy'), r.generator) AS strategy,
           sum(l.cost) AS cost, sum(l.cost IS NULL) AS unpriced, sum(l.latency_ms) AS latency_ms,
           sum(coalesce(l.rung, '') = '') AS batched
    FROM (SELECT made, item_id, run_id, max(o.ordinal) FROM generation_product JOIN generation_run AS o USING (run_id)
          WHERE kind = 'response' GROUP BY made) AS p
    JOIN generation_run AS r USING (run_id)
    JOIN (SELECT DISTINCT run_id, item_id, cache_key FROM generation_attempt) AS a USING (run_id, item_id)
    LEFT JOIN llm_call AS l USING (cache_key)
    GROUP BY p.made
) AS m ON m.made = s.response_id
WHERE sha256_of(s.question) IN (SELECT question_sha256 FROM key_fact_in_force)
GROUP BY s.model"""


@dataclass(frozen=True, slots=True)
class TradeOff:
    """One system. ``cost`` and ``seconds`` are means per case; ``None`` where they are not known, and then
    ``no_cost`` and ``no_time`` say why. ``model`` wrote by ``strategy``: systems of one model are compared.
    ``presence`` is the score by the jury, or by the panel where no judge was asked.
    """

    system: str
    model: str
    strategy: str
    texts: int
    cost: float | None
    seconds: float | None
    presence: Estimate
    no_cost: str = ""
    no_time: str = ""


def trade_offs(reader: sqlite3.Connection, scores: Sequence[SystemScores]) -> list[TradeOff]:
    """Each system with a score, in the order of the scores."""
    made = {row["system"]: row for row in reader.execute(_MADE)}
    found = []
    for one in scores:
        by = one.by_jury or one.by_panel
        if not by:
            continue
        row = made[one.system]
        foreign = _foreign(row)
        no_cost = foreign or _unpriced(row)
        no_time = foreign or _batched(row)
        found.append(
            TradeOff(
                system=one.system,
                model=row["model"] or "",
                strategy=row["strategy"] or "",
                texts=row["texts"],
                cost=None if no_cost else row["cost"] / row["texts"],
                seconds=None if no_time else row["latency_ms"] / 1000 / row["texts"],
                presence=by[PRESENCE].figure,
                no_cost=no_cost,
                no_time=no_time,
            )
        )
    return found


def _foreign(row: sqlite3.Row) -> str:
    number = row["foreign_texts"]
    return f"{counted(number, 'text')} of {row['texts']} not written here" if number else ""


def _unpriced(row: sqlite3.Row) -> str:
    return f"the cost of {counted(row['unpriced'], 'call')} is not known" if row["unpriced"] else ""


def _batched(row: sqlite3.Row) -> str:
    return f"{counted(row['batched'], 'call')} came in a batch" if row["batched"] else ""
