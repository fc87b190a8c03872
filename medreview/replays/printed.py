"""A figure that a paper prints, and the same computed from the counts beside it: how the two compare."""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.formulas.intervals import proportion


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure of a paper: ``value``, and the ends of its interval where it prints one, as strings of digits.

    ``share``: they are percentages. ``k`` of ``n`` are the counts beside it, 0 if it prints none.
    """

    value: str
    low: str = ""
    high: str = ""
    share: bool = True
    k: int = 0
    n: int = 0

    @property
    def words(self) -> str:
        """As one phrase: ``19.7% (18.6 to 20.7)``."""
        ends = f" ({self.low} to {self.high})" if self.low else ""
        return f"{self.value}{'%' if self.share else ''}{ends}"

    @property
    def counts(self) -> str:
        """``1,090 of 5,543``."""
        return f"{self.k:,} of {self.n:,}"

    def equals(self, ours: Estimate) -> bool:
        """Whether ours, rounded to as many digits, is the same in all that is printed."""
        pairs = zip((self.value, self.low, self.high), (ours.value, ours.low, ours.high), strict=True)
        return all(
            number is not None and self._rounded(printed, number) == printed for printed, number in pairs if printed
        )

    def _rounded(self, printed: str, number: float) -> str:
        return half_up(number * (100 if self.share else 1), len(printed.partition(".")[2]))


Outcome = Literal["equal", "value equal", "differs", "not printed", "missing"]


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One printed figure beside ours.

    ``outcome``: ``equal`` in all that is printed; ``value equal``, but not the interval; ``differs``; ``not printed``:
    it stands beside one that is; ``missing``. ``why``: the reason where they differ, and what stands beside.
    """

    paper: str
    what: str
    printed: str
    ours: Estimate | None
    outcome: Outcome
    why: str = ""


def wald(name: str, k: int, n: int) -> Estimate:
    """A share with the textbook's normal interval, which some papers print; here for comparison only."""
    share = k / n
    half = NormalDist().inv_cdf(0.975) * math.sqrt(share * (1 - share) / n)
    return Estimate(name, share, share - half, share + half, "Wald", n, scale="share")


def row(paper: str, what: str, printed: Printed, ours: Estimate, why: str = "") -> Reproduced:
    """A printed figure beside ours."""
    equal = printed.equals(ours)
    value = equal or replace(printed, low="", high="").equals(ours)
    outcome: Outcome = "equal" if equal else "value equal" if value else "differs"
    counts = f", {printed.counts}" if printed.n else ""
    return Reproduced(paper, what, printed.words + counts, ours, outcome, why)


def share(what: str, printed: Printed) -> Estimate:
    """The share of the printed counts with Wilson's interval."""
    return proportion(what, printed.k, printed.n, nothing="")


def of_whole_number(paper: str, what: str, printed: Printed, why: str = "") -> Reproduced:
    """A printed share of ``printed.n`` items, whose count is not printed, beside the nearest that there can be."""
    n, wanted = printed.n, float(printed.value) * printed.n / 100
    k = printed.k or min(range(n + 1), key=lambda count: abs(count - wanted))
    ours = proportion(what, k, n, nothing="")
    equal = replace(printed, low="", high="").equals(ours)
    about = f"{k:,} of {n:,}: the count is not printed."
    if not equal:
        digits = len(printed.value.partition(".")[2])
        below = int(wanted)
        near = ", ".join(f"{count:,} are {percent(count / n, digits)}" for count in (below, below + 1))
        about = f"No whole number of {n:,} is {printed.value}%: {near}."
    outcome: Outcome = (
        "differs" if not equal else "value equal" if printed.low and not printed.equals(ours) else "equal"
    )
    return Reproduced(paper, what, f"{printed.words} of {n:,}", ours, outcome, f"{about} {why}".strip())


def counts_alone(paper: str, what: str, k: int, n: int) -> Reproduced:
    """A figure of which a paper prints the counts, and neither share nor interval."""
    beside = "Only the counts are printed; share and interval are ours."
    return Reproduced(paper, what, f"{k:,} of {n:,}", proportion(what, k, n, nothing=""), "equal", beside)
