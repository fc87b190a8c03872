"""How long 9,999 clustered resamples of many pairs take, against a loop over scikit-learn in the same run.

    OMP_NUM_THREADS=1 uv run --with scikit-learn python -m tests.bench.bootstrap_speed

Made-up labels of two raters on `--pairs` statements in responses of `--per-response`. Printed for each number of
labels: the processor's time of kappa with both intervals, clustered and not, from lists of labels; of the clustered
draws alone; and that of the same number of resamples in a loop that draws responses and calls `cohen_kappa_score`,
which is timed on `--loops` of them. Without scikit-learn the loop is left out.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import Ints, Resampling, contributions, count_cells, draw


def made(rng: np.random.Generator, responses: int, each: int, labels: int) -> tuple[Ints, Ints, Ints]:
    """Labels of both raters and the response of each statement; a fifth of the responses is hard."""
    shape = (responses, each)
    first = rng.choice(labels, shape, p=[0.7] + [0.3 / (labels - 1)] * (labels - 1))
    wrong = rng.random(shape) < np.where(rng.random((responses, 1)) < 0.2, 0.5, 0.05)
    second = np.where(wrong, rng.integers(0, labels, shape), first)
    return first.ravel(), second.ravel(), np.repeat(np.arange(responses), each)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least processor time of some runs."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def loop(score: Any, first: Ints, second: Ints, responses: int, each: int, times: int) -> float:
    """Seconds of one resample in a loop over scikit-learn's kappa."""
    rng = np.random.default_rng(1)

    def work() -> None:
        for _ in range(times):
            rows = (rng.integers(0, responses, responses)[:, None] * each + np.arange(each)).ravel()
            score(first[rows], second[rows])

    return seconds(work, 1) / times


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=58_000)
    parser.add_argument("--per-response", type=int, default=10)
    parser.add_argument("--replicates", type=int, default=9_999)
    parser.add_argument("--loops", type=int, default=20)
    wanted = parser.parse_args()
    try:
        from sklearn.metrics import cohen_kappa_score as score  # type: ignore[import-not-found]
    except ImportError:
        score = None
    responses, each = wanted.pairs // wanted.per_response, wanted.per_response
    again = Resampling(replicates=wanted.replicates)
    print(f"{wanted.pairs:,} pairs in {responses:,} responses, {wanted.replicates:,} replicates, processor time")
    for labels in (2, 4):
        first, second, clusters = made(np.random.default_rng(1), responses, each, labels)
        data = contributions(count_cells(first * labels + second, labels**2, clusters.tolist()))
        lists = first.tolist(), second.tolist(), list(range(labels))

        def whole(lists: Any = lists, clusters: Ints = clusters) -> None:
            two_raters(*lists, clusters=clusters.tolist(), statistics=("cohen_kappa",), resampling=again)

        ours, drawn = seconds(whole), seconds(lambda data=data: draw(data, again))  # type: ignore[misc]
        line = f"{labels} labels: kappa, both intervals {ours * 1000:.0f} ms, the clustered draws {drawn * 1000:.0f} ms"
        if score is not None:
            theirs = loop(score, first, second, responses, each, wanted.loops) * wanted.replicates
            line += f"; a loop over scikit-learn {theirs:.0f} s ({theirs / drawn:,.0f} times the draws)"
        print(f"{line}; {len(data.multiplicity):,} different tables", flush=True)


if __name__ == "__main__":
    main()
