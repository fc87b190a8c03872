"""The table ``judge_run``: which judge, with which model, prompt and parameters, made a set of judgements."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from medreview.study.ids import content_id
from medreview.study.rows import insert


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
        params = dict(sorted(self.params.items()))
        return content_id("j", self.judge, self.kind, self.model, self.prompt_id, self.prompt_sha256, params)


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
