"""Does the test of a judge that stands in for people keep its size, and do the figures of a judge's errors hold?

    python -m tests.bench.stand_in --studies 1000

Made-up studies of responses with 1 or 4 statements. Each person says what is right with a chance of .85, the judge with
one of its own; the chances of the statements of one response are alike (correlation .2), and those of the people are
the same, so that hard responses are hard for all of them.

Printed first, by statements and people: how often the test of one person rejects where the judge is worse by just
epsilon (size, 5% is nominal), with responses as clusters, with independent items, and by Wilcoxon's test (ranks), which
the paper names for few items and the program does not make. How often the judge wins against half of the people there,
and where it is as good as they are (power).

Then how many 95% intervals of the average advantage probability hold the truth where the judge is as good as people, of
those that were given, and their mean width. A few items give few different shares, so that whether their intervals hold
a certain truth is partly luck: ``near`` is the same over judges that are right .81, .83, .85, .87 and .89 times of 1,
as many studies of each.

Then the corrected rate (Rogan & Gladen) beside the estimate with the verdicts, on the studies of ``estimate_coverage``.
Then the calibration error, the Brier score and the confidence minus the share right, of a judge that is calibrated, of
one that is too sure whatever it states, and of one that is so only where it states .95.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Final

from scipy.stats import wilcoxon

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.calibration import Confident, calibration
from medreview.stats.formulas.human_baseline import EPSILON, LEAST_ITEMS, StandIn, alternative_annotator
from medreview.stats.formulas.prediction_powered import error_corrected, prediction_powered
from tests.bench.estimate_coverage import Tally, made_up

RIGHT: Final = 0.85
NEAR: Final = (0.81, 0.83, 0.85, 0.87, 0.89)
SIZES: Final = ((20, 1), (30, 1), (50, 1), (100, 1), (100, 4), (200, 4), (400, 4))
"""Items, and items of a response."""
ALIKE: Final = 0.2
WORLD: Final = 150_000
LEVEL: Final = 0.05


def labels(
    rng: random.Random, items: int, per_response: int, people: int, judge: float
) -> tuple[dict[str, bool], dict[str, dict[str, bool]], dict[str, int]]:
    """What the judge and the people say of items, and the response of each."""
    said: dict[str, bool] = {}
    told: dict[str, dict[str, bool]] = {f"p{number}": {} for number in range(people)}
    clusters: dict[str, int] = {}
    for response in range(items // per_response):
        person, machine = _beta(rng, RIGHT), _beta(rng, judge)
        for place in range(per_response):
            item, truth = f"{response}.{place}", rng.random() < 0.7
            clusters[item] = response
            said[item] = truth if rng.random() < machine else not truth
            for held in told.values():
                held[item] = truth if rng.random() < person else not truth
    return said, told, clusters


def test(rng: random.Random, items: int, per_response: int, people: int, judge: float) -> StandIn:
    """The test on one study."""
    return alternative_annotator("judge", *labels(rng, items, per_response, people, judge))


@cache
def truth(people: int, judge: float) -> tuple[float, float]:
    """The mean advantage of the judge, and how much larger a person's is."""
    found = test(random.Random("world"), WORLD // 5, 1, people, judge)
    shares = [one.advantage.value or 0.0 for one in found.people]
    return fmean(shares), fmean((one.person_advantage or 0.0) for one in found.people) - fmean(shares)


@cache
def just_worse(people: int) -> float:
    """How often a judge is right that is worse than a person by epsilon."""
    low, high = 0.3, RIGHT
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (middle, high) if truth(people, middle)[1] > EPSILON else (low, middle)
    return (low + high) / 2


def by_ranks(said: Mapping[str, bool], told: Mapping[str, Mapping[str, bool]]) -> float:
    """The p of Wilcoxon's test against the first person, which the paper names for fewer than 30 items."""
    first, *rest = told.values()
    moved = []
    for item, own in first.items():
        person, judge = (sum(held[item] == label for held in rest) for label in (own, said[item]))
        moved.append((person >= judge) - (judge >= person) - EPSILON)
    return float(wilcoxon(moved, alternative="less").pvalue)


def annotators(studies: int) -> Iterator[str]:
    """A row for each number of items, of statements a response, and of people."""
    heads = ("size", "indep.", "ranks", "wins", "power")
    yield f"{'items':>5} {'each':>4} {'people':>6} {' '.join(f'{head:>6}' for head in heads)}"
    for people in (3, 5):
        worse = just_worse(people)
        for items, per_response in SIZES:
            rejected, independent, ranks, wins, power = 0, 0, 0, 0, 0
            for number in range(studies):
                rng = random.Random(f"{number}/{items}/{per_response}/{people}")
                made = labels(rng, items, per_response, people, worse)
                under = alternative_annotator("judge", *made)
                rejected += sum(one.p is not None and one.p < LEVEL for one in under.people)
                independent += sum(one.p_independent is not None and one.p_independent < LEVEL for one in under.people)
                ranks += by_ranks(*made[:2]) < LEVEL
                wins += bool(under.may_stand_in)
                equal = test(rng, items, per_response, people, RIGHT)
                power += bool(equal.may_stand_in)
            tests = studies * people
            yield (
                f"{items:>5} {per_response:>4} {people:>6} {rejected / tests:>6.1%} {independent / tests:>6.1%} "
                f"{ranks / studies:>6.1%} {wins / studies:>6.1%} {power / studies:>6.1%}"
            )


def advantages(studies: int) -> Iterator[str]:
    """A row for each number of items and of people: the intervals of the average advantage probability."""
    yield f"{'items':>5} {'each':>4} {'people':>6} {'given':>6} {'covers':>6} {'width':>6} {'near':>6}"
    for people in (3, 5):
        for items, per_response in SIZES:
            if items < LEAST_ITEMS:
                continue
            here, near = Tally(), Tally()
            for number in range(studies):
                rng = random.Random(f"advantage/{number}/{items}/{per_response}/{people}")
                for tally, judge in ((here, RIGHT), (near, NEAR[number % len(NEAR)])):
                    found = test(rng, items, per_response, people, judge)
                    tally.add(found.advantage, truth(people, judge)[0])
            yield (
                f"{items:>5} {per_response:>4} {people:>6} {here.given / studies:>6.1%} "
                f"{here.held / max(1, here.given):>6.1%} {here.width / max(1, here.given):>6.3f} "
                f"{near.held / max(1, near.given):>6.1%}"
            )


def corrected(studies: int) -> Iterator[str]:
    """A row for each audit, share and agreement: the corrected rate beside the prediction-powered one."""
    yield f"{'audit':>5} {'share':>5} {'agree':>5} {'given':>6} {'study':>12} {'at large':>12} {'powered':>12}"
    for audit in (60, 80, 150):
        for share in (0.6, 0.8, 0.9):
            for agreement in (0.7, 0.8, 0.9, 0.95):
                tallies: dict[str, Tally] = defaultdict(Tally)
                for number in range(studies):
                    study = made_up(random.Random(f"rg/{number}/{share}/{agreement}/{audit}"), share, agreement, audit)
                    found = error_corrected("rate", study.sampled, study.predicted, study.verdicts)
                    powered = prediction_powered("rate", study.sampled, study.predicted, study.verdicts)
                    tallies["study"].add(found.study, study.truth)
                    tallies["large"].add(found.at_large, share)
                    tallies["powered"].add(powered.study, study.truth)
                cells = "".join(
                    f"{tallies[name].held / max(1, tallies[name].given):>7.1%} "
                    f"{tallies[name].width / max(1, tallies[name].given):.2f} "
                    for name in ("study", "large", "powered")
                )
                yield f"{audit:>5} {share:>5} {agreement:>5} {tallies['study'].given / studies:>6.1%} {cells}"


_STATED: Final = (0.55, 0.65, 0.75, 0.85, 0.95)


_SURE: Final = {
    "0": (0.0, 0.0, 0.0, 0.0, 0.0),
    "0.05": (0.05, 0.05, 0.05, 0.05, 0.05),
    "0.1": (0.1, 0.1, 0.1, 0.1, 0.1),
    "0.2": (0.2, 0.2, 0.2, 0.2, 0.2),
    "0.2 at .95": (0.0, 0.0, 0.0, 0.0, 0.2),
}
"""How much too high each of these confidences is."""


def confident(rng: random.Random, responses: int, sure: Sequence[float]) -> list[Confident]:
    """Four verdicts a response; ``sure``: how much too high each of the confidences is."""
    found = []
    for response in range(responses):
        shift = rng.gauss(0, 0.08)
        for _ in range(4):
            place = rng.randrange(len(_STATED))
            stated = _STATED[place]
            found.append(Confident(stated, rng.random() < min(1.0, max(0.0, stated - sure[place] + shift)), response))
    return found


def calibrated(studies: int) -> Iterator[str]:
    """A row for each number of responses, of a judge that is calibrated and of one that is not."""
    fast = Resampling(replicates=999)
    yield f"{'resp':>5} {'too sure':>10} {'error':>12} {'mean':>10} {'true':>6} {'Brier':>12} {'sure - right':>13}"
    for name, sure in _SURE.items():
        world = calibration(confident(random.Random("world"), WORLD, sure), resampling=Resampling(replicates=9))
        true = [figure.value or 0.0 for figure in (world.error, world.brier, world.overconfidence)]
        for responses in (30, 100, 300):
            tallies = [Tally(), Tally(), Tally()]
            errors = []
            for number in range(studies):
                found = calibration(
                    confident(random.Random(f"c/{number}/{responses}"), responses, sure), resampling=fast
                )
                errors.append(found.error.value or 0.0)
                for tally, figure, value in zip(
                    tallies, (found.error, found.brier, found.overconfidence), true, strict=True
                ):
                    tally.add(figure, value)
            cells = [f"{one.held / max(1, one.given):.1%} {one.width / max(1, one.given):.2f}" for one in tallies]
            yield (
                f"{responses:>5} {name:>10} {cells[0]:>12} {fmean(errors):>10.3f} {true[0]:>6.3f} {cells[1]:>12} "
                f"{cells[2]:>13}"
            )


def _beta(rng: random.Random, mean: float) -> float:
    spread = (1 - ALIKE) / ALIKE
    return rng.betavariate(mean * spread, (1 - mean) * spread)


def main() -> None:
    """Read the arguments, simulate, print the tables as they come."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", choices=("annotators", "advantages", "corrected", "calibrated"), action="append")
    wanted = parser.parse_args()
    parts = {"annotators": annotators, "advantages": advantages, "corrected": corrected, "calibrated": calibrated}
    for name, rows in parts.items():
        if not wanted.only or name in wanted.only:
            for row in rows(wanted.studies):
                print(row, flush=True)
            print()


if __name__ == "__main__":
    main()
