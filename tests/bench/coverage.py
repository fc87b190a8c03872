"""How often does a 95% interval hold the truth? Made-up studies of few responses, each figure as the program makes it.

    python -m tests.bench.coverage --studies 1000 --responses 15 30 100

A study has R responses of statements, a reviewer and two judges. Settings: statements of one response err together
(strong: a quarter to a third of the responses are hard, half of their statements wrong; weak: a correlation of .08;
none), every response has 8 statements or from 1 to 40, and the rarer label 45% or 10% of the statements, in runs.
True values are those of 200,000 responses. Printed for each figure: the least and the mean share of intervals that
hold the truth over the settings, how wide they are, and in how many studies there is none, by percentiles and as the
program does it; `--each` prints every setting. Last, how often McNemar's test finds a difference at 5% where two
judges are equally good, over responses and with statements taken as independent.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist, fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from medreview.stats.formulas import coefficients as c
from medreview.stats.formulas.agreement import LEADING_PAIR, paired_in_draw
from medreview.stats.formulas.bootstrap import Floats, Resampling, Statistic, contributions, draw
from medreview.stats.formulas.classification import classification, clustered_mcnemar, mcnemar, precisions, recalls
from medreview.stats.formulas.estimate import Estimate, Scale
from medreview.stats.formulas.hypothesis_tests import Side, difference
from medreview.stats.formulas.shared_draws import ResponseSample
from tests.bench.simulation import arguments

WORLD: Final = 200
"""Studies of 1,000 responses that the truth is taken from."""
MEAN_SIZE: Final = 8
LABEL_CORRELATION: Final = 0.3
RIGHT: Final = (0.865, 0.80)
"""How often the two judges say what the reviewer says."""


@dataclass(frozen=True)
class Setting:
    """How statements of a response hang together, how many there are, and how rare the rarer label is."""

    clustering: str
    sizes: str
    minority: float

    def __str__(self) -> str:
        return f"{self.clustering}, {self.sizes} sizes, rarer label {self.minority:.0%}"


SETTINGS: Final = tuple(
    Setting(*each) for each in product(("strong", "weak", "none"), ("equal", "unequal"), (0.45, 0.10))
)


@dataclass(frozen=True)
class Made:
    """Counts per response (..., R, 8): reviewer, first judge, second judge, each 0 (the rarer label) or 1; and ordered
    labels of reviewer and first judge (..., R, 9)."""

    binary: Floats
    ordered: Floats


def make(rng: np.random.Generator, setting: Setting, studies: int, responses: int) -> Made:
    """Studies of a setting."""
    shape = (studies, responses)
    if setting.sizes == "equal":
        sizes = np.full(shape, MEAN_SIZE)
    else:
        sizes = np.clip(np.round(np.exp(rng.normal(1.75, 0.8, shape))), 1, 40).astype(int)
    most = int(sizes.max())
    there = np.arange(most) < sizes[..., None]
    shared, own = rng.standard_normal((*shape, 1)), rng.standard_normal((*shape, most))
    latent = math.sqrt(LABEL_CORRELATION) * shared + math.sqrt(1 - LABEL_CORRELATION) * own
    first = latent >= NormalDist().inv_cdf(setting.minority)
    judges = [first ^ _wrong(rng, setting.clustering, 1 - right, (*shape, most)) for right in RIGHT]
    cells = first * 4 + judges[0] * 2 + judges[1]
    binary = np.stack([((cells == k) & there).sum(-1) for k in range(8)], -1)
    # The middle label is the upper half of the rarer two; a wrong judge is one step off, to the middle or away from it.
    level = np.where(latent < NormalDist().inv_cdf(setting.minority), 0, np.where(latent < 0.5, 1, 2))
    off = _wrong(rng, setting.clustering, 1 - RIGHT[0], (*shape, most))
    other = np.where(off, np.where(level == 1, 2 * (rng.random((*shape, most)) < 0.5), 1), level)
    codes = level * 3 + other
    return Made(binary.astype(float), np.stack([((codes == k) & there).sum(-1) for k in range(9)], -1).astype(float))


def _wrong(rng: np.random.Generator, clustering: str, rate: float, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which statements a judge gets wrong."""
    responses = shape[:-1]
    if clustering == "strong":
        share = np.where(rng.random(responses) < (rate - 0.02) / 0.48, 0.5, 0.02)
    elif clustering == "weak":
        size = 1 / 0.08 - 1
        share = rng.beta(rate * size, (1 - rate) * size, responses)
    else:
        share = np.full(responses, rate)
    return np.asarray(rng.random(shape) < share[..., None], dtype=np.bool_)


def against(sums: Floats, judge: int) -> Floats:
    """Tables of reviewer and judge (..., 2, 2) from sums of the eight cells."""
    return np.asarray(sums.reshape(*sums.shape[:-1], 2, 2, 2).sum(axis=-1 if judge == 0 else -2))


def _agree(judge: int) -> Statistic:
    return lambda sums: c.observed_agreement(against(sums, judge))


def _kappa(judge: int) -> Statistic:
    return lambda sums: c.cohen_kappa(against(sums, judge))


def _share(top: int, under: int) -> Statistic:
    return lambda sums: c.ratio(sums[..., top], sums[..., under])


def support(units: Floats) -> Floats:
    """Per response: statements that the first judge supports, statements; whether it supports all, one."""
    yes = units[..., (2, 3, 6, 7)].sum(axis=-1)
    every = units.sum(axis=-1)
    return np.stack([yes, every, yes == every, np.ones_like(every)], axis=-1)


def two_models(units: Floats) -> Floats:
    """Statements right and statements of one model in a third of the responses, of the other in the rest (R x 4)."""
    right, every = units[..., (0, 1, 6, 7)].sum(axis=-1), units.sum(axis=-1)
    mine = np.arange(units.shape[-2]) % 3 == 0
    return np.stack([right * mine, every * mine, right * ~mine, every * ~mine], axis=-1)


def figures(study: Made, place: int, again: Resampling) -> Iterator[tuple[str, Estimate]]:
    """Every figure of one study, by the functions that the reports call."""
    units = study.binary[place]
    tables = against(units, 0).reshape(len(units), 4)
    sums = draw(contributions(tables), again)
    found = paired_in_draw(tables, sums, (0, 1), resampling=again).agreement(LEADING_PAIR)
    yield from zip(("percent agreement", "kappa", "AC1"), found.values(), strict=True)
    ordered = study.ordered[place]
    steps = paired_in_draw(ordered, draw(contributions(ordered), again), (0, 1, 2), resampling=again)
    (weighted,) = steps.agreement(("cohen_kappa",), "quadratic").values()
    yield "weighted kappa, 3 labels", weighted
    sample = ResponseSample(("yes", "all", "wholly", "one"), support(units).tolist(), again)
    yield "share of support", sample.share("share", "yes", "all", undefined="", whole="supported")
    yield "response-level share", sample.share("wholly", "wholly", "one", undefined="", whole="supported")
    sums, size = draw(contributions(units), again), np.ones(8)
    asked: tuple[tuple[str, Callable[[int], Statistic], Scale], ...] = (
        ("two judges, percent", _agree, "share_difference"), ("two judges, kappa", _kappa, "coefficient_difference"),
    )  # fmt: skip
    for name, finish, scale in asked:
        sides = (Side("a", finish(0), size), Side("b", finish(1), size))
        yield name, difference(*sides, name, units, sums, scale=scale, paired=True, resampling=again).estimate
    parts = two_models(units)
    models = Side("a", _share(0, 1), np.array([0, 1.0, 0, 0])), Side("b", _share(2, 3), np.array([0, 0, 0, 1.0]))
    drawn = draw(contributions(parts), again)
    apart = difference(*models, "percent", parts, drawn, scale="share_difference", resampling=again)
    yield "two models, percent", apart.estimate
    cells = np.repeat(np.tile(np.arange(4), len(tables)), tables.astype(int).ravel())
    clusters = np.repeat(np.arange(len(tables)), tables.sum(axis=1).astype(int)).tolist()
    told = classification((cells // 2).tolist(), (cells % 2).tolist(), (0, 1), clusters=clusters, resampling=again)
    yield "precision, rarer label", told.precision[0]
    yield "recall, rarer label", told.recall[0]


def truths(rng: np.random.Generator, setting: Setting) -> Mapping[str, float]:
    """The same figures on a world of responses."""
    units, parts, ordered = np.zeros(8), np.zeros(4), np.zeros((3, 3))
    for _ in range(WORLD // 10):
        made = make(rng, setting, 10, 1000)
        units += made.binary.sum(axis=(0, 1))
        parts += support(made.binary).sum(axis=(0, 1))
        ordered += made.ordered.sum(axis=(0, 1)).reshape(3, 3)
    table = against(units, 0)
    agreed = [float(c.observed_agreement(against(units, judge))) for judge in (0, 1)]
    kappas = [float(c.cohen_kappa(against(units, judge))) for judge in (0, 1)]
    return {
        "percent agreement": agreed[0],
        "kappa": kappas[0],
        "AC1": float(c.gwet_ac(table)),
        "weighted kappa, 3 labels": float(c.cohen_kappa(ordered, "quadratic")),
        "share of support": parts[0] / parts[1],
        "response-level share": parts[2] / parts[3],
        "two judges, percent": agreed[0] - agreed[1],
        "two judges, kappa": kappas[0] - kappas[1],
        "two models, percent": 0.0,
        "precision, rarer label": float(precisions(table)[0]),
        "recall, rarer label": float(recalls(table)[0]),
    }


@dataclass
class Tally:
    """Of a setting: how many intervals hold the truth, of how many, their widths, and how many studies have none."""

    holds: int = 0
    intervals: int = 0
    width: float = 0.0
    none: int = 0

    def add(self, figure: Estimate, truth: float) -> None:
        """Count one study."""
        if figure.low is None or figure.high is None:
            self.none += 1
            return
        self.intervals += 1
        self.holds += figure.low <= truth <= figure.high
        self.width += figure.high - figure.low

    @property
    def cover(self) -> float:
        """The share of intervals that hold the truth."""
        return self.holds / self.intervals if self.intervals else math.nan


METHODS: Final[Mapping[str, Callable[[int], Resampling]]] = {
    "percentiles": lambda seed: Resampling(replicates=999, seed=seed, interval="percentile"),
    "the program": lambda seed: Resampling(replicates=199, seed=seed),
}


def covered(responses: int, studies: int, seed: int, *, each: bool) -> None:
    """Print the table for one number of responses."""
    found: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for setting in SETTINGS:
        rng = np.random.default_rng([seed, responses, SETTINGS.index(setting)])
        known = truths(rng, setting)
        made = make(rng, setting, studies, responses)
        for method, again in METHODS.items():
            tallies = {name: Tally() for name in known}
            for place in range(studies):
                for name, figure in figures(made, place, again(place)):
                    tallies[name].add(figure, known[name])
            for name, tally in tallies.items():
                found[name, method].append(tally)
    print(f"\n{responses} responses" + " " * 16 + "".join(f"{method:>35}" for method in METHODS))
    print(" " * 26 + f"{'least':>14}{'mean':>7}{'width':>7}{'none':>7}" * len(METHODS))
    for name in dict.fromkeys(name for name, _ in found):
        line = ""
        for method in METHODS:
            tallies_of = found[name, method]
            width = fmean(tally.width / tally.intervals for tally in tallies_of if tally.intervals)
            none = sum(tally.none for tally in tallies_of) / studies / len(SETTINGS)
            covers = [tally.cover for tally in tallies_of]
            line += f"{min(covers):14.3f}{fmean(covers):7.3f}{width:7.3f}{none:7.1%}"
        print(f"{name:<26}{line}", flush=True)
        if each:
            for place, setting in enumerate(SETTINGS):
                both = "".join(f"{found[name, method][place].cover:14.3f}{'':21}" for method in METHODS)
                print(f"  {setting!s:<46}{both.strip()}")


def test_sizes(responses: int, studies: int, seed: int) -> None:
    """Print how often McNemar's test rejects at 5% where both judges are right equally often."""
    sizes = []
    for setting in SETTINGS:
        rng = np.random.default_rng([seed, responses, 99, SETTINGS.index(setting)])
        shape = (studies, responses, MEAN_SIZE)
        wrong = [_wrong(rng, setting.clustering, 0.2, shape) for _ in range(2)]
        only = [(wrong[1] & ~wrong[0]).sum(axis=-1), (wrong[0] & ~wrong[1]).sum(axis=-1)]
        pairs = list(zip(*only, strict=True))
        over = fmean((clustered_mcnemar(a.tolist(), b.tolist()).pvalue or 1.0) < 0.05 for a, b in pairs)
        plain = fmean((mcnemar(int(a.sum()), int(b.sum())).pvalue or 1.0) < 0.05 for a, b in pairs)
        sizes.append((over, plain))
    told = ", ".join(f"{min(part):.1%} to {max(part):.1%}" for part in zip(*sizes, strict=True))
    print(f"{responses} responses: McNemar at 5%, over responses and by statements: {told}")


def main() -> None:
    """Read the arguments, simulate, print what was found."""
    parser = arguments(__doc__, studies=400)
    parser.add_argument("--responses", type=int, nargs="+", default=[15, 30, 100])
    parser.add_argument("--each", action="store_true", help="every setting on a line of its own")
    wanted = parser.parse_args()
    began = time.perf_counter()
    for responses in wanted.responses:
        covered(responses, wanted.studies, wanted.seed, each=wanted.each)
    print()
    for responses in wanted.responses:
        test_sizes(responses, 10 * wanted.studies, wanted.seed)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
