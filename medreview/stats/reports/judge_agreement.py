"""Agreement of a reviewer with the judges: blind and assisted apart, drawn and chosen apart, on two scales."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from medreview.judges.votes import Judge
from medreview.labels import TIE_RULES, TieRule
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.alike import Alike
from medreview.stats.reports.comparison import Comparison, Pairing, compare
from medreview.stats.reports.label_scales import (
    BINARY,
    OFFLINE_IS_TRIAGE,
    SCALES,
    TIED,
    TOGETHER,
    Scale,
    ScaleLabel,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.reviewer_labels import GROUPS, NOT_DRAWN, Group, ReviewerLabel
from medreview.stats.reports.study_reader import JudgedStatement, Opinion
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


_Kind = tuple[str, bool, Opinion]
"""Of a labelled statement: the label, whether it is stale, and what the judges say."""


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
        self._reviewer = reviewer
        self._labels = labels
        self._judges: tuple[Judge | None, ...] = (None, *judges)
        self._scales = scales
        self._collected: dict[Group, Alike[_Kind]] = {group: Alike() for group in GROUPS}

    def add(self, statement: JudgedStatement) -> None:
        """Take up one statement, if the reviewer decided it."""
        label = self._labels.get(statement.statement_id)
        if label is not None:
            self._collected[label.group].add(label.response_id, (label.label, label.stale, statement.opinion))

    def figures(self, resampling: Resampling, *, full: bool = True) -> tuple[GroupFigures, ...]:
        """Every group that has labels; ``full``: with what is told of each label."""
        return tuple(
            self._group(group, labelled, resampling, full)
            for group, labelled in self._collected.items()
            if labelled.responses
        )

    def _group(self, group: Group, labelled: Alike[_Kind], resampling: Resampling, full: bool) -> GroupFigures:
        pairings = [
            self._paired(group, labelled, judge, scale, partial(Opinion.label, judge=judge, scale=scale))
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
            labels=len(labelled.responses),
            responses=len(set(labelled.responses)),
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
        self, group: Group, labelled: Alike[_Kind], judge: Judge | None, scale: Scale,
        theirs: Callable[[Opinion], ScaleLabel],
    ) -> Pairing:  # fmt: skip
        name = judge.name if judge else TOGETHER
        pairing = Pairing(self._reviewer, name, scale, group.mode, group.drawn, reference=True)
        pairing.add_alike(labelled, lambda kind: (_mine(kind, scale), theirs(kind[2])))
        return pairing


def _mine(kind: _Kind, scale: Scale) -> ScaleLabel:
    label, stale, _ = kind
    return reviewers_label(label, scale, stale=stale)


def _ruled(rule: TieRule, said: Opinion) -> ScaleLabel:
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
