"""The audit as text: the draw, what became of it, what it says of the whole study, what the judges' verdicts add."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import clusters_heading
from medreview.cli.reports.judge_trust import corrected_lines
from medreview.cli.reports.layout import (
    Cell,
    NextStep,
    Part,
    TableHeading,
    bar_scale,
    inset,
    interval_bar,
    reasons,
    table,
    value_cell,
)
from medreview.cli.reports.terminal import first_that_fits
from medreview.labels import TieRule
from medreview.next_step import command
from medreview.stats.formulas.audit_sampling import LEAST_AUDITED, Planned
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.formulas.estimate import brief as in_brief
from medreview.stats.formulas.prediction_powered import agree
from medreview.stats.reports.audit_differences import Assistance, ModelDifference
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.audit_report import AuditFigures, AuditFlow, AuditPlan, AuditReport, AuditShare
from medreview.stats.reports.audit_verdicts import WithVerdicts
from medreview.study.audit_frame import Stratum
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
        yield NextStep(command("plan", "audit", study, "--size", str(size)))


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
        (one_line(one.judge), value_cell(one.alone, "undefined"), one.alone.n, one.without_verdict, one.tied)
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
                one_line(each.judge), each.supported, each.as_good_as,
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
            each.labels, each.more, f"± {_points(each.least or 0.0)}",
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
_Block = tuple[Part, ...]
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
        rows = ((one_line(s.name), s.statements, s.members, percent(s.rate)) for s in report.strata)
        yield inset(table(("", "statements", "drawn", "rate"), rows))
    yield from plans_lines(report)
    if any(each.standing.state == "interim" for each in report.figures):
        yield f"If you stop or report before the plan is reached, quote the interval “{EVERY_LOOK}”."
    for figures in report.figures[:1]:
        yield from ("", inset(*verdicts_parts(figures.with_verdicts, report.tie_rule)))
    yield from _blocks([[section for section in _sections(each) if section] for each in report.figures])
    legend = list(_legend(report.figures))
    yield from ("", *legend) if legend else ()


def _blocks(blocks: Sequence[Sequence[_Block]]) -> Iterator[Part]:
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
            yield "No plan is set: each interval holds for one look. “medreview plan audit STUDY --plan 5” sets one."
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


def _sections(figures: AuditFigures) -> Iterator[_Block]:
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
        rows = ((name, figure, figure.n, figure.clusters, figure.dropped) for name, figure in defined)
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
    rows = ((name, figure, figure.n, figure.clusters) for name, figure in defined)
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
            ((name, figure, figure.n, figure.dropped) for name, figure in defined),
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


_TOGETHER: Final = "all reviewers"
_MOST_STRATA: Final = 3
_MOST_MODELS: Final = 3
_AUDIT_BAR: Final = 13
_BRIEFEST: Final = 3
"""Empty lines go first, then what is said of single reviewers, then the differences of models, then what is beside."""


def audit_screen(report: AuditReport, more: Sequence[Part], study: Path, *, points: bool = False) -> str:
    """As many reviewers as there is room for; ``--full`` has all.

    ``more``: what else was asked for, above the end. ``points``: how many labels a width takes was asked for, too.
    """
    several = len(report.figures)
    tries = [(several, brief) for brief in range(_BRIEFEST + 1)]
    tries += [(most, _BRIEFEST) for most in range(several - 1, 0, -1)]
    end = [*more, *_screen_next(report, study, points=points)]
    return first_that_fits([*_screen(report, most, brief), *end] for most, brief in tries)


def _screen(report: AuditReport, most: int, brief: int) -> Iterator[Part]:
    if not report.strata:
        yield NOT_DRAWN
        yield from plans_lines(report)
        return
    yield _drawn(report.strata)
    yield from _plan_lines(report, brief)
    if not report.figures:
        return
    # All together come last and are never left out.
    shown = [*report.figures[: most - 1], report.figures[-1]]
    last = shown[-1]
    yield from ("", _screen_table(shown, last, brief))
    if len(report.figures) > most:
        yield f"and {counted(len(report.figures) - most, 'more reviewer')}"
    yield from reasons((_who(each), each.leading) for each in shown if _explained(each, last, brief))
    beside = list(_beside(report, last, brief))
    yield from ("", *beside) if beside else ()


def _explained(figures: AuditFigures, last: AuditFigures, brief: int) -> bool:
    """Whether a sentence below the table says why the estimate is undefined; a count of labels says it in the table."""
    leading = figures.leading
    return leading.value is None and leading.n >= LEAST_AUDITED and (figures is last or brief < 2)


def _drawn(strata: Sequence[Stratum]) -> str:
    members, statements = (sum(getattr(each, name) for each in strata) for name in ("members", "statements"))
    said = f"{members:,} of {counted(statements, 'statement')} drawn"
    if len(strata) == 1:
        return f"{said}, each with {percent(strata[0].rate)}"
    if len(strata) > _MOST_STRATA:
        rates = [each.rate for each in strata]
        return f"{said}, in {len(strata):,} strata with {percent(min(rates))} to {percent(max(rates))} of each"
    each_one = (f"{one_line(s.name)} {s.members:,} of {s.statements:,} ({percent(s.rate)})" for s in strata)
    return f"{said}: {', '.join(each_one)}"


def _plan_lines(report: AuditReport, brief: int) -> Iterator[str]:
    if not report.plans:
        yield from (plans_lines(report) if brief < 2 else ())
        return
    if report.half_assisted and not report.figures:
        yield from plans_lines(report)
        return
    before = f"; {counted(len(report.plans) - 1, 'earlier plan')}" if len(report.plans) > 1 else ""
    yield one_line(f"Plan: {plan_words(report.plans[-1])}{before}.")
    for figures in report.figures[-1:]:
        yield from _standing(figures, report.figures[:-1])


def _standing(last: AuditFigures, single: Sequence[AuditFigures]) -> Iterator[str]:
    """Whether the plan is reached by all together, and by whom alone it is otherwise."""
    now = last.standing
    state, colon, rest = now.short.partition(": ")
    who = f", by {_TOGETHER}" if single else ""
    said = f"{state.capitalize()}{who}{colon}{rest}."
    other = [each for each in single if each.standing.state != now.state]
    if other:
        names = _who(other[0]) if len(other) == 1 else counted(len(other), "reviewer")
        said += f" By {names} alone: {other[0].standing.state}."
    if any(_early(each) for each in (last, *other)):
        said += f" Before the end, quote what is “{EVERY_LOOK}”."
    yield said


def _early(figures: AuditFigures) -> bool:
    """Whether the interval that may be read at any time is the one to quote, and there is one."""
    return figures.standing.state == "interim" and figures.supported.every_look.low is not None


def _screen_table(shown: Sequence[AuditFigures], last: AuditFigures, brief: int) -> Part:
    """A line for each reviewer; below it the interval that may be read at any time, until the plan is reached."""
    rows: list[tuple[Cell, ...]] = []
    for figures in shown:
        flow, leading = figures.supported.flow, figures.leading
        helped = " + verdicts" if leading is not figures.supported.study else ""
        why = "see below" if _explained(figures, last, brief) else "--full says why"
        rows.append((f"{_who(figures)}{helped}", *_cells(leading, why), f"{flow.used:,} of {flow.drawn:,}"))
        if _early(figures) and (figures is last or brief < 2):
            rows.append((f"  {EVERY_LOOK}", *_cells(figures.supported.every_look)))
    if last.judges_right.study.value is not None and brief < _BRIEFEST:
        rows.append(("judges right", *_cells(last.judges_right.study), f"{last.judges_right.flow.used:,}"))
    for helped_by in last.with_verdicts[:1]:
        if helped_by.alone.value is not None and brief < _BRIEFEST:
            rows.append(("verdicts alone, uncorrected", *_cells(helped_by.alone)))
    return table(("Supported, by the audit", "value", "95% interval", bar_scale(_AUDIT_BAR), "labels"), rows)


def _cells(figure: Estimate, why: str = "") -> tuple[Cell, ...]:
    """Value, interval and bar; without a value how many labels are missing, where that is all, else ``why``."""
    if figure.value is None and figure.n < LEAST_AUDITED:
        return "-", counted(LEAST_AUDITED - figure.n, "more label"), ""
    if figure.value is None:
        return "-", why, ""
    return figure, interval_bar(figure, _AUDIT_BAR)


def _who(figures: AuditFigures) -> str:
    return _TOGETHER if figures.reviewer is None else one_line(figures.reviewer)


def _beside(report: AuditReport, last: AuditFigures, brief: int) -> Iterator[str]:
    """Where the draw went, what the verdicts are worth, the check by another way, models, and assistance."""
    flow, gain = last.supported.flow, short_gain(last)
    if gain or flow.used < flow.drawn or flow.assisted:
        yield f"{'; '.join(filter(None, (drawn_flow(flow), gain)))}."
    for helped in last.with_verdicts[:1]:
        same = agree(helped.corrected.study, helped.beside_corrected)
        if same is not None:
            said = "agrees" if same else "does not agree: look at how the audit was drawn and labelled"
            rate = in_brief(helped.corrected.study)
            yield f"Check: the verdicts corrected for their errors (Rogan-Gladen), {rate}, {said}."
    defined = [each for each in last.models if each.study.value is not None]
    most = 0 if brief >= _BRIEFEST else 1 if brief == _BRIEFEST - 1 else _MOST_MODELS
    for each in defined[:most]:
        yield one_line(f"Supported, {each.first} minus {each.second}, in points: {in_brief(each.study)}")
    if len(defined) > most:
        yield f"and {counted(len(defined) - most, 'more difference')} of models: --full"
    if report.half_assisted:
        found = [(_who(each), each.assistance.difference) for each in report.figures if each.assistance is not None]
        told = [f"{who} {'undefined' if bias.value is None else in_brief(bias)}" for who, bias in found]
        known = any(bias.value is not None for _, bias in found)
        said = ", ".join(told) if known else "undefined so far"
        yield f"Judges shown on half, by a coin. Automation bias, in points: {said}."


def _screen_next(report: AuditReport, study: Path, *, points: bool) -> Iterator[Part]:
    if not report.strata:
        return
    yield ""
    if not report.figures:
        yield from ("What next? Label the random audit.", NextStep(command("review", study, "--queue", "audit")))
        return
    last = report.figures[-1]
    width, step = width_line(last.plan), next(next_step(last, study), None)
    if points and (step is None or width != step_line(last)):
        yield width
    if step is not None:
        yield from (f"What next? {step_line(last)}", step)
    else:
        done = "The plan is reached" if last.standing.state == "final" else "No label is missing"
        yield from (f"What next? {done}: hand in the report.", NextStep(command("report", study, "report.html")))
    yield NextStep(command("plan", "audit", study, "--full"))
