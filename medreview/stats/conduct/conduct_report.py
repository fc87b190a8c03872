"""All that is told of how one reviewer works."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from medreview.stats.conduct.drift import Drift, drifts
from medreview.stats.conduct.intra_rater import IntraRater, intra_rater
from medreview.stats.conduct.pace import Pace, paces
from medreview.stats.conduct.signs import LongestRun, Sign, longest_run, signs
from medreview.stats.conduct.timed_decisions import Labelled, timed_decisions
from medreview.stats.formulas.bootstrap import DEFAULT, Resampling


@dataclass(frozen=True)
class Conduct:
    """How one reviewer works: ``decisions`` first ones on statements, and all that follows from them.

    For the reviewer's own eyes. ``intra_rater`` is of every kind of unit; all else is of statements.
    """

    reviewer: str
    decisions: int
    pace: tuple[Pace, ...]
    drift: tuple[Drift, ...]
    intra_rater: tuple[IntraRater, ...]
    signs: tuple[Sign, ...]
    longest_run: LongestRun | None


def conduct_report(
    reader: sqlite3.Connection,
    reviewer: str,
    labels: Mapping[str, Labelled],
    pass_no: int = 1,
    only: Collection[str] | None = None,
    resampling: Resampling = DEFAULT,
) -> Conduct:
    """That of one pass, from the labels of a reviewer and the events; of the statements ``only``, if given."""
    decisions = timed_decisions(reader, reviewer, labels, pass_no)
    return Conduct(
        reviewer=reviewer,
        decisions=len(decisions),
        pace=paces(decisions),
        drift=drifts(decisions, resampling),
        intra_rater=intra_rater(reader, reviewer, resampling, only),
        signs=signs(reader, reviewer, decisions, resampling, pass_no, only),
        longest_run=longest_run(decisions),
    )
