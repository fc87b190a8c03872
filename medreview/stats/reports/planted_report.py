"""How many answers with a planted hallucination there are, by data set and type, beside MedHalu's."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from medreview.generators.correct_answers import MADE, TYPES, counted

PAPER: Final[Mapping[str, int]] = {"none": 538, "fact": 507, "input": 535, "context": 497}
"""MedHalu table 4: answers by type, of 2,077."""

_PLANTED: Final = f"""
SELECT r.origin, g.label FROM response AS r JOIN gold AS g ON g.unit = 'answer:' || r.response_id
WHERE g.axis = 'hallucination' AND r.model LIKE '%{MADE}' ORDER BY r.ordinal"""


@dataclass(frozen=True)
class PlantedFigures:
    """Counts of answers by data set and type, all data sets together, and the paper's."""

    by_origin: Mapping[str, Mapping[str, int]]
    all: Mapping[str, int]
    paper: Mapping[str, int]


def planted_report(reader: sqlite3.Connection) -> PlantedFigures:
    """Those of the study that were made here, whoever wrote them."""
    by_origin = counted((row[0], row[1]) for row in reader.execute(_PLANTED))
    total = {kind: sum(row[kind] for row in by_origin.values()) for kind in TYPES}
    return PlantedFigures(by_origin, total, PAPER)
