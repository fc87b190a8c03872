"""Printed figures of the five papers, computed anew from their counts by this program's formulas."""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final, Literal

from medreview.judges.majority import TieRule, majority_vote
from medreview.replays import printed as p
from medreview.replays.printed import Printed
from medreview.replays.votes_file import Votes
from medreview.stats.citations.kpis import citation_figures
from medreview.stats.formulas.agreement import two_raters
from medreview.stats.formulas.estimate import Estimate, half_up
from medreview.stats.formulas.flag_ratios import flag_ratios
from medreview.stats.formulas.intervals import proportion

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
    found = flag_ratios(p.HALLUCINATED.n, p.PLAUSIBLE.k, p.HALLUCINATED.k)
    yield _row("ClinIQLink", "hallucination rate, Wilson", p.HALLUCINATED, found.hallucination_rate)
    yield _row("ClinIQLink", "plausibility", p.PLAUSIBLE, found.plausibility, "Ours has Wilson's interval beside it.")


def _sourcecheckup() -> Iterator[Reproduced]:
    paper = "SourceCheckup"
    what = "found unsupported, confirmed by doctors"
    why = "105 of 110 are 95.5%: the printed share is not that of the printed counts. Ours is Wilson's interval."
    yield _row(paper, what, p.CONFIRMED, _share(what, p.CONFIRMED), why)
    for what, printed in (
        ("whole responses supported, by an expert", p.WHOLE_BY_EXPERT),
        ("the same responses, by the pipeline", p.WHOLE_BY_JUDGE),
    ):
        why = f"The counts are not printed: {printed.counts} is what gives the share and the interval."
        yield _row(paper, f"{what}, Wald", printed, wald(what, printed.k, printed.n), why)
        yield _row(paper, f"{what}, Wilson", printed, _share(what, printed),
                   "The printed interval is Wald's, which is too narrow near 0 and 1; ours is Wilson's.")  # fmt: skip
    beside = "No interval is printed; ours is Wilson's, on statements."
    yield _row(paper, "SourceCleanup: removed", p.REMOVED, _share("removed", p.REMOVED), beside)
    yield _row(paper, "SourceCleanup: revised and supported now", p.REVISED_SUPPORTED,
               _share("supported", p.REVISED_SUPPORTED), beside)  # fmt: skip


def _notebook() -> Iterator[Reproduced]:
    paper, found = "CDS notebook", citation_figures(p.CITED)
    yield _row(paper, "responses with a citation", p.WITH_CITATION, found.with_citation)
    yield _row(paper, "citations per response", p.CITATIONS_EACH, found.mean_citations)
    yield _row(paper, "allowed, mean of responses", p.MEAN_ALLOWED, found.mean_allowed)
    pooled = "A long list weighs more here; the mean gives each response the same weight."
    yield Reproduced(paper, "allowed, pooled", "", found.pooled_allowed, "not printed", why=pooled)
    yield _row(paper, "allowed URLs, mean of responses", p.MEAN_ALLOWED_URLS, found.mean_allowed_urls)
    yield Reproduced(paper, "allowed URLs, pooled", "", found.pooled_allowed_urls, "not printed",
                     why="The same as the mean only by chance: 5 of 8.")  # fmt: skip


def _medfacteval(votes: Votes | None) -> Iterator[Reproduced]:
    paper = "MedFactEval"
    if votes is None:
        for what, printed in (("kappa of ten judges' jury", p.JURY_KAPPA), ("minus one person", p.JURY_MINUS_PERSON)):
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
            yield _row(paper, what, p.JURY_KAPPA, kappa, tied)
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
        yield Reproduced(paper, what, p.JURY_MINUS_PERSON.words, None, "missing", why=why)
        return
    reason = "an interval and the test of non-inferiority take the votes of each physician, which are not in the file"
    apart = Estimate(
        what, jury.value - person, None, None, "printed kappa of a physician", jury.n, reason=reason,
        scale="coefficient_difference",
    )  # fmt: skip
    yield _row(
        paper, what, p.JURY_MINUS_PERSON, apart, f"From the printed {half_up(person)} of one physician; {reason}."
    )


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
    return [place // p.FACTS_PER_CASE for place in range(len(votes.consensus))]
