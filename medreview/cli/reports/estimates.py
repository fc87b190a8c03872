"""Estimates and differences with their intervals, as rows of tables, and the sentences that belong below and above.

How intervals were made, which part of a study a filter chose, and which state of the study the figures are of.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.layout import (
    Cell,
    NextStep,
    Part,
    ReportTable,
    TableHeading,
    Title,
    cells,
    inset,
    reasons,
    table,
)
from medreview.next_step import command
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import FEW_CLUSTERS, JACKKNIFE_BELOW, Estimate, half_up
from medreview.stats.formulas.hypothesis_tests import StatisticDifference
from medreview.stats.reports.answer_arms import RepeatedAnswers, arm_word
from medreview.stats.reports.provenance import Provenance
from medreview.stats.reports.reviewer_labels import TOGETHER, Group
from medreview.stats.reports.study_differences import Between, DifferenceFamily
from medreview.stats.reports.study_reader import SelectedPart
from medreview.text import in_words


def method_word(method: str) -> str:
    """The method of a figure as one word for a column; ``""`` where none was used."""
    if method.startswith("jackknife"):
        return "jackknife"
    return {"Wilson": "Wilson", "none": "", "F interval": "F", "Fisher's z": "Fisher's z"}.get(method, "resampled")


def over_units(resampling: Resampling, unit: str = "") -> str:
    """What stands behind the intervals over clusters of a whole report; ``unit``: where these are no answers."""
    unit = unit or resampling.cluster
    return (
        f"below {JACKKNIFE_BELOW} {unit}s a jackknife that leaves out each, with Student's t; from there on percentile "
        f"bootstrap over {unit}s, {resampling.replicates:,} replicates, seed {resampling.seed}"
    )


SHORT: Final = {
    "source URL validity": "URL validity",
    "statement-level support, own citations": "statement support, by a source the statement cites",
    "statement-level support": "statement support, by any source of the response",
    "response-level support": "response support",
    "Cohen's kappa (linear weights)": "kappa, linear weights",
    "Cohen's kappa (quadratic weights)": "kappa, quadratic",
    "Gwet's AC2 (linear weights)": "Gwet's AC2, linear",
    "Gwet's AC2 (quadratic weights)": "Gwet's AC2, quadratic",
}
"""Names for a column that leaves room for the rest of an 80-column row; the JSON has the full ones."""
COEFFICIENTS: Final = ("Cohen's kappa", "Gwet's AC1")


_CLUSTERS: Final = {"response": "resp", "question": "quest", "passage": "pass"}
"""What columns that count clusters are headed, where the plural of their name is too long."""


def clusters_heading(figures: Iterable[Estimate]) -> str:
    """The heading of a column that counts the clusters of these figures."""
    return heading_of(next((figure.cluster for figure in figures if figure.cluster), "response"))


def heading_of(cluster: str) -> str:
    """The heading of a column that counts clusters of this name."""
    return _CLUSTERS.get(cluster, f"{cluster}s")


def figure_name(figure: Estimate) -> str:
    """Its name in a column and in sentences."""
    return SHORT.get(figure.name, in_words(figure.name))


def figure_table(figures: Sequence[Estimate], cluster: str = "") -> ReportTable:
    """A row for each figure; what bears the name of the one above it (the same by Wilson) is not named again.

    ``cluster``: what units are resampled by; its column is left out where no figure has any.
    """
    before = ["", *(figure.name for figure in figures)]
    rows = (
        ("" if figure.name == above else figure_name(figure), *figure_cells(figure))
        for figure, above in zip(figures, before, strict=False)
    )
    clusters = f"{cluster}s" if cluster else clusters_heading(figures)
    return table(("", "value", "95% interval", "method", "n", clusters, "left"), rows, if_any=(f"{cluster}s",))


def figure_cells(figure: Estimate) -> tuple[Cell, ...]:
    """Value, interval, method, n, clusters, left out."""
    return figure, method_word(figure.method), figure.n, figure.clusters, figure.dropped


def sentences(figures: Iterable[Estimate]) -> list[str]:
    """Why a value or an interval is missing, and the figures' own cautions; each once."""
    held = list(figures)
    notes = dict.fromkeys(note for figure in held for note in figure.notes)
    return [*reasons((figure_name(figure), figure) for figure in held), *map(one_line, notes)]


def figures_part(heading: str, figures: Sequence[Estimate], cluster: str = "", *above: Part) -> Part:
    """Figures below a heading, and what is ``above`` their table; why some are missing."""
    return inset(TableHeading(heading), *above, figure_table(figures, cluster), *sentences(figures))


def p_words(value: float | None) -> str:
    """A p value with three digits: ``0.041``, ``below 0.001``; empty without a value."""
    return "" if value is None else "below 0.001" if value < 0.0005 else half_up(value)


def p_value(value: float) -> str:
    """The same in a sentence: ``p 0.041``."""
    return f"p {p_words(value)}"


def more_models(count: int, done: str, what: str = "model") -> str:
    """That some models are not ``compared``, or not ``shown``, and which of them that are: none needs to be smaller."""
    more = counted(count, f"more {what}")
    return f"{more} not {done}: those with most responses are, and of equal ones the first by name"


_OF: Final[dict[Between, str]] = {
    "judges": "agreement with {who}, one judge minus another",
    "models_agreement": "agreement of the judges together with {who}, by model",
    "models_support": "support by the judges' verdict, one model minus another",
    "arms_agreement": "agreement of the judges together with {who}, by {arms}",
    "arms_support": "support by the judges' verdict, by {arms}",
    "modes": "agreement of the judges together with {who}, blind minus assisted labels",
}
_NAMES: Final = {
    "Cohen's kappa": "kappa",
    "percent agreement": "agree",
    "statement support": "statements",
    "response support": "responses",
}
_ABOUT: Final = (
    "Shares in points of a hundred. p: two-sided; on the same statements McNemar's test for shares, else that of the "
    "interval. Holm: p adjusted for all differences of its table."
)


def difference_parts(families: Sequence[DifferenceFamily]) -> Iterator[Part]:
    """Nothing where nothing can be subtracted."""
    if not families:
        return
    yield Title("Differences, on supported or not")
    yield _ABOUT
    for family in families:
        yield from ("", _family(family))


def _family(family: DifferenceFamily) -> Part:
    who = one_line(family.reviewer or "")
    if family.mode is not None:
        who += f" ({Group(family.mode, family.drawn).title})"
    elif family.drawn is not None:
        who += f" ({'random audit' if family.drawn else 'other queues'})"
    arms = one_line(arm_word(family.arms))
    title = _OF[family.between].format(who=who, arms=arms)
    told = differences_table(title, family.differences, family.omitted, "tested", what=arms or "model")
    left = [f"{counted(family.without, 'response')} without a {arms} left out"] if family.without else []
    return inset(*told, *left, *map(one_line, family.cautions))


def repeated_parts(repeated: RepeatedAnswers | None, study: Path) -> Iterator[Part]:
    """That models answered questions more than once, and how these answers are compared; nothing where none did."""
    if repeated is None:
        return
    told = "; ".join(
        f"{side_name(one.model)} gave {one.answers:,} to {counted(one.questions, 'question')}"
        for one in repeated.models
    )
    apart = f"tell them apart: {', '.join(repeated.told_by)}" if repeated.told_by else "no record tells them apart"
    yield from ("", one_line(f"Several answers of one model to one question: {told}; {apart}."))
    if repeated.told_by:
        yield NextStep(command("stats", study, "--full", "--between", repeated.told_by[0]))


def differences_table(
    title: str, found: Sequence[StatisticDifference], omitted: int, tested: str, what: str = "model"
) -> Iterator[Part]:
    """Differences of one family, what is missing of them, and what to keep in mind; ``omitted``: models left out, or
    ``what`` else is compared."""
    named = [
        (f"{side_name(one.first)} - {side_name(one.second)}", _NAMES.get(one.statistic, one.statistic)) for one in found
    ]
    rows = (
        (*names, *difference_cells(one), one.estimate.n, one.estimate.clusters)
        for names, one in zip(named, found, strict=True)
    )
    tests = dict.fromkeys(one.test for one in found if one.pvalue is not None)
    yield TableHeading(title)
    yield table(
        ("", "of", "difference", "95% interval", "p", "Holm", "n", clusters_heading(one.estimate for one in found)),
        rows,
    )
    if found[0].family:
        yield f"{counted(found[0].family, 'difference')} {tested}: {'; '.join(tests)}"
    else:
        yield "No difference could be tested."
    yield from _pairings(found)
    if omitted:
        yield more_models(omitted, "compared", what)
    estimates = [(", ".join(names), one.estimate) for names, one in zip(named, found, strict=True)]
    yield from reasons((name, figure) for name, figure in estimates if figure.low is None)
    fewest = min((one.fewest for one in found if one.estimate.low is not None), default=FEW_CLUSTERS)
    if fewest < FEW_CLUSTERS:
        few = f"Too few {found[0].cluster}s on one side ({fewest})"
        yield f"{few}: below {FEW_CLUSTERS} even these intervals can be too narrow."


def _pairings(found: Sequence[StatisticDifference]) -> Iterator[str]:
    """How the two sides of each are paired, where that is by questions; what is alike in one sentence."""
    by_statistic: dict[str, dict[str, list[str]]] = {}
    for one in found:
        if one.cluster != "response" and one.pairing and one.estimate.value is not None:
            words = by_statistic.setdefault(_NAMES.get(one.statistic, one.statistic), {})
            words.setdefault(one.pairing, []).append(f"{side_name(one.first)} - {side_name(one.second)}")
    several = len({str(words) for words in by_statistic.values()}) > 1
    told: dict[str, None] = {}
    for statistic, words in by_statistic.items():
        for pairing, sides in words.items():
            of = [statistic] * several + [", ".join(sides)] * (len(words) > 1)
            told[one_line(f"{', '.join(of)}: {pairing}" if of else pairing)] = None
    yield from told


def difference_cells(one: StatisticDifference) -> tuple[str, ...]:
    """Value and interval with their signs, those of shares in points of a hundred; p, and p by Holm."""
    p, holm = (p_cell(value, one.at_limit) for value in (one.pvalue, one.adjusted))
    return *cells(one.estimate, signed=True), p, holm


def side_name(name: str) -> str:
    """A judge or a model that is compared, in few letters."""
    return "jury" if name == TOGETHER else one_line(name) or "not given"


def p_cell(value: float | None, at_limit: bool) -> str:
    """A p value in a table, ``<0.001``; ``at_limit``: it is that or less. Empty without a value."""
    if value is None:
        return ""
    said = p_words(value).replace("below ", "<")
    return f"<{said}" if at_limit and not said.startswith("<") else said


def p_by_margin(value: float | None, replicates: int) -> str:
    """The same of a one-sided test against a margin: where no resample is as bad as that, below one of them."""
    return f"<{half_up(1 / replicates, 4)}" if value == 0 else p_cell(value, at_limit=False)


_HASH = 10
"""Digits of the newest event's hash that are shown; the JSON has all."""


def provenance_lines(origin: Provenance) -> tuple[str, ...]:
    """The state that the figures are of, how they were made, and whose labels are in none of them."""
    head = f" to {origin.event_head[:_HASH]}" if origin.event_head else ""
    at = datetime.fromisoformat(origin.made_at).strftime("%Y-%m-%d %H:%M UTC")
    beside = f", {counted(origin.comparisons, 'comparison')}" if origin.comparisons else ""
    of_part = f", only {one_line(origin.where)}" if origin.where else ""
    lost = f", {origin.requests_lost:,} of {counted(origin.requests, 'request')} to models lost"
    return (
        f"{origin.study_id}, {counted(origin.events, 'event')}{head}, {at}{of_part}",
        f"version {origin.version}, labels {origin.label_set_version}, seed {origin.seed}, {origin.replicates:,} "
        f"resamples, ties {in_words(origin.tie_rule)}{beside}{lost if origin.requests_lost else ''}",
        *(one_line(one.sentence) for one in origin.left_out),
    )


def part_line(part: SelectedPart) -> str:
    """Which part it is, and how large."""
    return f"only {one_line(part.words)}: {part.statements:,} of {counted(part.in_study, 'statement')}"


def part_lines(part: SelectedPart | None) -> Iterator[str]:
    """The same with what cannot be said of a part; nothing for a whole study."""
    if part is None:
        return
    yield part_line(part)
    if part.parted:
        has = "has statements" if part.parted == 1 else "have statements"
        yield (
            f"{counted(part.parted, 'response')} {has} outside it, too, and so no place in response support and unused "
            "sources."
        )
    yield from part.cautions
