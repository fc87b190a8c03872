"""What the judges say of each other's work: agreement of each two, of all of them, and who abstained how often."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from medreview.judges.votes import Judge
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
    ``pages_in_parts``: cited pages that were too long for its context, so that no answer is of a whole page.
    """

    judge: str
    asked: int
    abstained: int
    labels: Mapping[str, Mapping[str, int]]
    pages_in_parts: int = 0


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


class BetweenJudgesCounter:
    """Fed statement by statement; ``judges`` are those of ``medreview.judges.votes.judges_of_support``, ``in_parts``
    the pages of ``medreview.judges.long_pages``.

    Judges are compared after the roll-up over the sources, on statements that both were asked about. The offline
    judge has a tally and is left out of agreement: it is triage by rules, no juror. ``scales``: on which each two are
    compared; ``juries``: and all together.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
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
        self._counted = {judge: _Counted() for judge in judges}
        self._pairs = {
            (first, second): [Pairing(first.name, second.name, scale) for scale in scales]
            for first, second in combinations(self._jury, 2)
            if scales
        }
        self._ballots: dict[str, list[list[str | None]]] = {scale.name: [] for scale in SCALES}
        self._responses: list[str] = []
        self._tied = self._decided = 0

    def add(self, response_id: str, statement: JudgedStatement) -> None:
        """Take up one statement with whatever the judges said of it."""
        said = statement.by_judge
        for judge, word in said.items():
            self._count(self._counted[judge], word)
        jury = [judge for judge in self._jury if judge in said]
        for pair in combinations(jury, 2):
            for pairing in self._pairs.get(pair, ()):
                first, second = (judges_label(said[judge], pairing.scale) for judge in pair)
                pairing.add(response_id, first, second)
        if len(jury) > 1 and self._juries:
            self._responses.append(response_id)
            for scale in SCALES:
                self._ballots[scale.name].append([judges_label(said[judge], scale).label for judge in jury])
        together = statement.together
        if together is not None:
            self._tied += together.tied
            self._decided += together.verdict is not None or together.supported is not None

    @staticmethod
    def _count(judge: _Counted, word: JuryVerdict) -> None:
        judge.asked += 1
        judge.abstained += word.verdict is None and word.supported is None
        for scale in SCALES:
            label = judges_label(word, scale).label
            if label is not None:
                judge.labels[scale.name][label] += 1

    def figures(self, resampling: Resampling, *, full: bool = True) -> BetweenJudges:
        """Everything, every interval over responses; ``full``: with weighted coefficients of each two."""
        return BetweenJudges(
            tallies=tuple(
                JudgeTally(
                    judge.name,
                    counted.asked,
                    counted.abstained,
                    self._ordered(counted),
                    0 if judge.offline else self._in_parts.get(judge.name, 0),
                )
                for judge, counted in self._counted.items()
                if counted.asked
            ),
            pairs=compare(
                [pairing for pair, both in self._pairs.items() if self._spoke(*pair) for pairing in both],
                resampling,
                full=full,
            ),
            juries=tuple(self._all(scale, resampling) for scale in SCALES) if self._responses else (),
            tie_rule=self._tie,
            tied=self._tied,
            decided=self._decided,
        )

    def _spoke(self, *judges: Judge) -> bool:
        """Whether each has a word on a page as it is now; what was said of a text that is gone is none."""
        return all(self._counted[judge].asked for judge in judges)

    @staticmethod
    def _ordered(judge: _Counted) -> dict[str, dict[str, int]]:
        return {scale.name: {label: judge.labels[scale.name][label] for label in scale.labels} for scale in SCALES}

    def _all(self, scale: Scale, resampling: Resampling) -> JuryAgreement:
        return JuryAgreement(
            scale=scale.name,
            judges=tuple(judge.name for judge in self._jury if self._spoke(judge)),
            agreement=many_raters(
                self._ballots[scale.name],
                scale.labels,
                clusters=self._responses,
                statistics=_MANY,
                resampling=resampling,
            ),
        )
