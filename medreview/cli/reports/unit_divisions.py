"""A kind of unit divided, as tables: a line for each model, case or type, so that these stand below each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.facts import beside_person_table
from medreview.cli.reports.layout import Cell, Part, TableHeading, Title, cells, inset, table, value_cell
from medreview.judges.fact_votes import CONTRADICTION, PRESENCE
from medreview.labels import QUALITY
from medreview.stats.formulas.agreement import TOO_FEW
from medreview.stats.formulas.estimate import Estimate, estimate_named, show
from medreview.stats.units.fact_report import JURY, NAMES, TASKS, FactScore
from medreview.stats.units.rated_outputs import FlagRates
from medreview.stats.units.unit_division import FactPart, QAPart, RankingPart, UnitDivision, VoteCounts
from medreview.units.qa import TYPES

_MOST_NAMES: Final = 4
"""Lines of a table that a sentence names; of more it says how many."""
_WEIGHTED: Final = "Cohen's kappa (quadratic weights)"
_ALIKE: Final = "percent agreement"
_AGREE: Final = "percent_agreement"
_KAPPA: Final = "cohen_kappa"
_FEW_OF_ONE: Final = "Fewer than 10 items of one of the labels: a kappa says little there."

Row = tuple[str, Estimate]
"""A line: what it is called, and its figure."""


def division_parts(division: UnitDivision, title: str) -> Iterator[Part]:
    """The parts of a kind, ``title``."""
    yield Title(f"{title[:1].upper()}{title[1:]} by {division.of}")
    if not division.parts:
        yield "Nothing to divide: no person and no judge has labelled these units yet."
    facts = [(given(one.part), one) for one in division.parts if isinstance(one, FactPart)]
    rankings = [(given(one.part), one) for one in division.parts if isinstance(one, RankingPart)]
    items = [(given(one.part), one) for one in division.parts if isinstance(one, QAPart)]
    if facts:
        yield from _facts(facts, whole=division.by != "case")
    if rankings:
        yield from _rankings(rankings, division.by)
    if items:
        named = [(TYPES.get(one.part, name) if division.by == "type" else name, one) for name, one in items]
        yield from _items(named)


def _heading(title: str, *parts: Part) -> Iterator[Part]:
    yield from ("", TableHeading(title), inset(*parts))


def _why(rows: Iterable[Row]) -> list[str]:
    """Why values or intervals are missing, and cautions; each once, after the parts that it holds for."""
    found: dict[str, dict[str, None]] = {}
    for name, figure in rows:
        for sentence in (*([figure.reason] if figure.reason else ()), *figure.notes):
            few = sentence.startswith(TOO_FEW)
            found.setdefault(_FEW_OF_ONE if few else one_line(sentence), {})[name] = None
    return [
        f"{'; '.join(names) if len(names) <= _MOST_NAMES else f'{len(names):,} lines'}: {sentence}"
        for sentence, names in found.items()
    ]


def _facts(parts: Sequence[tuple[str, FactPart]], *, whole: bool) -> Iterator[Part]:
    """``whole``: with each judge beside the panel, which says nothing of single cases."""
    rows = (
        (name + (f"  {one_line(one.title)}" if one.title else ""),
         one.texts, one.invalid, one.facts, len(one.reviewers))
        for name, one in parts
    )  # fmt: skip
    yield inset(table(("", "texts", "not there", "facts", "in the panel"), rows))
    yield from _scores("By the majority of the judges", [(name, one.by_jury) for name, one in parts])
    for jury in parts[0][1].by_small_jury:
        yield from _scores(f"By the {one_line(jury)}", [(name, one.by_small_jury[jury]) for name, one in parts])
    yield from _scores("By the majority of the panel", [(name, one.by_panel) for name, one in parts])
    yield from _votes("Votes of the judges", [(name, one.votes) for name, one in parts])
    yield from _votes("Labels of the panel", [(name, one.labels) for name, one in parts])
    if whole:
        for name, one in parts:
            yield from _against_panel(name, one)
            yield from _beside_person(name, one)
    else:
        yield from _juries_beside_panel(parts)


def _scores(title: str, told: Sequence[tuple[str, Mapping[str, FactScore]]]) -> Iterator[Part]:
    both = [(name, by[PRESENCE].figure, by[CONTRADICTION].figure) for name, by in told if by]
    if both:
        of = {(present.n + present.dropped, present.clusters) for _, present, _ in both}
        each = len(of) == 1  # said once: fourteen systems are to fit on a screen with their names
        rows = (
            (
                name,
                present,
                against,
                *((None, None) if each else (present.n, present.clusters)),
                present.dropped or None,
            )
            for name, present, against in both
        )
        said = [f"each: {counted(facts, 'fact')} in {counted(cases or 0, 'case')}" for facts, cases in of if each]
        names = ("", "present", "95% interval", "contra.", "95% interval", "facts", "cases", "left")
        every = [(name, figure) for name, *figures in both for figure in figures]
        shown = table(names, rows, if_any=("facts", "cases", "left"))
        yield from _heading(title, *said, shown, *_why(every))


def _votes(title: str, told: Sequence[tuple[str, Mapping[str, VoteCounts]]]) -> Iterator[Part]:
    names = ("", "present", "absent", "neither", "split", "contra.", "not", "neither", "split")
    rows = [
        (name, *(n for task in TASKS for n in (by[task].yes, by[task].no, by[task].abstained, by[task].contested)))
        for name, by in told
        if by
    ]
    if rows:
        yield from _heading(f"{title}; split: facts on which both was said", table(names, rows))


_BESIDE: Final = ("agree", "95% interval", "kappa", "95% interval", "n", "left")


def _beside(found: Mapping[str, Estimate]) -> tuple[Cell, ...]:
    agree, kappa = found[_AGREE], found[_KAPPA]
    return (agree, *cells(kappa, 2), kappa.n, kappa.dropped)


def _both(found: Mapping[str, Estimate]) -> tuple[Estimate, Estimate]:
    """Agreement and kappa; what stands in for the interval of a kappa is left out where the agreement has its own."""
    agree, kappa = found[_AGREE], found[_KAPPA]
    if agree.low is not None and kappa.reason:
        kappa = replace(kappa, reason=kappa.reason.partition(";")[0].rstrip(".") + ".")
    return agree, kappa


def _against_panel(name: str, part: FactPart) -> Iterator[Part]:
    """The jury and each judge on one part."""
    for task in TASKS:
        told = [(one_line(one.rater), one.agreement.figures) for one in part.against_panel if one.task == task]
        if told:
            rows = ((rater, *_beside(found)) for rater, found in told)
            every = [(rater, figure) for rater, found in told for figure in _both(found)]
            heading = f"{name}: beside the majority of the panel, {NAMES[task]}"
            yield from _heading(heading, table(("", *_BESIDE), rows, first="anywhere"), *_why(every))


def _juries_beside_panel(parts: Sequence[tuple[str, FactPart]]) -> Iterator[Part]:
    """Each jury on all parts."""
    for jury in (JURY, *parts[0][1].by_small_jury):
        for task in TASKS:
            told = [
                (name, one.agreement.figures)
                for name, part in parts
                for one in part.against_panel
                if one.task == task and one.rater == jury
            ]
            if told:
                rows = ((name, *_beside(found)) for name, found in told)
                every = [(name, figure) for name, found in told for figure in _both(found)]
                heading = f"{one_line(jury)} beside the majority of the panel, {NAMES[task]}"
                yield from _heading(heading, table(("", *_BESIDE), rows), *_why(every))


def _beside_person(name: str, part: FactPart) -> Iterator[Part]:
    """One person of the panel, and each judge beside one."""
    found = part.single_person
    if found is None:
        return
    person = show(found.person, digits=2)
    every = [(one_line(one.rater), one.difference) for one in found.beside]
    yield from _heading(
        f"{name}: kappa minus that of a person, presence",
        f"a person and the majority of the other {found.people - 1}, mean kappa: {person}",
        beside_person_table(found),
        *_why([("a person", found.person), *every]),
    )


def _rankings(parts: Sequence[tuple[str, RankingPart]], by: str) -> Iterator[Part]:
    if by == "case":
        yield inset(table(("", "question"), ((name, one_line(one.title)) for name, one in parts), long=("question",)))
    ranks = [(name, one.mean_rank) for name, one in parts if one.mean_rank is not None]
    yield from _values("Mean rank; 1 is the best", ranks, 2)
    taus = [(name, one.tau) for name, one in parts if one.tau is not None]
    yield from _values("Mean Kendall's tau-b of each two reviewers", taus, 2)
    rows = ((name, *one.quality.qualities.values(), one.quality.good, one.quality.bad) for name, one in parts)
    shares = [(name, figure) for name, one in parts for figure in (one.quality.good, one.quality.bad)]
    head = ("", *(label.name for label in QUALITY), "Good", "95% interval", "Bad", "95% interval")
    yield from _heading("How often each quality was given", table(head, rows), *_why(shares))
    usefulness = [(name, one.quality.usefulness) for name, one in parts]
    yield from _values("Usefulness: the mean of Good 3, Okay 2, Bad 1", usefulness, 2)
    yield from flag_parts([(name, one.flags) for name, one in parts])
    yield from alike_parts(
        "Two raters on the quality of an output", [(name, one.quality_agreement) for name, one in parts]
    )


def flag_parts(told: Sequence[tuple[str, FlagRates]]) -> Iterator[Part]:
    """How many outputs are hallucinated; nothing where nobody was asked."""
    if any(one.rate.n for _, one in told):
        rows = ((name, one.rate, one.rate.n, one.by_label, one.by_label.n, one.by_label.clusters) for name, one in told)
        names = ("", "outputs", "95% interval", "of", "labels", "95% interval", "of", "from")
        every = [(name, figure) for name, one in told for figure in (one.rate, one.by_label)]
        title = "Hallucinated: outputs that anybody flagged, and labels that flag"
        yield from _heading(title, table(names, rows), *_why(every))


def _items(parts: Sequence[tuple[str, QAPart]]) -> Iterator[Part]:
    rows = (
        (name, one.rates.hallucination_rate, value_cell(one.rates.plausibility),
         one.rates.disputed, one.rates.with_feedback, one.rates.items)
        for name, one in parts
    )  # fmt: skip
    head = ("", "share", "95% interval", "plausible", "dispute", "feedback", "items")
    why = _why((name, one.rates.plausibility) for name, one in parts)
    yield from _heading("Hallucination rate: dispute or feedback", table(head, rows), *why)
    yield from alike_parts("Two annotators on relevance", [(name, one.relevance_agreement) for name, one in parts])
    shown = (
        (name, found[0], *(value_cell(figure, digits=2) for figure in found[1:]), found[0].n, found[0].dropped)
        for name, found in ((name, one.validity_agreement) for name, one in parts)
    )
    names = ("", "agree", "95% interval", "PABAK", "Fleiss", "AC1", "n", "left")
    why = _why((name, one) for name, part in parts for one in part.validity_agreement)
    yield from _heading("All annotators on flagged or not", table(names, shown), *why)


def _values(title: str, rows: Sequence[Row], digits: int | None = None) -> Iterator[Part]:
    """One figure of each part."""
    if rows:
        told = ((name, *cells(figure, digits), figure.n, figure.clusters, figure.dropped) for name, figure in rows)
        yield from _heading(title, table(("", "value", "95% interval", "n", "from", "left"), told), *_why(rows))


def alike_parts(title: str, rows: Sequence[tuple[str, tuple[Estimate, ...]]]) -> Iterator[Part]:
    """How alike two rate: weighted kappa, and the share of same labels."""
    told = [(name, estimate_named(found, _WEIGHTED), estimate_named(found, _ALIKE)) for name, found in rows]
    shown = ((name, *cells(kappa, 2), alike, kappa.n, kappa.clusters) for name, kappa, alike in told)
    names = ("", "kappa", "95% interval", "agree", "95% interval", "n", "from")
    every = [(name, figure) for name, *both in told for figure in both]
    yield from _heading(f"{title}: kappa with quadratic weights", table(names, shown), *_why(every))
