"""The table ``judge_run``: which judge, with which model, prompt and parameters, made a set of judgements.

The offline judge's word belongs to a run of the rules alone, or of one with a model of meaning for the order. Both are
one judge: of a pair its newest word counts (``medreview.judges.votes``). The label is the rules' in either; the name
says which model had a part in the score for triage.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from medreview.study.ids import judge_run_id
from medreview.study.rows import insert

NAME: Final = "offline"
ENGINE: Final = "rules-6"
"""Name and version of the rules, stored with their results."""


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """The identity of a judge run; another model, prompt or parameter is another run, never an overwrite.

    ``kind`` is ``offline``, ``llm``, or ``recorded`` for judgements made elsewhere.
    """

    judge: str
    kind: str
    model: str = ""
    prompt_id: str = ""
    prompt_sha256: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def judge_run_id(self) -> str:
        """A hash of the fields, the same in every study."""
        return judge_run_id(self.judge, self.kind, self.model, self.prompt_id, self.prompt_sha256, self.params)


def add_run(connection: sqlite3.Connection, run: JudgeRun) -> str:
    """Store the run unless it exists (idempotent); its id."""
    ordinal = connection.execute("SELECT coalesce(max(ordinal), 0) + 1 FROM judge_run").fetchone()[0]
    row = {
        "judge_run_id": run.judge_run_id,
        "ordinal": ordinal,
        "judge": run.judge,
        "kind": run.kind,
        "model": run.model,
        "prompt_id": run.prompt_id,
        "prompt_sha256": run.prompt_sha256,
        "params": json.dumps(dict(run.params), sort_keys=True),
        "seed": None,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    insert(connection, "judge_run", [row])
    return run.judge_run_id


_NEWEST: Final = "SELECT judge, model, params FROM judge_run WHERE kind = 'offline' ORDER BY ordinal DESC LIMIT 1"


def with_model(encoder: str) -> str:
    """The judge's name where a model of meaning was asked: ``offline + NAME``."""
    return f"{NAME} + {encoder}"


def model_in(judge: str) -> str:
    """The model of meaning that the offline judge's name says was asked; ``""`` for the rules alone."""
    return judge.removeprefix(NAME).removeprefix(" + ")


_ENTAILMENT: Final = "entailment "


def joined_name(encoder: str, entailment: str) -> str:
    """The name of the models that had a part in a score, as it is stored: ``ENCODER; entailment MODEL``."""
    return "; ".join(filter(None, (encoder, entailment and f"{_ENTAILMENT}{entailment}")))


def entailment_in(name: str) -> str:
    """The model of entailment in a name of :func:`joined_name`; ``""`` without one."""
    _, found, model = f"; {name}".rpartition(f"; {_ENTAILMENT}")
    return model if found else ""


def run_for(reader: sqlite3.Connection, encoder: str) -> JudgeRun:
    """The run under which pairs are stored now: the newest one of the offline judge if it is of this model (``""``: of
    the rules alone) and of these rules, else another.

    An earlier model that is used again gets a new run, for the newest run counts.
    """
    judge = with_model(encoder) if encoder else NAME
    turns = reader.execute("SELECT count(*) FROM judge_run WHERE kind = 'offline' AND judge = ? AND model = ?",
                           (judge, ENGINE)).fetchone()[0]  # fmt: skip
    newest = reader.execute(_NEWEST).fetchone()
    if newest is not None and (newest["judge"], newest["model"]) == (judge, ENGINE):
        turns -= 1
    return JudgeRun(judge=judge, kind="offline", model=ENGINE, params={"turn": turns + 1} if turns else {})
