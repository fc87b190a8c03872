"""Below which numbers a figure comes with a caution. Reports, the workbench's panel and the small jury all ask here."""

from typing import Final

FEW_ITEMS: Final = 30
"""Items below which no figure of agreement is to be leant on."""

FEW_CLUSTERS: Final = 30
"""Responses below which even an interval that resamples or linearises over responses is too narrow: with 30 of them it
covers about 88% instead of 95% in simulation."""

RARE: Final = 10
"""Items below which a label is too rare for kappa, whose interval then covers too little: with one or two hardly half
of the time."""
