"""A study, or a selected part of it, as a stream of responses with what the judges said, in a few queries.

The queries are as few however long the study is. ``Selection`` says which part a report is of, and the sentences beside
it what that means for the figures.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final, Generic, NamedTuple, TypeVar

from medreview.judges.majority import yes_or_no
from medreview.judges.rollup import Spoken, each_judge, spoken, tally
from medreview.judges.votes import CAST, VOTED, AnyBallot, Vote, VoteReader, VotingJudge, jury
from medreview.labels import TIE_RULES, TieRule
from medreview.stats.clusters import Clusters, study_clusters
from medreview.stats.reports.reviewer_labels import (
    GROUPS,
    Group,
    JuryVerdict,
    ReviewerLabel,
    Scale,
    ScaleLabel,
    judges_label,
)
from medreview.study.rows import rows_in_turn


@dataclass(frozen=True, slots=True)
class Selection:
    """What a filter chose (``medreview.review.queue_filters``); :data:`EVERYTHING` without one.

    ``statements``: the ids of those that fit, ``None`` for all of the study. ``words``: the filter as it was given.
    ``responses``: those without statements that fit, which only a filter on whole responses can tell. ``by_labels``:
    what a reviewer did decides whether a statement fits. ``tells``: so does what judges say of it.
    """

    statements: frozenset[str] | None
    words: str
    responses: frozenset[str] = frozenset()
    by_labels: bool = False
    tells: bool = False

    def holds(self, statement_id: str) -> bool:
        """Whether a statement is in it."""
        return self.statements is None or statement_id in self.statements


class UnitSelection(NamedTuple):
    """The part of a kind that figures are of: its ``units``, chosen by the filter ``where``. ``models``: of rankings,
    those whose outputs are meant; empty for all. ``tells``: what machines say decides whether a unit fits."""

    units: frozenset[str]
    where: str
    models: frozenset[str] = frozenset()
    tells: bool = False


EVERYTHING: Final = Selection(None, "")


@dataclass(frozen=True)
class SelectedPart:
    """The part of the study that every figure is of: ``statements`` of ``in_study``, in so many ``responses``.

    ``parted`` of these have statements outside it, too: they are in no figure on whole responses (response support,
    unused sources). ``cautions`` say what cannot be said of a part, first of the
    audit.
    """

    words: str
    statements: int
    in_study: int
    responses: int
    parted: int
    cautions: tuple[str, ...]


NOT_OF_STATEMENTS: Final = (
    "Left out, since it is of the whole study: questions, passages, generated material, revised statements, planted "
    "hallucinations."
)
AUDIT_BY_LABELS: Final = (
    "Left out: what the audit says. The filter asks what a reviewer did, and no random draw says anything of "
    "statements that were chosen by their own labels."
)
CHOSEN_BY_LABELS: Final = "Every figure here is of statements chosen by what a reviewer did with them."
AUDIT_OF_PART: Final = (
    "The audit is estimated for these statements alone, from the members of the draw among them: each was drawn with "
    "the probability it has in the whole study."
)


_STATEMENT: Final = 5
_ROLLED: Final = slice(6, 11)
_KEPT: Final = 1 << 13
"""Sets of votes of which it is kept what they say."""

_STATEMENTS: Final = """
SELECT r.ordinal, r.response_id, r.model, r.origin, r.invalid, s.statement_id,
       v.verdict, v.supported, v.votes_for, v.votes_other, v.tied, r.parser IS NOT NULL AS parsed
FROM response AS r
LEFT JOIN statement_standing AS s ON s.response_id = r.response_id
LEFT JOIN verdict AS v ON v.statement_id = s.statement_id
ORDER BY r.ordinal, s.ordinal"""

_JUDGEMENTS: Final = """
FROM response AS r
CROSS JOIN statement_standing AS s ON s.response_id = r.response_id
CROSS JOIN judgement AS j ON j.statement_id = s.statement_id
CROSS JOIN judge_run AS run ON run.judge_run_id = j.judge_run_id
ORDER BY r.ordinal, s.ordinal"""
_ALL_VOTED: Final = f"SELECT s.statement_id, {VOTED} {_JUDGEMENTS}"
_ALL_CAST: Final = f"SELECT s.statement_id, {CAST} {_JUDGEMENTS}"

_OF_SOME: Final = f"""
SELECT j.statement_id, {CAST} FROM judgement AS j JOIN judge_run AS run USING (judge_run_id)
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


@dataclass(frozen=True, slots=True, eq=False)
class JudgesOpinion:
    """What the judges say of a statement, rolled up over its sources: one object for all of which they say the same.

    ``together`` is the table ``verdict``, ``None`` when nobody judged; ``by_judge`` each judge's own word;
    ``ruled``: where the votes were even, what they give under each tie rule.
    """

    together: JuryVerdict | None
    by_judge: Mapping[VotingJudge, JuryVerdict]
    ruled: Mapping[TieRule, JuryVerdict] = field(default_factory=dict)

    def under(self, rule: TieRule) -> JuryVerdict | None:
        """What the judges say together under a tie rule that need not be the study's; ``None`` when nobody judged."""
        return self.ruled.get(rule, self.together)

    def label(self, judge: VotingJudge | None, scale: Scale) -> ScaleLabel:
        """What a judge, or without one all together, says on a scale."""
        return judges_label(self.by_judge.get(judge) if judge else self.together, scale)


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """A statement with what the judges say of it by the pages as they are (``medreview.judges.votes``).

    ``ballots``: what they said of each source; ``votes``: the same with their quotes, where these were asked for.
    """

    statement_id: str
    opinion: JudgesOpinion
    ballots: Sequence[AnyBallot]
    votes: Sequence[Vote] = ()

    @property
    def together(self) -> JuryVerdict | None:
        """The table ``verdict``; ``None`` when nobody judged."""
        return self.opinion.together

    @property
    def by_judge(self) -> Mapping[VotingJudge, JuryVerdict]:
        """Each judge's own word, rolled up over the sources."""
        return self.opinion.by_judge

    def by_source(self, tie: TieRule) -> dict[str, bool | None]:
        """Whether each judged source supports the statement, by most judges; ``None`` if none of them can tell.

        A tie gives what the rule says, here as in the roll-up.
        """
        words: dict[str, list[bool | None]] = {}
        for ballot in jury(self.ballots):
            words.setdefault(ballot.source_id, []).append(ballot.supported)
        return {source_id: yes_or_no(said, tie)[0] for source_id, said in words.items()}


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Alike(Generic[K]):
    """A column of statements: of which cluster each is, and of which kind.

    ``kinds`` has each kind once, in the order in which they first came; ``codes`` (n) the place of each statement's
    kind among them, and ``clusters`` (n) the cluster of each.
    """

    def __init__(self) -> None:
        self.clusters: list[str] = []
        self.codes: list[int] = []
        self._place: dict[K, int] = {}

    def add(self, cluster: str, kind: K) -> None:
        """Take up one statement."""
        self.clusters.append(cluster)
        self.codes.append(self._place.setdefault(kind, len(self._place)))

    @property
    def kinds(self) -> list[K]:
        """Each kind once, in the order in which they first came."""
        return list(self._place)

    @property
    def counts(self) -> list[int]:
        """How many statements are of each kind."""
        found = Counter(self.codes)
        return [found[code] for code in range(len(self._place))]

    def told(self, of: Callable[[K], T | None]) -> list[tuple[str, T]]:
        """The cluster of each statement and what ``of`` tells of its kind, where that is not ``None``."""
        said = [of(kind) for kind in self._place]
        rows = zip(self.clusters, self.codes, strict=True)
        return [(cluster, what) for cluster, code in rows if (what := said[code]) is not None]


class JudgedStatements(Alike[JudgesOpinion]):
    """The statements of a study as a column: the cluster of each, and what the judges say of it."""

    def __init__(self) -> None:
        super().__init__()
        self.units: list[str] = []

    def take(self, cluster: str, statement: JudgedStatement) -> None:
        """Take up the next one."""
        self.units.append(statement.statement_id)
        self.add(cluster, statement.opinion)

    def rows(self) -> Iterator[tuple[str, str, JudgesOpinion]]:
        """Each statement, its cluster and what the judges say."""
        opinions = self.kinds
        for unit, cluster, code in zip(self.units, self.clusters, self.codes, strict=True):
            yield unit, cluster, opinions[code]

    def labelled(
        self, labels: Mapping[str, ReviewerLabel], of: Callable[[ReviewerLabel, JudgesOpinion], K | None]
    ) -> dict[Group, Alike[K]]:
        """Those that a reviewer labelled, by group of the label, each of the kind that ``of`` says; ``None``: left
        out."""
        found: dict[Group, Alike[K]] = {group: Alike() for group in GROUPS}
        for unit, cluster, opinion in self.rows():
            label = labels.get(unit)
            kind = None if label is None else of(label, opinion)
            if label is not None and kind is not None:
                found[label.group].add(cluster, kind)
        return found


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """A response: its statements, and its cited sources once each; a source not fetched yet has no page.

    ``invalid``: why it is no response (``labels.INVALID``), ``""`` when it is one. ``parted``: it has statements that
    are outside of the part of the study that is read. ``parsed``: its text was split into statements. ``cluster``: what
    is resampled with it (``medreview.stats.clusters``).
    """

    response_id: str
    model: str
    origin: str
    invalid: str
    sources: Mapping[str, CitedPage | None]
    statements: Sequence[JudgedStatement]
    parted: bool = False
    parsed: bool = True
    cluster: str = ""


def judged_responses(
    reader: sqlite3.Connection, only: Selection = EVERYTHING, *, votes: bool = False, clusters: Clusters | None = None
) -> Iterator[JudgedResponse]:
    """Every response in order, one at a time; with ``only``, those that are in it, with what is in it of each.

    ``votes``: with the whole votes, which a large study takes longer to read. ``clusters``: those of the study, where
    they are known already.
    """
    clusters = clusters or study_clusters(reader)
    opinions, voters = _Opinions(), VoteReader(reader)
    cited = rows_in_turn(reader.execute(_SOURCES), itemgetter(0))
    judged = rows_in_turn(reader.execute(_ALL_VOTED if votes else _ALL_CAST), itemgetter(0))
    for ordinal, group in groupby(reader.execute(_STATEMENTS), key=itemgetter(0)):
        sources = {row["source_id"]: _page(row) for row in cited(ordinal)}
        every = list(group)
        first = every[0]
        some = only.statements is not None and first["response_id"] not in only.responses
        statements = []
        for row in every:
            statement_id = row[_STATEMENT]
            judgements = judged(statement_id)  # also of those that are passed over: they come in turn
            if statement_id is not None and (not some or only.holds(statement_id)):
                whole = voters.votes(judgements) if votes else ()
                ballots = whole if votes else voters.ballots(judgements)
                opinion = opinions.of(ballots, row[_ROLLED])
                statements.append(JudgedStatement(statement_id, opinion, ballots, whole))
        if some and not statements:
            continue
        yield JudgedResponse(
            response_id=first["response_id"],
            model=first["model"],
            origin=first["origin"],
            invalid=first["invalid"],
            sources=sources,
            statements=statements,
            parted=some and len(statements) < len(every),
            parsed=bool(first["parsed"]),
            cluster=clusters.of[first["response_id"]],
        )


def _page(row: sqlite3.Row) -> CitedPage | None:
    if row["page_state"] is None:
        return None
    return CitedPage(row["page_state"], None if row["valid"] is None else bool(row["valid"]))


_Rolled = tuple[str | None, int | None, int | None, int | None, int | None]
"""A row of ``verdict``: verdict, supported, votes for and other, tied."""


class _Opinions:
    """Knows what was said before, by the words of the votes, and by what they come to."""

    def __init__(self) -> None:
        self._by_words: dict[tuple[Spoken, _Rolled], JudgesOpinion] = {}
        self._said: dict[Hashable, JudgesOpinion] = {}

    def of(self, ballots: Sequence[AnyBallot], rolled: _Rolled) -> JudgesOpinion:
        """What judges say of a statement; ``rolled``: what is stored of it."""
        words = spoken(ballots), rolled
        found = self._by_words.get(words)
        if found is None:
            found = _said(ballots, rolled)
            whole = found.together, tuple(found.by_judge.items()), tuple(found.ruled.items())
            found = self._said.setdefault(whole, found)
            if len(self._by_words) >= _KEPT:
                self._by_words.clear()
            self._by_words[words] = found
        return found


def _said(ballots: Sequence[AnyBallot], rolled: _Rolled) -> JudgesOpinion:
    verdict, supported, votes_for, votes_other, tied = rolled
    if not ballots or votes_for is None or votes_other is None:
        return JudgesOpinion(None, _by_judge(ballots))
    offline = all(ballot.judge.offline for ballot in ballots)
    yes = None if supported is None else bool(supported)
    together = JuryVerdict(verdict, yes, votes_for, votes_other, bool(tied), offline)
    ruled = {rule: _under(together, ballots, rule) for rule in TIE_RULES} if tied else {}
    return JudgesOpinion(together, _by_judge(ballots), ruled)


def _under(together: JuryVerdict, ballots: Sequence[AnyBallot], rule: TieRule) -> JuryVerdict:
    said = tally(ballots, rule)
    return together._replace(
        verdict=said.verdict, supported=said.supported, votes_for=said.votes_for, votes_other=said.votes_other
    )


def _by_judge(ballots: Sequence[AnyBallot]) -> dict[VotingJudge, JuryVerdict]:
    return {
        judge: JuryVerdict(said.verdict, said.supported, int(said.verdict is not None), 0, False, judge.offline)
        for judge, said in each_judge(ballots).items()
    }


def words_by_judge(reader: sqlite3.Connection, units: Collection[str]) -> dict[str, dict[VotingJudge, JuryVerdict]]:
    """Each judge's own word on some statements, as :class:`JudgedStatement` has it; without those nobody judged."""
    one = next(iter(units)) if len(units) == 1 else None
    voters = VoteReader(reader, one)
    rows = reader.execute(_OF_SOME, (json.dumps(list(units)),))
    found: dict[str, dict[VotingJudge, JuryVerdict]] = {}
    known: dict[Spoken, dict[VotingJudge, JuryVerdict]] = {}
    for unit, of_one in groupby(rows, key=itemgetter(0)):
        ballots = voters.ballots(of_one)
        words = spoken(ballots)
        if words not in known:
            known[words] = _by_judge(ballots)
        found[unit] = known[words]
    return found
