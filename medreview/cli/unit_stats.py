"""``stats --unit``: the figures of one kind of unit other than the statement, on one screen or in full."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from medreview.cli.options import open_study
from medreview.cli.output import counted, one_line, result
from medreview.cli.reports.estimates import provenance_lines
from medreview.cli.reports.facts import both_interval_parts, fact_values, next_parts, theme_step, vote_parts
from medreview.cli.reports.layout import NextStep, Part, cells, table, value_cell
from medreview.cli.reports.stats_screen import unit_step, unit_table
from medreview.cli.reports.terminal import first_that_fits
from medreview.cli.reports.unit_divisions import division_parts
from medreview.cli.reports.unit_parts import unit_parts
from medreview.cli.verdict_access import (
    current_verdicts,
    looked,
    reading,
    tell_all_gold,
    tell_outcomes,
    without_reviewers,
)
from medreview.errors import UserError
from medreview.next_step import command
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import Estimate
from medreview.stats.how_good import of_units
from medreview.stats.reports.provenance import Provenance, provenance
from medreview.stats.reports.study_reader import UnitSelection
from medreview.stats.requirements import Requirement, outcomes
from medreview.stats.study_figures import SCHEMA
from medreview.stats.units.fact_intervals import BothIntervals, both_intervals
from medreview.stats.units.fact_report import FactReport, Juries, KeyFactFigures, fact_report, small_juries
from medreview.stats.units.kind_labels import UnitHeadline, kind_labels, unit_headline
from medreview.stats.units.rater_agreement import CONSENSUS, GOLD, UnitAgreement
from medreview.stats.units.unit_division import UnitBy, UnitDivision, unit_division
from medreview.stats.units.unit_figures import (
    ScaleFigures,
    UnitFigures,
    check_asked,
    kind_named,
    leading_scale,
    reviewers_named,
    unit_figures,
)
from medreview.study.ids import kind_of
from medreview.units.held_facts import held_facts, waiting_facts
from medreview.units.registry import KINDS


def _provenance(reader: sqlite3.Connection, found: UnitFigures, resampling: Resampling) -> Provenance:
    labels = {each.reviewer: {each.which: sum(each.labels.values())} for axis in found.axes for each in axis.labels}
    return provenance(reader, resampling, labels=labels, comparisons=_comparisons(found), where=found.where)


def _parts(
    found: UnitFigures,
    votes: FactReport | None,
    gold: Mapping[str, Any] | None,
    origin: Provenance,
    study: Path,
) -> Iterator[Part]:
    if found.by is not None:
        yield from division_parts(found.by, found.title)
    yield from unit_parts(found)
    if gold is not None and not gold["undecided"]:
        yield from ("", "All right labels are counted; each of these units was decided before.")
    elif gold is not None:
        yield ""
        yield (
            f"All right labels are counted, with those of {counted(gold['undecided'], 'unit')} that nobody has decided "
            f"yet: the study records that {gold['to']} saw these figures first."
        )
    if found.kind == FACT:
        facts = found.family if isinstance(found.family, KeyFactFigures) else None
        held = facts.figures.held if facts else 0
        asked = bool(facts and (facts.figures.judges or facts.figures.panel))
        yield from next_parts(held, study, asked=asked, waiting=votes.waiting if votes else 0)
        yield from theme_step(facts.themes if facts else (), study)
        yield from vote_parts(votes) if votes else ()
    yield from ("", *provenance_lines(origin))


def _comparisons(found: UnitFigures) -> int:
    """How many comparisons of two stand side by side."""
    return _beside([scale for axis in found.axes for scale in axis.scales])


def _beside(scales: Sequence[ScaleFigures]) -> int:
    beside = [each for scale in scales for each in (*scale.between, *scale.machines, *scale.gold)]
    beside += [each for scale in scales for one in scale.consensus for each in one.machines]
    return sum(each.n > 0 for each in beside)


def print_unit_stats(
    study: Path,
    unit: str | None,
    reviewer: str | None,
    resampling: Resampling,
    *,
    full: bool,
    gold: bool,
    csv: str,
    as_json: bool,
    epsilon: float,
    by: UnitBy | None = None,
    where: str = "",
    juries: Juries = (),
    required: Sequence[Requirement] = (),
    leave_out: Sequence[str] | None = None,
    passed: str = "",
    bootstrap: bool = False,
) -> None:
    """Print or write what ``stats --unit`` does; the look at it is recorded.

    Raises :class:`UserError` for a kind that is not there, or cannot be divided or narrowed so, and ``typer.Exit``
    where what is required does not hold.
    """
    from medreview.cli.reports.terminal import show
    from medreview.review.looks import shown_by_units, told_by_sums
    from medreview.review.queue_filters import select_units

    with open_study(study, read_only=True) as opened:
        kind = "" if unit is None else kind_named(unit)
        kind = _kind_with_gold(opened.reader, kind) if gold else kind
        check_asked(kind, by, where, juries)
        if bootstrap and (kind != FACT or gold or by or csv or required):
            raise UserError("--bootstrap is for --unit key_fact alone, without --by, --csv, --require and --gold.")
        only = select_units(opened.reader, kind, where, reviewer)
        current_verdicts(opened)
        looked(opened, "stats", "verdicts" if full and kind == FACT else shown_by_units(only, by))
        people = reviewers_named(opened.reader, reviewer)
        counting = without_reviewers(opened, leave_out, passed, reviewer)
        if bootstrap:
            with counting:
                voted, both, origin = _both_intervals(opened.reader, resampling, only, juries)
            if any(told_by_sums(voted, one) for one in reading(opened)):
                looked(opened, "stats", "labels")
            if as_json:
                plain = {"schema": SCHEMA, "provenance": asdict(origin), "both_intervals": list(map(asdict, both))}
                result(plain, as_json=True)
            else:
                show((*both_interval_parts(both, resampling.replicates), "", *provenance_lines(origin)))
            return
        screen = not (full or gold or csv or as_json or required)
        if screen and by:
            with counting:
                division, origin = _division(opened.reader, kind, by, people, resampling, only, juries)
            if any(told_by_sums(division.given, one) for one in reading(opened)):
                looked(opened, "stats", "labels")
            show((*division_parts(division, KINDS[kind].title), "", *provenance_lines(origin)))
            return
        if screen and not juries:
            with counting:
                headline = unit_headline(opened.reader, kind, people, only=only)
                leads = leading_scale(opened.reader, kind, reviewers=people, resampling=resampling, only=only)
                origin = provenance(
                    opened.reader, resampling, labels={}, comparisons=_beside([leads] if leads else []),
                    where=only.where if only else "",
                )  # fmt: skip
            waiting = waiting_facts(opened.reader) if kind == FACT and not headline.units else 0
            text = unit_screen(headline, leads, origin, study, waiting)
            given = [(one.rater, one.labels) for one in headline.people]
            if any(told_by_sums(given, one) for one in reading(opened)):
                looked(opened, "stats", "labels")
            print(text, end="")
            return
        all_gold = tell_all_gold(opened, kind) if gold else None
        with counting:
            found = unit_figures(
                opened.reader, kind, reviewers=people, resampling=resampling, all_gold=gold, only=only, by=by,
                juries=juries, epsilon=epsilon,
            )  # fmt: skip
            answers = of_units([unit_headline(opened.reader, kind, people, only=only)])
            votes = fact_report(opened.reader, resampling=resampling, only=only) if full and kind == FACT else None
            origin = _provenance(opened.reader, found, resampling)
        if any(told_by_sums(found.given, one) for one in reading(opened)):
            looked(opened, "stats", "labels")
    held = outcomes(required, found, answers)
    if csv:
        print_csv(found, origin, csv, as_json=as_json)
    elif as_json:
        plain = {"schema": SCHEMA, "provenance": asdict(origin), "answers": list(map(asdict, answers)),
                 "unit": asdict(found)}  # fmt: skip
        more: dict[str, Any] = {} if all_gold is None else {"all_gold": all_gold}
        more |= {"require": list(map(asdict, held))} if held else {}
        result({**plain, **more, **({} if votes is None else {"facts": fact_values(votes)})}, as_json=True)
    elif full or gold or not held:
        show(_parts(found, votes, all_gold, origin, study))
    tell_outcomes(held, beside=as_json or bool(csv))


def _division(
    reader: sqlite3.Connection,
    kind: str,
    by: UnitBy,
    people: Collection[str] | None,
    resampling: Resampling,
    only: UnitSelection | None,
    juries: Juries,
) -> tuple[UnitDivision, Provenance]:
    """The parts of a kind alone."""
    labels = kind_labels(reader, kind, people, alone=True, only=only)
    division = unit_division(reader, labels, by, reviewers=people, resampling=resampling, only=only, juries=juries)
    return division, provenance(reader, resampling, where=only.where if only else "")


def _both_intervals(
    reader: sqlite3.Connection, resampling: Resampling, only: UnitSelection | None, juries: Juries
) -> tuple[list[tuple[str, int]], Sequence[BothIntervals], Provenance]:
    """Labels by person, and each figure of key facts with the paper's interval beside the default one."""
    from medreview.judges.rollup import tie_rule

    facts = held_facts(reader)
    small_juries(facts, juries)
    facts = facts if only is None else facts.where(lambda one: one.unit in only.units)
    found = both_intervals(facts, tie_rule(reader), resampling, juries)
    voted = Counter(vote.reviewer for one in facts.held for vote in one.people)
    return list(voted.items()), found, provenance(reader, resampling, where=only.where if only else "")


def print_csv(figures: object, origin: Provenance, csv: str, *, as_json: bool) -> None:
    """Write every figure as a row of a CSV file; ``-`` is standard output."""
    from medreview.exchange.exports.figure_csv import FIGURES, figure_cells, figures_text
    from medreview.exchange.files.csv_file import write_report

    if csv == "-":
        print(figures_text(figures, origin), end="")
    else:
        rows = write_report(Path(csv), FIGURES, figure_cells(figures, origin))
        result({"file": csv, "rows": rows}, f"{counted(rows, 'row')} written to {csv}", as_json=as_json)


def _kind_with_gold(reader: sqlite3.Connection, named: str) -> str:
    """The kind ``named``, or the only one that has right labels; raises :class:`UserError` without right labels."""
    kinds = sorted({kind_of(row[0]) for row in reader.execute("SELECT unit FROM gold")} & set(KINDS))
    if named and named not in kinds:
        raise UserError(f"This study has no right labels of {KINDS[named].title}: leave --gold out, or import them.")
    if not named and len(kinds) != 1:
        which = f"name one of {', '.join(kinds)} with --unit" if kinds else "this study has none; import them first"
        raise UserError(f"--gold scores models against the right labels of one kind of unit: {which}.")
    return named or kinds[0]


FACT: Final = "fact"
_FEWEST: Final = 3
"""Raters below which no line is given up for more room."""
_DIGITS: Final = 2
_SHORT: Final = {GOLD: "right label", CONSENSUS: "majority"}


class RatersBeside(NamedTuple):
    """Raters beside each other, on a line."""

    name: str
    agreement: Sequence[Estimate]
    n: int
    clusters: int | None


def unit_screen(
    headline: UnitHeadline, scale: ScaleFigures | None, origin: Provenance, study: Path, waiting: int = 0
) -> str:
    """As many raters and comparisons as there is room for; ``--full`` has all. ``scale``: raters beside each other;
    ``waiting``: key facts that no text is held against yet."""
    beside = list(_rows_beside(scale)) if scale else []
    raters, pairs = len(headline.raters), len(beside)
    tries = [(raters, most) for most in range(pairs, min(1, pairs) - 1, -1)]
    tries += [(most, 1) for most in range(raters - 1, _FEWEST - 1, -1)]
    return first_that_fits(
        _screen_parts(headline, scale, beside, most, shown, origin, study, waiting) for most, shown in tries
    )


def _screen_parts(
    headline: UnitHeadline,
    scale: ScaleFigures | None,
    beside: Sequence[RatersBeside],
    raters: int,
    shown: int,
    origin: Provenance,
    study: Path,
    waiting: int,
) -> Iterator[Part]:
    yield f"{headline.labelled:,} of {counted(headline.units, headline.noun, headline.title)} labelled"
    yield ""
    if headline.raters:
        yield from unit_table(headline, raters)
    else:
        yield "No person and no machine has said anything yet."
    if scale is not None and beside:
        yield from ("", _beside_table(beside[:shown], scale, headline.cluster))
        if len(beside) > shown:
            yield f"and {counted(len(beside) - shown, 'more comparison')}"
    yield from _screen_next(headline, study, waiting)
    yield from provenance_lines(origin)
    if headline.kind == FACT and headline.raters:
        yield "The systems, those first that say most of the facts:"
        yield NextStep(command("stats", study, "--unit", headline.kind, "--by", "model"))
    yield "Every two raters, tables, types and systems:"
    yield NextStep(command("stats", study, "--unit", headline.kind, "--full"))


def _rows_beside(scale: ScaleFigures) -> Iterator[RatersBeside]:
    """Reviewers together; then everybody beside the right labels, machines beside the majority and each reviewer.

    Each two of several reviewers come last. Of two who share blind and final labels the blind ones stand here.
    """
    pairs: dict[tuple[str, str], UnitAgreement] = {}
    for one in scale.between:
        pairs.setdefault((one.first, one.second), one)
    several = len(pairs) > 1
    if several:
        for many in scale.together[:1]:
            name = f"{len(many.reviewers)} reviewers, {many.which}"
            yield RatersBeside(name, many.agreement, many.items, many.agreement[0].clusters)
    majority = [one for found in scale.consensus for one in found.machines] if several else []
    two, each_two = ((), pairs.values()) if several else (pairs.values(), ())
    right = sorted(scale.gold, key=lambda one: bool(one.which))  # machines first
    for one in (*two, *right, *majority, *scale.machines, *each_two):
        if one.n:
            which = f", {one.which}" if one.which else ""
            first = _SHORT.get(one.first, one_line(one.first))
            yield RatersBeside(f"{first}, {one_line(one.second)}{which}", one.agreement, one.n, one.clusters)


def _beside_table(beside: Sequence[RatersBeside], scale: ScaleFigures, cluster: str) -> Part:
    rows = []
    for one in beside:
        agreed, chance, ac1 = (_by_name(one.agreement, *names) for names in _COLUMNS)
        told = (value_cell(agreed, ""), *cells(chance, _DIGITS), value_cell(ac1, "", _DIGITS))
        rows.append((one.name, *told, one.n, one.clusters if one.clusters != one.n else None))
    title = f"Beside each other: {scale.title}{' (weighted)' if scale.ordered else ''}"
    clusters = f"{cluster}s"
    return table((title, "agree", "kappa", "95% interval", "AC1", "n", clusters), rows, if_any=(clusters,))


_COLUMNS: Final = (
    ("percent agreement", "mean pairwise agreement"), ("Cohen's kappa", "Fleiss' kappa"), ("Gwet's AC",),
)  # fmt: skip


def _by_name(figures: Iterable[Estimate], *names: str) -> Estimate:
    return next(figure for figure in figures if figure.name.startswith(names))


def _screen_next(headline: UnitHeadline, study: Path, waiting: int) -> Iterator[Part]:
    if headline.kind == FACT and not headline.raters:
        yield from next_parts(headline.units, study, asked=False, waiting=waiting)
        return
    sentence, step = unit_step([headline], study)
    if not headline.units:
        sentence, step = "Bring some in.", NextStep(command("import", study, "FILE"))
    yield from ("", f"What next? {sentence}", step)
