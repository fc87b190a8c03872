"""Differences that a study can tell: of judges and the jury, of models or other arms, of blind and assisted labels.

All on supported or not. Each family is looked at together: its p values are adjusted by Holm for their number.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np

from medreview.errors import UserError
from medreview.judges.votes import VotingJudge
from medreview.labels import Mode
from medreview.stats.formulas import coefficients as c
from medreview.stats.formulas.bootstrap import Floats, Ints, Resampling, Statistic, cluster_codes
from medreview.stats.formulas.classification import McNemar
from medreview.stats.formulas.estimate import Scale
from medreview.stats.formulas.hypothesis_tests import Side, StatisticDifference, difference, paired_test, with_holm
from medreview.stats.formulas.shared_draws import CountedBlock, DrawnBlock, draw_together
from medreview.stats.formulas.support import ResponseSupport, support_counts
from medreview.stats.reports.answer_arms import MODEL, Arms, arm_word
from medreview.stats.reports.reviewer_labels import BINARY, TOGETHER, Group, ReviewerLabel, reviewers_label
from medreview.stats.reports.study_reader import Alike, JudgedResponse, JudgedStatements, JudgesOpinion

Between = Literal["judges", "models_support", "models_agreement", "arms_support", "arms_agreement", "modes"]

MOST_MODELS: Final = 6
"""Models, or other arms, that are compared, those with most responses first: 12 would be 66 pairs."""
CHOSEN_HERE: Final = (
    "The best single judge was chosen on these labels: it looks better than it is, and the jury beside it worse."
)
OTHER_STATEMENTS: Final = (
    "Blind and assisted labels are of different statements: the difference need not come from seeing the judges."
)
MODELS_DIFFER: Final = (
    "The models' statements are other ones, so that the judges may have had it easier with one of them."
)

ARMS_DIFFER: Final = (
    "The statements of the two are other ones, so that the judges may have had it easier with one of them."
)
SEVERAL_MODELS: Final = "Answers of several models are in these: with --where model=NAME they are of one."

_SHARES: Final = {"statement_support": "statement support", "response_support": "response support"}
_NO_LABELS: Final = "One of the two has nothing to be compared on."


@dataclass(frozen=True)
class DifferenceFamily:
    """Differences that stand side by side, ``first`` minus ``second`` each.

    ``between``: ``judges`` (each two on the statements that both and the reviewer labelled, and the jury minus the best
    single one), ``models_agreement`` (of the judges together with the reviewer, by model), ``models_support`` (shares
    by the judges' verdict), ``arms_agreement`` and ``arms_support`` (the same of other arms than models), ``modes``
    (agreement on blind minus on assisted labels). ``reviewer``, ``mode`` and ``drawn`` say whose labels of which group;
    ``None`` without labels, or for both modes. ``omitted`` models or arms are not compared: the last by number of
    responses, and of equal ones by name. ``arms``: what they are (``run``, ``extra.ward``), ``""`` for models, judges
    and modes; ``without``: responses that say no such thing, and are in no arm.
    """

    between: Between
    reviewer: str | None
    mode: Mode | None
    drawn: bool | None
    differences: tuple[StatisticDifference, ...]
    cautions: tuple[str, ...] = ()
    omitted: int = 0
    arms: str = ""
    without: int = 0


_Kind = tuple[str | None, bool, JudgesOpinion]
"""Of a labelled statement: the arm, whether the reviewer finds it supported, and what the judges say."""


class _Said:
    """What was said of statements: the reviewer's word (supported or not), and every judge's.

    ``cells`` (n each) are those of a 2 x 2 table, the reviewer in rows, and -1 where the judge has no word.
    """

    def __init__(self, labelled: Alike[_Kind], jury: Sequence[VotingJudge]) -> None:
        codes = np.array(labelled.codes, dtype=np.int64)
        self.clusters = labelled.clusters
        names: dict[str, VotingJudge | None] = {judge.name: judge for judge in jury}
        self.cells = {
            name: np.array([_cell(kind, judge) for kind in labelled.kinds], dtype=np.int64)[codes]
            for name, judge in (names | {TOGETHER: None}).items()
        }
        arms: dict[str | None, int] = {}
        of_kind = [arms.setdefault(arm, len(arms)) for arm, _, _ in labelled.kinds]
        self._arm = np.array(of_kind, dtype=np.int64)[codes]
        self._arms = arms

    @property
    def arms(self) -> list[str]:
        """The arms (models, without others) whose statements these are."""
        return [arm for arm in self._arms if arm is not None]

    def places(self, *names: str, arm: str | None = None) -> Ints:
        """Where all of these have a word, of all statements or of those of one arm."""
        held = np.ones(len(self.clusters), dtype=bool)
        for name in names:
            held &= self.cells[name] >= 0
        if arm is not None:
            held &= self._arm == self._arms.get(arm, -1)
        return np.flatnonzero(held)

    def block(self, name: str, places: Ints) -> CountedBlock:
        """The table of one beside the reviewer, on some of the statements."""
        return CountedBlock([self.clusters[place] for place in places], self.cells[name][places], 4)


def _cell(kind: _Kind, judge: VotingJudge | None) -> int:
    _, supported, opinion = kind
    label = opinion.label(judge, BINARY).label
    return -1 if label is None else 2 * (not supported) + (label != BINARY.labels[0])


class StudyDifferences:
    """Fed response by response; ``judges`` are those of ``medreview.judges.votes.judges_of_support``.

    ``arms``: between what other than judges; without any arm in them, between nothing.
    """

    def __init__(
        self, labels: Mapping[str, Mapping[str, ReviewerLabel]], judges: Sequence[VotingJudge], arms: Arms
    ) -> None:
        self._labels = labels
        self._jury = [judge for judge in judges if not judge.offline]
        self._arms = arms
        self._support: dict[str, list[ResponseSupport]] = {}
        self._models: set[str] = set()
        self._without = 0

    def add(self, case: JudgedResponse, support: ResponseSupport) -> None:
        """Take up a response; ``support``: what the judges' words on its statements come to."""
        arm = self._arms.of.get(case.response_id)
        if arm is None:
            self._without += 1
        else:
            self._support.setdefault(arm, []).append(support)
            self._models.add(case.model)

    def _kind(self, label: ReviewerLabel, opinion: JudgesOpinion) -> _Kind | None:
        mine = reviewers_label(label.label, BINARY, stale=label.stale).label
        return None if mine is None else (self._arms.of.get(label.response_id), mine == BINARY.labels[0], opinion)

    def families(self, statements: JudgedStatements, resampling: Resampling) -> tuple[DifferenceFamily, ...]:
        """Every family that has a difference; ``statements``: all of those responses.

        Raises :class:`UserError` where the arms are not models and there are fewer than two.
        """
        place = {name: number for number, name in enumerate(self._arms.names)}
        order = sorted(self._support, key=lambda arm: (-len(self._support[arm]), place[arm]))
        if self._arms.by != MODEL and len(order) < 2:
            raise UserError(
                f"All answers here that say their {arm_word(self._arms.by)} say the same "
                f"({', '.join(order) or 'none does'}): there is nothing to compare."
            )
        found = [self._between(_support_by_arm({arm: self._support[arm] for arm in order}, resampling))]
        every = {
            (name, group): _Said(labelled, self._jury)
            for name, labels in self._labels.items()
            for group, labelled in statements.labelled(labels, self._kind).items()
        }
        for (name, group), said in every.items():
            found.append(self._judges(name, group, said, resampling))
            found.append(self._between(_agreement_by_arm(name, group, said, order, resampling)))
        for name in self._labels:
            for drawn in (True, False):
                both = [every[name, Group(mode, drawn)] for mode in ("blind", "assisted")]
                found.append(_modes(name, drawn, both, resampling))
        return tuple(family for family in found if family.differences)

    def _between(self, family: DifferenceFamily) -> DifferenceFamily:
        """The same family where the arms are no models, named as that."""
        if self._arms.by == MODEL:
            return family
        sides = [name for one in family.differences for name in (one.first, one.second)]
        mixed = (SEVERAL_MODELS,) if len(self._models) > 1 else ()
        own = (ARMS_DIFFER,) if family.cautions else ()
        return replace(
            family,
            between="arms_agreement" if family.between == "models_agreement" else "arms_support",
            cautions=(*self._arms.explained(sides), *mixed, *own),
            arms=self._arms.by,
            without=self._without,
        )

    def _judges(self, name: str, group: Group, said: _Said, resampling: Resampling) -> DifferenceFamily:
        spoke = [judge.name for judge in self._jury if len(said.places(judge.name))]
        pairs = list(combinations(spoke, 2))
        if len(spoke) > 1:
            pairs.append((TOGETHER, max(spoke, key=lambda judge: _kappa(said, judge))))
        shared = [said.places(*pair) for pair in pairs]
        blocks = [said.block(name, both) for pair, both in zip(pairs, shared, strict=True) for name in pair]
        drawn = draw_together(blocks, resampling)
        found = [
            one
            for place, (pair, both) in enumerate(zip(pairs, shared, strict=True))
            for one in _agreement(
                *pair, drawn[2 * place : 2 * place + 2], resampling, len(said.clusters) - len(both),
                _mcnemar(said, *pair, both, resampling),
            )
        ]  # fmt: skip
        return DifferenceFamily(
            "judges", name, group.mode, group.drawn, with_holm(found), (CHOSEN_HERE,) if len(spoke) > 1 else ()
        )


def _table(said: _Said, arm: str | None = None) -> CountedBlock:
    """The judges together beside the reviewer, of all statements or of those of one arm."""
    return said.block(TOGETHER, said.places(TOGETHER, arm=arm))


def _kappa(said: _Said, judge: str) -> tuple[float, float]:
    """Kappa, and percent agreement, of a judge with the reviewer: the larger, the better; undefined is the least."""
    cells = said.cells[judge][said.places(judge)]
    table = np.bincount(cells, minlength=4).reshape(2, 2).astype(np.float64)
    kappa = float(c.cohen_kappa(table))
    return (-np.inf if np.isnan(kappa) else kappa), float(c.observed_agreement(table))


def _mcnemar(said: _Said, first: str, second: str, both: Ints, resampling: Resampling) -> McNemar:
    """Which of two is right more often, over clusters."""
    codes, count = cluster_codes([said.clusters[place] for place in both])
    right, other = (np.isin(said.cells[name][both], (0, 3)) for name in (first, second))
    tallies = (np.bincount(codes[some], minlength=count) for some in (right & ~other, other & ~right))
    only_first, only_second = (tally.tolist() for tally in tallies)
    return paired_test(only_first, only_second, np.bincount(codes, minlength=count).tolist(), resampling.cluster)


def _tables(finish: Statistic) -> Callable[[int], Statistic]:
    return lambda start: lambda sums: finish(sums[:, start : start + 4].reshape(-1, 2, 2))


def _sides(first: str, second: str, finish: Callable[[int], Statistic], width: int) -> tuple[Side, Side]:
    """Two figures of two blocks of columns beside each other; ``finish`` makes one from where its block begins."""
    here, there = np.repeat(np.eye(2), width, axis=1)
    return Side(first, finish(0), here), Side(second, finish(width), there)


def _joined(parts: Sequence[DrawnBlock]) -> tuple[Floats, Floats]:
    return np.hstack([part.units for part in parts]), np.hstack([part.sums for part in parts])


def _agreement(
    first: str, second: str, parts: Sequence[DrawnBlock], resampling: Resampling, dropped: int = 0,
    test: McNemar | None = None,
) -> Iterator[StatisticDifference]:  # fmt: skip
    """Percent agreement and kappa of two tables, 2 x 2 each; with a ``test`` both are of the same statements."""
    units, sums = _joined(parts)
    asked: tuple[tuple[str, Statistic, Scale], ...] = (
        ("percent agreement", c.observed_agreement, "share_difference"),
        ("Cohen's kappa", c.cohen_kappa, "coefficient_difference"),
    )
    for statistic, finish, scale in asked:
        nothing = f"One of the two has no {statistic}." if units.any() else _NO_LABELS
        mine, other = _sides(first, second, _tables(finish), 4)
        yield difference(
            mine, other, statistic, units, sums, scale=scale, paired=test is not None, dropped=dropped,
            resampling=resampling, test=test if finish is c.observed_agreement else None, undefined=nothing,
        )  # fmt: skip


def _agreement_by_arm(
    name: str, group: Group, said: _Said, arms: Sequence[str], resampling: Resampling
) -> DifferenceFamily:
    """How far the judges together agree with the reviewer on one model's statements, and on another's; or arm's."""
    known = [arm for arm in arms if arm in said.arms][:MOST_MODELS]
    drawn = draw_together([_table(said, arm) for arm in known], resampling)
    by_arm = dict(zip(known, drawn, strict=True))
    found = [
        one
        for first, second in combinations([arm for arm in known if by_arm[arm].units.any()], 2)
        for one in _agreement(first, second, (by_arm[first], by_arm[second]), resampling)
    ]
    omitted = len(said.arms) - len(known)
    return DifferenceFamily(
        "models_agreement", name, group.mode, group.drawn, with_holm(found), (MODELS_DIFFER,), omitted
    )


def _modes(name: str, drawn: bool, both: Sequence[_Said], resampling: Resampling) -> DifferenceFamily:
    """Agreement of the judges together with blind labels, minus that with assisted ones."""
    tables = [_table(said) for said in both]
    found: list[StatisticDifference] = []
    if all(table.clusters for table in tables):
        found += _agreement("blind", "assisted", draw_together(tables, resampling), resampling)
    return DifferenceFamily("modes", name, None, drawn, with_holm(found), (OTHER_STATEMENTS,))


def _support_by_arm(arms: Mapping[str, Sequence[ResponseSupport]], resampling: Resampling) -> DifferenceFamily:
    """The share of supported statements, and of supported responses, of one model minus another's; or arm's."""
    chosen = list(arms)[:MOST_MODELS]
    found: list[StatisticDifference] = []
    for key, statistic in _SHARES.items():
        drawn = draw_together([_shares(arm, arms[arm], key) for arm in chosen], resampling)
        by_arm = dict(zip(chosen, drawn, strict=True))
        for first, second in combinations(chosen, 2):
            if not (by_arm[first].units.any() and by_arm[second].units.any()):
                continue
            units, sums = _joined((by_arm[first], by_arm[second]))
            mine, other = _sides(first, second, _share, 2)
            one = difference(mine, other, statistic, units, sums, scale="share_difference", resampling=resampling)
            found.append(one)
    return DifferenceFamily(
        "models_support", None, None, None, with_holm(found), omitted=max(0, len(arms) - len(chosen))
    )


def _shares(arm: str, responses: Sequence[ResponseSupport], key: str) -> CountedBlock:
    """Two cells: items that are supported, and items that are not."""
    clusters: list[str] = []
    cells: list[int] = []
    for place, response in enumerate(responses):
        supported, known = support_counts(response)[key]
        clusters += [response.cluster or f"{arm} {place}"] * known
        cells += [0] * supported + [1] * (known - supported)
    return CountedBlock(clusters, np.array(cells, dtype=np.int64), 2)


def _share(start: int) -> Statistic:
    return lambda sums: c.ratio(sums[:, start], sums[:, start] + sums[:, start + 1])
