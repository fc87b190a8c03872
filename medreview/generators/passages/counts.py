"""How many paragraphs each rule leaves out: of a choice that is being made, and of those that are stored."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from medreview.generators.passages.selection import RULES


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many paragraphs ``fail`` a rule, and how many of these no rule before it (``first``)."""

    fail: int
    first: int


@dataclass(frozen=True, slots=True)
class PassageCounts:
    """A stored choice of passages: the texts and their ``paragraphs``, how many of these were ``kept``, and the rules;
    what found the entities, and what compared the sentences."""

    run_id: str
    texts: int
    paragraphs: int
    kept: int
    rules: Mapping[str, RuleCount]
    entities: str
    vectors: str


def rule_counts(every: Iterable[Sequence[str]]) -> dict[str, RuleCount]:
    """The counts of each rule, of the codes of every paragraph."""
    order, fails, first = list(RULES), Counter[str](), Counter[str]()
    for codes in every:
        fails.update(codes)
        first.update(sorted(codes, key=order.index)[:1])
    return {code: RuleCount(fails[code], first[code]) for code in RULES}


def passage_counts(reader: sqlite3.Connection) -> list[PassageCounts]:
    """The counts of every choice that is stored, in order."""
    return [
        _counted(reader, run) for run in reader.execute("SELECT * FROM passage_run ORDER BY at_utc, passage_run_id")
    ]


def _counted(reader: sqlite3.Connection, run: sqlite3.Row) -> PassageCounts:
    query = "SELECT text_sha256, codes FROM passage_feature WHERE passage_run_id = ?"
    rows = reader.execute(query, (run["passage_run_id"],)).fetchall()
    return PassageCounts(
        run_id=run["passage_run_id"],
        texts=len({row["text_sha256"] for row in rows}),
        paragraphs=len(rows),
        kept=sum(not row["codes"] for row in rows),
        rules=rule_counts(row["codes"].split() for row in rows),
        entities=run["entities"],
        vectors=run["vectors"],
    )
