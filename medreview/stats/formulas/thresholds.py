"""Below which numbers a figure comes with a caution. Reports, the workbench's panel and the small jury all ask here."""

from typing import Final

FEW_ITEMS: Final = 30
"""Items below which no figure of agreement is to be leant on."""

JACKKNIFE_BELOW: Final = 200
"""Responses below which an interval leaves out each in turn instead of resampling them: with 30 of them percentile
intervals cover about 88% instead of 95% in simulation, with 100 still down to 92%."""

FEW_FOR_PERCENTILES: Final = 100
"""Responses below which a percentile interval, where nothing better is known, is too narrow."""

FEWEST: Final = 5
"""Statements, or labels, below which a part does not stand alone: a figure of so few tells each, and no rate."""

FEWEST_CLUSTERS: Final = 3
"""Responses below which a figure has no interval: that of two is as wide as the scale, half of the time."""

FEWEST_COMPARED: Final = 5
"""Responses of each side below which a difference has no interval: beside 40 others, that of two, three or four holds
the truth in 48 to 90% of simulated studies instead of 95%."""

FEW_CLUSTERS: Final = 10
"""Responses below which any interval over responses can be too narrow."""

RARE: Final = 10
"""Items below which a label is too rare for kappa, whose interval then covers too little: with one or two hardly half
of the time."""

UNDEFINED_LIMIT: Final = 0.05
"""The share of resamples without a value above which a figure has no interval."""
