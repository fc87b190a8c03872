"""What stands in the tables on key facts and is no estimate: what texts have cost, how many facts are kept."""

from medreview.stats.formulas.estimate import Estimate, Scale


def mean_of(name: str, value: float, of: int, scale: Scale) -> Estimate:
    """A mean over all there are, and no sample of more."""
    reason = "It is of all there are, and no sample."
    return Estimate(name, value, None, None, "mean", of, reason=reason, scale=scale)
