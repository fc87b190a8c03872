"""Several models answer the same questions: how often do intervals over responses, and over questions, hold the truth?

    python -m tests.bench.shared_questions --studies 1000 --models 2 4 7 --questions 15 40 100

Each model answers every question with six statements, four of five supported. Statements of one answer resemble each
other (a correlation of .3 on the normal scale); none, half or the whole of that is the question's and shared by all
models. A judge errs on 13.5% of the statements, more on some answers, shared likewise. Printed for the pooled share,
for kappa of judge and reviewer, and for two of the models that are equally good: the share of 95% intervals that hold
the truth, by responses (the models apart) and by questions (paired). Then half the width of the difference of the two
models either way, and how often each finds a true difference of 10 points.
"""

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import NormalDist, fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from medreview.stats.formulas import coefficients as c
from medreview.stats.formulas.agreement import paired_in_draw
from medreview.stats.formulas.bootstrap import Floats, Resampling, Statistic, contributions, draw
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.hypothesis_tests import Side, StatisticDifference, difference
from medreview.stats.formulas.shared_draws import ResponseSample
from tests.bench.coverage import Tally
from tests.bench.simulation import arguments

STATEMENTS: Final = 6
ALIKE: Final = 0.3
SUPPORTED: Final = 0.8
WRONG: Final = 0.135
APART: Final = 0.10
"""The true difference that is to be found."""
SHARED: Final = {"none": 0.0, "half": 0.5, "whole": 1.0}
BY: Final = ("responses", "questions")

FIGURES: Final = ("pooled share", "kappa", "two models")


def _so(rng: np.random.Generator, shared: float, rates: Floats, shape: tuple[int, int, int]) -> NDArray[np.bool_]:
    """Which statements are so (questions x models x statements); ``rates``: of each model."""
    questions, models, _ = shape
    of_question, of_answer = rng.standard_normal((questions, 1, 1)), rng.standard_normal((questions, models, 1))
    hard = math.sqrt(shared) * of_question + math.sqrt(1 - shared) * of_answer
    latent = math.sqrt(ALIKE) * hard + math.sqrt(1 - ALIKE) * rng.standard_normal(shape)
    limits = np.array([NormalDist().inv_cdf(rate) for rate in rates])
    return np.asarray(latent < limits[None, :, None], dtype=np.bool_)


def make(rng: np.random.Generator, questions: int, models: int, shared: float, apart: float) -> Floats:
    """One study: counts (questions x models x 4) of reviewer (supported or not, in rows) beside judge.

    ``apart``: how much worse than the others the second model is.
    """
    shape = (questions, models, STATEMENTS)
    rates = np.full(models, SUPPORTED)
    rates[1] -= apart
    supported, wrong = _so(rng, shared, rates, shape), _so(rng, shared, np.full(models, WRONG), shape)
    cells = 2 * ~supported + (supported == wrong)
    return np.stack([(cells == cell).sum(axis=-1) for cell in range(4)], axis=-1).astype(np.float64)


def clustered(study: Floats, by: str) -> Floats:
    """The study's tables as rows of clusters: all of a question together, or each answer by itself."""
    return study.sum(axis=1) if by == "questions" else study.reshape(-1, 4)


def pooled(study: Floats, by: str, again: Resampling) -> Iterator[tuple[str, Estimate]]:
    """The share of supported statements, and kappa of the judge, of all models together."""
    tables = clustered(study, by)
    rows = np.stack([tables[:, :2].sum(axis=1), tables.sum(axis=1)], axis=-1)
    yield "pooled share", ResponseSample(("yes", "all"), rows, again).share("share", "yes", "all", undefined="")
    sums = draw(contributions(tables), again)
    found = paired_in_draw(tables, sums, (0, 1), resampling=again).agreement(("cohen_kappa",))
    yield "kappa", found["cohen_kappa"]


def two_models(study: Floats, by: str, again: Resampling) -> StatisticDifference:
    """The share of the first model minus that of the second: on the same questions, or as of other responses."""
    sides = [np.stack([study[:, at, :2].sum(axis=-1), study[:, at].sum(axis=-1)], axis=-1) for at in (0, 1)]
    if by == "questions":
        units = np.hstack(sides)
    else:
        nothing = np.zeros_like(sides[0])
        units = np.vstack([np.hstack([sides[0], nothing]), np.hstack([nothing, sides[1]])])
    first, second = Side("a", _share(0), np.array([0, 1.0, 0, 0])), Side("b", _share(2), np.array([0, 0, 0, 1.0]))
    sums = draw(contributions(units), again)
    return difference(first, second, "share", units, sums, scale="share_difference", resampling=again)


def _share(start: int) -> Statistic:
    return lambda sums: c.ratio(sums[..., start], sums[..., start + 1])


def truths() -> Mapping[str, float]:
    """The reviewer's label tells nothing of whether the judge is wrong, so that kappa follows from the two rates."""
    said = SUPPORTED * (1 - WRONG) + (1 - SUPPORTED) * WRONG
    chance = SUPPORTED * said + (1 - SUPPORTED) * (1 - said)
    return {"pooled share": SUPPORTED, "kappa": (1 - WRONG - chance) / (1 - chance), "two models": 0.0}


def covered(models: int, questions: int, shared: str, studies: int, seed: int) -> None:
    """Print one setting."""
    known, tallies = truths(), {(name, by): Tally() for name in FIGURES for by in BY}
    halves, found = defaultdict(list), defaultdict(int)
    for place in range(studies):
        rng = np.random.default_rng([seed, models, questions, list(SHARED).index(shared), place])
        study = make(rng, questions, models, SHARED[shared], 0.0)
        other = make(rng, questions, 2, SHARED[shared], APART)
        for by in BY:
            again = Resampling(replicates=399, seed=place, cluster=by[:-1])
            figures = dict(pooled(study, by, again))
            equal, apart = two_models(study, by, again), two_models(other, by, again)
            figures["two models"] = equal.estimate
            for name, figure in figures.items():
                tallies[name, by].add(figure, known[name])
            halves[by].append((apart.estimate.high - apart.estimate.low) / 2)
            found[by] += apart.pvalue is not None and apart.pvalue < 0.05
    cells = "".join(f"{tallies[name, by].cover:8.3f}" for name in FIGURES for by in BY)
    width = "".join(f"{100 * fmean(halves[by]):8.1f}" for by in BY)
    power = "".join(f"{found[by] / studies:8.1%}" for by in BY)
    print(f"{models:6}{questions:10}{shared:>8}{cells} {width} {power}", flush=True)


def main() -> None:
    """Read the arguments, simulate, print what was found."""
    parser = arguments(__doc__, studies=1000)
    parser.add_argument("--models", type=int, nargs="+", default=[2, 4, 7])
    parser.add_argument("--questions", type=int, nargs="+", default=[15, 40, 100])
    wanted = parser.parse_args()
    began = time.perf_counter()
    names = (*FIGURES, "half width", "power")
    print(f"{'':24}" + "".join(f"{name:>16}" for name in names))
    print(f"{'models':>6}{'questions':>10}{'shared':>8}" + f"{'resp':>8}{'quest':>8}" * len(names))
    for models in wanted.models:
        for questions in wanted.questions:
            for shared in SHARED:
                covered(models, questions, shared, wanted.studies, wanted.seed)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
