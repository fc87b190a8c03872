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
from medreview.stats.reports.audit_assistance import Assistance
from medreview.stats.reports.audit_looks import PlanStanding, plan_words
from medreview.stats.reports.audit_models import ModelDifference
from medreview.stats.reports.audit_report import AuditFigures, AuditFlow, AuditPlan, AuditReport, AuditShare
from medreview.stats.reports.audit_verdicts import WithVerdicts
from medreview.text import in_words

_CHOSEN: Final = (
    "The best of several judges was chosen on the same labels and looks better than it is: quote the judges together."
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


def missing_line(helped: WithVerdicts, tie_rule: TieRule) -> str:
    """How many verdicts are missing, and what is made of these statements; ``""`` where none is."""
    if not helped.without_verdict or helped.alone_bounds is None:
        return ""
    tied = f" ({helped.tied:,} tied; tie rule: {in_words(tie_rule)})" if helped.tied else ""
    low, high = helped.alone_bounds
    return (
        f"Without a verdict of {one_line(helped.judge)}: {helped.without_verdict:,} of {helped.statements:,} in the "
        f"study{tied}, {helped.audited_without_verdict:,} of {helped.audited:,} audited. They stand at the mean of the "
        f"verdicts; taken as not supported and as supported, the verdicts alone say {percent(low)} to {percent(high)}."
    )


def judges_parts(helped: Sequence[WithVerdicts]) -> Iterator[Part]:
    """Each judge's verdicts beside those of all; nothing of fewer than two judges."""
    if len(helped) < 3:
        return
    rows = (
        (
            one_line(each.judge), *cells(each.supported, "not given"),
            *numbers(each.as_good_as), value_cell(each.alone, "undefined"), value_cell(each.judge_right, "undefined"),
            *numbers(each.without_verdict),
        )
        for each in helped
    )  # fmt: skip
    undefined = [
        (f"{one_line(each.judge)}, {name}", figure)
        for each in helped
        for name, figure in (("supported", each.supported), ("right", each.judge_right))
        if figure.value is None
    ]
    names = ("supported, with whose verdicts", "value", "95% interval", "as good as", "alone", "right", "none")
    yield table(names, rows)
    yield from reasons(undefined)
    yield f"as good as: labels of the audit alone. right: where judge and reviewer agree. none: no verdict. {_CHOSEN}"


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


def estimate_parts(figures: AuditFigures, tie_rule: TieRule) -> Iterator[Part]:
    """Gain, missing verdicts, judges and plan, below the table of a reviewer's figures."""
    for helped in figures.with_verdicts[:1]:
        yield from filter(None, (gain_line(helped), missing_line(helped, tie_rule)))
        yield from corrected_lines(helped)
    yield from judges_parts(figures.with_verdicts)
    yield from plan_parts(figures.plan)


def _planned(plan: AuditPlan) -> Planned:
    helped = plan.study_with_verdicts
    return helped if helped.labels is not None and helped.labels <= (plan.study.labels or helped.labels) else plan.study


def _points(fraction: float) -> str:
    digits = half_up(fraction * 100, 1)
    return digits.removesuffix(".0")


NOT_DRAWN: Final = "No audit is drawn yet; opening a review draws one where there are 50 statements or more."
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
    """The strata, then the figures of each reviewer with the flow of statements that leads to them."""
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
    for figures in report.figures:
        yield from ("", _figures(figures, report.tie_rule))


def plans_lines(report: AuditReport) -> Iterator[str]:
    """Whether half is assisted; the plan in force and those before it; what an interval is good for without one."""
    if report.half_assisted:
        yield "Half of it is shown with the judges, to each reviewer by a coin; the other half is blind."
    if not report.plans:
        if report.figures:
            yield "No plan is set: each interval holds for one look. “medreview audit STUDY --plan 5” sets one."
        return
    *before, now = report.plans
    yield one_line(f"Plan: {plan_words(now)}.")
    yield from (one_line(f"Before that: {plan_words(each)}.") for each in reversed(before))


def standing_line(now: PlanStanding) -> str:
    """Whether the plan is reached, and what an interval before that is good for."""
    words = f"{now.short[:1].upper()}{now.short[1:]}."
    if now.state != "interim":
        return words
    return f"{words} Whoever stops or reports before the plan is reached quotes the interval “{EVERY_LOOK}”."


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


def _figures(figures: AuditFigures, tie_rule: TieRule) -> Part:
    who = one_line(figures.reviewer) if figures.reviewer is not None else "all reviewers together"
    supported, right = figures.supported, figures.judges_right
    together = figures.with_verdicts[:1]
    early = figures.standing.state != "final"
    shown = [
        ("supported, by the audit alone", supported.study),
        *([(EVERY_LOOK, supported.every_look)] if early else []),
        (_AT_LARGE, supported.at_large),
        *((f"post-stratified by {by}", figure) for by, figure in figures.post_stratified.items()),
        *([("supported, with the triage", figures.with_triage)] if figures.with_triage else []),
        *(("supported, by audit and verdicts", helped.supported) for helped in together),
        *((_AT_LARGE, helped.supported_at_large) for helped in together),
        *(("the verdicts alone, uncorrected", helped.alone) for helped in together),
        ("judges right, by the audit alone", right.study),
        *([(EVERY_LOOK, right.every_look)] if early else []),
        (_AT_LARGE, right.at_large),
        *(("judges right, by audit and verdicts", helped.judge_right) for helped in together),
    ]
    defined = [(name, figure) for name, figure in shown if figure.value is not None]
    # What has no value here has none at large, for the same reason.
    missing = [each for each in shown if each[1].value is None and each[0] not in (_AT_LARGE, EVERY_LOOK)]
    labels = "assisted in part" if supported.flow.assisted else "first blind labels"
    parts: list[Part] = [TableHeading(f"The study by the audit of {who}, {labels}")]
    if defined:
        rows = (
            (name, *cells(figure, "not given"), *numbers(figure.n, figure.clusters, figure.dropped))
            for name, figure in defined
        )
        parts.append(table(("", "value", "95% interval", "n", clusters_heading([supported.study]), "left"), rows))
    parts += reasons([*missing, *(each for each in defined if each[1].low is None)])
    parts.append(f"supported: {flow_line(supported.flow)}")
    if (right.flow.no_judgement, right.flow.tied) != (0, 0):
        parts.append(f"judges right: {flow_line(right.flow)}")
    if figures.standing.plan is not None:
        parts.append(standing_line(figures.standing))
    parts += _cautions(supported, figures.with_triage)
    parts += [*assistance_parts(figures.assistance), *models_parts(figures.models)]
    return inset(*parts, *estimate_parts(figures, tie_rule))


def models_parts(models: Sequence[ModelDifference]) -> Iterator[Part]:
    """How the models differ: by audit and verdicts, in this study and in answers like these, and by the audit alone."""
    if not models:
        return
    yield TableHeading("Models: supported, one minus another, in points, by audit and verdicts")
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
    if defined:
        rows = ((name, *cells(figure, "not given"), *numbers(figure.n, figure.clusters)) for name, figure in defined)
        yield table(("", "value", "95% interval", "n", "resp"), rows)
    yield from reasons((name, figure) for name, figure in told[::3] if figure.value is None)
    if defined and len(models) > 1:
        yield f"{len(models):,} comparisons stand side by side; no interval is corrected for that."


def assistance_parts(found: Assistance | None) -> Iterator[Part]:
    """With randomised assistance: agreement with the judges in each half, and what their difference estimates."""
    if found is None:
        return
    yield TableHeading("Randomised assistance: agreement with the judges together")
    named = (("assisted", found.assisted), ("blind", found.blind), ("assisted minus blind", found.difference))
    defined = [(name, figure) for name, figure in named if figure.value is not None]
    if defined:
        yield table(
            ("", "value", "95% interval", "n", "left"),
            ((name, *cells(figure, "not given"), *numbers(figure.n, figure.dropped)) for name, figure in defined),
        )
    yield from reasons((name, figure) for name, figure in named if figure.value is None)
    yield (
        "The difference, in points, is an estimate of automation bias: a coin alone decided which statements had the "
        "judges beside them. All other figures are by the blind half, whose labels count twice."
    )
    if found.otherwise:
        seen = counted(found.otherwise, "statement")
        yield f"On {seen} the judges were seen, or not, otherwise than the coin said; they count as it fell."


def _cautions(supported: AuditShare, with_triage: Estimate | None) -> Iterator[str]:
    notes = (note for note in supported.study.notes if not note.startswith("interim"))
    yield from (f"{note[:1].upper()}{note[1:]}." for note in notes)
    if supported.bounds is not None:
        low, high = supported.bounds
        yield f"By the blind labels alone supported is from {percent(low)} to {percent(high)}."
    if with_triage is not None and with_triage.value is not None:
        yield f"With the triage: {'; '.join(with_triage.notes)}."
    if supported.flow.labelled_out_of_turn:
        yield "What waits comes first in the queue “audit: random”; then the labels behind it count, too."
