"""Annotated cases: statements, sources, and the sentences that annotators named."""

import gzip
import json
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """One annotated case; ``name`` is that of its set. Without sentences it has a label only."""

    name: str
    statement: str
    text: str
    sentences: list[tuple[int, int]]
    gold_sets: list[list[int]]
    label: str
    tasks: list[str]


def load(folder: Path) -> list[Case]:
    """The cases with a statement, in order of file and line."""
    found = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if "statement" in row:
                    sentences = [(start, end) for start, end in row.get("sentences", ())]
                    sets = [numbers for numbers in row.get("gold_sets", ()) if numbers]
                    tasks = row.get("tasks", ["verdict"])
                    name = path.name.removesuffix(".jsonl.gz")
                    found.append(Case(name, row["statement"], row["source_text"], sentences, sets, row["label"], tasks))
    return found


def is_gold(span: tuple[int, int], case: Case) -> bool:
    """Whether a passage shares at least half of itself, or of the sentence, with one that the annotators named."""
    for number in {number for numbers in case.gold_sets for number in numbers}:
        start, end = case.sentences[number]
        shared = min(end, span[1]) - max(start, span[0])
        if shared > 0 and shared * 2 >= min(end - start, span[1] - span[0]):
            return True
    return False
