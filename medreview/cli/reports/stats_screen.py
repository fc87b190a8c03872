"""The figures that matter, on one screen of 80 x 24; ``stats`` renders all of them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.audit import flow_line, unjudged_line
from medreview.cli.reports.generation import generation_lines
from medreview.cli.reports.layout import NextStep, Part, cells, numbers, reasons, table
from medreview.cli.reports.part import part_line
from medreview.cli.reports.provenance import provenance_lines
from medreview.cli.reports.terminal import height, printed
from medreview.next_step import command
from medreview.stats.formulas.estimate import Estimate, half_up, percent
from medreview.stats.formulas.thresholds import FEW_CLUSTERS
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.label_scales import BINARY, OFFLINE_IS_TRIAGE, TOGETHER
from medreview.stats.reports.response_kinds import ResponseReport
from medreview.stats.reports.study_figures import StudyFigures
from medreview.stats.reports.study_support import SupportReport

_FEWEST: Final = 2
_MOST_REVIEWERS: Final = 2
_MOST_MODELS: Final = 3
_SUPPORT: Final = {
    "statement-level support, own citations": "by a source the statement cites",
    "statement-level support": "by any source of the response",
    "response-level support": "all statements of a response",
    "source URL validity": "cited URLs that are valid",
}


class _Line(NamedTuple):
    """Two opinions on one line; ``rank``: the lowest are shown where there is no room for all."""

    cells: tuple[str, ...]
    kappa: Estimate
    rank: int


def render_screen(figures: StudyFigures, study: Path) -> str:
    """What fits one screen: as many judges as its height has room for. What is left out, and why, ``--full`` has."""
    compared = list(_agreement(figures)) or list(_between_judges(figures))
    room = height() - 1  # a row for what is typed next
    text = printed(_screen(figures, study, compared, len(compared)))
    for most in range(len(compared), min(_FEWEST, len(compared)) - 1, -1):
        if text.count("\n") <= room:
            break
        # Judges count for more than empty lines, and than what became of each statement of the audit.
        for brief in (False, True):
            text = printed(part for part in _screen(figures, study, compared, most, brief) if part != "")
            if text.count("\n") <= room:
                break
    return text


def _screen(
    figures: StudyFigures, study: Path, compared: Sequence[_Line], most: int, brief: bool = False
) -> Iterator[Part]:
    yield from _progress(figures)
    yield from _audit(figures, brief)
    first = set(sorted(range(len(compared)), key=lambda place: compared[place].rank)[:most])
    lines = [line for place, line in enumerate(compared) if place in first]
    shown = [line.kappa for line in lines]
    if compared:
        title = "agreement, supported or not" if figures.reviewers else "judges, supported or not"
        yield ""
        yield table((title, "agree", "kappa", "95% interval", "n", "resp"), [line.cells for line in lines])
        if len(compared) > most:
            yield f"and {counted(len(compared) - most, 'more comparison')}"
    if figures.support.strata:
        yield ""
        yield from _support(figures.support)
        shown += (figure for figure in figures.support.strata[0].clustered if figure.name in _SUPPORT)
    yield from _kinds(figures.kinds)
    yield from _notes(figures, shown)
    yield from generation_lines(figures.generated, figures.own_work)
    yield from provenance_lines(figures.provenance)
    yield NextStep(command("stats", study, "--full"))


def _progress(figures: StudyFigures) -> Iterator[str]:
    told = []
    for reviewer in figures.reviewers[:_MOST_REVIEWERS]:
        done = reviewer.progress
        name = one_line(reviewer.reviewer)
        told.append(f"{name}: {done.decided:,} decided, {done.deferred:,} deferred, {done.open:,} open")
    if len(figures.reviewers) > _MOST_REVIEWERS:
        told.append(f"and {counted(len(figures.reviewers) - _MOST_REVIEWERS, 'more reviewer')}")
    statements, responses = counted(figures.statements, "statement"), counted(figures.responses, "response")
    yield "; ".join((f"{statements} in {responses}", *(told or ["nobody has decided anything yet"])))
    if figures.part is not None:
        yield part_line(figures.part)


def _audit(figures: StudyFigures, brief: bool) -> Iterator[Part]:
    """What the random draw says of the study: by all reviewers together, where there are several.

    ``brief``: without what the judges had no verdict on.
    """
    for audit in figures.audit.figures[-1:]:
        who = "all reviewers" if audit.reviewer is None else one_line(audit.reviewer)
        told = (("supported", audit.supported), ("judges right", audit.judges_right))
        rows = [
            (name, *cells(share.study, percent, "none"), *numbers(share.study.n, share.study.clusters))
            for name, share in told
            if share.study.value is not None
        ]
        flows = (flow_line(audit.supported.flow), "" if brief else unjudged_line(audit.judges_right.flow))
        yield f"audit of {who}: {'; '.join(filter(None, flows))}"
        if rows:
            yield table(("the whole study, by the audit", "value", "95% interval", "n", "resp"), rows)
        yield from reasons((name, share.study) for name, share in told if share.study.value is None)


def _agreement(figures: StudyFigures) -> Iterator[_Line]:
    """A reviewer's first group with the judges together and with each; of the other groups with all together.

    Every reviewer comes before the single judges, these before the other groups.
    """
    for reviewer in figures.reviewers:
        for place, group in enumerate(reviewer.agreement):
            for comparison in group.comparisons:
                together = comparison.second == TOGETHER
                if comparison.scale == BINARY.name and comparison.n and (together or place == 0):
                    name = (
                        f"{one_line(reviewer.reviewer)}, {group.title}"
                        if together
                        else f"  {one_line(comparison.second)}"
                    )
                    yield _compared(name, comparison, rank=2 if place else 0 if together else 1)


def _between_judges(figures: StudyFigures) -> Iterator[_Line]:
    for pair in figures.between_judges.pairs:
        if pair.scale == BINARY.name and pair.n:
            yield _compared(f"{one_line(pair.first)}, {one_line(pair.second)}", pair)


def _compared(name: str, comparison: Comparison, rank: int = 0) -> _Line:
    agreed, kappa = comparison.estimate("percent agreement"), comparison.estimate("Cohen's kappa")
    share = "" if agreed.value is None else percent(agreed.value)
    row = (name, share, *cells(kappa, half_up, "none"), *numbers(comparison.n, comparison.responses))
    return _Line(row, kappa, rank)


def _support(report: SupportReport) -> Iterator[Part]:
    whole = report.strata[0]
    rows = [
        (name, *cells(figure, percent, "none"), *numbers(figure.n, figure.clusters, figure.dropped))
        for key, name in _SUPPORT.items()
        for figure in whole.clustered
        if figure.name == key
    ]
    by = one_line(report.by.removesuffix(f" ({OFFLINE_IS_TRIAGE})"))
    yield table((f"supported, by {by}", "value", "95% interval", "n", "resp", "left out"), rows)
    for bound in whole.bounds:
        if bound.name == "response-level support" and bound.missing:
            low, high = (percent(share or 0.0) for share in (bound.not_supported, bound.supported))
            lacking = f"lacking a verdict: {bound.missing:,} of {counted(bound.n, 'response')}"
            yield f"all statements, bounds: {low} to {high} ({lacking})"


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


def _notes(figures: StudyFigures, shown: Sequence[Estimate]) -> Iterator[str]:
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
    undefined = (str(figure.reason) for figure in shown if figure.value is None)
    yield from islice(dict.fromkeys((*(by_rules or cautions), *undefined)), 2)
    judges = figures.between_judges.tallies
    long = [f"{one_line(each.judge)} {each.pages_in_parts:,}" for each in judges if each.pages_in_parts]
    if long:
        yield f"pages longer than a judge's context, seen in parts: {', '.join(long)}"
    about = []
    if any(figure.value is not None and figure.low is None for figure in shown):
        about.append("none: no interval, --full says why")
    if min((figure.clusters for figure in shown if figure.clusters), default=FEW_CLUSTERS) < FEW_CLUSTERS:
        about.append(f"under {FEW_CLUSTERS} responses: intervals can be too narrow")
    if about:
        yield "; ".join(about)
