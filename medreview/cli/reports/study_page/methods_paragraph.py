"""The methods, ready to paste: a paragraph for the statements and one for each other kind of unit, of what was done.

Nothing is said of what a study has none of. How figures were made is read from the figures themselves: which statistics
have a value, and by which methods their intervals were made.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.audit import EVERY_LOOK
from medreview.cli.reports.estimates import part_lines
from medreview.cli.reports.layout import TableHeading
from medreview.cli.reports.page_parts import PagePart
from medreview.cli.reports.study_page.material import Material, date, short_hash
from medreview.judges.runs import model_in
from medreview.references.model import authority_name
from medreview.stats.formulas.bootstrap import Resampling
from medreview.stats.formulas.estimate import FigureRow, figure_rows, half_up
from medreview.stats.formulas.human_baseline import MARGIN
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.study_figures import StudyFigures
from medreview.stats.units.fact_report import KeyFactFigures
from medreview.stats.units.kind_labels import RaterShare, UnitHeadline
from medreview.stats.units.rankings import RankingFigures
from medreview.stats.units.unit_figures import UnitFigures
from medreview.study.ids import REFERENCE, STATEMENT
from medreview.text import counted, in_words
from medreview.units.registry import KINDS
from medreview.units.whole_response import ROLLED_UP

_SOURCES: Final = {
    "jackknife": "Jackknife: Tukey 1958, degrees of freedom Satterthwaite 1946.",
    "percentile bootstrap": "Percentile bootstrap: Efron 1979.",
    "Wilson": "Intervals of shares: Wilson 1927; Clopper and Pearson 1934 where all items agree.",
    "Cohen's kappa": "Cohen's kappa: Cohen 1960.",
    "Cohen's kappa (": "Weighted kappa: Cohen 1968.",
    "Gwet's AC1": "AC1: Gwet 2008.",
    "Gwet's AC2": "AC2: Gwet 2014.",
    "Fleiss' kappa": "Fleiss' kappa: Fleiss 1971.",
    "Krippendorff's alpha": "Krippendorff's alpha: Krippendorff 2011.",
    "Brennan-Prediger": "Brennan and Prediger 1981.",
    "ICC": "ICC(2,1): Shrout and Fleiss 1979.",
    "Spearman's rho": "Spearman's rho: Spearman 1904.",
    "Kendall's tau": "Kendall's tau-b: Kendall 1945.",
}
"""By the beginning of a statistic or a method, for the list of those that were used."""
AGREEMENT: Final = (
    "percent agreement", "mean pairwise agreement", "Cohen's kappa", "Gwet's AC", "Fleiss' kappa",
    "Krippendorff's alpha", "Brennan-Prediger", "ICC", "Spearman's rho", "Kendall's",
)  # fmt: skip
"""Beginnings of the statistics that say how far raters agree."""
_OF_UNITS: Final = {
    ".between[": "of each two reviewers", ".together[": "of all reviewers together",
    ".machines[": "of machines with reviewers", ".gold[": "with the right labels",
}  # fmt: skip
"""Who is beside whom, by a part of a figure's path."""


def methods_section(material: Material) -> Iterator[PagePart]:
    """The paragraphs, the sources of the formulas that were used, and what to cite."""
    origin = material.figures.provenance
    yield from paragraphs(material)
    if used := list(_used(material.figures)):
        yield from (TableHeading("Formulas"), " ".join(used))
    yield TableHeading("To cite")
    yield (
        f"medreview, version {origin.version}. Figures of study {origin.study_id}"
        + (f" at event {short_hash(origin.event_head)}" if origin.event_head else "")
        + f", seed {origin.seed}, {origin.replicates:,} replicates."
    )


def paragraphs(material: Material) -> Iterator[str]:
    """Each of one kind of unit; one alone where there is next to nothing."""
    figures = material.figures
    if figures.statements:
        yield " ".join(_of_statements(material))
    if figures.references is not None and figures.references.whole.checked:
        yield " ".join(_references_checked(figures))
    units = {one.kind: one for one in figures.units}
    shown = [kind for kind in figures.headlines if kind.raters and (kind.people or kind.kind != REFERENCE)]
    for kind in shown:
        yield " ".join(_of_kind(material, kind, units.get(kind.kind)))
    if not figures.statements and not shown:
        yield f"{counted(figures.responses, 'response')} taken up; nothing of them was judged or labelled."
    if material.consent:
        yield f"Before they decided anything, {material.consent}"
    if left := figures.provenance.left_out:
        yield f"Labels of reviewers in no figure: {' '.join(one_line(one.sentence) for one in left)}"
    part = f", of a part of the study alone: {'; '.join(part_lines(figures.part))}" if figures.part else ""
    yield f"All figures were computed with medreview {figures.provenance.version}{part}."


def _of_statements(material: Material) -> Iterator[str]:
    figures, origin = material.figures, material.figures.provenance
    yield f"The study holds {counted(figures.statements, 'statement')} from {counted(figures.responses, 'response')}."
    yield from _judged(material)
    labelled = list(_labelled(figures))
    yield from labelled or ["No person has labelled a statement."]
    if labelled:
        yield (
            "Blind labels were given before anything of the judges' opinion on the statement had been seen. In figures "
            "of agreement blind and assisted labels, and statements drawn at random and chosen ones, are never pooled."
        )
    drawn = sum(each.members for each in figures.audit.strata)
    if drawn:
        yield (
            f"For estimates on the whole study {counted(drawn, 'statement')} were drawn at random by permanent random "
            f"numbers{_audited(figures)}. Its intervals for this study follow that draw of single statements."
        )
        yield from _plan_of_audit(figures)
    with_judges = [group.comparisons for one in figures.reviewers for group in one.agreement]
    rows = {
        "of each two reviewers": list(figure_rows(figures.between_reviewers)),
        "of judges with a reviewer": list(figure_rows(with_judges)),
        "of judges with each other": list(figure_rows([figures.between_judges.pairs, figures.between_judges.juries])),
    }
    yield from _agreement(rows)
    shares = [figures.support, *(report for one in figures.reviewers for report in one.support)]
    yield from _further_axes(figures)
    yield from _intervals(chain(*rows.values(), figure_rows(shares)), figures.resampling)
    if sum(not one.offline for one in figures.between_judges.tallies) > 1:
        yield f"Even votes of judges: {in_words(origin.tie_rule)}."
    if origin.comparisons > 1:
        yield f"{origin.comparisons:,} comparisons stand side by side; no interval is corrected for that."
    if any(one.pvalue is not None for family in figures.differences for one in family.differences):
        yield "P values of differences are adjusted by Holm, within their table."


def _further_axes(figures: StudyFigures) -> Iterator[str]:
    """What the study asked of statements beside the verdict, on axes of its own."""
    for axis in figures.own_axes:
        if axis.kind == STATEMENT and axis.labelled:
            levels = ", ".join(map(in_words, axis.levels))
            labelled = counted(axis.labelled, "statement was", "statements were")
            yield f"{labelled} also labelled by {one_line(axis.title)} ({levels})."


def _judged(material: Material) -> Iterator[str]:
    """Which judges read the sources; what rules and a model of meaning had to do with it."""
    tallies = material.figures.between_judges.tallies
    asked = {one.judge: one.asked for one in tallies if not one.offline}
    if asked:
        counts = zip(_with_models(material, asked), asked.values(), strict=True)
        yield (
            "Whether the text of a cited source supports a statement was judged by "
            f"{', '.join(f'{name} on {number:,}' for name, number in counts)}."
        )
    elif tallies:
        yield "Statements were compared with each cited source by rules on words, numbers, units and negations."
    if meant := sorted({model_in(run.judge) for run in material.record.runs if run.kind == "offline"} - {""}):
        named = ", ".join(map(one_line, meant))
        yield f"Similarity of meaning ({named}) had a part in their order for review, and in no label."


def _with_models(material: Material, judges: Iterable[str]) -> Iterator[str]:
    """Each judge with its model, where that is another name, and where it was asked."""
    runs = {run.judge: run for run in material.record.runs if run.kind != "offline"}
    for judge in judges:
        run = runs.get(judge)
        told = [] if run is None or run.model in ("", judge) else [one_line(run.model)]
        told += ["judged elsewhere"] if run is not None and run.kind == "recorded" else []
        yield one_line(judge) + (f" ({', '.join(told)})" if told else "")


def _labelled(figures: StudyFigures) -> Iterator[str]:
    for one in figures.reviewers:
        groups = [f"{group.labels:,} {group.title}" for group in one.agreement]
        if groups:
            pace = f" (median {half_up(60 * one.progress.minutes, 0)} s a decision)" if one.progress.minutes else ""
            yield (
                f"{one_line(one.reviewer)} labelled {counted(one.progress.decided, 'statement')}{pace}: "
                f"{'; '.join(groups)}."
            )


def _plan_of_audit(figures: StudyFigures) -> Iterator[str]:
    """When the audit was to end, and whether it did; what its intervals are good for without a plan; a coin's half."""
    for audit in figures.audit.figures[-1:]:
        now, by_coin = audit.standing, audit.supported.flow.by_coin
        if now.plan is None:
            yield f"No plan said when it ends: its intervals hold for one look, “{EVERY_LOOK}” for any number of looks."
        else:
            yield one_line(f"The audit was to end at {plan_words(now.plan)}; {now.short}.")
        if replaced := [plan_words(each) for each in figures.audit.plans[:-1]]:
            yield one_line(f"Plans before that: {'; '.join(replaced)}.")
        if by_coin:
            beside = f"{counted(by_coin, 'more statement')} of it"
            yield f"To estimate automation bias, a coin had {beside} labelled beside the judges."


def _audited(figures: StudyFigures) -> str:
    """How the labels on them were given that the estimate uses."""
    for audit in figures.audit.figures[-1:]:
        flow = audit.supported.flow
        assisted = f", {flow.assisted:,} of these with the judges in sight" if flow.assisted else ", all of these blind"
        return f"; {flow.used:,} have a label that is used{assisted if flow.used else ''}"
    return "; none of them has a label yet"


def _references_checked(figures: StudyFigures) -> Iterator[str]:
    """Who was asked about the references, by what, and when."""
    report = figures.references
    if report is None:
        return
    asked: dict[str, dict[str, None]] = {}
    for one in report.checking.asked:
        asked.setdefault(one_line(authority_name(one.authority)), {})[one.by] = None
    whom = "; ".join(f"{name} (by {' and '.join(by)})" for name, by in asked.items())
    days = dict.fromkeys(date(at)[:10] for at in (report.checking.first_at, report.checking.last_at))
    yield (
        f"{report.whole.checked:,} of {counted(report.whole.found, 'reference')} were compared by rules, field by "
        f"field, with what is known of such works{f', asked of {whom}' if whom else ''}; {' to '.join(days)}."
    )
    yield from _intervals(figure_rows(report), figures.resampling)


def _of_kind(material: Material, kind: UnitHeadline, unit: UnitFigures | None) -> Iterator[str]:
    """What was done with the units of one kind: by whom, how, and with which figures."""
    asked = KINDS[kind.kind]
    units = f"{'all ' if kind.labelled == kind.units > 1 else ''}{counted(kind.units, kind.noun, kind.title)}"
    units = units if kind.labelled in (0, kind.units) else f"{kind.labelled:,} of {units}"
    by = f"{counted(len(kind.people), 'reviewer')} labelled" if kind.people else "No person labelled the"
    clusters = max((one.share.clusters or 0 for one in kind.raters), default=0)
    come = f" from {counted(clusters, kind.cluster)}" if clusters and kind.cluster != kind.noun else ""
    yield f"{by} {units}{come}. What was asked: “{asked.about}”"
    if told := [_labels_of(person) for person in kind.people if person.labels]:
        yield f"Labels: {'; '.join(told)}."
    yield from _brought_in(material, kind)
    if any(person.blind for person in kind.people) and any(person.labels > person.blind for person in kind.people):
        yield "Blind and assisted labels are never pooled in figures of agreement."
    yield from _machines(material, kind)
    if unit is not None:
        yield from _figures_of(unit)


def _labels_of(person: RaterShare) -> str:
    modes = {"blind": person.blind, "assisted": person.labels - person.blind}
    told = ", ".join(f"{count:,} {mode}" for mode, count in modes.items() if count)
    return f"{one_line(person.rater)} {told}"


def _figures_of(unit: UnitFigures) -> Iterator[str]:
    """Who labelled the same, and what was computed of it; axes of which the same can be said together."""
    twice: dict[str, list[str]] = {}
    agreement: dict[str, list[str]] = {}
    for axis in unit.axes:
        found, rows = axis.adjudication, list(figure_rows(axis))
        if found.twice:
            settled = (found.by_third + found.by_agreement) or "none"
            differ = f"; they differ on {found.differ:,}, {settled} of these settled" if found.differ else ", all alike"
            twice.setdefault(f"{found.twice:,} with labels of two or more{differ}", []).append(in_words(axis.axis))
        by_whom = {words: [row for row in rows if part in row.path] for part, words in _OF_UNITS.items()}
        for told in _agreement(by_whom):
            agreement.setdefault(told, []).append(in_words(axis.axis))
    for sentence, axes in chain(twice.items(), agreement.items()):
        yield f"{' and '.join(axes).capitalize()}: {sentence[:1].lower()}{sentence[1:].removesuffix('.')}."
    if isinstance(unit.family, KeyFactFigures) and (single := unit.family.figures.single_person) is not None:
        yield (
            f"Judges were held against the majority of the panel of {single.people} (percent agreement, kappa, AC1), "
            "and each one's kappa against the mean kappa of a person with the majority of the others, one-sided, with "
            f"a margin of {half_up(MARGIN, 2)} and an interval of 90%."
        )
    if isinstance(unit.family, RankingFigures):
        yield "Models are compared by mean rank, orders by Kendall's tau-b."
    yield from _intervals(figure_rows(unit), unit.resampling)


def _brought_in(material: Material, kind: UnitHeadline) -> Iterator[str]:
    """That labels were given elsewhere: nothing is known of what had been seen."""
    every = [one for one in material.record.labels if one.kind == kind.kind]
    imported = sum(one.labels for one in every if one.queue == "imported" and one.mode == "assisted")
    if imported:
        of = "All labels" if imported == sum(one.labels for one in every) else counted(imported, "label")
        yield f"{of} came with a file, and count as assisted, since what had been seen before is not known."


def _machines(material: Material, kind: UnitHeadline) -> Iterator[str]:
    """Those that were asked the same of these units; the judges' word on statements, rolled up, is none of its own."""
    known = {ROLLED_UP, *(one.judge for one in material.figures.between_judges.tallies)}
    said = [one.rater for one in kind.raters if one.machine and not one.rules and one.rater not in known]
    if said:
        yield f"The same was asked of {', '.join(_with_models(material, said))}."
        if len(said) > 1:
            yield f"Even votes: {in_words(material.figures.provenance.tie_rule)}."


def _agreement(rows: dict[str, list[FigureRow]]) -> Iterator[str]:
    """Which statistics of agreement have a value, by who is beside whom; together where they are the same."""
    alike: dict[str, list[str]] = {}
    for words, figures in rows.items():
        names = [one.statistic for one in figures if one.value is not None and one.statistic.startswith(AGREEMENT)]
        if names:
            alike.setdefault(statistic_words(names), []).append(words)
    told = [f"{', '.join(whom)}: {names}" for names, whom in alike.items()]
    if told:
        yield f"Agreement {'; '.join(told)}."


def statistic_words(names: Iterable[str]) -> str:
    """Each once, its weights behind it: ``Cohen's kappa (also linear weights)``."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        plain, _, weights = name.removesuffix(")").partition(" (") if " (" in name else (name, "", "")
        found.setdefault(plain, []).append(weights)
    return ", ".join(
        plain if not any(kinds) else f"{plain} ({'also ' if '' in kinds else ''}{', '.join(filter(None, kinds))})"
        for plain, kinds in found.items()
    )


def _intervals(rows: Iterable[FigureRow], resampling: Resampling) -> Iterator[str]:
    """How the intervals that there are were made, over what."""
    methods = dict.fromkeys(one.method for one in rows if one.low is not None)
    told = list(dict.fromkeys(_method(one, resampling) for one in methods))
    if told:
        yield f"Intervals are of 95%: {'; '.join(told)}."


def _method(name: str, resampling: Resampling) -> str:
    kind, _, unit = name.partition(" over ")
    if kind == "jackknife":
        return f"a jackknife over {unit}, which leaves out each in turn, with Student's t"
    if kind == "percentile bootstrap":
        return (
            f"a percentile bootstrap over {unit or 'items'}, {resampling.replicates:,} replicates, seed "
            f"{resampling.seed}"
        )
    return "Wilson's, which takes items as independent" if name == "Wilson" else given(name)


def _used(figures: StudyFigures) -> Iterator[str]:
    """The sources of what stands in the report: nothing is cited that was not used."""
    rows: Sequence[FigureRow] = [one for one in figure_rows(figures) if one.value is not None]
    names = {one.statistic for one in rows} | {one.method for one in rows if one.low is not None}
    for begins, source in _SOURCES.items():
        if any(name.startswith(begins) for name in names):
            yield source
    tests = [one for family in figures.differences for one in family.differences if one.pvalue is not None]
    if any(compared.mcnemar is not None for compared in figures.between_judges.pairs) or tests:
        yield "Paired proportions: McNemar 1947, over clusters Obuchowski 1998."
    if tests:
        yield "Several tests: Holm 1979."
    if figures.audit.figures:
        yield "Audit: Hajek 1971, Ohlsson 1995."
        if any(each.supported.value is not None for one in figures.audit.figures for each in one.with_verdicts):
            yield "Audit with the judges' verdicts: Angelopoulos et al. 2023."
