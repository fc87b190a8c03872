"""A study of a few answers and pages of any length, with statements all over them."""

import random
from pathlib import Path

from medreview.study import Study
from tests.bench.make_study import sentence
from tests.support.study_builder import StudyBuilder, build

ANSWERS = 4
STATEMENTS = 20


def make(path: Path, length: int) -> None:
    """Answers of ``length`` characters, each citing one page of as many, judged by one judge."""
    rng = random.Random(3)

    def fill(rows: StudyBuilder) -> None:
        for number in range(ANSWERS):
            answer, source = _text(rng, length), f"source{number}"
            page = rows.page(source, _text(rng, length))
            starts = [answer.find(". ", length * place // STATEMENTS) + 2 for place in range(STATEMENTS - 1)]
            statements = [answer[start : answer.index(".", start) + 1] for start in starts]
            response = rows.response(f"answer{number}", answer, cites=[source], statements=statements)
            for place in range(len(statements)):
                label = "contradicted" if place % 2 else "supported"
                rows.judgement("alpha", f"{response}.{place + 1}", page, label)

    with Study.create(path, title="long texts") as study:
        build(study, fill)


def _text(rng: random.Random, length: int) -> str:
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts += [sentence(rng) + (" " if rng.random() < 0.8 else "\n\n") for _ in range(200)]
    return "".join(parts)[:length]
