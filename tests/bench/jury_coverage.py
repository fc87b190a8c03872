"""How honest is the interval of a chosen jury? Many made-up studies of equal judges; how often it holds the truth.

    python tests/bench/jury_coverage.py --studies 300 --responses 120

Judges are right with the same probability, so that any choice among them is luck and the truth is known. Statements of
one response share their difficulty. Printed: the mean agreement where juries were chosen, the mean where they were
held out, the truth, and how many of the held-out intervals hold it.
"""

import argparse
import time

import numpy as np

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.reports.reviewer_labels import BINARY, Group
from medreview.stats.reports.small_jury import JuryLabels, small_jury


def study(rng: np.random.Generator, responses: int, judges: int, per_response: int) -> JuryLabels:
    """Equal judges; a response is easy (right in 95%) or hard (55%)."""
    n = responses * per_response
    truth = rng.integers(0, 2, n)
    easy = np.repeat(rng.random(responses) < 0.5, per_response)
    right = rng.random((n, judges)) < np.where(easy, 0.95, 0.55)[:, None]
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    names = tuple(f"r{place // per_response}" for place in range(n))
    return JuryLabels(
        "anna", Group("blind", True), BINARY, tuple(f"j{place}" for place in range(judges)), truth, votes, names,
        (None,) * judges, {},
    )  # fmt: skip


def majority(right: float) -> float:
    """How often two of three such judges or more are right."""
    return right**3 + 3 * right**2 * (1 - right)


def main() -> None:
    """Read the arguments, make the studies, print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--responses", type=int, default=120)
    parser.add_argument("--judges", type=int, default=12)
    parser.add_argument("--per-response", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    rng = np.random.default_rng(wanted.seed)
    truth = majority(0.95) + majority(0.55) - 1
    began, chosen, held, inside = time.perf_counter(), [], [], 0
    for number in range(wanted.studies):
        labels = study(rng, wanted.responses, wanted.judges, wanted.per_response)
        again = Resampling(replicates=999, seed=number)
        (found,) = small_jury(labels, [3], splits=1, resampling=again).choices
        low, high = found.held_out.low, found.held_out.high
        chosen.append(found.training)
        held.append(found.held_out.value)
        inside += low is not None and high is not None and low <= truth <= high
    print(f"truth {truth:.3f}; where chosen {np.mean(chosen):.3f}; held out {np.mean(held):.3f}")
    print(f"{inside} of {wanted.studies} held-out 95% intervals hold the truth ({inside / wanted.studies:.1%})")
    print(f"{time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
