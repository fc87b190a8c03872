"""What the judges say of each other's work: agreement of each two, of all of them, and who abstained how often."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Final

from medreview.judges.votes import Judge
from medreview.labels import TieRule
from medreview.stats.formulas.agreement import ManyAgreement, many_raters
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.alike import Alike
from medreview.stats.reports.comparison import Comparison, Pairing, compare
from medreview.stats.reports.label_scales import SCALES, JuryVerdict, Scale, ScaleLabel, judges_label
from medreview.stats.reports.study_reader import JudgedStatement, Opinion

_MANY: Final = ("mean_pairwise_agreement", "fleiss_kappa", "gwet_ac", "krippendorff_alpha")


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
        self._judges = judges
        self._scales = scales
        self._statements = Alike[Opinion]()

    def add(self, response_id: str, statement: JudgedStatement) -> None:
        """Take up one statement with whatever the judges said of it."""
        self._statements.add(response_id, statement.opinion)

    def figures(self, resampling: Resampling, *, full: bool = True) -> BetweenJudges:
        """Everything, every interval over responses; ``full``: with weighted coefficients of each two."""
        tallies = {judge: _Counted() for judge in self._judges}
        tied = decided = 0
        for said, times in zip(self._statements.kinds, self._statements.counts, strict=True):
            for judge, word in said.by_judge.items():
                tallies[judge].count(word, times)
            if said.together is not None:
                tied += times * said.together.tied
                decided += times * (said.together.verdict is not None or said.together.supported is not None)
        # Who has a word on a page as it is now; what was said of a text that is gone is none.
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

    def _pairing(self, pair: tuple[Judge, Judge], scale: Scale) -> Pairing:
        first, second = pair

        def labels(said: Opinion) -> tuple[ScaleLabel, ScaleLabel] | None:
            both = first in said.by_judge and second in said.by_judge
            return (said.label(first, scale), said.label(second, scale)) if both else None

        pairing = Pairing(first.name, second.name, scale)
        pairing.add_alike(self._statements, labels)
        return pairing

    def _all(self, spoke: Sequence[Judge], resampling: Resampling) -> tuple[JuryAgreement, ...]:
        """On each scale, of the statements that several judges were asked about; nothing where there is none."""
        found = []
        for scale in SCALES:
            told = self._statements.told(partial(_ballot, self._jury, scale))
            if not told:
                return ()
            agreement = many_raters(
                [ballot for _, ballot in told],
                scale.labels,
                clusters=[response_id for response_id, _ in told],
                statistics=_MANY,
                resampling=resampling,
            )
            found.append(JuryAgreement(scale.name, tuple(judge.name for judge in spoke), agreement))
        return tuple(found)


def _ballot(jury: Sequence[Judge], scale: Scale, said: Opinion) -> list[str | None] | None:
    asked = [judge for judge in jury if judge in said.by_judge]
    return [said.label(judge, scale).label for judge in asked] if len(asked) > 1 else None


def _ordered(judge: _Counted) -> dict[str, dict[str, int]]:
    return {scale.name: {label: judge.labels[scale.name][label] for label in scale.labels} for scale in SCALES}
