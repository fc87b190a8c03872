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
from medreview.stats.reports.comparison import Comparison, Pairing, UnderRule, compare, under_rules
from medreview.stats.reports.reviewer_labels import (
    BINARY,
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
from medreview.stats.reports.study_reader import Alike, JudgedStatements, JudgesOpinion
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


def judge_agreement(
    reviewer: str,
    labels: Mapping[str, ReviewerLabel],
    judges: Sequence[VotingJudge],
    statements: JudgedStatements,
    resampling: Resampling,
    *,
    scales: Sequence[Scale] = SCALES,
    full: bool = True,
) -> tuple[GroupFigures, ...]:
    """Every group of a reviewer's labels beside ``judges``, those of ``medreview.judges.votes.judges_of_support``.

    ``scales``: on which they are compared; ``full``: with the figures by label.
    """

    def paired(
        group: Group, labelled: Alike[_Kind], judge: VotingJudge | None, scale: Scale,
        theirs: Callable[[JudgesOpinion], ScaleLabel],
    ) -> Pairing:  # fmt: skip
        pairing = Pairing(reviewer, judge.name if judge else TOGETHER, scale, group.mode, group.drawn, reference=True)
        pairing.add_alike(labelled, lambda kind: (_mine(kind, scale), theirs(kind[2])))
        return pairing

    def figures(group: Group, labelled: Alike[_Kind]) -> GroupFigures:
        pairings = [
            paired(group, labelled, judge, scale, partial(JudgesOpinion.label, judge=judge, scale=scale))
            for judge in (None, *judges)
            for scale in scales
        ]
        cautions = [
            _rules_only(_offline_only(labelled, pairing.scale) if pairing.second == TOGETHER else 0, pairing)
            for pairing in pairings
        ]
        tied = sum(count for kind, count in zip(labelled.kinds, labelled.counts, strict=True) if _is_tied(kind))
        rules = TIE_RULES if full and tied else ()
        ruled = [(rule, paired(group, labelled, None, BINARY, partial(_ruled, rule))) for rule in rules]
        return GroupFigures(
            mode=group.mode,
            drawn=bool(group.drawn),
            title=group.title,
            labels=len(labelled.clusters),
            cluster=resampling.cluster,
            clusters=len(set(labelled.clusters)),
            cautions=() if group.drawn else (NOT_DRAWN,),
            comparisons=compare(pairings, resampling, cautions, full=full),
            under_rules=under_rules(ruled, [(0, tied)] * len(ruled), resampling) if ruled else (),
        )

    every = statements.labelled(labels, lambda label, opinion: (label.label, label.stale, opinion))
    return tuple(figures(group, labelled) for group, labelled in every.items() if labelled.clusters)


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
    n = len(pairing.cells)
    of = "every statement" if offline == n else f"{offline} of {counted(n, 'statement')}"
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


def between_judges(
    statements: JudgedStatements,
    judges: Sequence[VotingJudge],
    tie: TieRule,
    in_parts: Mapping[str, int],
    resampling: Resampling,
    *,
    scales: Sequence[Scale] = SCALES,
    full: bool = True,
) -> BetweenJudges:
    """Everything of ``judges``, those of ``medreview.judges.votes.judges_of_support``, every interval over clusters.

    Judges are compared after the roll-up over the sources, on statements that both were asked about. The offline
    judge has a tally and is left out of agreement: it is triage by rules, no juror. ``in_parts``: the pages of
    ``medreview.judges.judge_caveats``; ``scales``: on which each two are compared; ``full``: with weighted coefficients
    of each two, and all together.
    """
    tallies = {judge: _Counted() for judge in judges}
    tied = decided = 0
    for said, times in zip(statements.kinds, statements.counts, strict=True):
        for judge, word in said.by_judge.items():
            tallies[judge].count(word, times)
        if said.together is not None:
            tied += times * said.together.tied
            decided += times * (said.together.verdict is not None or said.together.supported is not None)
    # Judges of a page as it is now; a verdict on a text that is gone does not count.
    spoke = [judge for judge in judges if not judge.offline and tallies[judge].asked]
    pairs = [_pairing(statements, pair, scale) for pair in combinations(spoke, 2) for scale in scales]
    return BetweenJudges(
        tallies=tuple(
            JudgeTally(
                judge.name,
                counted.asked,
                counted.abstained,
                _ordered(counted),
                0 if judge.offline else in_parts.get(judge.name, 0),
                judge.offline,
            )
            for judge, counted in tallies.items()
            if counted.asked
        ),
        pairs=compare(pairs, resampling, full=full),
        juries=_all(statements, spoke, resampling) if full else (),
        tie_rule=tie,
        tied=tied,
        decided=decided,
    )


def _pairing(statements: JudgedStatements, pair: tuple[VotingJudge, VotingJudge], scale: Scale) -> Pairing:
    first, second = pair

    def labels(said: JudgesOpinion) -> tuple[ScaleLabel, ScaleLabel] | None:
        both = first in said.by_judge and second in said.by_judge
        return (said.label(first, scale), said.label(second, scale)) if both else None

    pairing = Pairing(first.name, second.name, scale)
    pairing.add_alike(statements, labels)
    return pairing


def _all(
    statements: JudgedStatements, spoke: Sequence[VotingJudge], resampling: Resampling
) -> tuple[JuryAgreement, ...]:
    """On each scale, of the statements that several judges were asked about; empty without any."""
    found = []
    for scale in SCALES:
        told = statements.told(partial(_ballot, spoke, scale))
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
