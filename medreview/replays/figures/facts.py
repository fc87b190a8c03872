"""What stands in the tables on key facts and is no estimate: what texts have cost, how many facts are kept."""

from medreview.stats.formulas.estimate import Estimate


def mean_of(name: str, value: float, of: int) -> Estimate:
    """A mean over all there are, and no sample of more."""
    return Estimate(name, value, None, None, "mean", of, reason="It is of all there are, and no sample.")
