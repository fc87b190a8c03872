"""What generators did, counted: inputs, products, attempts, and why some came to nothing."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from medreview.text import counted, in_words
from medreview.units.item_answers import GENERATOR

_PRODUCTS: Final = {"qa": "QA item", "suggestion": "suggested fact"}
"""Kinds of product that are called otherwise than they are stored."""


def products_in_words(products: Mapping[str, int]) -> str:
    """``3 QA items, 1 response``; empty without any."""
    return ", ".join(counted(n, _PRODUCTS.get(kind, in_words(kind))) for kind, n in products.items() if n)


@dataclass(frozen=True, slots=True)
class GenerationCounts:
    """One run. ``items`` ended; of these ``made`` came to something, ``nothing`` counts the others by code.

    ``products`` by kind (``question``, ``qa``, ``response`` ...); ``attempts`` are answers of models, ``retried`` those
    after an invalid one; ``statuses`` counts them as ``ok``, ``invalid``, ``unparsable``, ``truncated``, ``refused``,
    ``codes`` what was wrong (one attempt may have several), ``dropped`` parts that a rule left out, by code.
    """

    run_id: str
    generator: str
    model_name: str
    model: str
    judge: str
    options: dict[str, Any]
    items: int = 0
    made: int = 0
    nothing: dict[str, int] = field(default_factory=dict)
    products: dict[str, int] = field(default_factory=dict)
    attempts: int = 0
    retried: int = 0
    statuses: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)

    @property
    def instead(self) -> str:
        """What was made of inputs that have no product."""
        return "answered" if self.generator == GENERATOR else "for the report"


def generation_counts(reader: sqlite3.Connection, run_id: str | None = None) -> list[GenerationCounts]:
    """The counts of every run in order, or of one."""
    runs = reader.execute(
        "SELECT * FROM generation_run WHERE ?1 IS NULL OR run_id = ?1 ORDER BY ordinal", (run_id,)
    ).fetchall()
    return [_counted(reader, run) for run in runs]


def _counted(reader: sqlite3.Connection, run: sqlite3.Row) -> GenerationCounts:
    def by(query: str) -> dict[str, int]:
        return {str(name): int(count) for name, count in reader.execute(query, (run["run_id"],))}

    outcomes = by("SELECT code, count(*) FROM generation_current WHERE run_id = ? GROUP BY code ORDER BY 2 DESC")
    statuses = by("SELECT status, count(*) FROM generation_attempt WHERE run_id = ? GROUP BY status ORDER BY 2 DESC")
    codes: Counter[str] = Counter()
    for row in reader.execute("SELECT codes FROM generation_attempt WHERE run_id = ?", (run["run_id"],)):
        codes.update(json.loads(row["codes"]))
    retried = reader.execute(
        "SELECT count(*) FROM generation_attempt WHERE run_id = ? AND number > 1", (run["run_id"],)
    ).fetchone()[0]
    return GenerationCounts(
        run_id=run["run_id"],
        generator=run["generator"],
        model_name=run["model_name"],
        model=run["model"],
        judge=run["judge"],
        options=json.loads(run["options"]),
        items=sum(outcomes.values()),
        made=outcomes.pop("", 0),
        nothing=outcomes,
        products=by(
            """SELECT coalesce(u.kind, p.kind), count(*) FROM generation_product AS p
               LEFT JOIN unit AS u ON u.unit_id = p.made WHERE p.run_id = ? GROUP BY 1 ORDER BY 1"""
        ),
        attempts=sum(statuses.values()),
        retried=retried,
        statuses=statuses,
        codes=dict(codes.most_common()),
        dropped=by("SELECT code, count(*) FROM generation_dropped WHERE run_id = ? GROUP BY code ORDER BY 2 DESC"),
    )
