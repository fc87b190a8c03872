"""Do the intervals of the audit's estimates hold the truth? Made-up studies of 100 responses of 6 to 8 statements.

    python -m tests.bench.estimate_coverage --studies 1000
    python -m tests.bench.estimate_coverage --studies 100 --plan 6

Statements of one response are alike (correlation 0.2), and so are the errors of the judge (0.1). Each statement is
audited with the same probability, for 60, 80 or 150 on average. Printed for each form of estimate: how many of the 95%
intervals that were given hold the truth (the share of this study, or that of the model for "at large"), and their mean
width; ``none`` is the share of studies without a figure, because fewer than 5 labels were of the rarer kind. Where 5
are hardly expected, that rule itself chooses studies that are off; ``wrong`` is therefore the share of all studies in
which an interval was given that misses.

``--plan``: is the interval as narrow as was planned for? From an audit of 80 the labels are planned, and another study
of the same kind gets so many. Printed for each figure: the median of the labels, and the mean half of the interval.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Final

from medreview.stats.formulas.audit_sampling import (
    AuditedStratum,
    Known,
    Sampled,
    audit_share,
    labels_at_large,
    labels_for,
    share_at_large,
    stratified_share,
    variances,
)
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.prediction_powered import Said, Verdicts, prediction_powered
from tests.bench.simulation import arguments

RESPONSES: Final = 100
ALIKE: Final = 0.2
ERRORS_ALIKE: Final = 0.1
AUDITS: Final = (60, 80, 150)
SHARES: Final = (0.6, 0.7, 0.8, 0.9, 0.95)
AGREEMENTS: Final = (0.6, 0.7, 0.8, 0.9, 0.95)
HARDER: Final = 0.15
"""How much less the second of two models has supported, for the strata."""


@dataclass
class Tally:
    """Of one form: studies, intervals that hold the truth, intervals, and their widths."""

    studies: int = 0
    held: int = 0
    given: int = 0
    width: float = 0.0

    def add(self, figure: Estimate, truth: float) -> None:
        """Count one study."""
        self.studies += 1
        if figure.low is not None and figure.high is not None:
            self.given += 1
            self.width += figure.high - figure.low
            self.held += figure.low <= truth <= figure.high


@dataclass
class Study:
    """Statements with their truth and verdict, by response, and the audited ones."""

    truth: float
    verdicts: Verdicts
    sampled: list[Sampled] = field(default_factory=list)
    predicted: list[float | None] = field(default_factory=list)
    strata: dict[str, AuditedStratum] = field(default_factory=dict)


def made_up(rng: random.Random, share: float, agreement: float, audit: int, silent: float = 0.0) -> Study:
    """A study; on ``silent`` of the statements the judge has no verdict."""
    rate = audit / (RESPONSES * 7)
    by_response, sampled, predicted = {}, [], []
    sizes: dict[str, int] = defaultdict(int)
    of: dict[str, list[Sampled]] = defaultdict(list)
    true = total = 0
    for response in range(RESPONSES):
        model = "ab"[response % 2]
        easy = beta(rng, min(0.98, share + HARDER / 2 * (1 if model == "a" else -1) * (1 - share) * 4), ALIKE)
        right = beta(rng, agreement, ERRORS_ALIKE)
        told, yes, count = 0, 0, rng.randint(6, 8)
        for _ in range(count):
            value = rng.random() < easy
            said = value if rng.random() < right else not value
            verdict = None if rng.random() < silent else float(said)
            true, total = true + value, total + 1
            told, yes = told + (verdict is not None), yes + (verdict == 1.0)
            sizes[model] += 1
            if rng.random() < rate:
                one = Sampled(float(value), str(response), rate)
                sampled.append(one)
                predicted.append(verdict)
                of[model].append(one)
        by_response[str(response)] = Said(count, told, yes)
    strata = {model: AuditedStratum(size, tuple(of[model])) for model, size in sizes.items()}
    return Study(true / total, Verdicts(by_response), sampled, predicted, strata)


def estimates(study: Study) -> Mapping[str, Estimate]:
    """Every form, by name."""
    size = study.verdicts.size
    free = prediction_powered("free", study.sampled, study.predicted, study.verdicts)
    fixed = prediction_powered("fixed", study.sampled, study.predicted, study.verdicts, weight=1.0)
    return {
        "audit": audit_share("audit", study.sampled, size),
        "strata": stratified_share("strata", study.strata),
        "powered": free.study,
        "lambda 1": fixed.study,
        "audit, large": share_at_large("audit", study.sampled),
        "powered, large": free.at_large,
        "lambda 1, large": fixed.at_large,
    }


def simulate(
    studies: int, share: float, agreement: float, audit: int, *, seed: int = 1, silent: float = 0.0
) -> dict[str, Tally]:
    """The tallies of so many studies, by form."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    large = _at_large(share)
    for number in range(studies):
        study = made_up(random.Random(f"{seed}/{number}/{share}/{agreement}/{audit}"), share, agreement, audit, silent)
        for name, figure in estimates(study).items():
            tallies[name].add(figure, large if name.endswith("large") else study.truth)
    return tallies


def planned(studies: int, share: float, agreement: float, points: float) -> Iterator[str]:
    """For each figure: its name, the labels that were planned, and half of the interval that they gave, in points."""
    labels: dict[str, list[int]] = defaultdict(list)
    halves: dict[str, list[float]] = defaultdict(list)
    for number in range(studies):
        first = made_up(random.Random(f"plan/{number}"), share, agreement, 80)
        size, found = first.verdicts.size, estimates(first)
        ratio = prediction_powered("s", first.sampled, first.predicted, first.verdicts).variance_ratio
        value = found["audit"].value
        if value is None or ratio is None:
            continue
        of = len({one.cluster for one in first.sampled})
        known = Known(value, len(first.sampled), size, of, RESPONSES, variances(first.sampled, size), ratio)
        for plan in (
            labels_for("audit", known, size, points),
            labels_for("powered", known, size, points, with_verdicts=True),
            labels_at_large("audit, large", known, points),
            labels_at_large("powered, large", known, points, with_verdicts=True),
        ):
            if plan.labels is None:
                continue
            then = estimates(made_up(random.Random(f"then/{number}"), share, agreement, plan.labels))[plan.name]
            if then.low is not None and then.high is not None:
                labels[plan.name].append(plan.labels)
                halves[plan.name].append((then.high - then.low) / 2)
    for name, held in labels.items():
        yield f"{name}: {median(held):.0f} labels, {mean(halves[name]) * 100:.1f} ({len(held)} of {studies} studies)"


def _at_large(share: float) -> float:
    """The mean of the two models' shares."""
    shift = HARDER / 2 * (1 - share) * 4
    return (min(0.98, share + shift) + share - shift) / 2


def beta(rng: random.Random, mean: float, alike: float) -> float:
    """A chance of one response: around ``mean``, with this correlation within responses."""
    spread = (1 - alike) / alike
    return rng.betavariate(mean * spread, (1 - mean) * spread)


def main() -> None:
    """Read the arguments, simulate, print a row for each audit, share and agreement."""
    parser = arguments(__doc__, studies=1000)
    parser.add_argument("--silent", type=float, default=0.0, help="Share of statements without a verdict.")
    parser.add_argument("--plan", type=float, help="Points to either side.")
    parser.add_argument("--audit", type=int, action="append")
    wanted = parser.parse_args()
    if wanted.plan is not None:
        for share, agreement in ((0.8, 0.9), (0.7, 0.8), (0.8, 0.6)):
            print(f"share {share}, agreement {agreement}")
            print(*(f"  {line}" for line in planned(wanted.studies, share, agreement, wanted.plan / 100)), sep="\n")
        return
    forms = list(estimates(made_up(random.Random(1), 0.8, 0.8, 80)))
    print(f"{'audit':>5} {'share':>5} {'agree':>5} {'none':>6}" + "".join(f"{form:>17}" for form in forms))
    worst: dict[str, list[float]] = defaultdict(list)
    for audit in wanted.audit or AUDITS:
        for share in SHARES:
            for agreement in AGREEMENTS:
                found = simulate(wanted.studies, share, agreement, audit, seed=wanted.seed, silent=wanted.silent)
                row = f"{audit:>5} {share:>5} {agreement:>5} {1 - found['audit'].given / found['audit'].studies:>6.1%}"
                for form in forms:
                    one = found[form]
                    covers = one.held / one.given if one.given else float("nan")
                    wrong = (one.given - one.held) / one.studies
                    row += f"{covers:>8.1%} {one.width / max(1, one.given):.2f} {wrong:.0%}".rjust(17)
                    if audit * (1 - share) >= 8:
                        worst[form].append(covers)
                print(row, flush=True)
    print("where 8 labels or more of the rarer kind are expected:")
    for form, shares in worst.items():
        print(f"{form:<18} {min(shares):.1%} to {max(shares):.1%}, mean {sum(shares) / len(shares):.1%}")


if __name__ == "__main__":
    main()
