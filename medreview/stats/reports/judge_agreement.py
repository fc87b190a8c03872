"""Agreement of a reviewer with the judges: blind and assisted apart, drawn and chosen apart, on two scales."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medreview.judges.votes import Judge
from medreview.labels import TIE_RULES, TieRule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.comparison import Comparison, Pairing, compare
from medreview.stats.reports.label_scales import (
    BINARY,
    OFFLINE_IS_TRIAGE,
    SCALES,
    TIED,
    TOGETHER,
    Scale,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.reviewer_labels import GROUPS, NOT_DRAWN, Group, ReviewerLabel
from medreview.stats.reports.study_reader import JudgedStatement
from medreview.stats.reports.tie_rules import UnderRule, under_rules
from medreview.words import counted


@dataclass(frozen=True)
class GroupFigures:
    """One group of a reviewer's labels against the judges together and against every judge.

    ``under_rules``: the judges together, on supported or not, under each tie rule; empty where no statement is tied.
    """

    mode: str
    drawn: bool
    title: str
    labels: int
    responses: int
    cautions: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    under_rules: tuple[UnderRule, ...] = ()


@dataclass(slots=True)
class _Collected:
    labels: int = 0
    responses: set[str] = field(default_factory=set)
    pairings: dict[Judge | None, list[Pairing]] = field(default_factory=dict)
    offline_only: Counter[str] = field(default_factory=Counter)
    ruled: dict[TieRule, Pairing] = field(default_factory=dict)
    tied: int = 0


class JudgeAgreement:
    """Fed statement by statement; ``judges`` are those of ``medreview.judges.votes.judges_of_support``.

    ``scales``: on which they are compared.
    """

    def __init__(
        self,
        reviewer: str,
        labels: Mapping[str, ReviewerLabel],
        judges: Sequence[Judge],
        scales: Sequence[Scale] = SCALES,
    ) -> None:
        self._labels = labels
        self._collected = {
            group: _Collected(
                pairings={
                    judge: [
                        Pairing(
                            reviewer, judge.name if judge else TOGETHER, scale, group.mode, group.drawn, reference=True
                        )
                        for scale in scales
                    ]
                    for judge in (None, *judges)
                },
                ruled={
                    rule: Pairing(reviewer, TOGETHER, BINARY, group.mode, group.drawn, reference=True)
                    for rule in TIE_RULES
                }
                if len(scales) > 1
                else {},  # one screen has no table of rules
            )
            for group in GROUPS
        }

    def add(self, statement: JudgedStatement) -> None:
        """Take up one statement, if the reviewer decided it."""
        label = self._labels.get(statement.statement_id)
        if label is None:
            return
        collected = self._collected[label.group]
        collected.labels += 1
        collected.responses.add(label.response_id)
        said = statement.by_judge
        for judge, pairings in collected.pairings.items():
            word = said.get(judge) if judge else statement.together
            for pairing in pairings:
                scale = pairing.scale
                mine = reviewers_label(label.label, scale, stale=label.stale)
                used = pairing.add(label.response_id, mine, judges_label(word, scale))
                if used and judge is None and word is not None and word.offline:
                    collected.offline_only[scale.name] += 1
        mine = reviewers_label(label.label, BINARY, stale=label.stale)
        for rule, pairing in collected.ruled.items():
            pairing.add(label.response_id, mine, judges_label(statement.under(rule), BINARY))
        collected.tied += mine.label is not None and judges_label(statement.under("undecided"), BINARY).missing == TIED

    def figures(self, resampling: Resampling, *, full: bool = True) -> tuple[GroupFigures, ...]:
        """Every group that has labels; ``full``: with what is told of each label."""
        return tuple(
            self._group(group, collected, resampling, full)
            for group, collected in self._collected.items()
            if collected.labels
        )

    def _group(self, group: Group, collected: _Collected, resampling: Resampling, full: bool) -> GroupFigures:
        pairings = [pairing for several in collected.pairings.values() for pairing in several]
        cautions = [
            _rules_only(collected.offline_only[pairing.scale.name] if pairing.second == TOGETHER else 0, pairing)
            for pairing in pairings
        ]
        return GroupFigures(
            mode=group.mode,
            drawn=bool(group.drawn),
            title=group.title,
            labels=collected.labels,
            responses=len(collected.responses),
            cautions=() if group.drawn else (NOT_DRAWN,),
            comparisons=compare(pairings, resampling, cautions, full=full),
            under_rules=under_rules(list(collected.ruled.items()), [(0, collected.tied)] * len(TIE_RULES), resampling)
            if full and collected.tied
            else (),
        )


def _rules_only(offline: int, pairing: Pairing) -> tuple[str, ...]:
    if not offline:
        return ()
    of = (
        "every statement" if offline == len(pairing.rows) else f"{offline} of {counted(len(pairing.rows), 'statement')}"
    )
    return (f"On {of} only the offline judge spoke: {OFFLINE_IS_TRIAGE}.",)
