"""A generator of a sample as a command: its study and settings, and what of it can be compared after a kill."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from medreview.study import Study
from tests.support.commands import own_settings
from tests.support.generator_samples import SAMPLES
from tests.support.judge_endpoint import JudgeEndpoint

_MADE: Final = (
    "SELECT unit_id, content FROM unit ORDER BY 1", "SELECT response_id, text, model FROM response ORDER BY 1",
    "SELECT passage_id FROM passage ORDER BY 1", "SELECT unit, axis, label, spans FROM gold ORDER BY 1, 2",
    "SELECT item_id, name, code, report FROM generation ORDER BY 1",
    "SELECT item_id, stage, number, status, codes FROM generation_attempt ORDER BY 1, 2, 3",
    "SELECT item_id, kind, made FROM generation_product ORDER BY 1, 2, 3",
    "SELECT item_id, ordinal, code, what FROM generation_dropped ORDER BY 1, 2",
)  # fmt: skip

SEVERAL: Final = [name for name, sample in SAMPLES.items() if sample.inputs > 1 or sample.stages]
KILLED: Final = tuple({name.partition(",")[0]: name for name in SEVERAL}.values())
"""A sample of each generator with more than one question."""


def prepared(folder: Path, name: str, endpoint: JudgeEndpoint) -> tuple[Path, list[object]]:
    """A study in this folder with the inputs of a sample, and the command that generates from them."""
    table = endpoint.table("writer")
    own_settings(folder, f"{table.replace('[judges.', '[models.')}\n{table}")
    path = folder / "s.medreview"
    with Study.create(path, "killed") as study:
        SAMPLES[name].fill(study)
    return path, ["generate", *name.partition(",")[0].split(), path, "--model", "writer", *SAMPLES[name].options]


def stored(path: Path, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query, also while a program writes."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def made(path: Path) -> list[list[tuple[Any, ...]]]:
    """Everything that was made, and every attempt, without times."""
    return [stored(path, query) for query in _MADE]


def spent(path: Path) -> tuple[int, int]:
    """Answers, and requests that were sent."""
    ((answers, sent),) = stored(path, "SELECT (SELECT count(*) FROM llm_call), coalesce(sum(sent), 0) FROM llm_sent")
    return answers, sent
