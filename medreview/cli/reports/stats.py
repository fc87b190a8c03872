"""All figures of a study as text for a terminal or a file, 80 columns or wider, also divided by something.

The flow of items comes first: sentences of counts, each of which adds up to what it begins with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, given, one_line, stratum_name
from medreview.cli.reports.agreement_tables import (
    SCALE_TITLES,
    comparison_part,
    comparison_title,
    consensus_parts,
    tie_rules_part,
)
from medreview.cli.reports.audit import audit_parts
from medreview.cli.reports.conduct import conduct_parts
from medreview.cli.reports.estimates import (
    COEFFICIENTS,
    SHORT,
    difference_cells,
    difference_parts,
    figure_table,
    figures_part,
    heading_of,
    more_models,
    over_units,
    part_lines,
    provenance_lines,
    repeated_parts,
    sentences,
)
from medreview.cli.reports.generation import cleanup_parts, generation_parts, passage_parts, planted_parts
from medreview.cli.reports.judge_trust import trust_parts
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
    value_cell,
)
from medreview.cli.reports.references import reference_parts
from medreview.cli.reports.stats_screen import contents, other_units, unit_table
from medreview.cli.reports.unit_agreement import own_axis_parts
from medreview.cli.reports.unit_parts import question_parts, unit_parts
from medreview.labels import AXES, NOT_IN_ANSWER
from medreview.next_step import command
from medreview.stats.formulas.estimate import FEW_CLUSTERS, FEWEST, Estimate, half_up, percent
from medreview.stats.formulas.hypothesis_tests import StatisticDifference
from medreview.stats.formulas.support import Bounds
from medreview.stats.reports.answer_arms import arm_word
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.judge_agreement import BetweenJudges, GroupFigures
from medreview.stats.reports.review_progress import ItemFlow, LabelFlow, ResponseFlow, StatementFlow
from medreview.stats.reports.reviewer_labels import BINARY, LEVELS, SCALES, TOGETHER
from medreview.stats.reports.study_support import ResponseReport, SupportFigures, SupportReport
from medreview.stats.reports.subgroups import ByReport, StratumFigures, StratumLabels
from medreview.stats.study_figures import ReviewerFigures, StudyFigures
from medreview.text import in_words


def flow_lines(flow: ItemFlow) -> Iterator[str]:
    """Responses, statements, and the labels of each reviewer."""
    yield _responses(flow.responses)
    yield _statements(flow.statements)
    yield from map(label_line, flow.labels)


def label_line(labels: LabelFlow) -> str:
    """How the statements stand for one reviewer, and what becomes of the labels."""
    lost = _told((labels.cannot_judge, "cannot judge"), (labels.stale, "stale"))
    of_labels = f"; of the labels {labels.used:,} used, {lost}" if lost else ""
    since = f"; {labels.put_off_since:,} labelled ones put off since" if labels.put_off_since else ""
    return (
        f"{one_line(labels.reviewer)}: {labels.blind:,} labelled blind, {labels.assisted:,} assisted, "
        f"{labels.deferred:,} deferred, {labels.open:,} open{of_labels}{since}"
    )


def _responses(flow: ResponseFlow) -> str:
    steps = _told(
        (flow.invalid, "invalid"), (flow.not_parsed, "not split yet"), (flow.without_statements, "without statements"),
        (flow.with_statements, "with statements"),
    )  # fmt: skip
    left = f"; {counted(flow.parts_left_out, 'part')} of their texts left out" if flow.parts_left_out else ""
    return f"{counted(flow.in_study, 'response')}: {steps or 'nothing yet'}{left}"


def _statements(flow: StatementFlow) -> str:
    edited = f" ({flow.made:,} made, {flow.edited:,} edited away)" if flow.edited else ""
    pages = _told((flow.readable_source, "with a readable source"), (flow.no_readable_source, "without one"))
    judged = _told(
        (flow.judged_by_models, "judged"), (flow.judged_by_rules, "by rules only"), (flow.not_judged, "not judged"),
    )  # fmt: skip
    absent = _told((flow.not_in_answer, NOT_IN_ANSWER))
    told = "; ".join(filter(None, (pages, judged, absent)))
    return f"{counted(flow.in_study, 'statement')}{edited}: {told or 'none yet'}"


def _told(*steps: tuple[int, str]) -> str:
    return ", ".join(f"{count:,} {words}" for count, words in steps if count)


_MOST_REASONS: Final = 4


def by_parts(report: ByReport) -> Iterator[Part]:
    """The parts side by side: first by the judges, then by each reviewer's labels, never pooled."""
    yield Title(f"By {one_line(arm_word(report.arms or report.by))}")
    yield f"{report.about[:1].upper()}{report.about[1:]}."
    yield from report.cautions
    if not report.strata:
        yield "There is no statement."
        return
    names = [_name(report, part) for part in report.strata]
    if report.untold:
        yield f"{counted(report.untold, 'statement')} of parts of fewer than {FEWEST} left out: too few to tell of."
    elif report.folded:
        yield (
            f"{counted(report.folded, 'part')} of fewer than {FEWEST} statements, or beyond the largest, "
            f"{'is' if report.folded == 1 else 'are together'} “{names[-1]}”."
        )
    yield ""
    judged = [part.supported for part in report.strata]
    rows = [
        (name, one.statements, one.responses, one.supported, one.supported.dropped)
        for name, one in zip(names, report.strata, strict=True)
    ]
    by_whom = "by its own word" if report.by == "judge" else "by the judges"
    yield TableHeading(f"Supported, {by_whom}")
    yield inset(table(("", "statements", "resp", "supported", "95% interval", "left"), rows))
    yield from _apart(report, names, [part.apart for part in report.strata], judged)
    for place, reviewer in enumerate(report.strata[0].reviewers):
        yield from _reviewer_by_part(
            report, names, one_line(reviewer.reviewer), [s.reviewers[place] for s in report.strata]
        )


def _reviewer_by_part(
    report: ByReport, names: Sequence[str], who: str, strata: Sequence[StratumLabels]
) -> Iterator[Part]:
    groups = {one.group for one in strata if one.labels}
    if not groups:
        yield from ("", f"{who} has given no label here.")
        return
    of_group = f", {next(iter(groups))}" if len(groups) == 1 else ""
    told = [(name, one) for name, one in zip(names, strata, strict=True) if one.labels]
    yield from ("", TableHeading(f"Labels of {who}{of_group}, and agreement with the judges"))
    group = [] if of_group else ["given"]
    rows = [(name, *([one.group] if group else []), one.labels, one.supported) for name, one in told]
    yield inset(table(("", *group, "labels", "supported", "95% interval"), rows, long=group))
    found = ("percent agreement", "Cohen's kappa", "Gwet's AC1")
    rows = [
        (name, agreed, kappa, value_cell(ac1, ""), agreed.n)
        for name, one in told
        for agreed, kappa, ac1 in [[one.estimate(each) for each in found]]
    ]
    yield inset(table(("", "agree", "95% interval", "kappa", "95% interval", "AC1", "n"), rows))
    yield from _apart(report, names, [one.apart for one in strata], [one.estimate(found[0]) for one in strata])
    kappas = [(name, one.estimate(found[1])) for name, one in told]
    missing = reasons((f"kappa, {name}", figure) for name, figure in kappas if figure.low is None)
    yield from (inset(sentence) for sentence in missing[:_MOST_REASONS])
    if len(missing) > _MOST_REASONS or any(one.supported.low is None for _, one in told):
        yield inset("none, undefined: the reasons are in --json.")


def _apart(
    report: ByReport, names: Sequence[str], apart: Sequence[StatisticDifference | None], figures: Sequence[Estimate]
) -> Iterator[Part]:
    """What sets the parts apart: with the number of those that were looked at together."""
    told = [(name, one) for name, one in zip(names, apart, strict=True) if one is not None]
    if not told:
        return
    rows = [(name, *difference_cells(one)) for name, one in told]
    yield inset(table((f"minus {report.against}, in points", "difference", "95% interval", "p", "Holm"), rows))
    family = told[0][1].family
    if family:
        yield inset(f"{counted(family, 'difference')} tested together; Holm: p adjusted for that. {told[0][1].test}.")
    else:
        yield inset(f"No difference can be tested: none varies over the {told[0][1].cluster}s.")
    counts = [(figure.clusters, figure.cluster) for figure in figures if figure.clusters]
    fewest, cluster = min(counts, default=(FEW_CLUSTERS, "response"))
    if fewest < FEW_CLUSTERS:
        yield inset(f"Too few {cluster}s ({fewest} in one part): below {FEW_CLUSTERS} intervals can be too narrow.")


def _name(report: ByReport, part: StratumFigures) -> str:
    if part.folded:
        return part.stratum
    name = one_line(part.stratum)
    return (in_words(name) if report.by in ("page", "queue") else name) or "not given"


_NOBODY: Final = "Nobody has decided anything yet: there is no agreement to show. Start with:"
_NO_LABEL: Final = "No statement has a label of this reviewer: there is no agreement to show."
_NOTHING_WHOLE: Final = "No response has a label on every statement: support by these labels cannot be said."
_NO_RESPONSE: Final = "The study has no response yet: bring some in with:"


def divided_parts(figures: StudyFigures) -> Iterator[Part]:
    """The parts of a study that was divided, alone."""
    yield from part_lines(figures.part)
    if figures.by is not None:
        yield from by_parts(figures.by)
        if figures.by.by in ("model", "origin"):
            yield from reference_parts(figures.references, by=figures.by.by)
    yield ""
    yield from provenance_lines(figures.provenance)


def stats_parts(figures: StudyFigures, study: Path) -> Iterator[Part]:
    """The whole report."""
    yield contents(figures)
    yield from part_lines(figures.part)
    # A study of other units has no statement to tell of, nor has any reviewer labelled one.
    of_statements = bool(figures.statements) or not figures.headlines
    if of_statements:
        yield inset(*flow_lines(figures.flow))
    if not figures.reviewers:
        yield from ("", _NOBODY, NextStep(command("review", study)))
    yield from _own(figures)
    for headline in figures.headlines:
        if headline.raters:
            yield from ("", *unit_table(headline))
    if figures.audit.figures:
        yield Title("The audit: what a random draw says of the whole study")
        yield from audit_parts(figures.audit)
    for reviewer in figures.reviewers if of_statements else ():
        yield from _reviewer(reviewer)
    if figures.between_reviewers:
        yield Title("Agreement between reviewers")
        for comparison in figures.between_reviewers:
            yield from ("", comparison_part(comparison))
    yield from _judges(figures.between_judges)
    yield from difference_parts(figures.differences)
    if not any(family.arms for family in figures.differences):
        yield from repeated_parts(figures.repeated, study)
    yield from consensus_parts(figures.consensus, figures.resampling.replicates)
    yield from trust_parts(figures.trust)
    yield from _kinds(figures.kinds)
    if of_statements:
        yield from _support(figures.support)
    yield from reference_parts(figures.references, figures.other_work, study=study)
    yield from question_parts(figures.questions)
    yield from passage_parts(figures.passages)
    yield from generation_parts(figures.generated, figures.own_work)
    yield from cleanup_parts(figures.cleanup)
    yield from planted_parts(figures.planted)
    for kind in figures.units:
        yield from unit_parts(kind)
    yield from own_axis_parts(figures)
    yield from conduct_parts(figures.conduct)
    if figures.by is not None:
        yield from by_parts(figures.by)
    if not figures.responses and of_statements:
        yield NextStep(command("import", study, "FILE"))
    clusters, heading = f"{figures.resampling.cluster}s", heading_of(figures.resampling.cluster)
    yield ""
    yield (
        f"Intervals over {clusters}: {over_units(figures.resampling)}. "
        f"Wilson: takes the items for independent; lead with the other one where {clusters} hold several. "
        f"left: items left out, because a judgement or label is missing. {heading}: {clusters} that the items are in."
    )
    yield from provenance_lines(figures.provenance)


def _own(figures: StudyFigures) -> Iterator[Part]:
    """How good the answers are by reviewers' own labels, as these stand."""
    own = [one.own for one in figures.reviewers if one.own is not None]
    if own:
        yield Title("How good the answers are, by the labels of reviewers as they stand")
    for one in own:
        told = (one.cited, one.any_source, one.responses)
        head = f"{one_line(one.reviewer)}: {one.of_what}, {one.blind:,} of them first given blind"
        caution = [f"{one.caution[:1].upper()}{one.caution[1:]}."] if one.caution else []
        yield from ("", figures_part(head, told, "", *caution))


def _reviewer(reviewer: ReviewerFigures) -> Iterator[Part]:
    done = reviewer.progress
    yield Title(f"Reviewer {one_line(reviewer.reviewer)}")
    yield (
        f"{done.decided:,} of {counted(done.total, 'statement')} decided, {done.deferred:,} deferred, "
        f"{done.open:,} open; {done.disagreements:,} against the judges, "
        f"{done.changed_after_reveal:,} changed after the reveal"
    )
    if others := other_units(done):
        yield others
    if done.after_totals:
        yield f"{counted(done.after_totals, 'blind label')} given after figures of the judges had been read"
    if done.hallucinations:
        names = {label.level: label.name for label in AXES["hallucination"]}
        types = ", ".join(f"{count:,} {names[level]}" for level, count in done.hallucinations.items())
        yield f"hallucination: {types}"
    if done.minutes is not None:
        yield f"{half_up(done.minutes, 2)} minutes for a decision (median of {done.timed:,})"
    if not reviewer.agreement:
        yield from ("", _NO_LABEL)
        return
    for group in reviewer.agreement:
        yield from _group(group)
    for report in reviewer.support:
        yield from _support(report)
    if not reviewer.support:
        yield from ("", _NOTHING_WHOLE)


def _group(group: GroupFigures) -> Iterator[Part]:
    labels, clusters = counted(group.labels, "label"), counted(group.clusters, group.cluster)
    yield Title(f"Agreement with the judges, {group.title}: {labels} in {clusters}")
    yield from group.cautions
    together = {one.scale: one for one in group.comparisons if one.second == TOGETHER}
    for comparison in group.comparisons:
        if comparison.second != TOGETHER and replace(comparison, second=TOGETHER) == together.get(comparison.scale):
            yield from ("", f"  {comparison_title(comparison)}: as with the judges together")
        else:
            yield from ("", comparison_part(comparison))
    if group.under_rules:
        yield from ("", tie_rules_part(group.under_rules))


def _kinds(report: ResponseReport) -> Iterator[Part]:
    """Responses that cite nothing and invalid ones, by model; nothing without such responses."""
    if not any((report.all.sourceless, report.all.empty, report.all.incomplete)):
        return
    yield Title("Responses without a source, and invalid ones")
    names = ("", "responses", "no source", "share", "95% interval", "empty", "incomplete", "invalid")
    of_models = ((given(model), kinds) for model, kinds in report.by_model.items() if len(report.by_model) > 1)
    yield inset(
        table(
            names,
            (
                (
                    name, kinds.responses, kinds.sourceless, *cells(kinds.without_source, missing=""),
                    kinds.empty, kinds.incomplete, value_cell(kinds.invalid, "undefined"),
                )
                for name, kinds in (("all responses", report.all), *of_models)
            ),
        )
    )  # fmt: skip
    yield (
        "no source: valid, and no URL or identifier in the text or beside it. Empty and incomplete ones are invalid: "
        "without statements and sources, and not supported. Shares are of all responses; interval by Wilson."
    )
    if report.models_omitted:
        yield f"{more_models(report.models_omitted, 'shown')}."


def _support(report: SupportReport) -> Iterator[Part]:
    yield Title(f"Support and sources, by {one_line(report.by)}")
    if not report.strata:
        yield _NO_RESPONSE
    yield from report.cautions
    for stratum in report.strata:
        yield from ("", _stratum(stratum))
    for split, count in report.omitted.items():
        yield from ("", f"{count:,} smaller groups by {split} are not shown.")


def _stratum(stratum: SupportFigures) -> Part:
    name = stratum_name(stratum.split, stratum.stratum)
    empty = f"; {stratum.without_statements:,} more without statements" if stratum.without_statements else ""
    invalid = f"; {stratum.invalid:,} invalid, not supported" if stratum.invalid else ""
    head = TableHeading(f"{name}: {counted(stratum.responses, 'response')} with statements{empty}{invalid}")
    both = [figure for pair in zip(stratum.clustered, stratum.wilson, strict=True) for figure in pair]
    # Without items the two are the same sentence.
    shown = [figure for place, figure in enumerate(both) if place % 2 == 0 or figure.n]
    return inset(head, figure_table(shown), *sentences(shown), *_bounds(stratum.bounds))


def _bounds(bounds: Sequence[Bounds]) -> Iterator[ReportTable]:
    """Of the shares that a missing verdict could move."""
    rows = [
        (name, percent(each.not_supported), percent(each.supported), each.n, each.missing)
        for name, each in ((SHORT.get(each.name, each.name), each) for each in bounds)
        if each.missing and each.not_supported is not None and each.supported is not None
    ]
    if rows:
        yield table(("missing verdicts taken as", "not supported", "supported", "n", "missing"), rows)


def _judges(judges: BetweenJudges) -> Iterator[Part]:
    """The judges beside each other; nothing when fewer than two judged."""
    long = [f"{one_line(each.judge)} {each.pages_in_parts:,}" for each in judges.tallies if each.pages_in_parts]
    if long:
        yield from ("", f"Pages longer than a judge's context, which it saw in parts: {', '.join(long)}.")
    if len(judges.tallies) < 2:
        return
    yield Title("The judges beside each other")
    levels = [tuple(tally.labels[LEVELS.name].values()) for tally in judges.tallies]
    coarse = [
        sum(tally.labels[BINARY.name].values()) - sum(told) for tally, told in zip(judges.tallies, levels, strict=True)
    ]
    # "Not found" has no place among the four labels. Most judges use all four, and the column is left out.
    more = ("other",) if max(coarse) > 0 else ()
    counts = (
        (one_line(tally.judge), tally.asked, tally.abstained, *told, *((rest,) if more else ()))
        for tally, told, rest in zip(judges.tallies, levels, coarse, strict=True)
    )
    yield inset(table(("", "asked", "abstained", *map(in_words, LEVELS.labels), *more), counts, others="words"))
    ties = f"{counted(judges.tied, 'statement')} with even votes; tie rule: {in_words(judges.tie_rule)}."
    other = " Other: not supported, without saying which of the labels." if more else ""
    yield f"{ties} Abstained: no verdict, be it unsure, refused, cut off or no answer.{other}"
    for jury in judges.juries:
        head = f"{counted(len(jury.judges), 'judge')} together, {SCALE_TITLES[jury.scale]}"
        yield from ("", figures_part(head, tuple(jury.agreement.figures.values())))
    for scale in SCALES:
        names = (f"each two, {scale.title}", *COEFFICIENTS, "agree", "n", "left")
        pairs = table(names, (_pair(pair) for pair in judges.pairs if pair.scale == scale.name), others="words")
        if pairs.rows:
            yield from ("", inset(pairs))


def _pair(pair: Comparison) -> tuple[Cell, ...]:
    figures = {figure.name: figure for figure in reversed(pair.agreement)}
    values = (value_cell(figures[name]) for name in (*COEFFICIENTS, "percent agreement"))
    names = f"{one_line(pair.first)}, {one_line(pair.second)}"
    return names, *values, pair.n, sum(pair.dropped.values())
