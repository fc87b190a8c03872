"""What limits the figures of this study, told from its data."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import one_line
from medreview.cli.reports.page_parts import PagePart, Section, listing
from medreview.cli.reports.references import NOT_FOUND_PROVES
from medreview.cli.reports.study_page.material import Material
from medreview.references.levels import unanswered_words
from medreview.sources.read_by_ocr import BY_OCR
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.formulas.thresholds import FEW_CLUSTERS, FEW_ITEMS, RARE
from medreview.stats.reports.label_scales import LEVELS
from medreview.stats.study_figures import StudyFigures
from medreview.study.unit_ids import REFERENCE
from medreview.words import counted, in_words

_READABLE: Final = ("ok", "paywall", "thin", "given_with_the_answer")


def limitations_section(material: Material) -> Section:
    """One sentence each; what does not apply is not said."""
    told = list(limitations(material))
    parts: tuple[PagePart, ...] = (listing([one] for one in told),) if told else ("None of those that are looked for.",)
    return Section("limitations", "Limitations", parts)


def limitations(material: Material) -> Iterator[str]:
    """The sentences."""
    yield from _reviewers(material)
    yield from _labels(material.figures)
    yield from _judges(material)
    yield from _material(material)
    yield from _references(material)
    yield from _undefined(material.figures)


def _reviewers(material: Material) -> Iterator[str]:
    figures = material.figures
    if not figures.reviewers:
        yield "Nobody has decided anything: every figure is of machines among themselves."
    elif len(figures.reviewers) == 1:
        who = one_line(figures.reviewers[0].reviewer)
        yield f"One reviewer ({who}): how far another would have decided alike is not known."
    elif figures.statements and not any(one.n for one in figures.between_reviewers):
        yield "No two reviewers labelled the same statement: how far they agree is not known."
    waiting = [
        f"{one_line(one.reviewer)} {one.progress.open:,} open and {one.progress.deferred:,} deferred"
        for one in figures.reviewers
        if one.progress.open or one.progress.deferred
    ]
    if waiting:
        yield f"The review is not complete: {'; '.join(waiting)}, of {counted(figures.statements, 'statement')}."


def _labels(figures: StudyFigures) -> Iterator[str]:
    groups = [(one_line(one.reviewer), group) for one in figures.reviewers for group in one.agreement]
    assisted = sum(group.labels for _, group in groups if group.mode == "assisted")
    every = sum(group.labels for _, group in groups)
    for kind in figures.headlines:
        given = sum(person.labels for person in kind.people)
        seen = given - sum(person.blind for person in kind.people)
        if seen:
            yield f"{seen:,} of {counted(given, 'label')} on {kind.title} cannot be vouched for as blind."
    if assisted:
        yield (
            f"{assisted:,} of {every:,} labels were given after something of the judges' opinion had been "
            "seen: agreement on them tends to be higher than between independent raters."
        )
    chosen = sum(group.labels for _, group in groups if not group.drawn)
    if chosen:
        yield (
            f"{chosen:,} of {every:,} labels are on statements that were chosen, not drawn at random: "
            "figures on them do not hold for the rest of the study."
        )
    after = sum(one.progress.after_totals for one in figures.reviewers)
    if after:
        yield f"{counted(after, 'blind label')} given after totals of the judges had been read."
    for who, group in groups:
        if group.responses < FEW_CLUSTERS:
            yield (
                f"{who}, {group.title}: {counted(group.labels, 'label')} in {counted(group.responses, 'response')}; "
                f"below {FEW_CLUSTERS} responses intervals are uncertain."
            )
        elif group.labels < FEW_ITEMS:
            yield f"{who}, {group.title}: only {counted(group.labels, 'label')}."
        for one in group.comparisons[:2]:
            rare = [in_words(label) for label, n in one.first_counts.items() if n < RARE]
            if one.scale == LEVELS.name and one.n and rare:
                yield f"{who}, {group.title}: given on fewer than {RARE} statements: {', '.join(rare)}."


def _judges(material: Material) -> Iterator[str]:
    runs, between = material.record.runs, material.figures.between_judges
    if not runs:
        yield "No judge was asked: nothing is said of how far machines agree with reviewers."
    elif all(run.kind == "offline" for run in runs):
        yield "The only judge is the offline one, which compares words by rules: triage, not a verdict."
    unknown = sorted({one_line(run.judge) for run in runs if run.kind == "recorded" and not run.prompt_sha256})
    if unknown:
        yield f"Judged elsewhere, by prompts that are not known here: {', '.join(unknown)}."
    if between.tied:
        rule = in_words(between.tie_rule)
        yield f"Votes were even on {counted(between.tied, 'statement')}; the tie rule made of them: {rule}."
    long = [f"{one_line(one.judge)} {one.pages_in_parts:,}" for one in between.tallies if one.pages_in_parts]
    if long:
        yield f"Pages longer than a judge's context were read in parts: {', '.join(long)}."
    for one in material.figures.own_work:
        yield f"{one_line(one.judge)} judged texts that its own model wrote."


def _material(material: Material) -> Iterator[str]:
    figures, pages = material.figures, material.record.pages
    unreadable = {state: n for state, n in pages.items() if state not in _READABLE}
    if unreadable:
        states = ", ".join(f"{n:,} {in_words(state) or 'not fetched'}" for state, n in unreadable.items())
        of = f"{sum(unreadable.values()):,} of {counted(sum(pages.values()), 'cited source')}"
        yield f"{of} could not be read as a full page: {states}."
    if material.record.by_ocr:
        read = f"{material.record.by_ocr:,} of {counted(sum(pages.values()), 'cited source')}"
        yield f"{read} {BY_OCR} from pictures, where numbers may be wrong; they count like any other."
    kinds = figures.kinds.all
    if kinds.empty or kinds.incomplete:
        invalid = counted(kinds.empty + kinds.incomplete, "response")
        yield f"{invalid} invalid (empty or cut off): counted as not supported."
    if kinds.sourceless:
        yield f"{counted(kinds.sourceless, 'response')} cite no source at all."
    lost = figures.provenance
    if lost.requests_lost:
        yield f"{lost.requests_lost:,} of {counted(lost.requests, 'request')} to models were lost."
    if material.held_back:
        yield f"{counted(material.held_back, 'overridden statement')} not listed, to keep the audit blind."


def _references(material: Material) -> Iterator[str]:
    report = material.figures.references
    if report is None:
        return
    whole = report.whole
    if whole.verdicts["not_found"]:
        yield NOT_FOUND_PROVES
    if whole.not_checked:
        yield f"{whole.not_checked:,} of {counted(whole.found, 'reference')} not checked: nothing is said of these."
    if whole.unanswered:
        yield f"{unanswered_words(whole.unanswered)}."
    failed = [f"{one_line(one.authority)} {one.failed:,}" for one in report.checking.asked if one.failed]
    if failed:
        yield f"Questions about references that got no answer: {', '.join(dict.fromkeys(failed))}."
    labelled = next((kind.labelled for kind in material.figures.units if kind.kind == REFERENCE), 0)
    if whole.checked and not labelled:
        yield "What references turned out to be is by rules alone: no reviewer has looked at one."
    other = material.figures.other_work
    if other is not None and other.pairs:
        yield (
            f"{other.pairs:,} of {other.share.n:,} times a statement is supported by a cited source whose work is "
            "known, that is another work than the response names."
        )
    if material.references is not None and material.references.held_back:
        yield f"{counted(material.references.held_back, 'reference')} not listed, to keep the audit blind."


def _undefined(figures: StudyFigures) -> Iterator[str]:
    found: dict[str, None] = {}
    for one in (
        *_agreement(figures),
        *(figure for stratum in figures.support.strata[:1] for figure in stratum.clustered if figures.statements),
    ):
        if one.value is None and one.reason:
            found[f"Undefined: {one.name}. {one.reason}"] = None
    yield from found
    for bound in (bound for stratum in figures.support.strata[:1] for bound in stratum.bounds):
        if bound.missing and bound.ends is not None:
            low, high = map(percent, bound.ends)
            yield (
                f"{bound.name}: {bound.missing:,} of {bound.n:,} lack a verdict; "
                f"whatever these are, of all {bound.n:,} the share lies between {low} and {high}."
            )


def _agreement(figures: StudyFigures) -> Iterator[Estimate]:
    for reviewer in figures.reviewers:
        for group in reviewer.agreement:
            for comparison in group.comparisons:
                yield from comparison.agreement if comparison.n else ()
