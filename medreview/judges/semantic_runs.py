"""Which judge run the offline judge's word belongs to: the rules alone, or with a model of meaning for the order.

Both are one judge: of a pair its newest word counts (``medreview.judges.votes``). The label is the rules' in either;
the name says which model had a part in the score for triage.
"""

import sqlite3
from typing import Final

from medreview.judges.offline_engine import ENGINE, NAME
from medreview.judges.runs import JudgeRun

_NEWEST: Final = "SELECT judge, model, params FROM judge_run WHERE kind = 'offline' ORDER BY ordinal DESC LIMIT 1"


def with_model(encoder: str) -> str:
    """The judge's name where a model of meaning was asked: ``offline + NAME``."""
    return f"{NAME} + {encoder}"


def model_in(judge: str) -> str:
    """The model of meaning that the offline judge's name says was asked; ``""`` for the rules alone."""
    return judge.removeprefix(NAME).removeprefix(" + ")


def run_for(reader: sqlite3.Connection, encoder: str) -> JudgeRun:
    """The run under which pairs are stored now: the newest one of the offline judge if it is of this model (``""``: of
    the rules alone) and of these rules, else another.

    Whoever goes back to an earlier model gets a run of its own, for the newest run counts.
    """
    judge = with_model(encoder) if encoder else NAME
    turns = reader.execute("SELECT count(*) FROM judge_run WHERE kind = 'offline' AND judge = ? AND model = ?",
                           (judge, ENGINE)).fetchone()[0]  # fmt: skip
    newest = reader.execute(_NEWEST).fetchone()
    if newest is not None and (newest["judge"], newest["model"]) == (judge, ENGINE):
        turns -= 1
    return JudgeRun(judge=judge, kind="offline", model=ENGINE, params={"turn": turns + 1} if turns else {})
