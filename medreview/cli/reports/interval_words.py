"""How an interval was made, in the words of the reports."""

from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.thresholds import JACKKNIFE_BELOW


def method_word(method: str) -> str:
    """The method of a figure as one word for a column; ``""`` where none was used."""
    if method.startswith("jackknife"):
        return "jackknife"
    return {"Wilson": "Wilson", "none": "", "F interval": "F", "Fisher's z": "Fisher's z"}.get(method, "resampled")


def over_units(resampling: Resampling, unit: str = "response") -> str:
    """What stands behind the intervals over responses of a whole report."""
    return (
        f"below {JACKKNIFE_BELOW} {unit}s a jackknife that leaves out each, with Student's t; from there on percentile "
        f"bootstrap over {unit}s, {resampling.replicates:,} replicates, seed {resampling.seed}"
    )
