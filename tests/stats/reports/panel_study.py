"""A study that three people labelled blind and two judges judged: several prompts, repeated runs, confidences."""

import random
from typing import Any, Final

from tests.stats.small_study import SmallStudy
from tests.support.study_builder import StudyBuilder, build

PEOPLE: Final = ("anna", "ben", "cleo")
FIRST, SECOND = "a" * 64, "b" * 64
"""The hashes of the two prompts of the judge amber."""


def panel(small: SmallStudy, questions: int = 40, models: int = 1, *, labelled: bool = True) -> None:
    """Two statements in each answer; ``models``: answers to each question, the first by ``atlas-2``, then ``gpt-5``.

    Amber (gpt-4o) has a first prompt that is right 70 times of 100, and a second one, put in two runs, that is right
    90 times; basalt (atlas-1) is right 85 times. People say what is right 90 times of 100.
    """
    rng = random.Random(1)
    truth: dict[str, bool] = {}
    writers = ("atlas-2", "gpt-5", "claude-4")[:models]
    for number in range(questions):
        for writer in writers:
            name = f"q{number}-{writer}"
            texts = ["word " * rng.randint(2, 40) for _ in range(2)]

            def add(rows: StudyBuilder, name: str = name, texts: list[str] = texts, writer: str = writer) -> None:
                rows.response(name, statements=texts, model=writer, question=f"Question {name.split('-')[0]}?")
                rows.source(f"{name}/1", f"{name}/1", key=f"{name}/1")
                rows.citation(name, f"{name}/1")
                rows.snapshot(f"{name}/1", f"words of {name}", f"p-{name}")

            build(small.study, add)
            truth |= {f"{name}.{place}": rng.random() < 0.6 for place in (1, 2)}

    def judge(rows: StudyBuilder, judge: str, right: float, label: str, **run: Any) -> None:
        run_id = rows.judge_run(judge, **run)
        for unit, supported in truth.items():
            said = supported if rng.random() < right else not supported
            rows.judgement(
                judge, unit, f"p-{unit.rpartition('.')[0]}", "supported" if said else "contradicted", run=run_id,
                judgement_id=f"{label}-{unit}", confidence=rng.choice((0.6, 0.75, 0.95)),
            )  # fmt: skip

    def judges(rows: StudyBuilder) -> None:
        amber: dict[str, Any] = {"kind": "llm", "model": "gpt-4o", "prompt_id": "source_verification/1"}
        judge(rows, "amber", 0.7, "a1", **amber, prompt_sha256=FIRST)
        judge(rows, "amber", 0.9, "a2", **amber, prompt_sha256=SECOND, params={"seed": 1})
        judge(rows, "amber", 0.9, "a3", **amber, prompt_sha256=SECOND, params={"seed": 2})
        judge(rows, "basalt", 0.85, "b1", model="atlas-1")

    build(small.study, judges)
    for who in PEOPLE if labelled else ():
        for unit, supported in truth.items():
            said = supported if rng.random() < 0.9 else not supported
            small.said("supported" if said else "contradicted", unit, who=who, mode="blind", block="audit")
    small.roll_up()
