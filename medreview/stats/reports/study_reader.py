"""A study as a stream of responses with what the judges said, in a few queries however long the study is."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.judges.majority import yes_or_no
from medreview.judges.rollup import each_judge, roll_up
from medreview.judges.votes import COLUMNS, Judge, Vote, VoteReader, jury
from medreview.labels import TieRule
from medreview.stats.reports.label_scales import JuryVerdict
from medreview.stats.reports.selection import EVERYTHING, Selection

_JUDGEMENTS: Final = f"""
SELECT r.ordinal AS response, r.response_id, r.model, r.origin, r.invalid, s.statement_id, v.verdict AS together,
       v.supported AS together_supported, v.votes_for, v.votes_other, v.tied, {COLUMNS}
FROM response AS r
LEFT JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
LEFT JOIN judgement AS j ON j.statement_id = s.statement_id
LEFT JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
ORDER BY r.ordinal, s.ordinal"""

_OF_SOME: Final = f"""
SELECT j.statement_id, {COLUMNS} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id)
WHERE j.statement_id IN (SELECT value FROM json_each(?)) ORDER BY j.statement_id"""

_SOURCES: Final = """
SELECT r.ordinal AS response, c.source_id, p.page_state, n.valid
FROM response AS r
CROSS JOIN citation AS c ON c.response_id = r.response_id
JOIN source AS u ON u.source_id = c.source_id
LEFT JOIN snapshot AS p ON p.snapshot_id = u.current_snapshot
LEFT JOIN snapshot_content AS n ON n.snapshot_id = u.current_snapshot
ORDER BY r.ordinal, c.ordinal"""


class CitedPage(NamedTuple):
    """The current page of a cited source; ``valid``: status 200 and text (SourceCheckup).

    ``None`` for a text that came with the answer: it can be judged by, and its address was not asked.
    """

    state: str
    valid: bool | None


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """A statement with what the judges say of it by the pages as they are (``medreview.judges.votes``).

    ``together`` is the table ``verdict``, ``None`` when nobody judged; ``by_judge`` each judge's own word, rolled up
    over the sources.
    """

    statement_id: str
    together: JuryVerdict | None
    by_judge: Mapping[Judge, JuryVerdict]
    votes: Sequence[Vote]

    def by_source(self, tie: TieRule) -> dict[str, bool | None]:
        """Whether each judged source supports the statement, by most judges; ``None`` if none of them can tell.

        A tie gives what the rule says, here as in the roll-up.
        """
        words: dict[str, list[bool | None]] = {}
        for vote in jury(self.votes):
            words.setdefault(vote.source_id, []).append(vote.supported)
        return {source_id: yes_or_no(said, tie)[0] for source_id, said in words.items()}

    def under(self, rule: TieRule) -> JuryVerdict | None:
        """What the judges say together under a tie rule that need not be the study's; ``None`` when nobody judged."""
        if self.together is None or not self.together.tied:
            return self.together
        said = roll_up(self.votes, rule)
        return self.together._replace(
            verdict=said.verdict, supported=said.supported, votes_for=said.votes_for, votes_other=said.votes_other
        )


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """A response: its statements, and its cited sources once each; a source not fetched yet has no page.

    ``invalid``: why it is no response (``labels.INVALID``), ``""`` when it is one. ``parted``: it has statements that
    are outside of the part of the study that is read.
    """

    response_id: str
    model: str
    origin: str
    invalid: str
    sources: Mapping[str, CitedPage | None]
    statements: Sequence[JudgedStatement]
    parted: bool = False


def judged_responses(reader: sqlite3.Connection, only: Selection = EVERYTHING) -> Iterator[JudgedResponse]:
    """Every response in order, one at a time; with ``only``, those that are in it, with what is in it of each."""
    voters = VoteReader(reader)
    cited = groupby(reader.execute(_SOURCES), key=itemgetter("response"))
    ahead = next(cited, None)
    for ordinal, group in groupby(reader.execute(_JUDGEMENTS), key=itemgetter("response")):
        sources: dict[str, CitedPage | None] = {}
        if ahead is not None and ahead[0] == ordinal:
            sources = {row["source_id"]: _page(row) for row in ahead[1]}
            ahead = next(cited, None)
        rows = list(group)
        first = rows[0]
        whole = len(rows)
        if only.statements is not None and first["response_id"] not in only.responses:
            rows = [row for row in rows if row["statement_id"] in only.statements]
            if not rows:
                continue
        statements = [
            _statement(statement_id, list(judgements), voters)
            for statement_id, judgements in groupby(rows, key=itemgetter("statement_id"))
            if statement_id is not None
        ]
        yield JudgedResponse(
            response_id=first["response_id"],
            model=first["model"],
            origin=first["origin"],
            invalid=first["invalid"],
            sources=sources,
            statements=statements,
            parted=len(rows) < whole,
        )


def _page(row: sqlite3.Row) -> CitedPage | None:
    if row["page_state"] is None:
        return None
    return CitedPage(row["page_state"], None if row["valid"] is None else bool(row["valid"]))


def _statement(statement_id: str, rows: Sequence[sqlite3.Row], voters: VoteReader) -> JudgedStatement:
    votes = voters.votes(rows)
    first = rows[0]
    together = None
    if votes and first["votes_for"] is not None:
        supported = None if first["together_supported"] is None else bool(first["together_supported"])
        offline = all(vote.judge.offline for vote in votes)
        counts = first["votes_for"], first["votes_other"]
        together = JuryVerdict(first["together"], supported, *counts, bool(first["tied"]), offline)
    return JudgedStatement(statement_id, together, _by_judge(votes), votes)


def _by_judge(votes: Sequence[Vote]) -> dict[Judge, JuryVerdict]:
    return {
        judge: JuryVerdict(said.verdict, said.supported, int(said.verdict is not None), 0, False, judge.offline)
        for judge, said in each_judge(votes).items()
    }


def words_by_judge(reader: sqlite3.Connection, units: Collection[str]) -> dict[str, dict[Judge, JuryVerdict]]:
    """Each judge's own word on some statements, as :class:`JudgedStatement` has it; without those nobody judged."""
    one = next(iter(units)) if len(units) == 1 else None
    voters = VoteReader(reader, one)
    rows = reader.execute(_OF_SOME, (json.dumps(list(units)),))
    return {unit: _by_judge(voters.votes(of_one)) for unit, of_one in groupby(rows, key=itemgetter("statement_id"))}
