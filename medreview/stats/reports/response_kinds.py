"""How many responses cite no source, and how many are invalid, by model (SourceCheckup, question answering)."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.stats.formulas.estimate import LEVEL, Estimate
from medreview.stats.formulas.intervals import proportion
from medreview.stats.reports.study_support import MOST_STRATA

_COUNTED: Final = """
SELECT model, count(*) AS responses, sum(invalid = 'empty') AS empty, sum(invalid = 'incomplete') AS incomplete,
       sum(invalid = '' AND NOT EXISTS (SELECT 1 FROM citation AS c WHERE c.response_id = r.response_id)) AS sourceless
FROM response AS r WHERE cited AND {which} GROUP BY model ORDER BY count(*) DESC, model"""

_NAMED: Final = "r.response_id IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True)
class ResponseKinds:
    """The responses of one model, or of all: ``empty`` and ``incomplete`` ones are invalid, ``sourceless`` ones are
    valid and name no source at all.

    ``without_source`` and ``invalid``: the shares of these, of all ``responses``, by Wilson.
    """

    responses: int
    empty: int
    incomplete: int
    sourceless: int
    without_source: Estimate
    invalid: Estimate


@dataclass(frozen=True)
class ResponseReport:
    """All responses whose citations were looked for, and those of each model, the one with most of them first.

    ``models_omitted`` counts those left out, the last by responses and name.
    """

    all: ResponseKinds
    by_model: dict[str, ResponseKinds]
    models_omitted: int


def response_report(
    reader: sqlite3.Connection, level: float = LEVEL, only: Collection[str] | None = None
) -> ResponseReport:
    """Count them; of ``only`` these responses, when they are named."""
    which, values = ("1", ()) if only is None else (_NAMED, (json.dumps(sorted(only)),))
    rows = reader.execute(_COUNTED.format(which=which), values).fetchall()
    largest = rows[:MOST_STRATA]
    return ResponseReport(
        all=_kinds(rows, level),
        by_model={row["model"]: _kinds([row], level) for row in largest},
        models_omitted=len(rows) - len(largest),
    )


def kinds_of_run(reader: sqlite3.Connection, run_id: str) -> ResponseKinds:
    """The same of the responses that a run of a generator made."""
    made = "response_id IN (SELECT made FROM generation_product WHERE run_id = ? AND kind = 'response')"
    return _kinds(reader.execute(_COUNTED.format(which=made), (run_id,)).fetchall(), LEVEL)


def _kinds(rows: Sequence[sqlite3.Row], level: float) -> ResponseKinds:
    counts = {name: sum(row[name] for row in rows) for name in ("responses", "empty", "incomplete", "sourceless")}

    def share(name: str, k: int) -> Estimate:
        return proportion(name, k, counts["responses"], level=level, nothing="There is no response.")

    return ResponseKinds(
        **counts,
        without_source=share("responses without a source", counts["sourceless"]),
        invalid=share("invalid responses", counts["empty"] + counts["incomplete"]),
    )
