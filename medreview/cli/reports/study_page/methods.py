"""What was done, for a paper: the state of the study, what was reviewed and how, a methods paragraph, limitations."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.audit import EVERY_LOOK
from medreview.cli.reports.estimates import over_units, part_lines
from medreview.cli.reports.layout import Part, TableHeading, Title, numbers, table
from medreview.cli.reports.page_parts import FieldList, PagePart, listing
from medreview.cli.reports.references import NOT_FOUND_PROVES
from medreview.cli.reports.stats_screen import contents
from medreview.cli.reports.study_page.figure_sections import flow_parts
from medreview.cli.reports.study_page.material import Material, date, short_hash
from medreview.judges.runs import model_in
from medreview.references.model import authority_name, unanswered_words
from medreview.sources.ocr_pages import BY_OCR
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEW_ITEMS, RARE, Estimate, half_up, percent
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.reviewer_labels import LEVELS
from medreview.stats.study_figures import StudyFigures
from medreview.study.ids import REFERENCE
from medreview.text import counted, in_words
from medreview.units.registry import KINDS
from medreview.units.whole_response import ROLLED_UP


def provenance_section(material: Material) -> Iterator[PagePart]:
    """What to name beside any figure of this report."""
    figures, origin = material.figures, material.figures.provenance
    head = f"{origin.event_head} (newest of {counted(origin.events, 'event')})" if origin.event_head else "no event yet"
    told = [
        f"{one_line(who)}: {', '.join(f'{count:,} {title}' for title, count in groups.items())}"
        for who, groups in origin.labels.items()
        if groups
    ]
    told += [
        f"{one_line(one.rater)}: {one.labels:,} on {kind.title}" for kind in figures.headlines for one in kind.people
    ]
    labels = ", ".join(told)
    rows = [
        ("study", f"{one_line(material.name)}, id {origin.study_id}"),
        ("event head", head),
        ("made", f"{date(origin.made_at)} with medreview {origin.version}"),
        ("contents", contents(figures)),
        *([("part of the study", "; ".join(part_lines(figures.part)))] if figures.part else []),
        ("reviewers", ", ".join(map(one_line, material.reviewers)) or "nobody has decided anything yet"),
        ("labels", f"{labels or 'none'}; label set version {origin.label_set_version}"),
        ("tie rule", in_words(origin.tie_rule)),
        ("resampling", f"{origin.replicates:,} replicates, seed {origin.seed}"),
        ("comparisons", f"{origin.comparisons:,} of two opinions stand side by side in this report"),
    ]
    yield FieldList(tuple(rows))


_KINDS: Final = {
    "offline": "rules on words, no model", "llm": "asked from here", "recorded": "judged elsewhere, imported",
}  # fmt: skip
_PARTS: Final = {
    "judge_verdict": "the judges' verdict",
    "judge_quote": "a judge's quote",
    "judge_highlight": "a judge's marks in the page",
    "jury": "how the judges voted",
    "model_name": "which model wrote the answer",
    "queue_reason": "why it was flagged",
    "judge_totals": "figures on the judges",
    "own_previous": "an earlier label of one's own",
    "other_reviewer": "another reviewer's label",
}


def _kind(kind: str, judge: str) -> str:
    """What a judge is, in words."""
    with_model = kind == "offline" and model_in(judge)
    return "rules on words; a model of meaning for the order alone" if with_model else _KINDS[kind]


def reviewed_section(material: Material) -> Iterator[PagePart]:
    """How labels came to be."""
    if material.figures.statements or not material.figures.headlines:
        yield from (*flow_parts(material), *_progress(material))
    for parts in (_label_table, _exposure, _judge_table, _pages):
        yield from parts(material)


def _progress(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), *numbers(done.total, done.decided, done.deferred, done.open, done.disagreements,
                                          done.changed_after_reveal))
        for one in material.figures.reviewers
        for done in (one.progress,)
    ]  # fmt: skip
    yield Title("How far the review is")
    if not rows:
        yield "Nobody has decided anything yet."
        return
    names = ("reviewer", "statements", "decided", "deferred", "open", "otherwise than judges", "changed after reveal")
    yield table(names, rows, first="anywhere")


def _label_table(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), in_words(one.kind), in_words(one.queue), one.mode, *numbers(one.labels))
        for one in material.record.labels
    ]
    if rows:
        yield Title("Queues and modes")
        yield (
            "Blind labels were given before anything of the judges' opinion on the unit had been seen; all others are "
            "assisted. The two are never counted together."
        )
        yield table(("reviewer", "unit", "queue", "mode", "labels"), rows, first="anywhere",
                    long=("unit", "queue", "mode"))  # fmt: skip


def _exposure(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), _PARTS.get(one.part, in_words(one.part)), *numbers(one.before, one.known))
        for one in material.record.exposure
        if one.before
    ]
    if not material.record.exposure:
        return
    yield Title("What had been seen before the first decision")
    if not rows:
        yield "Nothing of the machines' opinion, of figures on it, or of other labels, on any statement."
        return
    yield table(("reviewer", "seen", "statements", "of"), rows, first="anywhere", long=("seen",))


def _judge_table(material: Material) -> Iterator[PagePart]:
    yield Title("Judges")
    runs = material.record.runs
    if not runs:
        yield "No judge was asked."
        return
    rows = [
        (
            one_line(run.judge), _kind(run.kind, run.judge), given(run.model), given(run.prompt_id),
            short_hash(run.prompt_sha256) or "not known", _params(run.params), date(run.started_at),
            *numbers(run.judged),
        )
        for run in runs
    ]  # fmt: skip
    names = ("judge", "how", "model", "prompt", "prompt's SHA-256", "parameters", "begun", "judgements")
    yield table(names, rows, first="anywhere", long=names[1:-1])


def _params(params: object) -> str:
    return one_line(json.dumps(params, sort_keys=True, ensure_ascii=False)) if params else "none"


def _pages(material: Material) -> Iterator[Part]:
    pages = material.record.pages
    if not pages:
        return
    yield Title("Cited sources, by the state of their page")
    yield table(("state", "sources"), [(in_words(state) or "not fetched", *numbers(n)) for state, n in pages.items()])
    if material.record.by_ocr:
        yield f"{BY_OCR.capitalize()}, in whole or in part: {counted(material.record.by_ocr, 'source')}."


_SOURCES = (
    "Jackknife: Tukey 1958, degrees of freedom Satterthwaite 1946. Percentile bootstrap: Efron 1979. Shares: Wilson "
    "1927; Clopper and Pearson 1934 where all items agree. "
    "Cohen's kappa: Cohen 1960. AC1: Gwet 2008. Fleiss' kappa: Fleiss 1971. Krippendorff's alpha: Krippendorff 2011. "
    "Paired proportions: McNemar 1947, over responses Obuchowski 1998. Several tests: "
    "Holm 1979. Audit: Hajek 1971, Ohlsson 1995; with the verdicts, Angelopoulos et al. 2023."
)


def methods_section(material: Material) -> Iterator[PagePart]:
    """The paragraph, the sources of the formulas, and what to cite."""
    origin = material.figures.provenance
    cite = (
        f"medreview, version {origin.version}. Figures of study {origin.study_id}"
        + (f" at event {short_hash(origin.event_head)}" if origin.event_head else "")
        + f", seed {origin.seed}, {origin.replicates:,} replicates."
    )
    yield from (" ".join(_paragraph(material)), TableHeading("Formulas"), _SOURCES, TableHeading("To cite"), cite)


def _paragraph(material: Material) -> Iterator[str]:
    figures, origin = material.figures, material.figures.provenance
    of_statements = bool(figures.statements) or not figures.headlines
    units = [counted(kind.units, kind.noun, kind.title) for kind in figures.headlines if kind.raters]
    first = [f"{counted(figures.responses, 'response')} with {counted(figures.statements, 'statement')}"]
    yield f"{', '.join([*(first if of_statements else []), *units])} were reviewed with medreview {origin.version}."
    yield from _judged(material)
    yield from _references_checked(material.figures)
    yield from _decided(material)
    strata = figures.audit.strata
    drawn = sum(each.members for each in strata)
    if drawn:
        yield (
            f"For estimates on the whole study {counted(drawn, 'statement')} were drawn at random by permanent random "
            f"numbers{_blind(figures)}. Its intervals for this study follow that draw of single statements."
        )
        yield from _plan_of_audit(figures)
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


def _blind(figures: StudyFigures) -> str:
    """How the labels on them were given that the estimate uses."""
    for audit in figures.audit.figures[-1:]:
        flow = audit.supported.flow
        assisted = f", {flow.assisted:,} of these with the judges in sight" if flow.assisted else ", all of these blind"
        return f"; {flow.used:,} have a label that is used{assisted if flow.used else ''}"
    return "; none of them has a label yet"


def _judged(material: Material) -> Iterator[str]:
    """Which judges were asked: those of statements, and of each other kind those with opinions on its units."""
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


def _references_checked(figures: StudyFigures) -> Iterator[str]:
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


def limitations_section(material: Material) -> Iterator[PagePart]:
    """One sentence for each limitation that applies."""
    told = list(limitations(material))
    yield listing([one] for one in told) if told else "None of those that are looked for."


def limitations(material: Material) -> Iterator[str]:
    """The sentences."""
    yield from _reviewers(material)
    yield from _labels(material.figures)
    yield from _judges(material)
    yield from _material(material)
    yield from _reference_limits(material)
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
    unreadable = {state: n for state, n in pages.items() if state not in HOLDS_SOURCE}
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


def _reference_limits(material: Material) -> Iterator[str]:
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
