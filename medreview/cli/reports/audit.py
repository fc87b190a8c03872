"""The audit as text: the draw, what became of it, what it says of the whole study, what the judges' verdicts add."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import clusters_heading
from medreview.cli.reports.judge_trust import corrected_lines
from medreview.cli.reports.layout import NextStep, Part, TableHeading, cells, inset, numbers, reasons, table, value_cell
from medreview.labels import TieRule
from medreview.next_step import command
from medreview.stats.formulas.audit_sampling import Planned
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.reports.audit_differences import Assistance, ModelDifference
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.audit_report import AuditFigures, AuditFlow, AuditPlan, AuditReport, AuditShare
from medreview.stats.reports.audit_verdicts import WithVerdicts
from medreview.text import in_words

_BY_JUDGE: Final = (
    "as good as: labels of the audit alone. right: where judge and reviewer agree. The best of several judges was "
    "chosen on the same labels and looks better than it is: quote the judges together."
)
_BIAS: Final = (
    "Assisted minus blind, in points, is an estimate of automation bias: a coin alone decided which statements had the "
    "judges beside them. All other figures are by the blind half, whose labels count twice."
)
_WAITING: Final = (
    "Label the waiting statements first, in the queue “audit: random”. Then the labels behind them count as well."
)


def short_gain(figures: AuditFigures) -> str:
    """``with the verdicts, 80 labels are as good as 129``; ``""`` where the verdicts of all judges gain nothing."""
    for helped in figures.with_verdicts[:1]:
        if helped.as_good_as is not None and figures.leading is helped.supported:
            return f"with the verdicts, {counted(helped.audited, 'label')} are as good as {helped.as_good_as:,}"
    return ""


def next_step(figures: AuditFigures, study: Path) -> Iterator[NextStep]:
    """What to do for a narrower interval: label what is drawn, or draw more; nothing where it is narrow enough, or the
    plan of the audit is reached."""
    plan, flow, now = figures.plan, figures.supported.flow, figures.standing
    if now.state == "final":
        return
    labels = _planned(plan).labels if now.plan is None else now.plan.labels or plan.study.labels
    if labels is None or labels <= flow.used:
        return
    if flow.waiting:
        yield NextStep(command("review", study, "--queue", "audit"))
    elif flow.not_drawn:
        size = min(flow.in_study, max(flow.drawn + 1, math.ceil(labels / plan.usable)))
        yield NextStep(command("audit", study, "--size", str(size)))


def gain_line(helped: WithVerdicts) -> str:
    """How many labels the verdicts are worth; ``""`` where it cannot be said."""
    if helped.as_good_as is None or helped.variance_ratio is None or helped.weight is None:
        return ""
    gain = "Gain" if helped.as_good_as > helped.audited else "No gain"
    return (
        f"{gain}: with the verdicts of {one_line(helped.judge)}, "
        f"{counted(helped.audited, 'label')} are as good as {helped.as_good_as:,} alone "
        f"({half_up(helped.variance_ratio, 2)} of the variance, both corrected for a study of {helped.statements:,}; "
        f"weight of the verdicts {half_up(helped.weight, 2)})."
    )


def verdicts_parts(helped: Sequence[WithVerdicts], tie_rule: TieRule) -> Iterator[Part]:
    """What each judge's verdicts say without any label, which is the same for every reviewer."""
    if not helped:
        return
    yield TableHeading("The verdicts alone, uncorrected")
    rows = (
        (one_line(one.judge), value_cell(one.alone, "undefined"), *numbers(one.alone.n, one.without_verdict, one.tied))
        for one in helped
    )
    yield table(("", "value", "n", "no verdict", "tied"), rows)
    yield from reasons((one_line(one.judge), one.alone) for one in helped if one.alone.value is None)
    yield from dict.fromkeys(str(one.alone.reason) for one in helped if one.alone.value is not None)
    first = helped[0]
    if first.without_verdict and first.alone_bounds is not None:
        low, high = map(percent, first.alone_bounds)
        yield (
            f"Statements without a verdict stand at the mean of the verdicts (tie rule: {in_words(tie_rule)}); taken "
            f"as not supported and as supported, those of {one_line(first.judge)} say {low} to {high}."
        )


def judges_parts(helped: Sequence[WithVerdicts]) -> Iterator[Part]:
    """Each judge's verdicts beside those of all; nothing of fewer than two judges, or where nothing is defined."""
    every = _each_judge(helped)
    shown = [each for each in every if (each.supported.value, each.judge_right.value) != (None, None)]
    if shown:
        rows = (
            (
                one_line(each.judge), *cells(each.supported, "not given"), *numbers(each.as_good_as),
                value_cell(each.judge_right, "undefined"),
            )
            for each in shown
        )  # fmt: skip
        yield table(("supported, with whose verdicts", "value", "95% interval", "as good as", "right"), rows)


def _each_judge(helped: Sequence[WithVerdicts]) -> Sequence[WithVerdicts]:
    """All judges together and each; one judge says the same as all."""
    return helped if len(helped) > 2 else ()


def plan_parts(plan: AuditPlan) -> Iterator[Part]:
    """How many labels it takes, in this study and in answers like these, with and without the verdicts."""
    yield TableHeading(f"Labels for ± {_points(plan.points)} points")
    every = (plan.study, plan.study_with_verdicts, plan.at_large, plan.at_large_with_verdicts)
    known = [each for each in every if each.least is not None]
    rows = (
        (
            each.name, "" if each.now is None else f"± {_points(each.now)}",
            *numbers(each.labels, each.more), f"± {_points(each.least or 0.0)}",
        )
        for each in known
    )  # fmt: skip
    yield table(("", "now", "labels", "more", "all labelled"), rows)
    large = plan.at_large
    if large.clusters:
        yield f"{large.name}: {large.reason} It takes about {large.clusters:,} such {large.cluster}s, all labelled."
    yield from dict.fromkeys(each.reason for each in every if each.least is None)
    if plan.study.now is None:
        yield "Nothing is known yet: one half is taken as supported, which takes the most labels."
    if plan.usable < 1:
        yield f"Of the members met so far {percent(plan.usable, 0)} came to a label that counts: draw so many more."


def step_line(figures: AuditFigures) -> str:
    """Why to do that: how many labels are missing to the end of the plan, or to a width where none is set."""
    plan = figures.standing.plan
    if plan is None or plan.labels is None:
        return width_line(figures.plan)
    left = counted(plan.labels - figures.standing.labels, "more label")
    return f"{left} to the end of the plan."


def width_line(plan: AuditPlan) -> str:
    """``± 5 points: 42 more labels with the verdicts, 98 without``."""
    alone, helped = plan.study, plan.study_with_verdicts
    words = f"± {_points(plan.points)} points:"
    if alone.more is None:
        return f"{words} not to be had with this study"
    if not alone.more:
        return f"{words} reached"
    if helped.more is None:
        return f"{words} {counted(alone.more, 'more label')}"
    if not helped.more:
        return f"{words} reached with the verdicts; {alone.more:,} more labels without"
    return f"{words} {counted(helped.more, 'more label')} with the verdicts, {alone.more:,} without"


def _planned(plan: AuditPlan) -> Planned:
    helped = plan.study_with_verdicts
    return helped if helped.labels is not None and helped.labels <= (plan.study.labels or helped.labels) else plan.study


def _points(fraction: float) -> str:
    digits = half_up(fraction * 100, 1)
    return digits.removesuffix(".0")


NOT_DRAWN: Final = "No audit is drawn yet; opening a review draws one where there are 50 statements or more."
_Section = tuple[Part, ...]
"""Parts that belong together, with their heading."""
_AT_LARGE: Final = "in answers like these"
EVERY_LOOK: Final = "valid at every look"
"""What the interval is called that holds however often it is read."""
_STEPS: Final = {
    "not_looked_at": "not yet looked at",
    "seen_before": "seen with the judges before and not labelled",
    "labelled_out_of_turn": "labelled behind one that waits, or through a filter",
    "deferred": "deferred",
    "cannot_judge": "cannot judge",
    "no_judgement": "without a verdict of the judges",
    "tied": "tied",
    "stale": "stale",
    "by_coin": "labelled with the judges, by the coin",
    "used": "used",
}


def audit_parts(report: AuditReport) -> Iterator[Part]:
    """The strata and the verdicts, then the figures of each reviewer with the flow of statements that leads to them.

    What is the same for every reviewer is said once.
    """
    if not report.strata:
        yield NOT_DRAWN
        yield from plans_lines(report)
        return
    members, statements = (sum(getattr(each, name) for each in report.strata) for name in ("members", "statements"))
    if len(report.strata) == 1:
        yield f"{members:,} of {counted(statements, 'statement')} drawn, each with {percent(report.strata[0].rate)}"
    else:
        yield f"{members:,} of {counted(statements, 'statement')} drawn, by stratum"
        rows = ((one_line(s.name), *numbers(s.statements, s.members), percent(s.rate)) for s in report.strata)
        yield inset(table(("", "statements", "drawn", "rate"), rows))
    yield from plans_lines(report)
    if any(each.standing.state == "interim" for each in report.figures):
        yield f"If you stop or report before the plan is reached, quote the interval “{EVERY_LOOK}”."
    for figures in report.figures[:1]:
        yield from ("", inset(*verdicts_parts(figures.with_verdicts, report.tie_rule)))
    yield from _blocks([[section for section in _sections(each) if section] for each in report.figures])
    legend = list(_legend(report.figures))
    yield from ("", *legend) if legend else ()


def _blocks(blocks: Sequence[Sequence[_Section]]) -> Iterator[Part]:
    """The sections of each reviewer, then once the sections and sentences that every one has."""
    several = len(blocks) > 1
    shared = [each for each in blocks[0] if all(each in block for block in blocks)] if several else []
    own = [[section for section in block if section not in shared] for block in blocks]
    said = [[part for section in block for part in section if isinstance(part, str)] for block in own]
    sentences = [each for each in said[0] if all(each in block for block in said)] if several else []
    for place, block in enumerate(own):
        parts = [part for section in block for part in section if part not in sentences]
        if len(parts) > 1 or not place:  # headings with nothing of their own stand beneath each other
            yield ""
        yield inset(*parts)
    if shared or sentences:
        same = (part for section in shared for part in section)
        yield from ("", inset(TableHeading("The same by each of these"), *sentences, *same))


def _legend(figures: Sequence[AuditFigures]) -> Iterator[str]:
    """What words in the tables mean, and what holds for the figures of every reviewer."""
    if any(part for one in figures for part in judges_parts(one.with_verdicts)):
        yield _BY_JUDGE
    if any(one.assistance is not None for one in figures):
        yield _BIAS
    if any(one.supported.flow.labelled_out_of_turn for one in figures):
        yield _WAITING


def plans_lines(report: AuditReport) -> Iterator[str]:
    """Whether half is assisted; the plan in force and those before it; what an interval is good for without one."""
    if report.half_assisted:
        yield "A coin shows each reviewer the judges on half of the audit; the other half is blind."
    if not report.plans:
        if report.figures:
            yield "No plan is set: each interval holds for one look. “medreview audit STUDY --plan 5” sets one."
        return
    *before, now = report.plans
    yield one_line(f"Plan: {plan_words(now)}.")
    yield from (one_line(f"Before that: {plan_words(each)}.") for each in reversed(before))


def flow_line(flow: AuditFlow) -> str:
    """From the study to what a figure uses, in one sentence of counts that add up."""
    steps = _steps(flow)
    drawn = f"; of these {', '.join(steps)}" if steps else ""
    return f"{flow.in_study:,} in the study, {flow.not_drawn:,} not drawn, {flow.drawn:,} drawn{drawn}"


def drawn_flow(flow: AuditFlow) -> str:
    """The end of that sentence, where the study and the draw stand beside it."""
    return f"Of {flow.drawn:,} drawn {', '.join(_steps(flow))}"


def _steps(flow: AuditFlow) -> list[str]:
    steps = [f"{getattr(flow, name):,} {words}" for name, words in _STEPS.items() if getattr(flow, name)]
    if flow.assisted:
        steps[-1] += f" ({flow.assisted:,} of them assisted)"
    return steps


def short_flow(flow: AuditFlow) -> str:
    """The ends of that flow alone."""
    return f"{flow.drawn:,} of {flow.in_study:,} drawn, {flow.used:,} used"


def unjudged_line(flow: AuditFlow) -> str:
    """Audited statements on which the judges have no verdict; ``""`` where they have one each time."""
    names = ("no_judgement", "tied")
    lost = [f"{getattr(flow, name):,} {_STEPS[name]}" for name in names if getattr(flow, name)]
    return f"judges right: {', '.join((*lost, f'{flow.used:,} used'))}" if lost else ""


def _sections(figures: AuditFigures) -> Iterator[_Section]:
    """One reviewer's figures, or those of all together; last why any of them is undefined, each reason once."""
    shown = _shown(figures)
    defined = [(name, figure) for name, figure in shown if figure.value is not None]
    yield tuple(_leading_parts(figures, defined))
    yield tuple(assistance_parts(figures.assistance))
    yield tuple(models_parts(figures.models))
    for helped in figures.with_verdicts[:1]:
        lost = helped.audited_without_verdict
        without = f"Without a verdict of {one_line(helped.judge)}: {lost:,} of {helped.audited:,} audited."
        yield (*filter(None, (gain_line(helped), without if lost else "")), *corrected_lines(helped))
    yield tuple(judges_parts(figures.with_verdicts))
    # What has no value here has none at large, for the same reason.
    missing = [each for each in shown if each[1].value is None and each[0] not in (_AT_LARGE, EVERY_LOOK)]
    yield tuple(reasons([*missing, *(each for each in defined if each[1].low is None), *_lacking(figures)]))
    yield tuple(plan_parts(figures.plan))


def _shown(figures: AuditFigures) -> list[tuple[str, Estimate]]:
    """The rows of the first table."""
    supported, right, together = figures.supported, figures.judges_right, figures.with_verdicts[:1]
    early = figures.standing.state != "final"
    return [
        ("supported, by the audit alone", supported.study),
        *([(EVERY_LOOK, supported.every_look)] if early else []),
        (_AT_LARGE, supported.at_large),
        *((f"post-stratified by {by}", figure) for by, figure in figures.post_stratified.items()),
        *([("supported, with the triage", figures.with_triage)] if figures.with_triage else []),
        *(("supported, by audit and verdicts", helped.supported) for helped in together),
        *((_AT_LARGE, helped.supported_at_large) for helped in together),
        ("judges right, by the audit alone", right.study),
        *([(EVERY_LOOK, right.every_look)] if early else []),
        (_AT_LARGE, right.at_large),
        *(("judges right, by audit and verdicts", helped.judge_right) for helped in together),
    ]


def _lacking(figures: AuditFigures) -> Iterator[tuple[str, Estimate]]:
    """What is undefined in the other tables."""
    for each in figures.models:
        yield one_line(f"{each.first} - {each.second}"), each.study
    found = figures.assistance
    if found is not None:
        yield from (("assisted", found.assisted), ("blind", found.blind), ("assisted minus blind", found.difference))
    for helped in figures.with_verdicts[:1]:
        yield "the judges' rate corrected for their errors (Rogan-Gladen)", helped.corrected.study
    for helped in _each_judge(figures.with_verdicts)[1:]:
        yield f"{one_line(helped.judge)}, supported", helped.supported
        yield f"{one_line(helped.judge)}, right", helped.judge_right


def _leading_parts(figures: AuditFigures, defined: Sequence[tuple[str, Estimate]]) -> Iterator[Part]:
    who = one_line(figures.reviewer) if figures.reviewer is not None else "all reviewers together"
    supported, right, now = figures.supported, figures.judges_right, figures.standing
    labels = "assisted in part" if supported.flow.assisted else "first blind labels"
    yield TableHeading(f"The study by the audit of {who}, {labels}")
    if defined:
        rows = (
            (name, *cells(figure, "not given"), *numbers(figure.n, figure.clusters, figure.dropped))
            for name, figure in defined
        )
        yield table(("", "value", "95% interval", "n", clusters_heading([supported.study]), "left"), rows)
    yield f"supported: {flow_line(supported.flow)}"
    if (right.flow.no_judgement, right.flow.tied) != (0, 0):
        yield f"judges right: {flow_line(right.flow)}"
    if now.plan is not None:
        yield f"{now.short[:1].upper()}{now.short[1:]}."
    yield from _cautions(supported, figures.with_triage)


def models_parts(models: Sequence[ModelDifference]) -> Iterator[Part]:
    """How the models differ: by audit and verdicts, in this study and in answers like these, and by the audit alone.

    Nothing where none of these is defined.
    """
    told = [
        (name, figure)
        for each in models
        for name, figure in (
            (one_line(f"{each.first} - {each.second}"), each.study),
            (f"  {_AT_LARGE}", each.at_large),
            ("  by the audit alone", each.alone),
        )
    ]
    defined = [(name, figure) for name, figure in told if figure.value is not None]
    if not defined:
        return
    yield TableHeading("Models: supported, one minus another, in points, by audit and verdicts")
    rows = ((name, *cells(figure, "not given"), *numbers(figure.n, figure.clusters)) for name, figure in defined)
    yield table(("", "value", "95% interval", "n", "resp"), rows)
    if len(models) > 1:
        yield f"{len(models):,} comparisons stand side by side; no interval is corrected for that."


def assistance_parts(found: Assistance | None) -> Iterator[Part]:
    """With randomised assistance: agreement with the judges in each half, and what their difference estimates."""
    if found is None:
        return
    named = (("assisted", found.assisted), ("blind", found.blind), ("assisted minus blind", found.difference))
    defined = [(name, figure) for name, figure in named if figure.value is not None]
    if defined:
        yield TableHeading("Randomised assistance: agreement with the judges together")
        yield table(
            ("", "value", "95% interval", "n", "left"),
            ((name, *cells(figure, "not given"), *numbers(figure.n, figure.dropped)) for name, figure in defined),
        )
    if found.otherwise:
        seen = counted(found.otherwise, "statement")
        yield f"On {seen} the reviewer saw the judges, or did not, against the coin. They count as the coin fell."


def _cautions(supported: AuditShare, with_triage: Estimate | None) -> Iterator[str]:
    notes = (note for note in supported.study.notes if not note.startswith("interim"))
    yield from (f"{note[:1].upper()}{note[1:]}." for note in notes)
    if supported.bounds is not None:
        low, high = supported.bounds
        yield f"By the blind labels alone supported is from {percent(low)} to {percent(high)}."
    if with_triage is not None and with_triage.value is not None:
        yield f"With the triage: {'; '.join(with_triage.notes)}."
