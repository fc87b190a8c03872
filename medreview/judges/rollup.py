"""From many judgements on a statement to one verdict: over its sources, then over the jury.

Rules. Over sources, per judge: supported if any source supports; else contradicted if any contradicts; else nothing if
the judge could not tell on one of them; else partial; else not addressed (SourceCheckup: one supporting source is
enough). Supported by one source and contradicted by another is a conflict, shown as such. Over judges: the verdict most
judges have; what a tie gives is the tie rule of the study (``TieRule``). A judge that could not tell, refused, failed
or gave no usable answer abstains: it has no vote and is counted. ``medreview.judges.votes`` says
which judgements are votes.

Merged judgements are the words of judges on a statement by all sources of its response together. As with votes on
single sources: a judge is its name, its newest answered run counts, and a judgement does not when one of the pages that
it was made on reads otherwise since.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from medreview.judges.majority import yes_or_no
from medreview.judges.votes import AnyBallot, C, Vote, VotingJudge, jury, says_unproven
from medreview.labels import PROVEN_QUOTES, TIE_RULES, TieRule
from medreview.study import Study
from medreview.text import Span


def tie_rule(reader: sqlite3.Connection) -> TieRule:
    """The study's rule; ``undecided`` until another is set."""
    row = reader.execute("SELECT value FROM study WHERE key = 'tie_rule'").fetchone()
    told = row[0] if row else None
    return next((rule for rule in TIE_RULES if rule == told), "undecided")


def set_tie_rule(study: Study, rule: TieRule) -> None:
    """Set the rule; it holds from the next roll-up on (``medreview.pipeline.set_tie_rule`` rolls up)."""
    study.write(lambda connection: connection.execute("INSERT OR REPLACE INTO study VALUES ('tie_rule', ?)", (rule,)))


_STRENGTH = ("supported", "contradicted", "partial", "not_addressed", "cannot_judge")
_KEPT: Final = 1 << 12
"""Sets of words of which what they come to is kept: few judges and sources say few different things together."""


class RollUp(NamedTuple):
    """The judges' word on a statement. ``lead`` is the judgement to show first, ``None`` when nobody judged.

    ``against``: in a conflict, the page of a judgement that contradicts.
    ``abstained`` counts the judges without a vote; ``tied``: the verdicts, or supported and not, were even, whatever
    the tie rule made of it. The last four, what there is to show for it, are those of :func:`roll_up` alone.
    """

    verdict: str | None
    supported: bool | None
    conflict: bool
    votes_for: int
    votes_other: int
    abstained: int
    tied: bool
    lead: Vote | None = None
    against: str | None = None
    false_quotes: tuple[str, ...] = ()
    lowest_confidence: float | None = None

    @property
    def by_rules(self) -> bool:
        """Whether no model and no recorded judge was asked, so that it is the word of the offline rules."""
        return self.lead is not None and self.lead.judge.offline


class SourceOpinion(NamedTuple):
    """What one judge or reviewer says of one source or over several: a level of the evidence axis, and a two-way word.

    Without both it is an abstention; a judge that says only supported or not has no level.
    """

    verdict: str | None
    supported: bool | None


def roll_up(votes: Iterable[Vote], tie: TieRule = "undecided") -> RollUp:
    """Roll the judges' words on one statement (``VoteReader.votes``) up to a verdict."""
    counting = jury(votes)
    told = tally(counting, tie)
    verdict = told.verdict
    false = [vote for vote in counting if vote.false_quote]
    confidences = [vote.confidence for vote in counting if vote.confidence is not None and _counts(vote, verdict)]
    against = next(vote.snapshot_id for vote in counting if vote.verdict == "contradicted") if told.conflict else None
    return told._replace(
        lead=_lead(false or counting, verdict),
        against=against,
        false_quotes=tuple(sorted({vote.false_quote for vote in false})),
        lowest_confidence=min(confidences, default=None),
    )


def tally(votes: Iterable[AnyBallot], tie: TieRule = "undecided") -> RollUp:
    """The words that :func:`roll_up` counts, and no more."""
    return _tally(spoken(jury(votes)), tie)


Spoken = tuple[tuple[VotingJudge, str | None, bool | None], ...]
"""What judges say of a statement, one entry for each vote: who, the verdict, and whether it is supported."""


def spoken(votes: Iterable[AnyBallot]) -> Spoken:
    """The words of votes alone: the same for all statements of which the same is said."""
    return tuple([(vote.judge, vote.verdict, vote.supported) for vote in votes])


@lru_cache(maxsize=_KEPT)
def _tally(words: Spoken, tie: TieRule) -> RollUp:
    judges = _of_judges(words).values()
    by_judge = [_strongest(said) for said in judges]
    labels = Counter(verdict for verdict in by_judge if verdict)
    most = max(labels.values(), default=0)
    first = [label for label in labels if labels[label] == most]
    supports = [_supports(said) for said in judges]
    supported, even = yes_or_no(supports, tie)
    return RollUp(
        verdict=_broken(first, tie),
        supported=supported,
        conflict=_across_sources(judges),
        votes_for=most,
        votes_other=sum(labels.values()) - most,
        abstained=sum(label is None and word is None for label, word in zip(by_judge, supports, strict=True)),
        tied=len(first) > 1 or even,
    )


def on_sources(votes: Iterable[C], sources: Collection[str]) -> list[C]:
    """The votes that count on a statement, on some of its sources only: rolled up, what those say.

    Supported by a source that the statement cites: ``tally(on_sources(votes, own.sources), tie).supported``, beside
    ``tally(votes, tie).supported``, by any source of the response. ``None`` also when nobody judged one of them.
    """
    return [vote for vote in jury(votes) if vote.source_id in sources]


def by_source(votes: Iterable[Vote], tie: TieRule) -> dict[str, RollUp]:
    """The words that count on a statement, those on each source rolled up for themselves."""
    found: dict[str, list[Vote]] = {}
    for vote in jury(votes):
        found.setdefault(vote.source_id, []).append(vote)
    return {source_id: roll_up(said, tie) for source_id, said in found.items()}


def each_judge(votes: Iterable[AnyBallot]) -> dict[VotingJudge, SourceOpinion]:
    """Every judge's own word on a statement, rolled up over its sources; the offline judge's as well."""
    return {judge: over_sources(words) for judge, words in _of_judges(spoken(votes)).items()}


def over_sources(words: Iterable[Vote | SourceOpinion]) -> SourceOpinion:
    """One judge's or reviewer's words on a statement, a word on each source, as one."""
    told = list(words)
    return SourceOpinion(_strongest(told), _supports(told))


def _of_judges(words: Spoken) -> Mapping[VotingJudge, list[SourceOpinion]]:
    found: dict[VotingJudge, list[SourceOpinion]] = {}
    for judge, verdict, supported in words:
        found.setdefault(judge, []).append(SourceOpinion(verdict, supported))
    return found


def _broken(first: Sequence[str], tie: TieRule) -> str | None:
    """The verdict among those that most judges have, by the tie rule when there are several."""
    if len(first) < 2:
        return first[0] if first else None
    if tie == "supported" and "supported" in first:
        return "supported"
    if tie == "not_supported" and "supported" in first and len(first) == 2:
        return next(label for label in first if label != "supported")
    return None


def _strongest(words: Sequence[Vote | SourceOpinion]) -> str | None:
    labels = {vote.verdict for vote in words}
    if None in labels and not labels & {"supported", "contradicted"}:
        return None
    return next((label for label in _STRENGTH if label in labels), None)


def _supports(words: Sequence[Vote | SourceOpinion]) -> bool | None:
    said = {vote.supported for vote in words}
    return True if True in said else None if None in said else False


def _counts(vote: Vote, verdict: str | None) -> bool:
    return verdict is None or vote.verdict == verdict


def _across_sources(judges: Iterable[Sequence[SourceOpinion]]) -> bool:
    """One judge sees support in one source and contradiction in another: not two judges who differ over one."""
    return any({"supported", "contradicted"} <= {vote.verdict for vote in words} for words in judges)


def _lead(votes: Sequence[Vote], verdict: str | None) -> Vote | None:
    def rank(vote: Vote) -> tuple[bool, int, bool, float]:
        strength = _STRENGTH.index(vote.verdict) if vote.verdict in _STRENGTH else len(_STRENGTH)
        located = vote.quote_status in PROVEN_QUOTES
        return (not _counts(vote, verdict), strength, not located, -(vote.confidence or 0.0))

    return min(votes, key=rank, default=None)


_ROWS: Final = """
SELECT m.*, run.judge, run.model, run.prompt_id FROM merged_judgement AS m JOIN judge_run AS run USING (judge_run_id)
WHERE {where} NOT EXISTS (SELECT 1 FROM json_each(m.snapshots) AS page
                          JOIN snapshot_superseded AS o ON o.snapshot_id = page.value)
ORDER BY m.statement_id, run.judge, m.error <> '', run.ordinal DESC"""
_ONE: Final = _ROWS.format(where="m.statement_id = ? AND")
_EVERY: Final = _ROWS.format(where="")


class MergedQuote(NamedTuple):
    """A quote of a merged judgement: how true it is, what speaks against it as a proof, and where it stands, by
    snapshot; nowhere without one. ``opposes``: it is what that page says against the statement."""

    text: str
    status: str
    snapshot_id: str | None
    spans: tuple[Span, ...]
    doubt: str | None = None
    opposes: bool = False


class MergedJudgement(NamedTuple):
    """What a judge says of a statement by ``pages`` pages at once; without ``verdict`` and ``supported`` it abstained.

    ``raw_label`` is its own word, ``confidence`` 0..1 as given. ``quote_doubt``: what speaks against its quotes
    together, or against the answer. ``missing``: the part of the statement that no page states, ``missing_at`` where
    that stands in it; ``opposes``: whether a page says the opposite. ``""`` and ``None`` where the judge was not asked.
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
    quote_doubt: str | None
    missing: str
    missing_at: tuple[Span, ...]
    opposes: bool | None


def merged_judgements(reader: sqlite3.Connection, statement_id: str) -> tuple[MergedJudgement, ...]:
    """Those that count on one statement, by the names of the judges."""
    return tuple(_merged_of_judges(reader.execute(_ONE, (statement_id,)).fetchall()))


def every_merged(reader: sqlite3.Connection, tie: TieRule) -> dict[str, RollUp]:
    """By statement, what judges say by all sources together."""
    return {
        statement_id: roll_up_merged(_merged_of_judges(list(rows)), tie)
        for statement_id, rows in groupby(reader.execute(_EVERY), key=itemgetter("statement_id"))
    }


def roll_up_merged(judgements: Iterator[MergedJudgement] | tuple[MergedJudgement, ...], tie: TieRule) -> RollUp:
    """The judges' common word, by the rules of the jury."""
    return roll_up((_vote(said) for said in judgements), tie)


def _merged_of_judges(rows: list[sqlite3.Row]) -> Iterator[MergedJudgement]:
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
            MergedQuote(
                one["quote"],
                one["status"],
                one["snapshot"],
                tuple(Span(*span) for span in one["spans"]),
                one.get("doubt"),
                bool(one.get("opposes")),  # studies from before judges were asked have neither
            )
            for one in json.loads(row["quotes"])
        ),
        quote_doubt=row["quote_doubt"],
        missing=row["missing"],
        missing_at=tuple(Span(*span) for span in json.loads(row["missing_at"])),
        opposes=None if row["opposes"] is None else bool(row["opposes"]),
    )


def _vote(said: MergedJudgement) -> Vote:
    return Vote(
        judgement_id=said.judgement_id,
        judge=VotingJudge(said.judge),
        snapshot_id="",
        source_id="",
        verdict=said.verdict,
        supported=said.supported,
        confidence=said.confidence,
        quote_status="none",
        quote_doubt=said.quote_doubt,
        unproven=said.supported is None and says_unproven(said.raw_label),
    )
