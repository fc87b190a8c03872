"""Questions whose correct answer is known, and which type of hallucination each of them is dealt (MedHalu section 2.2).

They are the study's correct answers, and its question units that have one. Types are dealt by permuted blocks within
each data set (origin): of every four questions in the order in which they came, each type has one. Later additions
come last, so that no earlier question changes its type.
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from medreview.text import sha256

NONE: Final = "none"
PLANTED: Final = ("fact", "input", "context")
TYPES: Final = (NONE, *PLANTED)
MADE: Final = "/halu"
"""What is added to the name of a model for the responses that it wrote with a planted hallucination or without."""

_KNOWN: Final = """
SELECT question, text, imported_at, 0 AS place FROM reference_answer
UNION ALL
SELECT text, json_extract(content, '$.answer'), imported_at, ordinal FROM unit
WHERE kind = 'question' AND trim(json_extract(content, '$.answer')) <> ''
ORDER BY imported_at, place, question"""
_ASKED: Final = f"""
SELECT text AS question, origin, record_id, 0 AS source, ordinal FROM unit WHERE kind = 'question'
UNION ALL
SELECT question, origin, record_id, 1, ordinal FROM response WHERE model NOT LIKE '%{MADE}'
ORDER BY source, ordinal"""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and its correct answer; ``origin`` is its data set. ``name`` is its id in the file, or a number."""

    question: str
    correct: str
    origin: str
    record_id: str
    name: str


def answered_questions(reader: sqlite3.Connection) -> list[AnsweredQuestion]:
    """All of the study, each question once, in the order in which their correct answers came."""
    asked: dict[str, sqlite3.Row] = {}
    for row in reader.execute(_ASKED):
        asked.setdefault(sha256(row["question"]), row)
    found: dict[str, AnsweredQuestion] = {}
    for row in reader.execute(_KNOWN):
        key = sha256(row["question"])
        if key in found or not row["question"].strip():
            continue
        where = asked.get(key)
        record_id = where["record_id"] if where else ""
        found[key] = AnsweredQuestion(
            question=row["question"],
            correct=row["text"].strip(),
            origin=where["origin"] if where else "",
            record_id=record_id,
            name=record_id or f"question {len(found) + 1}",
        )
    return list(found.values())


def dealt(questions: Sequence[AnsweredQuestion], seed: int) -> list[str]:
    """The type of each question: within each data set, the types of four questions in a row are all different."""
    counted: Counter[str] = Counter()
    types = []
    for one in questions:
        block, place = divmod(counted[one.origin], len(TYPES))
        counted[one.origin] += 1
        types.append(_block(one.origin, block, seed)[place])
    return types


def counted(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """How many there are by data set and type, of pairs of these; every type is named, and the data sets by name."""
    found: dict[str, Counter[str]] = {}
    for origin, kind in pairs:
        found.setdefault(origin, Counter())[kind] += 1
    return {origin: {kind: found[origin][kind] for kind in TYPES} for origin in sorted(found)}


def _block(origin: str, number: int, seed: int) -> list[str]:
    order = list(TYPES)
    random.Random(f"{seed}\n{number}\n{origin}").shuffle(order)
    return order
