"""Agreement of reviewers: each two of them, their majority, judges against it, and one of them against the others.

Two reviewers are compared by kind of label, and two kinds never stand under one name. SourceCheckup held its judge
against the consensus of three doctors, MedFactEval a jury against one person of a panel. Blind and assisted labels are
never in one majority, and neither are the random audit and what was chosen.
"""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Literal, NamedTuple, get_args

from medreview.judges.majority import OF_STUDY, Majority, majority_vote
from medreview.judges.votes import VotingJudge
from medreview.labels import TIE_RULES, TieRule
from medreview.stats.formulas.agreement import LEADING_MANY, ManyAgreement, many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.human_baseline import MARGIN, BesidePerson, NonInferiority, non_inferiority
from medreview.stats.formulas.hypothesis_tests import TestResult, chi_squared, t_test
from medreview.stats.reports.comparison import Comparison, Pairing, UnderRule, compare, under_rules
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    NO_JUDGEMENT,
    SCALES,
    TIED,
    TOGETHER,
    Group,
    Mode,
    ReviewerLabel,
    Scale,
    ScaleLabel,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.study_reader import JudgedStatement

Kind = Literal["first_blind", "mixed", "assisted", "final"]

SAW_THE_OTHER: Final = "given after another reviewer's label was seen"
"""Why a first label is no independent one."""

_ADJUDICATED: Final = """SELECT a.unit FROM adjudicated AS a JOIN statement_standing AS s ON s.statement_id = a.unit
WHERE a.axis = 'evidence' AND a.stands"""


class _LabelKind(NamedTuple):
    mode: Mode | None
    title: str


KINDS: Final[Mapping[Kind, _LabelKind]] = {
    "first_blind": _LabelKind("blind", "first labels, both blind"),
    "mixed": _LabelKind(None, "mixed: the one's blind first label, the other's assisted one"),
    "assisted": _LabelKind("assisted", "assisted labels of both"),
    "final": _LabelKind(None, "final labels of both, however they were given"),
}


def adjudicated_statements(reader: sqlite3.Connection) -> frozenset[str]:
    """The statements on which a difference of reviewers is settled, as long as the labels it was about stand."""
    return frozenset(row[0] for row in reader.execute(_ADJUDICATED))


@dataclass(slots=True)
class _Collected:
    pairings: list[Pairing]
    made_of: Counter[str] = field(default_factory=Counter)


def between_reviewers(
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    resampling: Resampling,
    settled: Collection[str] = (),
    *,
    full: bool = True,
) -> tuple[Comparison, ...]:
    """Each two reviewers, once for each kind of label that they share, on both scales.

    ``first_blind``: both first labels were given before anything of the judges' or of the other's opinion had been
    seen. ``mixed``: one blind first label and one assisted. ``assisted``: both assisted. In all three a label that was
    given after the other's had been seen is left out. ``final``: the labels of all statements that both decided, as
    they stand now; ``made_of`` then says how many were given how, changed, or ``settled`` since.
    """
    found: list[Comparison] = []
    for first, second in combinations(sorted(labels), 2):
        found += _two(first, labels[first], second, labels[second], resampling, settled, full)
    return tuple(found)


def _two(
    first: str, mine: Mapping[str, ReviewerLabel], second: str, theirs: Mapping[str, ReviewerLabel],
    resampling: Resampling, settled: Collection[str], full: bool,
) -> list[Comparison]:  # fmt: skip
    collected = {
        kind: _Collected([Pairing(first, second, scale, about.mode) for scale in SCALES])
        for kind, about in KINDS.items()
    }
    for unit in sorted(mine.keys() & theirs.keys()):
        a, b = mine[unit], theirs[unit]
        kind = kind_of(a, b)
        for pairing in collected[kind].pairings:
            pairing.add(a.cluster, *_given(a, b, pairing.scale))
        final = collected["final"]
        for pairing in final.pairings:
            pairing.add(a.cluster, *(reviewers_label(one.current, pairing.scale, stale=one.stale) for one in (a, b)))
        final.made_of.update(_how(kind, a, b, unit in settled))
    used = [
        (kind, part, pairing)
        for kind, part in collected.items()
        for pairing in part.pairings
        if pairing.rows or pairing.dropped
    ]
    compared = compare([pairing for _, _, pairing in used], resampling, full=full)
    return [
        replace(one, labels_of=kind, made_of=dict(part.made_of))
        for one, (kind, part, _) in zip(compared, used, strict=True)
    ]


def kind_of(a: ReviewerLabel, b: ReviewerLabel) -> Kind:
    """By which kind of label two reviewers can be compared on a statement, besides the final ones."""
    modes = {a.group.mode, b.group.mode}
    return "mixed" if len(modes) > 1 else "first_blind" if modes == {"blind"} else "assisted"


def _given(a: ReviewerLabel, b: ReviewerLabel, scale: Scale) -> tuple[ScaleLabel, ScaleLabel]:
    """The labels by which they are in their group; one that was given after the other's was seen is independent of
    nothing, and has no place among them."""
    first, second = (reviewers_label(one.label, scale, stale=one.stale) for one in (a, b))
    seen = a.saw_others or b.saw_others
    return (ScaleLabel(None, SAW_THE_OTHER) if seen and first.label else first), second


def _how(kind: Kind, a: ReviewerLabel, b: ReviewerLabel, settled: bool) -> list[str]:
    told = [{"first_blind": "both blind", "mixed": "one blind, one assisted"}.get(kind, "both assisted")]
    told += ["changed after the judges were shown"] * (a.changed_after_reveal or b.changed_after_reveal)
    told += [SAW_THE_OTHER] * (a.saw_others or b.saw_others)
    return [*told, *["settled since"] * settled]


MODES: Final[tuple[Mode, ...]] = get_args(Mode)
LEAST: Final = 2
"""Labels on a statement that make a majority of it."""
LEAST_PANEL: Final = 3
"""Reviewers from whom one can be held against a majority of others."""
TIED_REVIEWERS: Final = "reviewers tied"

_SUPPORTED, _NOT_SUPPORTED = BINARY.labels


@dataclass(frozen=True)
class AmongReviewers:
    """The reviewers with each other, on one scale: mean pairwise ("inter-doctor") agreement, Fleiss' kappa, ..."""

    scale: str
    agreement: ManyAgreement


@dataclass(frozen=True)
class PaperTest:
    """A test as SourceCheckup made it, every statement taken as independent; McNemar's is with the comparison.

    ``question``: ``labels`` (does the judge call as many statements supported as the majority does?) or ``accuracy``
    (is ``judge`` right as often as ``other``?).
    """

    judge: str
    other: str
    question: str
    result: TestResult


@dataclass(frozen=True)
class Consensus:
    """The panel of one group of labels. ``statements`` have two labels or more, in so many ``clusters`` (each a
    ``cluster``, such as a question).

    ``left_out`` counts labels that make no majority, by reason. ``majority`` counts what the reviewers' majority says
    under the study's tie ``rule``, and how often they are ``tied``. ``judges`` are compared with the majority as the
    right answer. ``persons``: by reviewer, kappa with the majority of the others, ``person`` its mean; ``beside``: each
    judge's kappa with the majority of all, minus that mean, for non-inferiority with the ``margin``. These two are
    empty with fewer than three reviewers.
    """

    mode: str
    drawn: bool
    title: str
    reviewers: tuple[str, ...]
    statements: int
    cluster: str
    clusters: int
    left_out: Mapping[str, int]
    rule: TieRule
    majority: Mapping[str, int]
    tied: int
    among: tuple[AmongReviewers, ...]
    judges: tuple[Comparison, ...]
    under_rules: tuple[UnderRule, ...]
    person: Estimate | None
    persons: Mapping[str, Estimate]
    margin: float
    beside: tuple[BesidePerson, ...]
    tests: tuple[PaperTest, ...]


class _Row(NamedTuple):
    """A statement: each reviewer's label by scale, each judge's word, and the jury's under each rule."""

    cluster: str
    votes: Mapping[str, Mapping[str, str]]
    judges: Mapping[str, ScaleLabel]
    jury: Mapping[TieRule, ScaleLabel]
    jury_tied: bool


@dataclass(slots=True)
class _Panel:
    rows: list[_Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class ConsensusCounter:
    """Fed statement by statement; ``judges`` are those of ``medreview.judges.votes.judges_of_support``.

    The offline judge is triage by rules and is not held against people here.
    """

    def __init__(self, labels: Mapping[str, Mapping[str, ReviewerLabel]], judges: Sequence[VotingJudge]) -> None:
        self._labels = labels
        self._judges = [judge for judge in judges if not judge.offline]
        self._panels = {group: _Panel() for group in GROUPS}

    def add(self, cluster: str, statement: JudgedStatement) -> None:
        """Take up one statement of a cluster, if two reviewers or more labelled it in one mode."""
        for mode in MODES:
            labels = {
                name: known[statement.statement_id]
                for name, known in self._labels.items()
                if statement.statement_id in known and known[statement.statement_id].group.mode == mode
            }
            if len(labels) < LEAST:
                continue
            panel = self._panels[Group(mode, all(label.group.drawn for label in labels.values()))]
            votes = self._votes(labels, panel)
            if len(votes) < LEAST:
                panel.left_out["the only label on the statement"] += len(votes)
                continue
            said = statement.by_judge
            words = {judge.name: judges_label(said.get(judge), BINARY) for judge in self._judges}
            jury = {rule: judges_label(statement.opinion.under(rule), BINARY) for rule in TIE_RULES}
            tied = statement.together is not None and jury["undecided"].missing == TIED
            panel.rows.append(_Row(cluster, votes, words, jury, tied))

    @staticmethod
    def _votes(labels: Mapping[str, ReviewerLabel], panel: _Panel) -> dict[str, dict[str, str]]:
        votes = {}
        for name, label in labels.items():
            told = {scale.name: reviewers_label(label.label, scale, stale=label.stale) for scale in SCALES}
            missing = SAW_THE_OTHER if label.saw_others else told[BINARY.name].missing
            if missing:
                panel.left_out[missing] += 1
            else:
                votes[name] = {scale: str(one.label) for scale, one in told.items()}
        return votes

    def figures(self, tie: TieRule, resampling: Resampling, *, margin: float = MARGIN) -> tuple[Consensus, ...]:
        """Every group in which a statement has two labels or more."""
        return tuple(
            self._consensus(group, panel, tie, resampling, margin)
            for group, panel in self._panels.items()
            if panel.rows
        )

    def _consensus(self, group: Group, panel: _Panel, tie: TieRule, resampling: Resampling, margin: float) -> Consensus:
        rows = panel.rows
        people = sorted({name for row in rows for name in row.votes})
        names = [name for name in (TOGETHER, *(judge.name for judge in self._judges)) if _spoke(rows, name)]
        majority = _majority(rows, people, tie)
        labels = Counter(str(label) for label in majority.labels if label is not None)
        beside = _beside_person(rows, people, names, tie, margin, resampling) if len(people) >= LEAST_PANEL else None
        return Consensus(
            mode=group.mode,
            drawn=bool(group.drawn),
            title=group.title,
            reviewers=tuple(people),
            statements=len(rows),
            cluster=resampling.cluster,
            clusters=len({row.cluster for row in rows}),
            left_out=dict(panel.left_out.most_common()),
            rule=tie,
            majority={label: labels[label] for label in BINARY.labels},
            tied=majority.ties,
            among=tuple(_among(rows, people, scale, resampling) for scale in SCALES),
            judges=compare([_pairing(rows, people, name, tie, group) for name in names], resampling),
            under_rules=_under(rows, people, names, group, resampling),
            person=None if beside is None else beside.baseline.mean,
            persons={} if beside is None else {
                name: replace(figure, name=f"kappa of {name} with the majority of the others")
                for name, figure in zip(people, beside.baseline.persons, strict=True)
            },
            margin=margin,
            beside=() if beside is None else beside.beside,
            tests=tuple(_tests(rows, people, names, tie)),
        )  # fmt: skip


def _word(row: _Row, judge: str, rule: TieRule) -> ScaleLabel:
    return row.jury[rule] if judge == TOGETHER else row.judges[judge]


def _spoke(rows: Sequence[_Row], judge: str) -> bool:
    return any(_word(row, judge, "undecided").missing != NO_JUDGEMENT for row in rows)


def _ballots(rows: Sequence[_Row], people: Sequence[str], scale: Scale = BINARY) -> list[list[str | None]]:
    return [[row.votes[name][scale.name] if name in row.votes else None for name in people] for row in rows]


def _majority(rows: Sequence[_Row], people: Sequence[str], tie: TieRule) -> Majority:
    return majority_vote(_ballots(rows, people), OF_STUDY[tie], positive=_SUPPORTED, negative=_NOT_SUPPORTED)


def _pairing(rows: Sequence[_Row], people: Sequence[str], judge: str, rule: TieRule, group: Group) -> Pairing:
    """The majority, in rows, beside a judge; both under the rule."""
    pairing = Pairing(majority_of(len(people)), judge, BINARY, group.mode, group.drawn, reference=True)
    for row, label in zip(rows, _majority(rows, people, rule).labels, strict=True):
        reference = ScaleLabel(None, TIED_REVIEWERS) if label is None else ScaleLabel(str(label))
        pairing.add(row.cluster, reference, _word(row, judge, rule))
    return pairing


def majority_of(people: int) -> str:
    """What to call the majority of so many reviewers."""
    return f"the majority of {people} reviewers"


def _under(
    rows: Sequence[_Row], people: Sequence[str], names: Sequence[str], group: Group, resampling: Resampling
) -> tuple[UnderRule, ...]:
    asked = [(rule, _pairing(rows, people, name, rule, group)) for rule in TIE_RULES for name in names]
    tied, jury = _majority(rows, people, "undecided").ties, sum(row.jury_tied for row in rows)
    return under_rules(asked, [(tied, jury if pairing.second == TOGETHER else 0) for _, pairing in asked], resampling)


def _among(rows: Sequence[_Row], people: Sequence[str], scale: Scale, resampling: Resampling) -> AmongReviewers:
    clusters = [row.cluster for row in rows]
    ballots = _ballots(rows, people, scale)
    return AmongReviewers(
        scale.name,
        many_raters(ballots, scale.labels, clusters=clusters, statistics=LEADING_MANY, resampling=resampling),
    )


def _beside_person(
    rows: Sequence[_Row], people: Sequence[str], names: Sequence[str], tie: TieRule, margin: float,
    resampling: Resampling,
) -> NonInferiority:  # fmt: skip
    return non_inferiority(
        _ballots(rows, people),
        {name: [_word(row, name, tie).label for row in rows] for name in names},
        BINARY.labels,
        margin=margin,
        tie=OF_STUDY[tie],
        positive=_SUPPORTED,
        negative=_NOT_SUPPORTED,
        clusters=[row.cluster for row in rows],
        resampling=resampling,
    )


def _tests(rows: Sequence[_Row], people: Sequence[str], names: Sequence[str], tie: TieRule) -> Iterator[PaperTest]:
    """Of the statements on which both have a label."""
    majority = [None if label is None else label == _SUPPORTED for label in _majority(rows, people, tie).labels]
    said = {}
    for name in names:
        words = [_word(row, name, tie).label for row in rows]
        said[name] = [None if word is None else word == _SUPPORTED for word in words]
    yield from paper_tests(majority, said, majority_of(len(people)))


def paper_tests(
    majority: Sequence[bool | None], said: Mapping[str, Sequence[bool | None]], by: str
) -> Iterator[PaperTest]:
    """SourceCheckup's tests of judges against a majority (``by`` names it) on supported or not, item by item."""
    for name, words in said.items():
        both = [(a, b) for a, b in zip(majority, words, strict=True) if a is not None and b is not None]
        mine, theirs = [float(a) for a, _ in both], [float(b) for _, b in both]
        counts = [[int(sum(side)), len(side) - int(sum(side))] for side in (mine, theirs)]
        for result in (t_test(mine, theirs, equal_var=True), t_test(mine, theirs, paired=True), chi_squared(counts)):
            yield PaperTest(name, by, "labels", result)
    for first, second in combinations(said, 2):
        right = [
            [None if None in (a, b) else float(a == b) for a, b in zip(majority, said[name], strict=True)]
            for name in (first, second)
        ]
        yield PaperTest(first, second, "accuracy", t_test(right[0], right[1], paired=True))
