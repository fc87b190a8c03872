"""Shares of citations with whole responses as the resampling unit: counted and drawn once, then asked one by one."""

from collections.abc import Sequence
from enum import IntEnum, auto

import numpy as np

from medreview.stats.citations.cited_sources import CitedSource
from medreview.stats.formulas import bootstrap
from medreview.stats.formulas.bootstrap import Floats, Resampling
from medreview.stats.formulas.coefficients import ratio
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.formulas.intervals import proportion


class Count(IntEnum):
    """What is counted in each response; a host or top-level domain that is named has a column after these."""

    ALL = 0
    FETCHED = auto()
    VALID = auto()
    LISTED = auto()
    VALID_LISTED = auto()
    VALID_SEEN = auto()
    VALID_EITHER = auto()
    TOLD = auto()
    US = auto()
    WITH_TLD = auto()


class Shares:
    """The counts of a group of responses, one column per question, and one set of draws for all shares of them."""

    def __init__(
        self,
        cited: Sequence[Sequence[CitedSource]],
        hosts: Sequence[str],
        tlds: Sequence[str],
        resampling: Resampling,
    ) -> None:
        place = {("host", host): len(Count) + column for column, host in enumerate(hosts)}
        place |= {("tld", tld): len(Count) + len(hosts) + column for column, tld in enumerate(tlds)}
        self._units: Floats = np.zeros((len(cited), len(Count) + len(hosts) + len(tlds)))
        for row, sources in enumerate(cited):
            for source in sources:
                for column in _columns(source):
                    self._units[row, column] += 1
                for key in (("host", source.host), ("tld", source.tld)):
                    if key in place:
                        self._units[row, place[key]] += 1
        self._resampling = resampling
        self._sums = bootstrap.draw(bootstrap.contributions(self._units), resampling) if cited else self._units

    def figure(self, name: str, top: int, bottom: int, what: str, nothing: str, *, dropped: int = 0) -> Estimate:
        """The share of column ``top`` in column ``bottom``, resampled over responses."""
        units, level = self._units, self._resampling.level
        k, n = int(units[:, top].sum()), int(units[:, bottom].sum())
        if n == 0:
            return proportion(name, 0, 0, level=level, dropped=dropped, nothing=nothing)
        some, all_ = units[:, top], units[:, bottom]
        instead = (all_ - some, f"none is {what}") if k == 0 else (some, f"all are {what}")
        return bootstrap.bootstrap_figure(
            name,
            k / n,
            ratio(self._sums[:, top], self._sums[:, bottom]),
            n=n,
            clusters=int((all_ > 0).sum()),
            undefined=nothing,
            instead=bootstrap.wholly(instead[0], all_, instead[1], "responses", level),
            resampling=self._resampling,
            dropped=dropped,
        )


def _columns(source: CitedSource) -> list[int]:
    """The fixed columns in which a citation of this source counts."""
    seen = source.state == "paywall"
    held = {
        Count.ALL: True,
        Count.FETCHED: source.state is not None,
        Count.VALID: source.valid,
        Count.LISTED: source.listed,
        Count.VALID_LISTED: source.valid and source.listed,
        Count.VALID_SEEN: source.valid and seen,
        Count.VALID_EITHER: source.valid and (source.listed or seen),
        Count.TOLD: source.us is not None,
        Count.US: source.us is True,
        Count.WITH_TLD: bool(source.tld),
    }
    return [column for column, true in held.items() if true]
