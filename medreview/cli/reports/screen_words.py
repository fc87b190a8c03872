"""How sure the figures of the one screen are, and what to do next, in sentences."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.audit import flow_line, short_flow, unjudged_line
from medreview.cli.reports.audit_estimates import next_step, plan_line, short_gain
from medreview.cli.reports.generation import generation_lines
from medreview.cli.reports.layout import NextStep, Part, reasons
from medreview.cli.reports.screen_answers import Share
from medreview.next_step import command
from medreview.stats.formulas.estimate import Estimate, percent
from medreview.stats.formulas.thresholds import FEW_CLUSTERS
from medreview.stats.reports.label_scales import BINARY, OFFLINE_IS_TRIAGE
from medreview.stats.reports.response_kinds import ResponseReport
from medreview.stats.reports.study_progress import Standing
from medreview.stats.study_figures import StudyFigures
from medreview.units.registry import KINDS

_MOST_MODELS: Final = 3
_MOST_NOTES: Final = 2


def sure_lines(figures: StudyFigures, shares: Sequence[Share], kappas: Sequence[Estimate], brief: int) -> Iterator[str]:
    """What the figures rest on, what is missing, and what is to be kept in mind.

    ``brief``: from 1 on without what the judges had no verdict on, from 2 on without what tells of models, with 3
    without all but the first caution, with 4 without what became of each statement that was drawn.
    """
    if figures.part is not None:
        yield figures.part.cautions[0]
    yield from _audit(figures, brief)
    for strata in figures.support.strata[:1]:
        for bound in strata.bounds:
            if bound.name == "response-level support" and bound.missing and bound.ends is not None:
                low, high = map(percent, bound.ends)
                lacking = f"{bound.missing:,} of {bound.n:,} lack a verdict"
                yield f"whole responses, whatever is missing: {low} to {high} ({lacking})"
    yield from islice(_notes(figures, shares, kappas), _MOST_NOTES if brief < 3 else 1)
    if brief < 2:
        yield from _kinds(figures.kinds)
        judges = figures.between_judges.tallies
        long = [f"{one_line(each.judge)} {each.pages_in_parts:,}" for each in judges if each.pages_in_parts]
        if long:
            yield f"pages longer than a judge's context, seen in parts: {', '.join(long)}"
    yield from generation_lines(figures.generated, figures.own_work)
    shown = [*(figure for _, figure in shares), *kappas]
    about = []
    if any(figure.value is not None and figure.low is None for figure in shown):
        about.append("none: no interval, --full says why")
    if min((figure.clusters for figure in shown if figure.clusters), default=FEW_CLUSTERS) < FEW_CLUSTERS:
        about.append(f"under {FEW_CLUSTERS} responses: intervals can be too narrow")
    if about and brief < 3:
        yield "; ".join(about)


def next_parts(figures: StudyFigures, study: Path) -> Iterator[Part]:
    """One command, and why."""
    sentence, step = _next(figures, study)
    yield f"What next? {sentence}"
    yield step


def _next(figures: StudyFigures, study: Path) -> tuple[str, NextStep]:
    flow, audits = figures.flow, figures.audit.figures
    if not flow.responses.in_study:
        return "Bring in answers.", NextStep(command("import", study, "FILE"))
    if not flow.statements.in_study:
        if flow.responses.not_parsed:
            return "Split the answers into statements.", NextStep(command("parse", study))
        return "No response has a statement: bring in more.", NextStep(command("import", study, "FILE"))
    if flow.statements.not_judged == flow.statements.in_study:
        if not flow.statements.readable_source:
            return "Get the pages that are cited.", NextStep(command("fetch", study))
        return "Let judges read the statements.", NextStep(command("judge", study))
    if not figures.reviewers:
        return "Nobody has decided anything yet.", NextStep(command("review", study))
    if figures.part is not None:
        return "Figures of the whole study.", NextStep(command("stats", study))
    for audit in audits[-1:]:
        for step in next_step(audit, study):
            return plan_line(audit.plan, of=""), step
    if figures.audit.strata and not audits:
        return "Label the random audit.", NextStep(command("review", study, "--queue", "audit"))
    left = max(reviewer.progress.open for reviewer in figures.reviewers)
    if left:
        return f"{counted(left, 'statement')} still open.", NextStep(command("review", study))
    return "Everything is decided: hand in the report.", NextStep(command("report", study, "report.html"))


def _audit(figures: StudyFigures, brief: int) -> Iterator[str]:
    """What the random draw rests on, by all reviewers together where there are several."""
    judged = figures.flow.statements.judged_by_models + figures.flow.statements.judged_by_rules
    if not figures.audit.figures and judged and figures.part is None:
        yield "no label of the random audit yet: these are the judges' own words, and nobody knows how right they are"
    for audit in figures.audit.figures[-1:]:
        who = "all reviewers" if audit.reviewer is None else one_line(audit.reviewer)
        flows = (
            flow_line(audit.supported.flow) if brief <= 3 else short_flow(audit.supported.flow),
            "" if brief else unjudged_line(audit.judges_right.flow),
            "" if brief > 1 else short_gain(audit),
        )
        yield f"audit of {who}: {'; '.join(filter(None, flows))}"
        told = [("supported, audit alone", audit.supported.study), ("judges right", audit.judges_right.study)]
        yield from reasons((name, figure) for name, figure in told[: 1 if brief else 2] if figure.value is None)


def _notes(figures: StudyFigures, shares: Sequence[Share], kappas: Sequence[Estimate]) -> Iterator[str]:
    """What the offline judge is, then why something is undefined; each once."""
    cautions = (
        caution
        for reviewer in figures.reviewers
        for group in reviewer.agreement
        for comparison in group.comparisons
        if comparison.scale == BINARY.name
        for caution in comparison.cautions
        if OFFLINE_IS_TRIAGE in caution
    )
    by_rules = [f"the offline judge: {OFFLINE_IS_TRIAGE}"] if OFFLINE_IS_TRIAGE in figures.support.by else []
    judged = [share.figure for share in shares if "by the audit" not in share.figure.name]
    undefined = (str(figure.reason) for figure in (*kappas, *judged) if figure.value is None)
    yield from dict.fromkeys((*(by_rules or cautions), *undefined))


def _kinds(report: ResponseReport) -> Iterator[str]:
    """Which models' responses cite no source, and which are invalid."""
    found = report.by_model
    for what, counts in (
        ("no source", {model: kinds.sourceless for model, kinds in found.items()}),
        ("invalid", {model: kinds.empty + kinds.incomplete for model, kinds in found.items()}),
    ):
        of = [f"{given(model)} {count:,} of {found[model].responses:,}" for model, count in counts.items() if count]
        more = f" and {len(of) - _MOST_MODELS} more models" if len(of) > _MOST_MODELS else ""
        if of:
            yield f"{what}: {', '.join(of[:_MOST_MODELS])}{more}"


def other_units(done: Standing) -> str:
    """How many units of other kinds a reviewer has labelled: ``400 pairs, 12 QA items``; empty for none."""
    known = ((KINDS[kind].noun, count) for kind, count in done.other_units.items() if kind in KINDS)
    told = ", ".join(counted(count, noun) for noun, count in known)
    return told and f"{told} labelled"
