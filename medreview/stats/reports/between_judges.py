"""What the judges say of each other's work: agreement of each two, of all of them, and who abstained how often."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from medreview.judges.rollup import roll_up
from medreview.labels import TieRule
from medreview.stats.formulas.agreement import ManyAgreement, many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.comparison import Comparison, Pairing, compare
from medreview.stats.reports.label_scales import SCALES, JuryVerdict, Scale, judges_label
from medreview.stats.reports.study_reader import JudgedStatement

_MANY: Final = ("mean_pairwise_agreement", "fleiss_kappa", "gwet_ac", "krippendorff_alpha")


@dataclass(frozen=True)
class JudgeTally:
    """One judge: the statements it was asked about, those it abstained on, and its labels on each scale.

    Abstained: no verdict after the roll-up over the sources, be it unsure, refused, cut off or never answered.
    """

    judge: str
    asked: int
    abstained: int
    labels: Mapping[str, Mapping[str, int]]


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
class _Judge:
    asked: int = 0
    abstained: int = 0
    labels: dict[str, Counter[str]] = field(default_factory=lambda: {scale.name: Counter() for scale in SCALES})


def offline_runs(reader: sqlite3.Connection) -> frozenset[int]:
    """The numbers of the runs of the offline judge."""
    return frozenset(row[0] for row in reader.execute("SELECT ordinal FROM judge_run WHERE kind = 'offline'"))


class JudgesBeside:
    """Fed statement by statement; ``judges`` names every judge run by its number (``cases.judge_names``).

    Judges are compared after the roll-up over the sources, on statements that both were asked about. The offline
    judge has a tally and is left out of agreement: it is triage by rules, no juror.
    """

    def __init__(self, judges: Mapping[int, str], offline: frozenset[int], tie: TieRule) -> None:
        self._names = judges
        self._jury = [run for run in judges if run not in offline]
        self._tie: TieRule = tie
        self._judges = {run: _Judge() for run in judges}
        self._pairs = {
            (first, second): [Pairing(judges[first], judges[second], scale) for scale in SCALES]
            for first, second in combinations(self._jury, 2)
        }
        self._ballots: dict[str, list[list[str | None]]] = {scale.name: [] for scale in SCALES}
        self._responses: list[str] = []
        self._tied = self._decided = 0

    def add(self, response_id: str, statement: JudgedStatement) -> None:
        """Take up one statement with whatever the judges said of it."""
        said = statement.by_run()
        for run, word in said.items():
            self._count(self._judges[run], word)
        jury = [run for run in self._jury if run in said]
        for pair in combinations(jury, 2):
            for pairing in self._pairs[pair]:
                first, second = (judges_label(said[run], pairing.scale) for run in pair)
                pairing.add(response_id, first, second)
        if len(jury) > 1:
            self._responses.append(response_id)
            for scale in SCALES:
                self._ballots[scale.name].append([judges_label(said[run], scale).label for run in jury])
        if statement.votes:
            together = roll_up((vote for vote, _ in statement.votes), self._tie)
            self._tied += together.tied
            self._decided += together.verdict is not None or together.supported is not None

    @staticmethod
    def _count(judge: _Judge, word: JuryVerdict) -> None:
        judge.asked += 1
        judge.abstained += word.verdict is None and word.supported is None
        for scale in SCALES:
            label = judges_label(word, scale).label
            if label is not None:
                judge.labels[scale.name][label] += 1

    def figures(self, resampling: Resampling) -> BetweenJudges:
        """Everything, every interval over responses."""
        return BetweenJudges(
            tallies=tuple(
                JudgeTally(self._names[run], judge.asked, judge.abstained, self._ordered(judge))
                for run, judge in self._judges.items()
                if judge.asked
            ),
            pairs=compare([pairing for several in self._pairs.values() for pairing in several], resampling),
            juries=tuple(self._all(scale, resampling) for scale in SCALES) if self._responses else (),
            tie_rule=self._tie,
            tied=self._tied,
            decided=self._decided,
        )

    @staticmethod
    def _ordered(judge: _Judge) -> dict[str, dict[str, int]]:
        return {scale.name: {label: judge.labels[scale.name][label] for label in scale.labels} for scale in SCALES}

    def _all(self, scale: Scale, resampling: Resampling) -> JuryAgreement:
        return JuryAgreement(
            scale=scale.name,
            judges=tuple(self._names[run] for run in self._jury),
            agreement=many_raters(
                self._ballots[scale.name],
                scale.labels,
                clusters=self._responses,
                statistics=_MANY,
                resampling=resampling,
            ),
        )
