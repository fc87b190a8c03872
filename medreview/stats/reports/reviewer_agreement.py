"""Agreement of reviewers: each two of them, their majority, judges against it, and one of them against the others.

Two reviewers are compared by kind of label, and two kinds never stand under one name. SourceCheckup held its judge
against the consensus of three doctors, MedFactEval a jury against one person of a panel. Blind and assisted labels are
never in one majority, and neither are the random audit and what was chosen.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Literal, NamedTuple, get_args

from medreview.judges.majority import OF_STUDY, Majority, majority_vote
from medreview.judges.votes import VotingJudge
from medreview.labels import TIE_RULES, Mode, TieRule
from medreview.stats.formulas.agreement import LEADING_MANY, ManyAgreement, many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.human_baseline import MARGIN, BesidePerson, non_inferiority
from medreview.stats.formulas.hypothesis_tests import TestResult, chi_squared, t_test
from medreview.stats.reports.comparison import Comparison, Pairing, UnderRule, compare, under_rules
from medreview.stats.reports.reviewer_labels import (
    BINARY,
    GROUPS,
    NO_JUDGEMENT,
    SCALES,
    TIED,
    TIED_REVIEWERS,
    TOGETHER,
    Group,
    ReviewerLabel,
    Scale,
    ScaleLabel,
    judges_label,
    reviewers_label,
)
from medreview.stats.reports.study_reader import JudgedStatements, JudgesOpinion

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
        mine, theirs = labels[first], labels[second]
        pairings = {kind: [Pairing(first, second, scale, of.mode) for scale in SCALES] for kind, of in KINDS.items()}
        made_of: Counter[str] = Counter()
        for unit in sorted(mine.keys() & theirs.keys()):
            a, b = mine[unit], theirs[unit]
            kind = kind_of(a, b)
            for pairing in pairings[kind]:
                pairing.add(a.cluster, *_given(a, b, pairing.scale))
            for pairing in pairings["final"]:
                now = [reviewers_label(one.current, pairing.scale, stale=one.stale) for one in (a, b)]
                pairing.add(a.cluster, *now)
            made_of.update(_how(kind, a, b, unit in settled))
        used = [(kind, one) for kind, held in pairings.items() for one in held if one.cells or one.dropped]
        compared = compare([pairing for _, pairing in used], resampling, full=full)
        found += [
            replace(one, labels_of=kind, made_of=dict(made_of) if kind == "final" else {})
            for one, (kind, _) in zip(compared, used, strict=True)
        ]
    return tuple(found)


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


def panels_of(
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
) -> dict[tuple[str, Mode], tuple[Group, dict[str, ReviewerLabel]]]:
    """The labels of a mode on each statement, by reviewer, and the group of all of them: a statement is drawn at random
    where each of these labels is."""
    found: dict[tuple[str, Mode], dict[str, ReviewerLabel]] = defaultdict(dict)
    for name, held in labels.items():
        for unit, label in held.items():
            found[unit, label.mode][name] = label
    return {key: (Group(key[1], all(one.group.drawn for one in given.values())), given) for key, given in found.items()}


def panel_label(label: ReviewerLabel, scale: Scale) -> ScaleLabel:
    """A label as one of several; one that was given after another's was seen is independent of nothing."""
    return (
        ScaleLabel(None, SAW_THE_OTHER) if label.saw_others else reviewers_label(label.label, scale, stale=label.stale)
    )


class _PanelRow(NamedTuple):
    """A statement: each reviewer's label by scale, and what the judges say."""

    cluster: str
    votes: Mapping[str, Mapping[str, str]]
    opinion: JudgesOpinion

    def word(self, judge: VotingJudge | None, rule: TieRule) -> ScaleLabel:
        """A judge's word on supported or not; without one that of all judges under a tie rule."""
        return self.opinion.label(judge, BINARY) if judge else judges_label(self.opinion.under(rule), BINARY)


@dataclass(slots=True)
class _Panel:
    rows: list[_PanelRow] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def consensus(
    labels: Mapping[str, Mapping[str, ReviewerLabel]],
    judges: Sequence[VotingJudge],
    statements: JudgedStatements,
    tie: TieRule,
    resampling: Resampling,
    *,
    margin: float = MARGIN,
) -> tuple[Consensus, ...]:
    """Every group in which a statement has two labels or more; ``judges`` are those of
    ``medreview.judges.votes.judges_of_support``.

    The offline judge is triage by rules and is not held against people here.
    """
    panels = {group: _Panel() for group in GROUPS}
    several = {key: panel for key, panel in panels_of(labels).items() if len(panel[1]) >= LEAST}
    for unit, cluster, opinion in statements.rows() if several else ():
        for group, given in (several[unit, mode] for mode in MODES if (unit, mode) in several):
            panel = panels[group]
            votes = _votes(given, panel)
            if len(votes) < LEAST:
                panel.left_out["the only label on the statement"] += len(votes)
                continue
            panel.rows.append(_PanelRow(cluster, votes, opinion))
    jury = [judge for judge in judges if not judge.offline]
    return tuple(
        _consensus(group, panel, jury, tie, resampling, margin) for group, panel in panels.items() if panel.rows
    )


def _votes(labels: Mapping[str, ReviewerLabel], panel: _Panel) -> dict[str, dict[str, str]]:
    votes = {}
    for name, label in labels.items():
        told = {scale.name: panel_label(label, scale) for scale in SCALES}
        if missing := told[BINARY.name].missing:
            panel.left_out[missing] += 1
        else:
            votes[name] = {scale: str(one.label) for scale, one in told.items()}
    return votes


def _consensus(
    group: Group, panel: _Panel, jury: Sequence[VotingJudge], tie: TieRule, resampling: Resampling, margin: float
) -> Consensus:
    rows = panel.rows
    people = sorted({name for row in rows for name in row.votes})
    spoke: dict[str, VotingJudge | None] = {
        judge.name if judge else TOGETHER: judge
        for judge in (None, *jury)
        if any(row.word(judge, "undecided").missing != NO_JUDGEMENT for row in rows)
    }
    majority = _majority(rows, people, tie)
    labels = Counter(str(label) for label in majority.labels if label is not None)
    said = {name: [row.word(judge, tie).label for row in rows] for name, judge in spoke.items()}
    clusters = [row.cluster for row in rows]
    beside = None
    if len(people) >= LEAST_PANEL:
        beside = non_inferiority(
            _ballots(rows, people), said, BINARY.labels, margin=margin, tie=OF_STUDY[tie], positive=_SUPPORTED,
            negative=_NOT_SUPPORTED, clusters=clusters, resampling=resampling,
        )  # fmt: skip
    among = {
        scale.name: many_raters(
            _ballots(rows, people, scale), scale.labels, clusters=clusters, statistics=LEADING_MANY,
            resampling=resampling,
        )
        for scale in SCALES
    }  # fmt: skip
    asked = [(rule, _pairing(rows, people, name, judge, rule, group))
             for rule in TIE_RULES for name, judge in spoke.items()]  # fmt: skip
    tied, ties = _majority(rows, people, "undecided").ties, sum(_jury_tied(row) for row in rows)
    right = [None if label is None else label == _SUPPORTED for label in majority.labels]
    words = {name: [None if word is None else word == _SUPPORTED for word in given] for name, given in said.items()}
    return Consensus(
        mode=group.mode,
        drawn=bool(group.drawn),
        title=group.title,
        reviewers=tuple(people),
        statements=len(rows),
        cluster=resampling.cluster,
        clusters=len(set(clusters)),
        left_out=dict(panel.left_out.most_common()),
        rule=tie,
        majority={label: labels[label] for label in BINARY.labels},
        tied=majority.ties,
        among=tuple(AmongReviewers(scale, agreement) for scale, agreement in among.items()),
        judges=compare([pairing for rule, pairing in asked if rule == tie], resampling),
        under_rules=under_rules(
            asked, [(tied, ties if pairing.second == TOGETHER else 0) for _, pairing in asked], resampling
        ),
        person=None if beside is None else beside.baseline.mean,
        persons={} if beside is None else {
            name: replace(figure, name=f"kappa of {name} with the majority of the others")
            for name, figure in zip(people, beside.baseline.persons, strict=True)
        },
        margin=margin,
        beside=() if beside is None else beside.beside,
        tests=tuple(paper_tests(right, words, majority_of(len(people)))),
    )  # fmt: skip


def _jury_tied(row: _PanelRow) -> bool:
    return row.opinion.together is not None and row.word(None, "undecided").missing == TIED


def _ballots(rows: Sequence[_PanelRow], people: Sequence[str], scale: Scale = BINARY) -> list[list[str | None]]:
    return [[row.votes[name][scale.name] if name in row.votes else None for name in people] for row in rows]


def _majority(rows: Sequence[_PanelRow], people: Sequence[str], tie: TieRule) -> Majority:
    return majority_vote(_ballots(rows, people), OF_STUDY[tie], positive=_SUPPORTED, negative=_NOT_SUPPORTED)


def _pairing(
    rows: Sequence[_PanelRow], people: Sequence[str], name: str, judge: VotingJudge | None, rule: TieRule, group: Group
) -> Pairing:
    """The majority, in rows, beside a judge; both under the rule."""
    pairing = Pairing(majority_of(len(people)), name, BINARY, group.mode, group.drawn, reference=True)
    for row, label in zip(rows, _majority(rows, people, rule).labels, strict=True):
        reference = ScaleLabel(None, TIED_REVIEWERS) if label is None else ScaleLabel(str(label))
        pairing.add(row.cluster, reference, row.word(judge, rule))
    return pairing


def majority_of(people: int) -> str:
    """What to call the majority of so many reviewers."""
    return f"the majority of {people} reviewers"


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
