"""What is counted of the citations of each response: one sample of whole responses serves all shares of a group."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from medreview.labels import GIVEN
from medreview.stats.citations.cited_sources import CitedSource
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.response_sample import ResponseSample

_COUNTS: Final = (
    "all", "fetched", "valid", "listed", "valid listed", "valid seen", "valid either", "told", "us", "with tld",
)  # fmt: skip
"""What is counted: all citations, and those of a source that is so. ``listed`` and ``seen``: behind a paywall, by the
list of domains and by the page that came back; ``told``: it is known whether the host is of the United States."""


def url_sample(
    cited: Sequence[Sequence[CitedSource]], hosts: Sequence[str], tlds: Sequence[str], resampling: Resampling
) -> ResponseSample:
    """The counts of a group of responses, with a column for each of these hosts (``host who.int``) and ``tld int``."""
    columns = (*_COUNTS, *(f"host {name}" for name in hosts), *(f"tld {name}" for name in tlds))
    rows = []
    for sources in cited:
        found = Counter(column for source in sources for column in _columns(source))
        rows.append([found[column] for column in columns])
    return ResponseSample(columns, rows, resampling)


def _columns(source: CitedSource) -> list[str]:
    """The columns in which a citation of this source counts."""
    seen = source.state == "paywall"
    held = (
        True, source.state not in (None, GIVEN), source.valid, source.listed, source.valid and source.listed,
        source.valid and seen, source.valid and (source.listed or seen), source.us is not None, source.us is True,
        bool(source.tld),
    )  # fmt: skip
    fixed = [column for column, counts in zip(_COUNTS, held, strict=True) if counts]
    return [*fixed, f"host {source.host}", f"tld {source.tld}"]
