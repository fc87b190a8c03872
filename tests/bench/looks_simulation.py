"""Who reads an audit's interval again and again, and stops when it suits: is the interval still right?

    python -m tests.bench.looks_simulation --studies 1000

A study of so many statements, a share of them supported, is drawn in random order. Looks are after every 20 labels
from 40 to 400. Printed for each study and share: how many studies have one look (the last), or any look, at which the
interval of the audit alone misses the share; the same of the interval that is valid at every look, with its mean width
over that of one look at 100 and at 400 labels; and, with a plan, how many of the final intervals hold the share where
the audit stops at the first label that makes half of the interval 8 and 5 points, with the mean of the labels.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from medreview.stats.formulas.audit_sampling import Sampled, anytime_share, audit_share, first_within
from medreview.stats.formulas.estimate import Estimate
from tests.bench.simulation import arguments

LOOKS: Final = range(40, 401, 20)
SIZES: Final = (700, 5_000)
SHARES: Final = (0.6, 0.8, 0.9)
PLANS: Final = (0.08, 0.05)


def drawn(rng: random.Random, size: int, share: float) -> list[Sampled]:
    """All statements of a study, in the order of the draw."""
    yes = round(share * size)
    values = [1.0] * yes + [0.0] * (size - yes)
    rng.shuffle(values)
    return [Sampled(value, place, 400 / size) for place, value in enumerate(values)]


def misses(found: Estimate, truth: float) -> bool:
    """Whether an interval was given that does not hold the truth."""
    return found.low is not None and found.high is not None and not found.low <= truth <= found.high


def width(found: Estimate) -> float:
    """Of an interval that was given."""
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def simulate(studies: int, size: int, share: float, seed: int) -> Iterator[str]:
    """The figures of one row."""
    missed: Counter[str] = Counter()
    wider: dict[int, list[float]] = defaultdict(list)
    labels: dict[float, list[int]] = defaultdict(list)
    held: Counter[float] = Counter()
    truth = round(share * size) / size
    for number in range(studies):
        order = drawn(random.Random(f"{seed}/{number}/{size}/{share}"), size, share)
        once = {n: audit_share("once", order[:n], size) for n in LOOKS}
        always = {n: anytime_share("always", order[:n], size) for n in LOOKS}
        missed["last"] += misses(once[LOOKS[-1]], truth)
        missed["any"] += any(misses(found, truth) for found in once.values())
        missed["every look"] += any(misses(found, truth) for found in always.values())
        for n in (100, 400):
            if once[n].low is not None:
                wider[n].append(width(always[n]) / width(once[n]))
        for points in PLANS:
            stop = first_within(order, size, points) or size
            labels[points].append(stop)
            held[points] += not misses(audit_share("final", order[:stop], size), truth)
    yield from (f"{missed[name] / studies:.1%}" for name in ("last", "any", "every look"))
    yield from (f"{sum(each) / len(each):.2f}" for each in (wider[100], wider[400]))
    for points in PLANS:
        yield f"{held[points] / studies:.1%} of {sum(labels[points]) / studies:.0f}"


def main() -> None:
    """Read the arguments, simulate, print a row for each size and share."""
    wanted = arguments(__doc__, studies=1000).parse_args()
    heads = ("size", "share", "last", "any", "every look", "wider 100", "wider 400", "plan 8", "plan 5")
    print("".join(f"{head:>14}" for head in heads))
    for size in SIZES:
        for share in SHARES:
            cells = (f"{size}", f"{share}", *simulate(wanted.studies, size, share, wanted.seed))
            print("".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
