"""Figures as papers print them, with the counts that they rest on: for replays and for ``medreview reproduce``."""

from dataclasses import dataclass
from typing import Final

from medreview.stats.citation_kpis import CitationCounts
from medreview.stats.formulas.estimate import Estimate, half_up


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure of a paper: ``value``, and the ends of its interval where it prints one, as strings of digits.

    ``share``: they are percentages. ``k`` of ``n`` are the counts beside it, 0 where there are none.
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


HALLUCINATED: Final = Printed("19.7", "18.6", "20.7", k=1_090, n=5_543)
PLAUSIBLE: Final = Printed("98.8", k=5_476, n=5_543)

CONFIRMED: Final = Printed("95.8", "91.8", "98.7", k=105, n=110)
WHOLE_BY_EXPERT: Final = Printed("40.4", "30.7", "50.1", k=40, n=99)
WHOLE_BY_JUDGE: Final = Printed("42.4", "32.7", "52.2", k=42, n=99)
REMOVED: Final = Printed("34.7", k=52, n=150)
REVISED_SUPPORTED: Final = Printed("85.7", k=84, n=98)

CITED: Final = (
    CitationCounts(n_url=2, n_doi=1, n_allowed_urls=2),
    CitationCounts(n_url=2, n_pmid=1, n_allowed_urls=1),
    CitationCounts(),
    CitationCounts(n_url=2),
    CitationCounts(n_url=2, n_doi=1, n_pmid=1, n_allowed_urls=2),
)
"""What the five responses of the notebook cite."""
WITH_CITATION: Final = Printed("80.0")
CITATIONS_EACH: Final = Printed("2.4", share=False)
MEAN_ALLOWED: Final = Printed("66.67")
MEAN_ALLOWED_URLS: Final = Printed("62.5")

JURY_KAPPA: Final = Printed("0.75", "0.59", "0.88", share=False)
"""Of ten judges with the physicians' majority, on DeepSeek-R1's texts."""
JURY_MINUS_PERSON: Final = Printed("0.02", "-0.11", "0.15", share=False)
FACTS_PER_CASE: Final = 3
