"""Every replay by the word of its command, and what ``--sample`` runs each on.

The sample has files, and models whose answers are recorded; these were written for the demo: they show the way, and
say nothing of any model.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from medreview.llm.settings import JudgeSettings
from medreview.pipeline import PageProvider
from medreview.replays.papers import cds, cliniqlink, medfacteval, medhalu, sourcecheckup
from medreview.replays.replay import Replay, ReplayInputs
from medreview.replays.step_kinds import FILE

_EVERY: Final = (
    sourcecheckup.REPLAY, medhalu.REPLAY, cds.REPLAY, medfacteval.REPLAY, medfacteval.BRIEF_REPLAY, cliniqlink.REPLAY,
)  # fmt: skip
REPLAYS: Final[dict[str, Replay]] = {one.name: one for one in _EVERY}


FOLDER: Final = "recorded"
WRITER: Final = "demo-writer"
JURORS: Final = ("demo-juror-one", "demo-juror-two", "demo-juror-three")
_PRICES: Final = {"demo-writer": (2.0, 8.0), "demo-juror-one": (1.0, 4.0), "demo-juror-two": (0.5, 1.5)}
"""Invented, per million tokens, in and out; the others have none."""


@contextmanager
def of_sample(given: ReplayInputs, paper: str) -> Iterator[ReplayInputs]:
    """The same with the files of the sample data that a paper takes, and with the recorded models."""
    sample = SAMPLES[paper]
    with as_file(files("medreview.sample_data")) as folder:
        yield replace(
            given,
            files=[folder / name for name in sample.files],
            writers=[_recorded(folder, name) for name in sample.writers],
            judges=[_recorded(folder, name) for name in sample.jurors],
            pages=PageProvider(folder / "pages"),
            labels=(folder / FILE, paper),
        )


def _recorded(folder: Path, name: str) -> JudgeSettings:
    """The model of a name, whose answers lie in the folder of recorded ones."""
    price_in, price_out = _PRICES.get(name, (None, None))
    return JudgeSettings(
        name,
        name,
        "recorded:",
        price_input=price_in,
        price_output=price_out,
        role="model" if name == WRITER else "judge",
        recorded=folder / FOLDER,
    )


def is_recorded(reader: sqlite3.Connection) -> bool:
    """Whether anything in a study was said by a recorded model."""
    query = """SELECT EXISTS (SELECT 1 FROM generation_run WHERE host = 'recorded')
               OR EXISTS (SELECT 1 FROM judge_run WHERE kind = 'llm' AND json_extract(params, '$.host') = 'recorded')"""
    return bool(reader.execute(query).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Sample:
    """What a paper's replay takes of the sample data: files, and which of the recorded models it asks."""

    files: tuple[str, ...]
    writers: tuple[str, ...] = ()
    jurors: tuple[str, ...] = ()


SAMPLES: Final[dict[str, Sample]] = {
    "sourcecheckup": Sample(("question_texts.jsonl",), (WRITER,), JURORS[:2]),
    "medhalu": Sample(("correct_answers.jsonl",), (WRITER,), JURORS[:2]),
    "cds": Sample(("cds_answers.jsonl",)),
    "medfacteval": Sample(("cases.jsonl",), (WRITER,), JURORS),
    "medagentbrief": Sample(("cases.jsonl",), (WRITER,), JURORS),
    "cliniqlink": Sample(("chapter.md", "rankings.jsonl"), (WRITER,)),
}
"""By the word of the paper."""


def title_of(paper: str) -> str:
    """The title of a study that a replay has made of the sample data."""
    return f"replay of {paper}, sample data"
