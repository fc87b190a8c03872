"""One study twice, with other opinions of all machines, other right labels and other labels of a colleague."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any, Final

from medreview.judges.verdicts import refresh
from medreview.labels import AXES, scale_of
from medreview.study import Study
from medreview.study.ids import STATEMENT
from medreview.units.kind import Gold
from medreview.units.registry import KINDS, asks_of
from medreview.units.stored import NewOpinion, add_gold, add_opinions
from tests.support.answer_study import find
from tests.support.unit_samples import SAMPLES, two_responses
from tests.support.unit_study import decide, do

_TEXTS: Final = ("Zymurgical.", "Quixotically.")
"""Words of a reason or note that no text of the samples has, one for each of the two studies."""


def two_of_a_kind(kind: str, folder: Path) -> tuple[Path, Path]:
    """Two files of one study with units of a kind, that differ in opinions, gold and a colleague's acts alone."""
    paths = folder / "one.medreview", folder / "two.medreview"
    with Study.create(paths[0]) as study:
        SAMPLES.get(kind, two_responses)(study)
    shutil.copy(*paths)
    for which, path in enumerate(paths):
        with Study.open(path) as study:
            _say(study, kind, which)
    return paths


def units_of_kind(reader: sqlite3.Connection, kind: str) -> list[str]:
    """All units of a kind."""
    rows = KINDS[kind].rows if kind != STATEMENT else "SELECT statement_id AS unit FROM statement_standing"
    return [row["unit"] for row in reader.execute(f"SELECT unit FROM ({rows}) ORDER BY unit")]


def _say(study: Study, kind: str, which: int) -> None:
    if which:
        study.write(_turn_round)
    judge, words = ("one", "three")[which], _TEXTS[which]
    for number, unit in enumerate(units_of_kind(study.reader, kind)):
        axis, label = asks_of(unit).axis, _label(study, unit, number + which)
        said = NewOpinion(unit, judge, axis, label, label, ("boreal", "cirrus")[which], "p/1", 0.5 + which / 4, words)
        right = Gold(axis, label, (), words, attention=bool(which))
        study.write(lambda c, said=said: add_opinions(c, [said], "opinions.jsonl"))
        study.write(lambda c, unit=unit, right=right: add_gold(c, [(unit, right)], "kb"))
        decide(study, "ann", unit, axis, label)
        do(study, "ann", "note", unit, {"text": words})
        if (
            kind == "answer"
            and not study.reader.execute(
                "SELECT 1 FROM hallucination_finding WHERE response_id = ?", (unit.partition(":")[2],)
            ).fetchone()
        ):
            find(study, judge, unit, label)  # fmt: skip
    refresh(study)


def _label(study: Study, unit: str, number: int) -> str:
    asks = asks_of(unit)
    if asks.entry == "order":
        view = KINDS[asks.name].load(study.reader, unit)
        numbers = sorted(view.numbers, reverse=bool(number % 2))
        return ">".join(map(str, numbers))
    return asks.levels[number % len(asks.levels)].level


def _turn_round(connection: sqlite3.Connection) -> None:
    """Make everything that machines said, and gold, another thing."""

    def other(axis: str, label: str | None) -> str | None:
        scale = [level.level for level in AXES[scale_of(axis)]]
        return scale[(scale.index(label) + 1) % len(scale)] if label in scale else label

    def set_all(table: str, key: str, **change: Any) -> None:
        for row in connection.execute(f"SELECT * FROM {table}").fetchall():
            values = {name: made(row) if callable(made) else made for name, made in change.items()}
            connection.execute(
                f"UPDATE {table} SET {', '.join(f'{name} = :{name}' for name in values)} WHERE {key} = :key",
                {**values, "key": row[key]},
            )

    evidence = {
        "verdict": lambda row: other("evidence", row["verdict"]), "raw_label": "otherwise",
        "supported": lambda row: None if row["supported"] is None else 1 - row["supported"],
        "confidence": 0.11, "reason": _TEXTS[1],
    }  # fmt: skip
    set_all("judge_run", "judge_run_id", judge=lambda row: f"zz-{row['judge']}", model="zeta", prompt_id=_task)
    set_all("judgement", "judgement_id", **evidence, quote="Aim for", quote_status="absent", quote_start=None,
            quote_end=None)  # fmt: skip
    set_all("merged_judgement", "merged_judgement_id", **evidence, quotes="[]")
    set_all("hallucination_finding", "finding_id", found=1, type=lambda row: other("hallucination", row["type"]),
            spans="[]", reason=_TEXTS[1])  # fmt: skip
    set_all("key_fact_vote", "key_fact_vote_id", answer=lambda row: 1 - row["answer"], raw_answer="otherwise", quote="",
            quote_status="none", quote_start=None, quote_end=None, reason=_TEXTS[1])  # fmt: skip
    set_all("opinion", "opinion_id", judge=lambda row: f"zz-{row['judge']}", model="zeta", reason=_TEXTS[1], quote="",
            label=lambda row: other(row["axis"], row["label"]), confidence=0.11)  # fmt: skip
    for row in connection.execute("SELECT * FROM gold").fetchall():
        connection.execute(
            "UPDATE gold SET label = ?, spans = ?, why = ?, attention = ? WHERE unit = ? AND axis = ?",
            (
                other(row["axis"], row["label"]),
                json.dumps([]),
                _TEXTS[1],
                1 - row["attention"],
                row["unit"],
                row["axis"],
            ),
        )


def _task(row: sqlite3.Row) -> str:
    """Which task a judge was given is no opinion; by which version of a prompt is."""
    return str(row["prompt_id"]) if row["prompt_id"].startswith("key_fact") else "another/9"
