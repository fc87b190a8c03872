"""What was done, for a paper: the state of the study, what was reviewed and how, a methods paragraph, limitations."""

import json
from collections.abc import Iterator
from typing import Final

from medreview.cli.output import given, one_line
from medreview.cli.reports.estimates import part_lines
from medreview.cli.reports.layout import Part, Title, table
from medreview.cli.reports.page_parts import FieldList, PagePart, listing
from medreview.cli.reports.references import NOT_FOUND_PROVES
from medreview.cli.reports.stats_screen import contents
from medreview.cli.reports.study_page.figure_sections import flow_parts
from medreview.cli.reports.study_page.material import Material, date, short_hash
from medreview.judges.runs import model_in
from medreview.references.model import unanswered_words
from medreview.sources.ocr_pages import BY_OCR
from medreview.sources.reading.page_states import HOLDS_SOURCE
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEW_ITEMS, RARE, Estimate, percent
from medreview.stats.reports.provenance import JudgeRunRow
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
        ("reviewers", ", ".join(map(one_line, material.reviewers)) or "no decisions yet"),
        ("labels", f"{labels or 'none'}; label set version {origin.label_set_version}"),
        *[("not counted", one_line(one.sentence)) for one in origin.left_out],
        ("tie rule", in_words(origin.tie_rule)),
        ("resampling", f"{origin.replicates:,} replicates, seed {origin.seed}"),
    ]
    if figures.statements:
        rows.append(("comparisons", f"{origin.comparisons:,} of two opinions on statements stand side by side"))
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
    for parts in (_people, _label_table, _exposure, _judge_table, _pages):
        yield from parts(material)


def _progress(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), done.total, done.decided, done.deferred, done.open, done.disagreements,
                                          done.changed_after_reveal)
        for one in material.figures.reviewers
        for done in (one.progress,)
    ]  # fmt: skip
    yield Title("How far the review is")
    if not rows:
        yield "Nobody has decided anything yet."
        return
    names = ("reviewer", "statements", "decided", "deferred", "open", "against the judges", "changed after reveal")
    yield table(names, rows, first="anywhere")


def _people(material: Material) -> Iterator[Part]:
    """Who reviewed, by what they say of themselves, and the guidelines; nothing where nobody did."""
    if material.backgrounds:
        yield Title("Reviewers and guidelines")
        rows = [(one_line(name), one_line(line) or "nothing is said") for name, line in material.backgrounds]
        yield table(("reviewer", "background"), rows, first="anywhere", long=("background",))
        yield f"Guidelines in force: {material.guidelines}."
        if material.consent:
            yield f"Consent: {material.consent}"


def _label_table(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), _kind_words(one.kind), in_words(one.queue), one.mode, one.labels)
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


def _kind_words(kind: str) -> str:
    return KINDS[kind].title if kind in KINDS else "statements"


def _exposure(material: Material) -> Iterator[Part]:
    rows = [
        (one_line(one.reviewer), _PARTS.get(one.part, in_words(one.part)), one.before, one.known)
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
    runs, elsewhere = material.record.runs, _judged_elsewhere(material)
    if elsewhere:
        yield f"Their opinions came with a file: {', '.join(elsewhere)}."
    elif not runs:
        yield "No judge was asked."
    if not runs:
        return
    rows = [
        (
            one_line(run.judge), _kind(run.kind, run.judge), given(run.model), _prompt(run), _params(run.params),
            date(run.started_at), run.judged,
        )
        for run in runs
    ]  # fmt: skip
    names = ("judge", "how", "model", "prompt and its SHA-256", "parameters", "begun", "judgements")
    yield table(names, rows, first="anywhere", long=names[1:-1])


def _judged_elsewhere(material: Material) -> list[str]:
    """Machines whose word on units is held without a run of theirs."""
    known = {run.judge for run in material.record.runs}
    machines = (one for kind in material.figures.headlines for one in kind.raters if one.machine and not one.rules)
    return list(dict.fromkeys(one_line(one.rater) for one in machines if one.rater not in {*known, ROLLED_UP}))


def _prompt(run: JudgeRunRow) -> str:
    """Its name and the beginning of its hash; of rules there is none."""
    if run.kind == "offline":
        return "none"
    return f"{given(run.prompt_id)} {short_hash(run.prompt_sha256) or '(SHA-256 not known)'}"


def _params(params: object) -> str:
    return one_line(json.dumps(params, sort_keys=True, ensure_ascii=False)) if params else "none"


def _pages(material: Material) -> Iterator[Part]:
    pages = material.record.pages
    if not pages:
        return
    yield Title("Cited sources, by the state of their page")
    yield table(("state", "sources"), [(in_words(state) or "not fetched", n) for state, n in pages.items()])
    if material.record.by_ocr:
        yield f"{BY_OCR[:1].upper()}{BY_OCR[1:]}, in whole or in part: {counted(material.record.by_ocr, 'source')}."


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
        clusters = max((one.share.clusters or 0 for one in kind.people), default=0)
        if 0 < clusters < FEW_CLUSTERS:
            come = f"only {kind.labelled:,} labelled"
            come += f", from {counted(clusters, kind.cluster)}" if kind.cluster != kind.noun else ""
            yield f"{kind.title}: {come}; below {FEW_CLUSTERS} {kind.cluster}s intervals are uncertain."
        elif 0 < kind.labelled < FEW_ITEMS:
            yield f"{kind.title}: only {kind.labelled:,} labelled."
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
        if group.clusters < FEW_CLUSTERS:
            yield (
                f"{who}, {group.title}: {counted(group.labels, 'label')} in {counted(group.clusters, group.cluster)}; "
                f"below {FEW_CLUSTERS} {group.cluster}s intervals are uncertain."
            )
        elif group.labels < FEW_ITEMS:
            yield f"{who}, {group.title}: only {counted(group.labels, 'label')}."
        for one in group.comparisons[:2]:
            rare = [in_words(label) for label, n in one.first_counts.items() if n < RARE]
            if one.scale == LEVELS.name and one.n and rare:
                yield f"{who}, {group.title}: labels on fewer than {RARE} statements: {', '.join(rare)}."


def _judges(material: Material) -> Iterator[str]:
    runs, between = material.record.runs, material.figures.between_judges
    if not runs and not _judged_elsewhere(material):
        yield "No judge was asked: nothing is said of how far machines agree with reviewers."
    elif runs and all(run.kind == "offline" for run in runs):
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
        yield "The verdicts on references are by rules alone: no reviewer has looked at them."
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
                f"{bound.name}, by {one_line(figures.support.by)}: {bound.missing:,} of {bound.n:,} lack a verdict; "
                f"whatever these are, of all {bound.n:,} the share lies between {low} and {high}."
            )


def _agreement(figures: StudyFigures) -> Iterator[Estimate]:
    for reviewer in figures.reviewers:
        for group in reviewer.agreement:
            for comparison in group.comparisons:
                yield from comparison.agreement if comparison.n else ()
