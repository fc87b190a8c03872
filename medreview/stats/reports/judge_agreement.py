"""Agreement of the judges with a reviewer and with each other, and how often each judge abstained.

With a reviewer: blind and assisted labels apart, drawn and chosen apart, on two scales. With each other: each two
judges, and all of them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from medreview.judges.votes import VotingJudge
from medreview.labels import TIE_RULES, TieRule
from medreview.stats.formulas.agreement import LEADING_MANY, ManyAgreement, many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.shared_draws import Alike
from medreview.stats.reports.comparison import Comparison, Pairing, UnderRule, compare, under_rules
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    NOT_DRAWN,
    OFFLINE_IS_TRIAGE,
    SCALES,
    TIED,
    TOGETHER,
    Group,
    JuryVerdict,
    ReviewerLabel,
    Scale,
    ScaleLabel,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.study_reader import JudgedStatement, JudgesOpinion
from medreview.text import counted


@dataclass(frozen=True)
class GroupFigures:
    """One group of a reviewer's labels against the judges together and against every judge.

    ``labels`` lie in so many ``clusters``, each a ``cluster`` (a question, a response).
    ``under_rules``: the judges together, on supported or not, under each tie rule; empty where no statement is tied.
    """

    mode: str
    drawn: bool
    title: str
    labels: int
    cluster: str
    clusters: int
    cautions: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    under_rules: tuple[UnderRule, ...] = ()


_Kind = tuple[str, bool, JudgesOpinion]
"""Of a labelled statement: the label, whether it is stale, and what the judges say."""


class JudgeAgreement:
    """Fed statement by statement; ``judges`` are those of ``medreview.judges.votes.judges_of_support``.

    ``scales``: on which they are compared.
    """

    def __init__(
        self,
        reviewer: str,
        labels: Mapping[str, ReviewerLabel],
        judges: Sequence[VotingJudge],
        scales: Sequence[Scale] = SCALES,
    ) -> None:
        self._reviewer = reviewer
        self._labels = labels
        self._judges: tuple[VotingJudge | None, ...] = (None, *judges)
        self._scales = scales
        self._collected: dict[Group, Alike[_Kind]] = {group: Alike() for group in GROUPS}

    def add(self, statement: JudgedStatement) -> None:
        """Take up one statement, if the reviewer decided it."""
        label = self._labels.get(statement.statement_id)
        if label is not None:
            self._collected[label.group].add(label.cluster, (label.label, label.stale, statement.opinion))

    def figures(self, resampling: Resampling, *, full: bool = True) -> tuple[GroupFigures, ...]:
        """Every group that has labels; ``full``: with the figures by label."""
        return tuple(
            self._group(group, labelled, resampling, full)
            for group, labelled in self._collected.items()
            if labelled.clusters
        )

    def _group(self, group: Group, labelled: Alike[_Kind], resampling: Resampling, full: bool) -> GroupFigures:
        pairings = [
            self._paired(group, labelled, judge, scale, partial(JudgesOpinion.label, judge=judge, scale=scale))
            for judge in self._judges
            for scale in self._scales
        ]
        cautions = [
            _rules_only(_offline_only(labelled, pairing.scale) if pairing.second == TOGETHER else 0, pairing)
            for pairing in pairings
        ]
        return GroupFigures(
            mode=group.mode,
            drawn=bool(group.drawn),
            title=group.title,
            labels=len(labelled.clusters),
            cluster=resampling.cluster,
            clusters=len(set(labelled.clusters)),
            cautions=() if group.drawn else (NOT_DRAWN,),
            comparisons=compare(pairings, resampling, cautions, full=full),
            under_rules=self._under_rules(group, labelled, resampling) if full else (),
        )

    def _under_rules(self, group: Group, labelled: Alike[_Kind], resampling: Resampling) -> tuple[UnderRule, ...]:
        tied = sum(count for kind, count in zip(labelled.kinds, labelled.counts, strict=True) if _is_tied(kind))
        if not tied:
            return ()
        ruled = [(rule, self._paired(group, labelled, None, BINARY, partial(_ruled, rule))) for rule in TIE_RULES]
        return under_rules(ruled, [(0, tied)] * len(ruled), resampling)

    def _paired(
        self, group: Group, labelled: Alike[_Kind], judge: VotingJudge | None, scale: Scale,
        theirs: Callable[[JudgesOpinion], ScaleLabel],
    ) -> Pairing:  # fmt: skip
        name = judge.name if judge else TOGETHER
        pairing = Pairing(self._reviewer, name, scale, group.mode, group.drawn, reference=True)
        pairing.add_alike(labelled, lambda kind: (_mine(kind, scale), theirs(kind[2])))
        return pairing


def _mine(kind: _Kind, scale: Scale) -> ScaleLabel:
    label, stale, _ = kind
    return reviewers_label(label, scale, stale=stale)


def _ruled(rule: TieRule, said: JudgesOpinion) -> ScaleLabel:
    return judges_label(said.under(rule), BINARY)


def _is_tied(kind: _Kind) -> bool:
    return _mine(kind, BINARY).label is not None and _ruled("undecided", kind[2]).missing == TIED


def _offline_only(labelled: Alike[_Kind], scale: Scale) -> int:
    """The compared statements on which nobody but the offline judge spoke."""
    return sum(
        count
        for kind, count in zip(labelled.kinds, labelled.counts, strict=True)
        if (together := kind[2].together) is not None
        and together.offline
        and _mine(kind, scale).label is not None
        and judges_label(together, scale).label is not None
    )


def _rules_only(offline: int, pairing: Pairing) -> tuple[str, ...]:
    if not offline:
        return ()
    of = (
        "every statement" if offline == len(pairing.rows) else f"{offline} of {counted(len(pairing.rows), 'statement')}"
    )
    return (f"On {of} only the offline judge spoke: {OFFLINE_IS_TRIAGE}.",)


@dataclass(frozen=True)
class JudgeTally:
    """One judge: the statements it was asked about, those it abstained on, and its labels on each scale.

    Abstained: no verdict after the roll-up over the sources, be it unsure, refused, cut off or never answered.
    ``pages_in_parts``: cited pages that were too long for its context, so that no answer is of a whole page.
    ``offline``: it is the rules, which compare words and give no verdict.
    """

    judge: str
    asked: int
    abstained: int
    labels: Mapping[str, Mapping[str, int]]
    pages_in_parts: int = 0
    offline: bool = False


@dataclass(frozen=True)
class JuryAgreement:
    """All judges but the offline one, on one scale. ``judges`` names them; ``figures`` and counts as many raters."""

    scale: str
    judges: tuple[str, ...]
    agreement: ManyAgreement


@dataclass(frozen=True)
class BetweenJudges:
    """The judges of a study beside each other. ``pairs`` and ``juries`` are empty with fewer than two judges.

    ``tied`` statements had even votes on one of the scales, and ``tie_rule`` says what became of them; ``decided`` ones
    have a verdict on one of them.
    """

    tallies: tuple[JudgeTally, ...]
    pairs: tuple[Comparison, ...]
    juries: tuple[JuryAgreement, ...]
    tie_rule: TieRule
    tied: int
    decided: int


@dataclass(slots=True)
class _Counted:
    asked: int = 0
    abstained: int = 0
    labels: dict[str, Counter[str]] = field(default_factory=lambda: {scale.name: Counter() for scale in SCALES})

    def count(self, word: JuryVerdict, times: int) -> None:
        """Take up one judge's word on so many statements."""
        self.asked += times
        self.abstained += times * (word.verdict is None and word.supported is None)
        for scale in SCALES:
            label = judges_label(word, scale).label
            if label is not None:
                self.labels[scale.name][label] += times


class BetweenJudgesCounter:
    """Fed statement by statement; ``judges`` are those of ``medreview.judges.votes.judges_of_support``, ``in_parts``
    the pages of ``medreview.judges.judge_caveats``.

    Judges are compared after the roll-up over the sources, on statements that both were asked about. The offline
    judge has a tally and is left out of agreement: it is triage by rules, no juror. ``scales``: on which each two are
    compared; ``juries``: and all together.
    """

    def __init__(
        self,
        judges: Sequence[VotingJudge],
        tie: TieRule,
        in_parts: Mapping[str, int],
        *,
        scales: Sequence[Scale] = SCALES,
        juries: bool = True,
    ) -> None:
        self._juries = juries
        self._jury = [judge for judge in judges if not judge.offline]
        self._tie: TieRule = tie
        self._in_parts = in_parts
        self._judges = judges
        self._scales = scales
        self._statements = Alike[JudgesOpinion]()

    def add(self, cluster: str, statement: JudgedStatement) -> None:
        """Take up one statement of a cluster with whatever the judges said of it."""
        self._statements.add(cluster, statement.opinion)

    def figures(self, resampling: Resampling, *, full: bool = True) -> BetweenJudges:
        """Everything, every interval over clusters; ``full``: with weighted coefficients of each two."""
        tallies = {judge: _Counted() for judge in self._judges}
        tied = decided = 0
        for said, times in zip(self._statements.kinds, self._statements.counts, strict=True):
            for judge, word in said.by_judge.items():
                tallies[judge].count(word, times)
            if said.together is not None:
                tied += times * said.together.tied
                decided += times * (said.together.verdict is not None or said.together.supported is not None)
        # Judges of a page as it is now; a verdict on a text that is gone does not count.
        spoke = [judge for judge in self._jury if tallies[judge].asked]
        return BetweenJudges(
            tallies=tuple(
                JudgeTally(
                    judge.name,
                    counted.asked,
                    counted.abstained,
                    _ordered(counted),
                    0 if judge.offline else self._in_parts.get(judge.name, 0),
                    judge.offline,
                )
                for judge, counted in tallies.items()
                if counted.asked
            ),
            pairs=compare(
                [self._pairing(pair, scale) for pair in combinations(spoke, 2) for scale in self._scales],
                resampling,
                full=full,
            ),
            juries=self._all(spoke, resampling) if self._juries else (),
            tie_rule=self._tie,
            tied=tied,
            decided=decided,
        )

    def _pairing(self, pair: tuple[VotingJudge, VotingJudge], scale: Scale) -> Pairing:
        first, second = pair

        def labels(said: JudgesOpinion) -> tuple[ScaleLabel, ScaleLabel] | None:
            both = first in said.by_judge and second in said.by_judge
            return (said.label(first, scale), said.label(second, scale)) if both else None

        pairing = Pairing(first.name, second.name, scale)
        pairing.add_alike(self._statements, labels)
        return pairing

    def _all(self, spoke: Sequence[VotingJudge], resampling: Resampling) -> tuple[JuryAgreement, ...]:
        """On each scale, of the statements that several judges were asked about; empty without any."""
        found = []
        for scale in SCALES:
            told = self._statements.told(partial(_ballot, self._jury, scale))
            if not told:
                return ()
            agreement = many_raters(
                [ballot for _, ballot in told],
                scale.labels,
                clusters=[cluster for cluster, _ in told],
                statistics=LEADING_MANY,
                resampling=resampling,
            )
            found.append(JuryAgreement(scale.name, tuple(judge.name for judge in spoke), agreement))
        return tuple(found)


def _ballot(jury: Sequence[VotingJudge], scale: Scale, said: JudgesOpinion) -> list[str | None] | None:
    asked = [judge for judge in jury if judge in said.by_judge]
    return [said.label(judge, scale).label for judge in asked] if len(asked) > 1 else None


def _ordered(judge: _Counted) -> dict[str, dict[str, int]]:
    return {scale.name: {label: judge.labels[scale.name][label] for label in scale.labels} for scale in SCALES}
