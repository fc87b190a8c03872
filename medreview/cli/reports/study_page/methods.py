"""A paragraph for a methods section, ready to paste, and how to cite the program and the figures."""

from collections.abc import Iterable, Iterator

from medreview.cli.output import one_line
from medreview.cli.reports.interval_words import over_units
from medreview.cli.reports.layout import Heading
from medreview.cli.reports.page_parts import PagePart, Section
from medreview.cli.reports.study_page.material import Material
from medreview.cli.reports.study_page.words import date, short_hash
from medreview.judges.semantic_runs import model_in
from medreview.references.authorities import authority_name
from medreview.stats.formulas.estimate import half_up
from medreview.stats.study_figures import StudyFigures
from medreview.units.registry import KINDS
from medreview.units.whole_response import ROLLED_UP
from medreview.words import counted, in_words

_SOURCES = (
    "Jackknife: Tukey 1958, degrees of freedom Satterthwaite 1946. Percentile bootstrap: Efron 1979. Shares: Wilson "
    "1927; Clopper and Pearson 1934 where all items agree. "
    "Cohen's kappa: Cohen 1960. AC1: Gwet 2008. Fleiss' kappa: Fleiss 1971. Krippendorff's alpha: Krippendorff 2011. "
    "Paired proportions: McNemar 1947, over responses Obuchowski 1998. Several tests: "
    "Holm 1979. Audit: Hajek 1971, Ohlsson 1995; with the verdicts, Angelopoulos et al. 2023."
)


def methods_section(material: Material) -> Section:
    """The paragraph, the sources of the formulas, and what to cite."""
    origin = material.figures.provenance
    cite = (
        f"medreview, version {origin.version}. Figures of study {origin.study_id}"
        + (f" at event {short_hash(origin.event_head)}" if origin.event_head else "")
        + f", seed {origin.seed}, {origin.replicates:,} replicates."
    )
    parts: tuple[PagePart, ...] = (
        " ".join(_paragraph(material)),
        Heading("Formulas"),
        _SOURCES,
        Heading("To cite"),
        cite,
    )
    return Section("methods", "Methods, ready to paste", parts)


def _paragraph(material: Material) -> Iterator[str]:
    figures, origin = material.figures, material.figures.provenance
    of_statements = bool(figures.statements) or not figures.headlines
    units = [counted(kind.units, kind.noun, kind.title) for kind in figures.headlines if kind.raters]
    first = [f"{counted(figures.responses, 'response')} with {counted(figures.statements, 'statement')}"]
    yield f"{', '.join([*(first if of_statements else []), *units])} were reviewed with medreview {origin.version}."
    yield from _judged(material)
    yield from _references(material.figures)
    yield from _decided(material)
    strata = figures.audit.strata
    drawn = sum(each.members for each in strata)
    if drawn:
        yield (
            f"For estimates on the whole study {counted(drawn, 'statement')} were drawn at random by permanent random "
            f"numbers{_blind(figures)}. Its intervals for this study follow that draw of single statements."
        )
    of = "Other intervals" if drawn else "Intervals"
    if of_statements:
        yield (
            f"{of} are of 95% and take whole responses as units: {over_units(figures.resampling)}; Wilson intervals, "
            "which take items as independent, stand beside them."
        )
    for cluster in dict.fromkeys(kind.cluster for kind in figures.headlines if kind.raters):
        titles = ", ".join(kind.title for kind in figures.headlines if kind.raters and kind.cluster == cluster)
        yield f"Intervals of {titles} are of 95%, over {cluster}s where several are of one {cluster}, else over items."
    yield (
        "In figures of agreement blind and assisted labels, and drawn and chosen statements, were never pooled. "
        f"Even votes of judges: {in_words(origin.tie_rule)}."
    )
    if origin.comparisons > 1:
        yield (
            f"{origin.comparisons:,} comparisons stand side by side; no interval is corrected for that. P values of "
            "differences are adjusted by Holm, within their table."
        )


def _blind(figures: StudyFigures) -> str:
    """How the labels on them were given that the estimate uses."""
    for audit in figures.audit.figures[-1:]:
        flow = audit.supported.flow
        assisted = f", {flow.assisted:,} of these with the judges in sight" if flow.assisted else ", all of these blind"
        return f"; {flow.used:,} have a label that is used{assisted if flow.used else ''}"
    return "; none of them has a label yet"


def _judged(material: Material) -> Iterator[str]:
    """Who was asked what: judges of statements, and of each other kind those that said something of its units."""
    runs, figures = material.record.runs, material.figures
    models = {run.judge: one_line(run.model) for run in runs if run.kind != "offline"}

    def with_models(judges: Iterable[str]) -> str:
        each = ((one_line(judge), models.get(judge, "")) for judge in judges)
        return ", ".join(f"{name} ({model})" if model not in ("", name) else name for name, model in each)

    tallies = figures.between_judges.tallies
    asked = [one.judge for one in tallies if not one.offline]
    if asked:
        yield f"The text of each cited source was judged by {with_models(asked)}."
    elif tallies:
        yield "Statements were compared with each cited source by rules on words, numbers, units and negations."
    for kind in figures.headlines:
        known = {*asked, ROLLED_UP}
        said = [one.rater for one in kind.raters if one.machine and not one.rules and one.rater not in known]
        if said:
            about = KINDS[kind.kind].about
            yield f"Of each {kind.noun} was asked, “{about}”; machines that answered: {with_models(said)}."
    if meant := sorted({model_in(run.judge) for run in material.record.runs if run.kind == "offline"} - {""}):
        named = ", ".join(map(one_line, meant))
        yield f"Similarity of meaning ({named}) had a part in their order for review, and in no label."


def _references(figures: StudyFigures) -> Iterator[str]:
    """Who was asked about the references, by what, and when."""
    report = figures.references
    if report is None or not report.whole.checked:
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


def _decided(material: Material) -> Iterator[str]:
    for one in material.figures.reviewers:
        groups = [f"{group.labels:,} {group.title}" for group in one.agreement]
        if groups:
            pace = f" (median {half_up(60 * one.progress.minutes, 0)} s a decision)" if one.progress.minutes else ""
            yield (
                f"{one_line(one.reviewer)} labelled {counted(one.progress.decided, 'statement')}{pace}: "
                f"{'; '.join(groups)}."
            )
    for kind in material.figures.headlines:
        for person in kind.people:
            modes = {"blind": person.blind, "assisted": person.labels - person.blind}
            told = ", ".join(f"{count:,} {mode}" for mode, count in modes.items() if count)
            yield f"{one_line(person.rater)} gave {counted(person.labels, 'label')} on {kind.title}: {told}."
