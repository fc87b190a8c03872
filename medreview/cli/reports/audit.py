"""The audit as text: how many statements are drawn, what became of them, and what they say of the whole study."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.audit_estimates import estimate_parts
from medreview.cli.reports.layout import Heading, Part, cells, inset, numbers, reasons, table
from medreview.labels import TieRule
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.reports.audit_flow import AuditFlow
from medreview.stats.reports.audit_report import AuditFigures, AuditReport, AuditShare

NOT_DRAWN: Final = "No audit is drawn yet; opening a review draws one where there are 50 statements or more."
_AT_LARGE: Final = "in answers like these"
_STEPS: Final = {
    "not_looked_at": "not yet looked at",
    "seen_before": "seen with the judges before and not labelled",
    "labelled_out_of_turn": "labelled behind one that waits, or through a filter",
    "deferred": "deferred",
    "cannot_judge": "cannot judge",
    "no_judgement": "without a verdict of the judges",
    "tied": "tied",
    "stale": "stale",
    "used": "used",
}


def audit_parts(report: AuditReport) -> Iterator[Part]:
    """The strata, then the figures of each reviewer with the flow of statements that leads to them."""
    if not report.strata:
        yield NOT_DRAWN
        return
    members, statements = (sum(getattr(each, name) for each in report.strata) for name in ("members", "statements"))
    if len(report.strata) == 1:
        yield f"{members:,} of {counted(statements, 'statement')} drawn, each with {percent(report.strata[0].rate)}"
    else:
        yield f"{members:,} of {counted(statements, 'statement')} drawn, by stratum"
        rows = ((one_line(s.name), *numbers(s.statements, s.members), percent(s.rate)) for s in report.strata)
        yield inset(table(("", "statements", "drawn", "rate"), rows))
    for figures in report.figures:
        yield from ("", _figures(figures, report.tie_rule))


def flow_line(flow: AuditFlow) -> str:
    """From the study to what a figure uses, in one sentence of counts that add up."""
    steps = [f"{getattr(flow, name):,} {words}" for name, words in _STEPS.items() if getattr(flow, name)]
    if flow.assisted:
        steps[-1] += f" ({flow.assisted:,} of them assisted)"
    drawn = f"; of these {', '.join(steps)}" if steps else ""
    return f"{flow.in_study:,} in the study, {flow.not_drawn:,} not drawn, {flow.drawn:,} drawn{drawn}"


def short_flow(flow: AuditFlow) -> str:
    """The ends of that flow alone."""
    return f"{flow.drawn:,} of {flow.in_study:,} drawn, {flow.used:,} used"


def unjudged_line(flow: AuditFlow) -> str:
    """What of the audit says nothing of the judges, who have no verdict; ``""`` where they have one each time."""
    names = ("no_judgement", "tied")
    lost = [f"{getattr(flow, name):,} {_STEPS[name]}" for name in names if getattr(flow, name)]
    return f"judges right: {', '.join((*lost, f'{flow.used:,} used'))}" if lost else ""


def _figures(figures: AuditFigures, tie_rule: TieRule) -> Part:
    who = one_line(figures.reviewer) if figures.reviewer is not None else "all reviewers together"
    supported, right = figures.supported, figures.judges_right
    together = figures.with_verdicts[:1]
    shown = [
        ("supported, by the audit alone", supported.study),
        (_AT_LARGE, supported.at_large),
        *((f"post-stratified by {by}", figure) for by, figure in figures.post_stratified.items()),
        *([("supported, with the triage", figures.with_triage)] if figures.with_triage else []),
        *(("supported, by audit and verdicts", helped.supported) for helped in together),
        *((_AT_LARGE, helped.supported_at_large) for helped in together),
        *(("the verdicts alone, uncorrected", helped.alone) for helped in together),
        ("judges right, by the audit alone", right.study),
        (_AT_LARGE, right.at_large),
        *(("judges right, by audit and verdicts", helped.judge_right) for helped in together),
    ]
    defined = [(name, figure) for name, figure in shown if figure.value is not None]
    # What has no value here has none at large, for the same reason.
    missing = [each for each in shown if each[1].value is None and each[0] != _AT_LARGE]
    labels = "assisted in part" if supported.flow.assisted else "first blind labels"
    parts: list[Part] = [Heading(f"The study by the audit of {who}, {labels}")]
    if defined:
        parts.append(table(("", "value", "95% interval", "n", "resp", "left"), (_row(*each) for each in defined)))
    parts += reasons([*missing, *(each for each in defined if each[1].low is None)])
    parts.append(f"supported: {flow_line(supported.flow)}")
    if (right.flow.no_judgement, right.flow.tied) != (0, 0):
        parts.append(f"judges right: {flow_line(right.flow)}")
    parts += _cautions(supported, figures.with_triage)
    return inset(*parts, *estimate_parts(figures, tie_rule))


def _row(name: str, figure: Estimate) -> tuple[str, ...]:
    return name, *cells(figure, "not given"), *numbers(figure.n, figure.clusters, figure.dropped)


def _cautions(supported: AuditShare, with_triage: Estimate | None) -> Iterator[str]:
    yield from (f"{note[:1].upper()}{note[1:]}." for note in supported.study.notes)
    if supported.bounds is not None:
        low, high = supported.bounds
        yield f"By the blind labels alone supported is from {percent(low)} to {percent(high)}."
    if with_triage is not None and with_triage.value is not None:
        yield f"With the triage: {'; '.join(with_triage.notes)}."
    if supported.flow.labelled_out_of_turn:
        yield "What waits comes first in the queue “audit: random”; then the labels behind it count, too."
