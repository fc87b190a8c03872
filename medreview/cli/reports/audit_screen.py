"""The audit on one screen of 80 x 24: what was drawn, what each reviewer's labels say of the study, what next."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.audit import (
    EVERY_LOOK,
    NOT_DRAWN,
    drawn_flow,
    next_step,
    plans_lines,
    short_gain,
    step_line,
    width_line,
)
from medreview.cli.reports.layout import NextStep, Part, cells, reasons, table
from medreview.cli.reports.stats_screen import interval_bar, scale
from medreview.cli.reports.terminal import height, printed
from medreview.next_step import command
from medreview.stats.formulas.audit_sampling import LEAST_AUDITED
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.formulas.estimate import brief as in_brief
from medreview.stats.formulas.prediction_powered import agree
from medreview.stats.reports.audit_looks import plan_words
from medreview.stats.reports.audit_report import AuditFigures, AuditReport
from medreview.study.audit_frame import Stratum

_TOGETHER: Final = "all reviewers"
_MOST_STRATA: Final = 3
_MOST_MODELS: Final = 3
_BAR: Final = 13
_BRIEFEST: Final = 3
"""Empty lines go first, then what is said of single reviewers, then the differences of models, then what is beside."""


def audit_screen(report: AuditReport, more: Sequence[Part], study: Path, *, points: bool = False) -> str:
    """As many reviewers as there is room for; ``--full`` has all.

    ``more``: what else was asked for, above the end. ``points``: how many labels a width takes was asked for, too.
    """
    several = len(report.figures)
    tries = [(several, brief) for brief in range(_BRIEFEST + 1)]
    tries += [(most, _BRIEFEST) for most in range(several - 1, 0, -1)]
    text = ""
    for most, brief in tries:
        parts = [*_parts(report, most, brief), *more, *_next(report, study, points=points)]
        text = printed(part for part in parts if part != "" or not brief)
        if text.count("\n") < height():  # a row for what is typed next
            break
    return text


def _parts(report: AuditReport, most: int, brief: int) -> Iterator[Part]:
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
    yield from ("", _table(shown, last, brief))
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


def _table(shown: Sequence[AuditFigures], last: AuditFigures, brief: int) -> Part:
    """A line for each reviewer; below it the interval that may be read at any time, until the plan is reached."""
    rows: list[tuple[str, ...]] = []
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
    return table(("Supported, by the audit", "value", "95% interval", scale(_BAR), "labels"), rows)


def _cells(figure: Estimate, why: str = "") -> tuple[str, str, str]:
    """Value, interval and bar; without a value how many labels are missing, where that is all, else ``why``."""
    if figure.value is None and figure.n < LEAST_AUDITED:
        return "-", counted(LEAST_AUDITED - figure.n, "more label"), ""
    if figure.value is None:
        return "-", why, ""
    return *cells(figure, "none"), interval_bar(figure, _BAR)


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


def _next(report: AuditReport, study: Path, *, points: bool) -> Iterator[Part]:
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
    yield NextStep(command("audit", study, "--full"))
