"""Which merged judgements count: the words of judges on a statement by all sources of its response together.

As with votes on single sources: a judge is its name, its newest answered run counts, and a judgement does not when one
of the pages that it was made on reads otherwise since.
"""

import json
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.judges.rollup import RollUp, roll_up
from medreview.judges.votes import Judge, Vote
from medreview.labels import TieRule
from medreview.text import Span

_ROWS: Final = """
SELECT m.*, run.judge, run.model, run.prompt_id FROM merged_judgement AS m JOIN judge_run AS run USING (judge_run_id)
WHERE {where} NOT EXISTS (SELECT 1 FROM json_each(m.snapshots) AS page
                          JOIN snapshot_superseded AS o ON o.snapshot_id = page.value)
ORDER BY m.statement_id, run.judge, m.error <> '', run.ordinal DESC"""
_ONE: Final = _ROWS.format(where="m.statement_id = ? AND")
_EVERY: Final = _ROWS.format(where="")


class MergedQuote(NamedTuple):
    """A quote of a merged judgement: how true it is, and where it stands, by snapshot; nowhere without one."""

    text: str
    status: str
    snapshot_id: str | None
    spans: tuple[Span, ...]


class MergedJudgement(NamedTuple):
    """What a judge says of a statement by ``pages`` pages at once; without ``verdict`` and ``supported`` it abstained.

    ``raw_label`` is its own word, ``confidence`` 0..1 as given.
    """

    judgement_id: str
    judge: str
    model: str
    prompt: str
    pages: int
    raw_label: str
    verdict: str | None
    supported: bool | None
    confidence: float | None
    reason: str
    quotes: tuple[MergedQuote, ...]


def merged_judgements(reader: sqlite3.Connection, statement_id: str) -> tuple[MergedJudgement, ...]:
    """Those that count on one statement, by the names of the judges."""
    return tuple(_of_judges(reader.execute(_ONE, (statement_id,)).fetchall()))


def every_merged(reader: sqlite3.Connection, tie: TieRule) -> dict[str, RollUp]:
    """By statement, what judges say by all sources together."""
    return {
        statement_id: roll_up_merged(_of_judges(list(rows)), tie)
        for statement_id, rows in groupby(reader.execute(_EVERY), key=itemgetter("statement_id"))
    }


def roll_up_merged(judgements: Iterator[MergedJudgement] | tuple[MergedJudgement, ...], tie: TieRule) -> RollUp:
    """The judges' common word, by the rules of the jury."""
    return roll_up((_vote(said) for said in judgements), tie)


def _of_judges(rows: list[sqlite3.Row]) -> Iterator[MergedJudgement]:
    for _, of_one in groupby(rows, key=itemgetter("judge")):
        yield _judgement(next(of_one))


def _judgement(row: sqlite3.Row) -> MergedJudgement:
    return MergedJudgement(
        judgement_id=row["merged_judgement_id"],
        judge=row["judge"],
        model=row["model"],
        prompt=row["prompt_id"],
        pages=len(json.loads(row["snapshots"])),
        raw_label=row["raw_label"],
        verdict=row["verdict"],
        supported=None if row["supported"] is None else bool(row["supported"]),
        confidence=row["confidence"],
        reason=row["reason"],
        quotes=tuple(
            MergedQuote(one["quote"], one["status"], one["snapshot"], tuple(Span(*span) for span in one["spans"]))
            for one in json.loads(row["quotes"])
        ),
    )


def _vote(said: MergedJudgement) -> Vote:
    return Vote(
        judgement_id=said.judgement_id,
        judge=Judge(said.judge),
        snapshot_id="",
        source_id="",
        verdict=said.verdict,
        supported=said.supported,
        confidence=said.confidence,
        quote_status="none",
    )
