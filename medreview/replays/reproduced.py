"""Printed figures of the five papers, computed from their counts, or from a file of votes, by this program's formulas.

Beside the main figures: shares of counts, shares that no count gives, tests from intervals. As rows for a script and as
a CSV file.
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
from medreview.stats.formulas.agreement import paired
from medreview.stats.formulas.bootstrap import DEFAULT
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.formulas.human_baseline import MARGIN
from medreview.stats.formulas.intervals import proportion
from medreview.stats.units.qa_figures import flag_ratios
from medreview.visible import visible

OVER_CASES: Final = DEFAULT.over("case")


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


Outcome = Literal["equal", "value equal", "differs", "not printed", "missing"]


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


def wald(name: str, k: int, n: int) -> Estimate:
    """A share with the textbook's normal interval, which some papers print; here for comparison only."""
    share = k / n
    half = NormalDist().inv_cdf(0.975) * math.sqrt(share * (1 - share) / n)
    return Estimate(name, share, share - half, share + half, "Wald", n, scale="share")


def row(paper: str, what: str, printed: Printed, ours: Estimate, why: str = "") -> Reproduced:
    """A printed figure beside ours."""
    equal = printed.equals(ours)
    value = equal or replace(printed, low="", high="").equals(ours)
    outcome: Outcome = "equal" if equal else "value equal" if value else "differs"
    counts = f", {printed.counts}" if printed.n else ""
    return Reproduced(paper, what, printed.words + counts, ours, outcome, why)


def share(what: str, printed: Printed) -> Estimate:
    """The share of the printed counts with Wilson's interval."""
    return proportion(what, printed.k, printed.n, nothing="")


def of_whole_number(paper: str, what: str, printed: Printed, why: str = "") -> Reproduced:
    """A printed share of ``printed.n`` items, whose count is not printed, beside the nearest that there can be."""
    n, wanted = printed.n, float(printed.value) * printed.n / 100
    k = printed.k or min(range(n + 1), key=lambda count: abs(count - wanted))
    ours = proportion(what, k, n, nothing="")
    equal = replace(printed, low="", high="").equals(ours)
    about = f"{k:,} of {n:,}: the count is not printed."
    if not equal:
        digits = len(printed.value.partition(".")[2])
        below = int(wanted)
        near = ", ".join(f"{count:,} are {percent(count / n, digits)}" for count in (below, below + 1))
        about = f"No whole number of {n:,} is {printed.value}%: {near}."
    outcome: Outcome = (
        "differs" if not equal else "value equal" if printed.low and not printed.equals(ours) else "equal"
    )
    return Reproduced(paper, what, f"{printed.words} of {n:,}", ours, outcome, f"{about} {why}".strip())


def counts_alone(paper: str, what: str, k: int, n: int) -> Reproduced:
    """A figure of which a paper prints the counts, and neither share nor interval."""
    beside = "Only the counts are printed; share and interval are ours."
    return Reproduced(paper, what, f"{k:,} of {n:,}", proportion(what, k, n, nothing=""), "equal", beside)


_TWICE: Final = Printed("45", k=2_501, n=5_543)
_VALIDITY_DIFFERS: Final = Printed("4.7", k=69, n=1_679)
_RELEVANCE_DIFFERS: Final = Printed("2.9", k=72, n=2_501)
_VALIDITY_PABAK: Final = Printed("0.920", share=False, k=69, n=1_679)
_RELEVANCE_PABAK: Final = Printed("0.942", share=False, k=72, n=2_501)


def _beside_cliniqlink() -> Iterator[Reproduced]:
    """Table 1: how often two annotators differ, and what the printed coefficients are."""
    paper = "ClinIQLink"
    yield row(paper, "items annotated twice", _TWICE, share("twice", _TWICE), "The paper says about 45%.")
    yield row(paper, "validity: two annotators differ", _VALIDITY_DIFFERS, share("differ", _VALIDITY_DIFFERS),
              "69 of 1,679 are 4.1%: 4.7% is not what the printed counts give.")  # fmt: skip
    yield row(paper, "relevance: two annotators differ", _RELEVANCE_DIFFERS, share("differ", _RELEVANCE_DIFFERS))
    yield row(paper, "validity, printed as weighted kappa", _VALIDITY_PABAK, _pabak(_VALIDITY_PABAK),
              "Ours is PABAK, 1 - 2 x 69 / 1,679. No kappa of these labels is so far from Fleiss', 0.231.")  # fmt: skip
    yield row(paper, "relevance, printed as weighted kappa", _RELEVANCE_PABAK, _pabak(_RELEVANCE_PABAK),
              "Ours is PABAK of two labels, 1 - 2 x 72 / 2,501; printed beside a Fleiss' kappa of 0.015.")  # fmt: skip


def _pabak(printed: Printed) -> Estimate:
    """PABAK (Byrt 1993) of two raters who differ on ``printed.k`` of ``printed.n`` items of two labels, with the ends
    of Wilson's interval of their agreement."""
    alike = share("agreement", Printed("", k=printed.n - printed.k, n=printed.n))
    value, low, high = (None if end is None else 2 * end - 1 for end in (alike.value, alike.low, alike.high))
    return Estimate("PABAK", value, low, high, "Wilson, of the agreement", printed.n, scale="coefficient")


_HEALTH_SEARCH: Final = Printed("38.4", "26.7", "49.3", n=300)
_ARCHIVED: Final = {
    "GPT-4o (API)": ("3.50", 7), "Claude v2.1": ("6.50", 13), "Mistral Medium": ("0.50", 1),
    "Gemini Pro (API)": ("3.50", 7),
}  # fmt: skip
"""Of models, the share of invalid addresses that an archive once held, and the count that it would be of 200."""
_IN_US: Final = (91.51, 89.32, 93.17, 94.05, 91.11, 92.25, 92.56)


def _beside_sourcecheckup() -> Iterator[Reproduced]:
    """The checks by doctors, the judges beside their majority, and the tables of addresses."""
    paper = "SourceCheckup"
    yield counts_alone(paper, "questions answerable, by each of two doctors", 100, 100)
    yield counts_alone(paper, "statements contained in the answer, by the first doctor", 330, 330)
    yield counts_alone(paper, "the same, by the second", 329, 330)
    yield counts_alone(paper, "answers with a statement that was not parsed, by the first doctor", 6, 72)
    yield counts_alone(paper, "the same, by the second doctor", 5, 72)
    resampled = "The printed interval is of resamples; ours is Wilson's, on pairs."
    yield of_whole_number(paper, "GPT-4o and the doctors' majority", Printed("88.7", n=400))
    yield of_whole_number(paper, "Claude Sonnet 3.5 and the doctors' majority",
                          Printed("87.0", "83.4", "90.4", n=400), resampled)  # fmt: skip
    yield of_whole_number(paper, "Llama 3.1 70B and the doctors' majority", Printed("79.3", "75.4", "83.1", n=400),
                          resampled)  # fmt: skip
    yield of_whole_number(
        paper, "HealthSearchQA, whole responses supported", _HEALTH_SEARCH,
        "The printed interval is about twice as wide as 300 responses give, and begins at 26.7 as that of the forum's "
        "questions in the same sentence.",
    )  # fmt: skip
    for model, (value, k) in _ARCHIVED.items():
        yield of_whole_number(paper, f"invalid addresses once archived, {model}", Printed(value, n=250),
                              f"Of 200 it is {k}.")  # fmt: skip
    yield of_whole_number(paper, "invalid addresses once archived, Mixtral Open", Printed("2.4", n=250),
                          "Printed as 0.024 among percentages.")  # fmt: skip
    mean = Estimate("sources of the United States", sum(_IN_US) / len(_IN_US) / 100, None, None, "mean of seven shares",
                    len(_IN_US), reason="The counts behind the seven printed shares are not printed.",
                    scale="share")  # fmt: skip
    yield row(paper, "sources of the United States, mean of models", Printed("92"), mean)


@dataclass(frozen=True)
class PrintedJury:
    """What MedFactEval prints of the jury of ten on the texts of one system: its kappa with the physicians' majority,
    that of one physician (``None`` where it is not printed), and the difference."""

    kappa: Printed
    person: Printed | None
    minus_person: Printed


JURY: Final[Mapping[str, PrintedJury]] = {
    "GPT-4o": PrintedJury(
        Printed("0.81", "0.66", "0.92", share=False), Printed("0.67", "0.49", "0.83", share=False),
        Printed("0.15", "-0.01", "0.29", share=False),
    ),
    "DeepSeek-R1": PrintedJury(
        Printed("0.75", "0.59", "0.88", share=False), None, Printed("0.02", "-0.11", "0.15", share=False)
    ),
}  # fmt: skip
"""By the model of MedAgentBrief that wrote the texts."""
_FACTS: Final = 90
_CATEGORIES: Final = {
    "diagnosis": ("51", 46),
    "management change": ("40", 36),
    "follow-up": ("6", 5),
    "other": ("3", 3),
}
_SCORES: Final = {"one prompt": "48", "MedAgentBrief": "65"}
"""Of GPT-4o: facts that its texts say, in per cent."""


def _beside_medfacteval() -> Iterator[Reproduced]:
    """Table 1, the scores of GPT-4o, and the jury on each of the two systems as far as printed figures tell."""
    paper = "MedFactEval"
    for name, (value, k) in _CATEGORIES.items():
        printed = Printed(value, k=k, n=_FACTS)
        yield row(paper, f"key facts: {name}", printed, share(name, printed))
    for strategy, value in _SCORES.items():
        yield of_whole_number(paper, f"facts said by GPT-4o, {strategy}", Printed(value, n=_FACTS),
                              "Facts without a majority may be left out there.")  # fmt: skip
    for system, jury in JURY.items():
        yield _p(paper, system, jury)
    yield _apart(paper, JURY["GPT-4o"])


def _p(paper: str, system: str, jury: PrintedJury) -> Reproduced:
    """The one-sided p of non-inferiority that the printed difference and its interval give, if resamples are normal."""
    normal, printed = NormalDist(), jury.minus_person
    spread = (float(printed.high) - float(printed.low)) / (2 * normal.inv_cdf(0.975))
    p = 1 - normal.cdf((float(printed.value) + MARGIN) / spread)
    ours = Estimate("p of non-inferiority", p, None, None, "normal, from the printed interval", _FACTS,
                    reason="a p value has no interval", scale="plain")  # fmt: skip
    why = f"{p:.4f} from {printed.words} and the margin of {MARGIN:.2f}; the physicians' votes are not published."
    outcome: Outcome = "equal" if p < 0.001 else "differs"
    return Reproduced(paper, f"p of non-inferiority, {system}'s texts", "below 0.001", ours, outcome, why)


def _apart(paper: str, jury: PrintedJury) -> Reproduced:
    """The difference of two printed kappas of one system."""
    assert jury.person is not None
    value = float(jury.kappa.value) - float(jury.person.value)
    what = "kappa of the jury, minus that of one physician"
    ours = Estimate(what, value, None, None, "of two printed kappas", _FACTS,
                    reason="the votes on these texts are not published", scale="coefficient_difference")  # fmt: skip
    why = "0.81 and 0.67 are rounded: their difference is from 0.13 to 0.15."
    return row(paper, "jury minus one physician, GPT-4o's texts", jury.minus_person, ours, why)


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

JURY_KAPPA: Final = JURY["DeepSeek-R1"].kappa
"""Of ten judges with the physicians' majority, on DeepSeek-R1's texts."""
JURY_MINUS_PERSON: Final = JURY["DeepSeek-R1"].minus_person
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
        raise UserError(f"{shown} is not a file of votes; give {_FORM}.")
    if not all(map(_ballot, (consensus, *judges.values()))):
        raise UserError(f"{shown} is not a file of votes; give {_FORM}.")
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
    yield from _beside_cliniqlink()


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
    yield from _beside_sourcecheckup()


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
    yield from _beside_medfacteval()
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
            over = paired(votes.consensus, majority.labels, (0, 1), _cases(votes), OVER_CASES).kappa()
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
        over = paired(votes.consensus, majority.labels, (0, 1), _cases(votes), OVER_CASES).kappa()
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
    return paired(votes.consensus, said, (0, 1)).kappa()


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
