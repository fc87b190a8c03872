"""What judges say of a key fact in a response: the votes that count, and the jury's word by the study's tie rule.

A judge is identified by its name. For each of the two questions (present? contradicted?) its newest run with an answer
counts. A yes whose quote is not in the response is an abstention; abstentions are counted and have no vote.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from medreview.judges.majority import yes_or_no
from medreview.labels import FALSE_QUOTES, TieRule
from medreview.text import Span

PRESENCE: Final = "key_fact_presence"
CONTRADICTION: Final = "key_fact_contradiction"
"""The two questions, as tasks of judges."""

_VOTES: Final = """
SELECT v.response_id, v.key_fact_id, v.key_fact_vote_id, v.task, v.raw_answer, v.answer, v.quote_status, v.quote_start,
       v.quote_end, v.quote, v.reason, v.error, run.judge, run.model, run.prompt_id, run.ordinal AS run
FROM key_fact_vote AS v JOIN judge_run AS run USING (judge_run_id)"""


@dataclass(frozen=True, slots=True)
class FactVote:
    """One judge on one question about a fact in a response; ``answer`` is ``None`` when it abstained."""

    vote_id: str
    judge: str
    model: str
    prompt: str
    task: str
    raw_answer: str
    answer: bool | None
    quote: str
    quote_status: str
    span: Span | None
    reason: str
    error: str

    @property
    def false_quote(self) -> bool:
        """Whether it said yes with a quote that the response does not have."""
        return self.raw_answer == "yes" and self.quote_status in FALSE_QUOTES


@dataclass(frozen=True, slots=True)
class JuryWord:
    """The jury on one question: ``answer`` by the tie rule, and how many said yes, no, or nothing."""

    yes: int
    no: int
    abstained: int
    answer: bool | None
    tied: bool

    @property
    def asked(self) -> bool:
        """Whether anybody was."""
        return self.yes + self.no + self.abstained > 0


@dataclass(frozen=True, slots=True)
class FactInResponse:
    """The votes that count on one fact in one response, judges in the order in which they were first asked."""

    response_id: str
    key_fact_id: str
    votes: tuple[FactVote, ...]

    def of(self, task: str) -> tuple[FactVote, ...]:
        """Those on one question."""
        return tuple(vote for vote in self.votes if vote.task == task)

    def jury(self, task: str, tie: TieRule) -> JuryWord:
        """The jury's word on one question."""
        return jury_word([vote.answer for vote in self.of(task)], tie)

    def level(self, tie: TieRule) -> str | None:
        """The jury's level on the presence axis; ``None`` where it has none."""
        present, contradicted = (self.jury(task, tie) for task in (PRESENCE, CONTRADICTION))
        if (present.tied and present.answer is None) or (contradicted.tied and contradicted.answer is None):
            return None
        return level_of(present.answer, contradicted.answer)

    def each_judge(self) -> Iterator[tuple[str, str]]:
        """Each judge's own level, of those that have one."""
        for judge in dict.fromkeys(vote.judge for vote in self.votes):
            said = {vote.task: vote.answer for vote in self.votes if vote.judge == judge}
            level = level_of(said.get(PRESENCE), said.get(CONTRADICTION))
            if level is not None:
                yield judge, level


def jury_word(said: Sequence[bool | None], tie: TieRule) -> JuryWord:
    """The word of judges, or of people, on one question; ``None`` in ``said`` is an abstention."""
    answer, tied = yes_or_no(said, tie)
    return JuryWord(said.count(True), said.count(False), said.count(None), answer, tied)


def level_of(present: bool | None, contradicted: bool | None) -> str | None:
    """The level of the presence axis that two answers come to; ``None`` is an answer that is not there.

    Whether it is present has to be known, unless it is contradicted.
    """
    if contradicted:
        return "both" if present else "contradicted"
    return None if present is None else "present" if present else "absent"


def answer_of(level: str, task: str) -> bool | None:
    """What a level of the presence axis answers to one question; ``None`` where nobody can judge."""
    if level == "cannot_judge":
        return None
    return level in (("present", "both") if task == PRESENCE else ("contradicted", "both"))


def fact_in_response(reader: sqlite3.Connection, response_id: str, key_fact_id: str) -> FactInResponse:
    """The votes on one fact in one response."""
    rows = reader.execute(f"{_VOTES} WHERE v.response_id = ? AND v.key_fact_id = ?", (response_id, key_fact_id))
    return FactInResponse(response_id, key_fact_id, _counting(rows.fetchall()))


def facts_in_responses(reader: sqlite3.Connection) -> Iterator[FactInResponse]:
    """All that were voted on and are in force, by response and fact."""
    query = f"""{_VOTES} JOIN key_fact_in_force AS f ON f.key_fact_id = v.key_fact_id
                JOIN response AS r ON r.response_id = v.response_id ORDER BY r.ordinal, f.ordinal, v.key_fact_id"""
    for ids, rows in groupby(reader.execute(query), key=lambda row: (row["response_id"], row["key_fact_id"])):
        yield FactInResponse(*ids, _counting(list(rows)))


def _counting(rows: Sequence[sqlite3.Row]) -> tuple[FactVote, ...]:
    newest: dict[tuple[str, str], sqlite3.Row] = {}
    for row in sorted(rows, key=lambda row: (row["error"] == "", row["run"])):
        newest[row["judge"], row["task"]] = row
    asked = _first_asked(rows)
    return tuple(_vote(newest[key]) for key in sorted(newest, key=lambda key: (asked[key[0]], key[1] != PRESENCE)))


def _first_asked(rows: Iterable[sqlite3.Row]) -> dict[str, int]:
    first: dict[str, int] = {}
    for row in rows:
        first[row["judge"]] = min(row["run"], first.get(row["judge"], row["run"]))
    return first


def _vote(row: sqlite3.Row) -> FactVote:
    return FactVote(
        vote_id=row["key_fact_vote_id"],
        judge=row["judge"],
        model=row["model"],
        prompt=row["prompt_id"],
        task=row["task"],
        raw_answer=row["raw_answer"],
        answer=None if row["answer"] is None else bool(row["answer"]),
        quote=row["quote"],
        quote_status=row["quote_status"],
        span=None if row["quote_start"] is None else Span(row["quote_start"], row["quote_end"]),
        reason=row["reason"],
        error=row["error"],
    )


def has_votes(reader: sqlite3.Connection) -> bool:
    """Whether any judge was ever asked about a key fact."""
    return bool(reader.execute("SELECT EXISTS (SELECT 1 FROM key_fact_vote)").fetchone()[0])
