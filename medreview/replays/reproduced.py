"""Printed figures of the five papers, computed from their counts, or from a file of votes, by this program's formulas.

As rows for a script and as a CSV file.
"""

import json
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Final, Literal

from medreview.bounded_reading import read_bounded
from medreview.errors import UserError
from medreview.exchange.files.columns import Cell, Column, Type, cells
from medreview.judges.majority import TieRule, majority_vote
from medreview.stats.citation_kpis import CitationCounts, citation_figures
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.formulas.intervals import proportion
from medreview.stats.units.qa_figures import flag_ratios
from medreview.visible import visible


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


_MOST: Final = 1 << 24
_FORM: Final = (
    'a JSON object with "consensus" (a list of 0 and 1, by case) and "judges" (a name and such a list for each)'
)


@dataclass(frozen=True)
class Votes:
    """Votes on facts, 0 or 1: the panel's ``consensus`` and each judge's, all of one length.

    ``kappas`` and ``intervals``: what was printed of a judge, or of one person, where the file says so.
    """

    consensus: Sequence[int]
    judges: Mapping[str, Sequence[int]]
    kappas: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


def read_votes(path: Path) -> Votes:
    """Raises :class:`UserError` for a file that cannot be read, or that is another."""
    shown = visible(str(path))
    try:
        given = json.loads(read_bounded(path, _MOST)[0])
    except OSError as error:
        raise UserError(f"The votes {shown} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise UserError(f"The votes {shown} cannot be read; give {_FORM}.") from None
    consensus, judges = (given.get("consensus"), given.get("judges")) if isinstance(given, dict) else (None, None)
    if not isinstance(consensus, list) or not isinstance(judges, dict) or not judges:
        raise UserError(f"{shown} is no file of votes; give {_FORM}.")
    if not all(map(_ballot, (consensus, *judges.values()))):
        raise UserError(f"{shown} is no file of votes; give {_FORM}.")
    if any(len(ballot) != len(consensus) for ballot in judges.values()):
        raise UserError(f"In {shown} a judge has not as many votes as the consensus; give one for every fact.")
    kappas, intervals = given.get("printed_kappa"), given.get("printed_ci")
    return Votes(
        consensus,
        {visible(name): ballot for name, ballot in judges.items()},
        {visible(name): value for name, value in kappas.items() if _number(value)} if isinstance(kappas, dict) else {},
        {
            visible(name): (pair[0], pair[1])
            for name, pair in (intervals.items() if isinstance(intervals, dict) else ())
            if isinstance(pair, list) and len(pair) == 2 and all(map(_number, pair))
        },
    )


def _ballot(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(type(vote) is int and vote in (0, 1) for vote in given)


def _number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and -1 <= given <= 1


Outcome = Literal["equal", "value equal", "differs", "not printed", "missing"]

_WITHOUT_VOTES: Final = (
    'it takes the judges\' votes: --votes FILE, a JSON file with "consensus" and "judges", as the authors publish them'
)
_TIES: Final[tuple[tuple[TieRule, str], ...]] = (
    ("positive", "a tie is present"), ("undecided", "a tie is left out"), ("negative", "a tie is absent"),
)  # fmt: skip


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


def reproduced(votes: Votes | None = None) -> Iterator[Reproduced]:
    """All figures, paper by paper; those of MedFactEval from ``votes``."""
    yield from _cliniqlink()
    yield from _sourcecheckup()
    yield from _notebook()
    yield from _medfacteval(votes)


def wald(name: str, k: int, n: int) -> Estimate:
    """A share with the textbook's normal interval, which some papers print; here for comparison only."""
    share = k / n
    half = NormalDist().inv_cdf(0.975) * math.sqrt(share * (1 - share) / n)
    return Estimate(name, share, share - half, share + half, "Wald", n, scale="share")


def _row(paper: str, what: str, printed: Printed, ours: Estimate, why: str = "") -> Reproduced:
    equal = printed.equals(ours)
    value = equal or replace(printed, low="", high="").equals(ours)
    outcome: Outcome = "equal" if equal else "value equal" if value else "differs"
    counts = f", {printed.counts}" if printed.n else ""
    return Reproduced(paper, what, printed.words + counts, ours, outcome, why)


def _share(what: str, printed: Printed) -> Estimate:
    return proportion(what, printed.k, printed.n, nothing="")


def _cliniqlink() -> Iterator[Reproduced]:
    found = flag_ratios(HALLUCINATED.n, PLAUSIBLE.k, HALLUCINATED.k)
    yield _row("ClinIQLink", "hallucination rate, Wilson", HALLUCINATED, found.hallucination_rate)
    yield _row("ClinIQLink", "plausibility", PLAUSIBLE, found.plausibility, "Ours has Wilson's interval beside it.")


def _sourcecheckup() -> Iterator[Reproduced]:
    paper = "SourceCheckup"
    what = "found unsupported, confirmed by doctors"
    why = "105 of 110 are 95.5%: the printed share is not that of the printed counts. Ours is Wilson's interval."
    yield _row(paper, what, CONFIRMED, _share(what, CONFIRMED), why)
    for what, printed in (
        ("whole responses supported, by an expert", WHOLE_BY_EXPERT),
        ("the same responses, by the pipeline", WHOLE_BY_JUDGE),
    ):
        why = f"The counts are not printed: {printed.counts} is what gives the share and the interval."
        yield _row(paper, f"{what}, Wald", printed, wald(what, printed.k, printed.n), why)
        yield _row(paper, f"{what}, Wilson", printed, _share(what, printed),
                   "The printed interval is Wald's, which is too narrow near 0 and 1; ours is Wilson's.")  # fmt: skip
    beside = "No interval is printed; ours is Wilson's, on statements."
    yield _row(paper, "SourceCleanup: removed", REMOVED, _share("removed", REMOVED), beside)
    yield _row(paper, "SourceCleanup: revised and supported now", REVISED_SUPPORTED,
               _share("supported", REVISED_SUPPORTED), beside)  # fmt: skip


def _notebook() -> Iterator[Reproduced]:
    paper, found = "CDS notebook", citation_figures(CITED)
    yield _row(paper, "responses with a citation", WITH_CITATION, found.with_citation)
    yield _row(paper, "citations per response", CITATIONS_EACH, found.mean_citations)
    yield _row(paper, "allowed, mean of responses", MEAN_ALLOWED, found.mean_allowed)
    pooled = "A long list weighs more here; the mean gives each response the same weight."
    yield Reproduced(paper, "allowed, pooled", "", found.pooled_allowed, "not printed", why=pooled)
    yield _row(paper, "allowed URLs, mean of responses", MEAN_ALLOWED_URLS, found.mean_allowed_urls)
    yield Reproduced(paper, "allowed URLs, pooled", "", found.pooled_allowed_urls, "not printed",
                     why="The same as the mean only by chance: 5 of 8.")  # fmt: skip


def _medfacteval(votes: Votes | None) -> Iterator[Reproduced]:
    paper = "MedFactEval"
    if votes is None:
        for what, printed in (("kappa of ten judges' jury", JURY_KAPPA), ("minus one person", JURY_MINUS_PERSON)):
            yield Reproduced(paper, what, printed.words, None, "missing", why=_WITHOUT_VOTES)
        return
    for judge, said in votes.judges.items():
        yield _judge(paper, judge, _kappa(votes, said), votes)
    ballots = list(zip(*votes.judges.values(), strict=True))
    jury: Estimate | None = None
    for rule, words in _TIES:
        majority = majority_vote(ballots, rule, positive=1, negative=0)
        kappa = _kappa(votes, majority.labels)
        what = f"kappa of the jury of {len(votes.judges)}, {words}"
        tied = f"{majority.ties} of {len(ballots)} ballots are even."
        if rule == "positive":
            jury = kappa
            yield _row(paper, what, JURY_KAPPA, kappa, tied)
            over = two_raters(votes.consensus, majority.labels, (0, 1), clusters=_cases(votes), unit="case",
                              statistics=("cohen_kappa",)).figures["cohen_kappa"]  # fmt: skip
            yield Reproduced(
                paper, f"{what}, over cases", "", over, "not printed",
                why="Facts of one case are not independent; the printed interval takes them as if they were.",
            )  # fmt: skip
        else:
            yield Reproduced(paper, what, "", kappa, "not printed", why=tied)
    yield from _beside_a_person(paper, votes, jury)


def _beside_a_person(paper: str, votes: Votes, jury: Estimate | None) -> Iterator[Reproduced]:
    what = "kappa of the jury, minus that of one physician"
    person = votes.kappas.get("Single Physician")
    if person is None or jury is None or jury.value is None:
        why = "it takes the votes of each physician, or their mean kappa, which the file does not have"
        yield Reproduced(paper, what, JURY_MINUS_PERSON.words, None, "missing", why=why)
        return
    reason = "an interval and the test of non-inferiority take the votes of each physician, which are not in the file"
    apart = Estimate(
        what, jury.value - person, None, None, "printed kappa of a physician", jury.n, reason=reason,
        scale="coefficient_difference",
    )  # fmt: skip
    yield _row(paper, what, JURY_MINUS_PERSON, apart, f"From the printed {half_up(person)} of one physician; {reason}.")


def _judge(paper: str, judge: str, ours: Estimate, votes: Votes) -> Reproduced:
    what = f"kappa of {judge}"
    if judge not in votes.kappas:
        return Reproduced(paper, what, "", ours, "not printed")
    low, high = map(half_up, votes.intervals[judge]) if judge in votes.intervals else ("", "")
    printed = Printed(half_up(votes.kappas[judge]), low, high, share=False)
    return _row(paper, what, printed, ours, "The interval is of other resamples; there some that count are left out.")


def _kappa(votes: Votes, said: Sequence[Hashable]) -> Estimate:
    return two_raters(votes.consensus, said, (0, 1), statistics=("cohen_kappa",)).figures["cohen_kappa"]


def _cases(votes: Votes) -> list[int]:
    return [place // FACTS_PER_CASE for place in range(len(votes.consensus))]


def _ours(name: str, type: Type, meaning: str) -> Column:
    return Column(name, type, meaning, made=lambda one: getattr(one.ours, name, None))


COLUMNS: Final = (
    Column("paper", "text", "The paper."),
    Column("what", "text", "The figure."),
    Column("printed", "text", "As the paper prints it; empty where it does not."),
    Column("outcome", "text", "Whether ours is the same.",
           levels=("equal", "value equal", "differs", "not printed", "missing")),
    _ours("value", "number", "Ours; shares are fractions."),
    _ours("low", "number", "The lower end of its interval."),
    _ours("high", "number", "The upper end."),
    _ours("level", "number", "The level of the interval."),
    _ours("method", "text", "How the interval was made."),
    _ours("n", "integer", "Items that it rests on."),
    _ours("clusters", "integer", "Cases or responses that these are in, where whole ones vary."),
    _ours("reason", "text", "Why there is no value, or no interval."),
    Column("why", "text", "Why the two differ, and what stands beside them."),
)  # fmt: skip


def as_row(one: Reproduced) -> Mapping[str, Cell]:
    """One figure by the names of the columns."""
    return dict(zip((column.name for column in COLUMNS), cells(COLUMNS, one), strict=True))
