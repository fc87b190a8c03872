"""Printed figures of the five papers, computed from their counts, or from a file of votes, by this program's formulas.

As rows for a script and as a CSV file.
"""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from medreview.bounded_reading import read_bounded
from medreview.errors import UserError
from medreview.exchange.files.columns import Cell, Column, Type, cells
from medreview.judges.majority import TieRule, majority_vote
from medreview.replays import paper_counts
from medreview.replays.printed import Printed, Reproduced, row, share, wald
from medreview.stats.citation_kpis import CitationCounts, citation_figures
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.bootstrap import DEFAULT
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.units.qa_figures import flag_ratios
from medreview.visible import visible

OVER_CASES: Final = DEFAULT.over("case")

HALLUCINATED: Final = Printed("19.7", "18.6", "20.7", k=1_090, n=5_543)
PLAUSIBLE: Final = Printed("98.8", k=5_476, n=5_543)

CONFIRMED: Final = Printed("95.8", "91.8", "98.7", k=105, n=110)
WHOLE_BY_EXPERT: Final = Printed("40.4", "30.7", "50.1", k=40, n=99)
WHOLE_BY_JUDGE: Final = Printed("42.4", "32.7", "52.2", k=42, n=99)
REMOVED: Final = Printed("34.7", k=52, n=150)
REVISED_SUPPORTED: Final = Printed("85.7", k=84, n=98)
MENDED: Final = Printed("90.7", k=136, n=150)

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

JURY_KAPPA: Final = paper_counts.JURY["DeepSeek-R1"].kappa
"""Of ten judges with the physicians' majority, on DeepSeek-R1's texts."""
JURY_MINUS_PERSON: Final = paper_counts.JURY["DeepSeek-R1"].minus_person
SMALL_JURY: Final = ("claude 3.5", "llama 4 scout", "deepseek-r1")
"""Its judges, by how their names in a file of votes begin."""
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


_WITHOUT_VOTES: Final = (
    'it takes the judges\' votes: --votes FILE, a JSON file with "consensus" and "judges", as the authors publish them'
)
_TIES: Final[tuple[tuple[TieRule, str], ...]] = (
    ("positive", "a tie is present"), ("undecided", "a tie is left out"), ("negative", "a tie is absent"),
)  # fmt: skip


def reproduced(votes: Votes | None = None) -> Iterator[Reproduced]:
    """All figures, paper by paper; those of MedFactEval from ``votes``."""
    yield from _cliniqlink()
    yield from _sourcecheckup()
    yield from _notebook()
    yield from _medfacteval(votes)


def _cliniqlink() -> Iterator[Reproduced]:
    found = flag_ratios(HALLUCINATED.n, PLAUSIBLE.k, HALLUCINATED.k)
    yield row("ClinIQLink", "hallucination rate, Wilson", HALLUCINATED, found.hallucination_rate)
    yield row("ClinIQLink", "plausibility", PLAUSIBLE, found.plausibility, "Ours has Wilson's interval beside it.")
    yield from paper_counts.cliniqlink()


def _sourcecheckup() -> Iterator[Reproduced]:
    paper = "SourceCheckup"
    what = "found unsupported, confirmed by doctors"
    why = "105 of 110 are 95.5%: the printed share is not that of the printed counts. Ours is Wilson's interval."
    yield row(paper, what, CONFIRMED, share(what, CONFIRMED), why)
    for what, printed in (
        ("whole responses supported, by an expert", WHOLE_BY_EXPERT),
        ("the same responses, by the pipeline", WHOLE_BY_JUDGE),
    ):
        why = f"The counts are not printed: {printed.counts} is what gives the share and the interval."
        yield row(paper, f"{what}, Wald", printed, wald(what, printed.k, printed.n), why)
        yield row(paper, f"{what}, Wilson", printed, share(what, printed),
                   "The printed interval is Wald's, which is too narrow near 0 and 1; ours is Wilson's.")  # fmt: skip
    beside = "No interval is printed; ours is Wilson's, on statements."
    yield row(paper, "SourceCleanup: removed", REMOVED, share("removed", REMOVED), beside)
    yield row(paper, "SourceCleanup: revised and supported now", REVISED_SUPPORTED,
              share("supported", REVISED_SUPPORTED), beside)  # fmt: skip
    yield row(paper, "SourceCleanup: removed or supported now", MENDED, share("mended", MENDED), beside)
    yield from paper_counts.sourcecheckup()


def _notebook() -> Iterator[Reproduced]:
    paper, found = "CDS notebook", citation_figures(CITED)
    yield row(paper, "responses with a citation", WITH_CITATION, found.with_citation)
    yield row(paper, "citations per response", CITATIONS_EACH, found.mean_citations)
    yield row(paper, "allowed, mean of responses", MEAN_ALLOWED, found.mean_allowed)
    pooled = "A long list weighs more here; the mean gives each response the same weight."
    yield Reproduced(paper, "allowed, pooled", "", found.pooled_allowed, "not printed", why=pooled)
    yield row(paper, "allowed URLs, mean of responses", MEAN_ALLOWED_URLS, found.mean_allowed_urls)
    yield Reproduced(paper, "allowed URLs, pooled", "", found.pooled_allowed_urls, "not printed",
                     why="The same as the mean only by chance: 5 of 8.")  # fmt: skip


def _medfacteval(votes: Votes | None) -> Iterator[Reproduced]:
    paper = "MedFactEval"
    yield from paper_counts.medfacteval()
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
            yield row(paper, what, JURY_KAPPA, kappa, tied)
            over = two_raters(votes.consensus, majority.labels, (0, 1), clusters=_cases(votes), resampling=OVER_CASES,
                          statistics=("cohen_kappa",)).figures["cohen_kappa"]  # fmt: skip
            yield Reproduced(
                paper, f"{what}, over cases", "", over, "not printed",
                why="Facts of one case are not independent; the printed interval takes them as if they were.",
            )  # fmt: skip
        else:
            yield Reproduced(paper, what, "", kappa, "not printed", why=tied)
    yield from _small_jury(paper, votes)
    yield from _beside_a_person(paper, votes, jury)


def _small_jury(paper: str, votes: Votes) -> Iterator[Reproduced]:
    """The majority of the three judges of the paper's small jury, where the file has all of them."""
    members = [
        next((name for name in votes.judges if name.casefold().startswith(begins)), None) for begins in SMALL_JURY
    ]
    known = [name for name in members if name is not None]
    if len(known) == len(SMALL_JURY):
        majority = majority_vote(list(zip(*(votes.judges[name] for name in known), strict=True)))
        over = two_raters(votes.consensus, majority.labels, (0, 1), clusters=_cases(votes), resampling=OVER_CASES,
                          statistics=("cohen_kappa",)).figures["cohen_kappa"]  # fmt: skip
        yield Reproduced(paper, f"kappa of the small jury ({', '.join(known)})", "", over, "not printed",
                         why="Figure 3 shows it without a number. Of three judges none can tie.")  # fmt: skip


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
    yield row(paper, what, JURY_MINUS_PERSON, apart, f"From the printed {half_up(person)} of one physician; {reason}.")


def _judge(paper: str, judge: str, ours: Estimate, votes: Votes) -> Reproduced:
    what = f"kappa of {judge}"
    if judge not in votes.kappas:
        return Reproduced(paper, what, "", ours, "not printed")
    low, high = map(half_up, votes.intervals[judge]) if judge in votes.intervals else ("", "")
    printed = Printed(half_up(votes.kappas[judge]), low, high, share=False)
    return row(paper, what, printed, ours, "The interval is of other resamples; there some that count are left out.")


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
