"""A study on metformin and the kidney: three statements, two pages, and a judge that knows what they say."""

import re
from collections.abc import Mapping, Sequence

from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build

RENAL = (
    "Metformin and the kidney\n\nMetformin should not be started when the eGFR is below 30 mL/min/1.73 m2.\n"
    "Review the dose when the eGFR falls below 45.\n\nStop metformin before iodinated contrast if the eGFR is under 30."
)
VITAMIN = "Long treatment with metformin can lower vitamin B12. Measure it when the feet are numb."
QUESTION = "Can I take metformin with an eGFR of 28?"
ANSWER = (
    "Metformin should not be started below an eGFR of 30. It can lower vitamin B12. It may be continued at any eGFR."
)
STATEMENTS = {
    "s1": "Metformin should not be started below an eGFR of 30.",
    "s2": "It can lower vitamin B12.",
    "s3": "It may be continued at any eGFR.",
}
Answer = tuple[str, str, Sequence[tuple[str, str]] | None]
"""Question, response, and its statements by id; None: it was not split."""


def part_of(prompt, name):
    """What stands in the fence of a field."""
    word = re.search(r"<<<\w+ (\w{16})\W", prompt)[1]
    return re.search(rf"<<<{name} {word}[^>]*>>>\n(.*?)\n<<<end of {name} {word}>>>", prompt, re.DOTALL)[1]


def careful(prompt):
    """A judge that finds the first two statements in the source that holds them, and nothing else."""
    source, statement = part_of(prompt, "source"), part_of(prompt, "statement")
    passages = {"s1": "Metformin should not be started when the eGFR is below 30", "s2": "can lower vitamin B12"}
    for key, passage in passages.items():
        if statement == STATEMENTS[key] and passage in source:
            return {"quote": passage, "reason": "It says so.", "label": "supported", "confidence": 0.9}
    return {"quote": "", "reason": "Nothing on this.", "label": "not_addressed", "confidence": 0.8}


def fill(study: Study, answers: Sequence[Answer], pages: Mapping[str, str]) -> None:
    """Responses, each citing every page, which are given by the id of their snapshot."""

    def rows(rows: StudyBuilder) -> None:
        cited = []
        for number, (snapshot_id, text) in enumerate(pages.items(), 1):
            rows.page(f"u{number}", text, f"https://page{number}.example/", snapshot_id=snapshot_id)
            cited.append(f"u{number}")
        for number, (question, text, statements) in enumerate(answers, 1):
            parser = None if statements is None else "test 1"
            rows.response(f"r{number}", text, cites=cited, question=question, parser=parser)
            for statement_id, said in statements or ():
                rows.statement(f"r{number}", said, statement_id)

    build(study, rows)
