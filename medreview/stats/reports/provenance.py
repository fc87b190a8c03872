"""Where a figure comes from: which state of which study, by which version and rules. One home for every report."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import medreview
from medreview.judges.ties import tie_rule
from medreview.labels import LABEL_SET_VERSION
from medreview.llm.report import requests_sent
from medreview.stats.formulas.bootstrap import Resampling


@dataclass(frozen=True)
class Provenance:
    """What to name beside a figure that is quoted.

    ``event_head`` is the hash of the newest of ``events`` (``""`` without any): with the same one, the same decisions
    stand. ``made_at``: UTC. ``labels``: how many labels of which mode and queue are in the figures, by reviewer and
    name of the group. ``comparisons``: how many of two opinions stand side by side, so that some will look good by
    chance. ``requests_lost`` of the ``requests`` to models were sent and not answered in full, as far as is known.
    ``where``: the filter that chose the part of the study that the figures are of, ``""`` for all of it.
    """

    study_id: str
    events: int
    event_head: str
    version: str
    made_at: str = field(compare=False)
    label_set_version: str
    level: float
    seed: int
    replicates: int
    tie_rule: str
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    comparisons: int = 0
    requests: int = 0
    requests_lost: int = 0
    where: str = ""


def provenance(
    reader: sqlite3.Connection,
    resampling: Resampling,
    *,
    labels: Mapping[str, Mapping[str, int]] | None = None,
    comparisons: int = 0,
    tie: str | None = None,
    where: str = "",
) -> Provenance:
    """That of figures of a study as it is now. ``tie``: the rule of the figures, where it is not that of the study."""
    newest = reader.execute("SELECT hash FROM event ORDER BY event_id DESC LIMIT 1").fetchone()
    requests = requests_sent(reader)
    return Provenance(
        study_id=str(reader.execute("SELECT value FROM study WHERE key = 'study_id'").fetchone()[0]),
        events=int(reader.execute("SELECT count(*) FROM event").fetchone()[0]),
        event_head=str(newest[0]) if newest else "",
        version=medreview.__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        label_set_version=LABEL_SET_VERSION,
        level=resampling.level,
        seed=resampling.seed,
        replicates=resampling.replicates,
        tie_rule=tie or tie_rule(reader),
        labels=labels or {},
        comparisons=comparisons,
        requests=requests.sent,
        requests_lost=requests.lost,
        where=where,
    )
