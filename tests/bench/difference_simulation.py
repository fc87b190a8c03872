"""Do the intervals of differences in an audit hold the truth? Two models by audit and verdicts; assisted minus blind.

    python -m tests.bench.difference_simulation --studies 1000

Studies as in ``estimate_coverage``: two models of 50 responses each, statements of a response alike (0.2), the judge
right so often, errors alike (0.1), and by so much more often on the first model. Printed for each row: the share of all
statements, how often the judge is right on each model, the labels; of the difference of the two models by audit and
verdicts in this study, in answers like these, and by the audit alone, how many of the intervals that were given hold
the truth, with their mean width; ``none`` is the share of studies without a figure.

Then, for randomised assistance, how many intervals of the difference hold the truth for a reviewer who agrees with the
judges so often when blind, and so much more often when they are in sight. ``near``: how often she agrees when blind is
.04 less to .04 more than that, each of five as often. A few labels give few different shares, so that whether a certain
truth is in their intervals is partly luck.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from medreview.stats.formulas.audit_sampling import Sampled, audit_share
from medreview.stats.formulas.intervals import share_difference
from medreview.stats.formulas.prediction_powered import Said, Verdicts, prediction_powered
from medreview.stats.reports.audit_differences import arm_share
from tests.bench.estimate_coverage import ALIKE, ERRORS_ALIKE, Tally, beta
from tests.bench.simulation import arguments

RESPONSES: Final = 50
STATEMENTS: Final = 7
ROWS: Final = (
    (0.6, 0.7, 0.0, 120), (0.6, 0.9, 0.0, 120), (0.7, 0.8, 0.0, 120), (0.8, 0.8, 0.0, 160), (0.8, 0.9, 0.0, 160),
    (0.7, 0.75, 0.15, 120), (0.8, 0.8, 0.15, 160), (0.7, 0.8, 0.0, 300), (0.8, 0.8, 0.15, 300),
)  # fmt: skip
"""Share, how often the judge is right, how much more often on the first model, labels."""
HARDER: Final = 0.1
"""How much less the second model has supported."""
BIASES: Final = ((0.6, 0.0), (0.6, 0.2), (0.75, 0.1), (0.9, 0.0), (0.9, 0.07))
AUDITS: Final = (60, 120, 240)
AROUND: Final = (-0.04, -0.02, 0.0, 0.02, 0.04)


class Model:
    """One model's statements, verdicts and audited statements."""

    def __init__(self, rng: random.Random, name: str, share: float, right: float, rate: float) -> None:
        self.true, self.size = 0, 0
        self.sampled: list[Sampled] = []
        self.predicted: list[float | None] = []
        said: dict[str, Said] = {}
        for response in range(RESPONSES):
            easy, sure = beta(rng, share, ALIKE), beta(rng, right, ERRORS_ALIKE)
            yes = 0
            for _ in range(STATEMENTS):
                value = rng.random() < easy
                word = value if rng.random() < sure else not value
                self.true, self.size, yes = self.true + value, self.size + 1, yes + word
                if rng.random() < rate:
                    self.sampled.append(Sampled(float(value), f"{name}{response}", rate))
                    self.predicted.append(float(word))
            said[f"{name}{response}"] = Said(STATEMENTS, STATEMENTS, yes)
        self.powered = prediction_powered("p", self.sampled, self.predicted, Verdicts(said))
        self.alone = audit_share("a", self.sampled, self.size)


def models(studies: int, share: float, right: float, more: float, labels: int, seed: int) -> dict[str, Tally]:
    """The tallies of one row."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    rate = labels / (2 * RESPONSES * STATEMENTS)
    for number in range(studies):
        rng = random.Random(f"{seed}/{number}/{share}/{right}/{more}/{labels}")
        shares = share + HARDER / 2, share - HARDER / 2
        first = Model(rng, "a", shares[0], right + more, rate)
        second = Model(rng, "b", shares[1], right, rate)
        here = first.true / first.size - second.true / second.size
        for name, one, other, truth in (
            ("study", first.powered.study, second.powered.study, here),
            ("at large", first.powered.at_large, second.powered.at_large, HARDER),
            ("alone", first.alone, second.alone, here),
        ):
            tallies[name].add(share_difference(name, one, other), truth)
    return tallies


def assisted(
    studies: int, about: float, bias: float, labels: int, seed: int, around: Sequence[float] = (0.0,)
) -> Tally:
    """Of one reviewer; how often both agree differs from response to response in both halves alike.

    The judges in sight sway the reviewer on the same share of the statements where she would not agree.
    """
    tally, swayed = Tally(), bias / (1 - about)
    for number in range(studies):
        agreement = about + around[number % len(around)]
        rng = random.Random(f"{seed}/{number}/{agreement}/{bias}/{labels}")
        halves: dict[bool, list[Sampled]] = {True: [], False: []}
        for place in range(labels):
            if place % 3 == 0:
                like = beta(rng, agreement, ALIKE)
            helped = rng.random() < 0.5
            agrees = rng.random() < like or (helped and rng.random() < swayed)
            halves[helped].append(Sampled(float(agrees), place // 3, 0.1))
        arms = [arm_share(str(helped), halves[helped]) for helped in (True, False)]
        tally.add(share_difference("d", *arms), swayed * (1 - agreement))
    return tally


def _cell(tally: Tally) -> str:
    return f"{tally.held / max(1, tally.given):.1%} {tally.width / max(1, tally.given):.2f}"


def two_models(studies: int, seed: int) -> None:
    """Print the table of two models."""
    heads = ("share", "right", "labels", "none", "study", "at large", "alone")
    print("".join(f"{head:>14}" for head in heads))
    for share, right, more, labels in ROWS:
        found = models(studies, share, right, more, labels, seed)
        none = 1 - found["study"].given / studies
        said = (f"{share}", f"{right + more:.2f}/{right:.2f}", f"{labels}", f"{none:.0%}")
        print("".join(f"{cell:>14}" for cell in (*said, *map(_cell, found.values()))), flush=True)


def coins(studies: int, seed: int) -> None:
    """Print the table of randomised assistance."""
    print("".join(f"{head:>20}" for head in ("agreement", "bias", *(f"{labels}, near" for labels in AUDITS))))
    for agreement, bias in BIASES:
        cells = []
        for labels in AUDITS:
            here, near = (assisted(studies, agreement, bias, labels, seed, around) for around in ((0.0,), AROUND))
            cells.append(f"{_cell(here)}, {near.held / max(1, near.given):.1%}")
        print("".join(f"{cell:>20}" for cell in (f"{agreement}", f"{bias}", *cells)), flush=True)


def main() -> None:
    """Read the arguments, simulate, print a row for each setting."""
    parser = arguments(__doc__, studies=1000)
    parser.add_argument("--only", choices=("models", "assisted"))
    wanted = parser.parse_args()
    if wanted.only != "assisted":
        two_models(wanted.studies, wanted.seed)
    if wanted.only != "models":
        coins(wanted.studies, wanted.seed)


if __name__ == "__main__":
    main()
