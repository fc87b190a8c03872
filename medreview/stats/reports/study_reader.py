"""A study as a stream of responses with what the judges said, in a few queries however long the study is."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.judges.rollup import RollUp, Vote, roll_up
from medreview.stats.reports.label_scales import JuryVerdict

_NO_TEXT: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

_JUDGEMENTS: Final = """
SELECT r.ordinal AS response, r.response_id, r.model, r.origin, s.statement_id, v.verdict AS together,
       v.supported AS together_supported, v.votes_for, v.votes_other, j.judgement_id, run.ordinal AS run, run.kind,
       j.snapshot_id, p.source_id, j.verdict, j.supported, j.confidence, j.quote_status
FROM response AS r
LEFT JOIN statement AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
LEFT JOIN judgement AS j ON j.statement_id = s.statement_id
     AND j.snapshot_id NOT IN (SELECT snapshot_id FROM snapshot_superseded)
LEFT JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
LEFT JOIN snapshot AS p ON p.snapshot_id = j.snapshot_id
ORDER BY r.ordinal, s.ordinal"""

_SOURCES: Final = f"""
SELECT r.ordinal AS response, c.source_id, p.page_state, p.status = 200 AND p.text_sha256 <> '{_NO_TEXT}' AS valid
FROM response AS r
CROSS JOIN citation AS c ON c.response_id = r.response_id
JOIN source AS u ON u.source_id = c.source_id
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
ORDER BY r.ordinal, c.ordinal"""


class CitedPage(NamedTuple):
    """The current page of a cited source; ``valid``: status 200 and text (SourceCheckup)."""

    state: str
    valid: bool


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """A statement with its judgements on the pages as they are.

    ``together`` is the table ``verdict``, ``None`` when nobody judged. ``votes`` pairs each judgement with the source
    that it is about.
    """

    statement_id: str
    together: JuryVerdict | None
    votes: Sequence[tuple[Vote, str]]

    def by_run(self) -> dict[int, JuryVerdict]:
        """Each judge run's own word, rolled up over the sources."""
        runs: dict[int, list[Vote]] = {}
        for vote, _ in self.votes:
            runs.setdefault(vote.run, []).append(vote)
        return {run: _said(roll_up(votes), votes[0].offline) for run, votes in runs.items()}

    def by_source(self) -> dict[str, bool | None]:
        """Whether each judged source supports the statement, by most judges; ``None`` for a tie, or if none can tell.

        As in the roll-up, the offline judge votes only where no other spoke on the statement.
        """
        alone = all(vote.offline for vote, _ in self.votes)
        balance: dict[str, int] = {}
        for vote, source_id in self.votes:
            if (alone or not vote.offline) and vote.supported is not None:
                balance[source_id] = balance.get(source_id, 0) + (1 if vote.supported else -1)
        return {source_id: None if count == 0 else count > 0 for source_id, count in balance.items()}


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """A response: its statements, and its cited sources once each; a source not fetched yet has no page."""

    response_id: str
    model: str
    origin: str
    sources: Mapping[str, CitedPage | None]
    statements: Sequence[JudgedStatement]


def judged_responses(reader: sqlite3.Connection) -> Iterator[JudgedResponse]:
    """Every response in order, one at a time."""
    cited = groupby(reader.execute(_SOURCES), key=itemgetter("response"))
    ahead = next(cited, None)
    for ordinal, group in groupby(reader.execute(_JUDGEMENTS), key=itemgetter("response")):
        sources: dict[str, CitedPage | None] = {}
        if ahead is not None and ahead[0] == ordinal:
            sources = {row["source_id"]: _page(row) for row in ahead[1]}
            ahead = next(cited, None)
        rows = list(group)
        first = rows[0]
        statements = [
            _statement(statement_id, list(judgements))
            for statement_id, judgements in groupby(rows, key=itemgetter("statement_id"))
            if statement_id is not None
        ]
        yield JudgedResponse(first["response_id"], first["model"], first["origin"], sources, statements)


def judge_names(reader: sqlite3.Connection) -> dict[int, str]:
    """What to call each judge run, by its number: the judge, and what tells it from its other runs."""
    runs = reader.execute("SELECT ordinal, judge, model, prompt_id FROM judge_run ORDER BY ordinal").fetchall()
    names = {run["ordinal"]: run["judge"] for run in runs}
    for more in ("model", "prompt_id"):
        shared = {name for name in names.values() if list(names.values()).count(name) > 1}
        for run in runs:
            if names[run["ordinal"]] in shared and run[more]:
                names[run["ordinal"]] += f", {run[more]}"
    seen = list(names.values())
    return {run: name if seen.count(name) == 1 else f"{name}, run {run}" for run, name in names.items()}


def _page(row: sqlite3.Row) -> CitedPage | None:
    return None if row["page_state"] is None else CitedPage(row["page_state"], bool(row["valid"]))


def _statement(statement_id: str, rows: Sequence[sqlite3.Row]) -> JudgedStatement:
    votes = [(_vote(row), row["source_id"]) for row in rows if row["judgement_id"] is not None]
    first = rows[0]
    together = None
    if votes and first["votes_for"] is not None:
        offline = all(vote.offline for vote, _ in votes)
        supported = _boolean(first["together_supported"])
        together = JuryVerdict(first["together"], supported, first["votes_for"], first["votes_other"], offline)
    return JudgedStatement(statement_id, together, votes)


def _vote(row: sqlite3.Row) -> Vote:
    return Vote(
        judgement_id=row["judgement_id"],
        run=row["run"],
        offline=row["kind"] == "offline",
        snapshot_id=row["snapshot_id"],
        verdict=row["verdict"],
        supported=_boolean(row["supported"]),
        confidence=row["confidence"],
        quote_status=row["quote_status"],
    )


def _said(result: RollUp, offline: bool) -> JuryVerdict:
    return JuryVerdict(result.verdict, result.supported, result.votes_for, result.votes_other, offline)


def _boolean(value: int | None) -> bool | None:
    return None if value is None else bool(value)
