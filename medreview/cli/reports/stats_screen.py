"""Four questions on one screen of 80 x 24: how good the answers and the judges are, how sure that is, and what next."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Final, NamedTuple

from medreview.cli.output import counted, given, one_line
from medreview.cli.reports.audit import flow_line, next_step, short_flow, short_gain, step_line, unjudged_line
from medreview.cli.reports.estimates import clusters_heading, part_line, provenance_lines
from medreview.cli.reports.generation import generation_lines
from medreview.cli.reports.layout import (
    NextStep,
    Part,
    ReportTable,
    bar_scale,
    cells,
    interval_bar,
    reasons,
    table,
    value_cell,
)
from medreview.cli.reports.references import reference_lines
from medreview.cli.reports.terminal import first_that_fits
from medreview.cli.reports.unit_agreement import own_axis_lines
from medreview.labels import NOT_IN_ANSWER
from medreview.next_step import command
from medreview.stats.formulas.estimate import FEW_CLUSTERS, Estimate, percent
from medreview.stats.formulas.estimate import brief as in_brief
from medreview.stats.how_good import STATEMENT, WHAT
from medreview.stats.reports.comparison import Comparison
from medreview.stats.reports.review_progress import Standing
from medreview.stats.reports.reviewer_labels import BINARY, OFFLINE_IS_TRIAGE, TOGETHER
from medreview.stats.reports.study_support import ResponseReport
from medreview.stats.study_figures import ReviewerFigures, StudyFigures
from medreview.stats.units.kind_labels import RaterShare, UnitHeadline
from medreview.units.registry import KINDS

_FEWEST: Final = 2
_MOST_REVIEWERS: Final = 2
_MOST_JUDGES: Final = 2
_BRIEFEST: Final = 3
_MOST_RATERS: Final = {-1: 1_000, 0: 8, 1: 5, 2: 3}
"""Raters of a kind of unit by how brief the screen is; two of each where it is briefer."""
_MOST_MODELS: Final = 3
_MOST_NOTES: Final = 2
_BAR: Final = 9
_DIGITS: Final = 2
"""Of coefficients: with three, a row is too long for a name."""

_QUESTION: Final = "How good are the answers?"
_ANY: Final = WHAT["statement-level support"]
VALID_URLS: Final = "source URL validity"
_ALONE: Final = "judges alone, uncorrected"
_AUDITED: Final = {"audit": "supported, audit alone", "audit_with_verdicts": "supported, audit+verdicts"}
_RULES_ALONE: Final = (
    "no person and no model has judged the statements yet; the rules compared words only, which is not a verdict"
)
_UNASKED: Final = "neither valid nor invalid"
_RULES_BESIDE: Final = "what the rules say is of words only, no verdict: --full has it"


class ShareLine(NamedTuple):
    """A share as it stands on a line; without a figure the heading of those below it."""

    name: str
    figure: Estimate | None


class Compared(NamedTuple):
    """Two opinions on one line; ``rank``: the lowest are shown where there is no room for all. ``brief``: a shorter
    name."""

    name: str
    brief: str
    comparison: Comparison
    rank: int

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of the two."""
        return self.comparison.estimate("Cohen's kappa")


def render_screen(figures: StudyFigures, study: Path) -> str:
    """What fits one screen: as many judges as its height has room for. What is left out, and why, ``--full`` has."""
    lines = list(_compared(figures))
    fewest = min(_FEWEST, len(lines))
    # Judges count for more than empty lines, and than what is said of models.
    tries = [(len(lines), brief) for brief in range(-1, _BRIEFEST + 1)]
    tries += [(most, _BRIEFEST) for most in range(len(lines) - 1, fewest - 1, -1)]
    tries.append((fewest, _BRIEFEST + 1))
    return first_that_fits(_screen(figures, study, lines, most, brief) for most, brief in tries)


def unit_table(kind: UnitHeadline, most: int = 1_000) -> Iterator[Part]:
    """What leads of a kind: a line for each rater, people first."""
    shown = rated(kind)
    rows = [
        (
            _of_what(kind, one),
            one.share, interval_bar(one.share), one.share.n, one.share.clusters,
        )
        for one in shown[:most]
    ]  # fmt: skip
    title = f"{kind.title[:1].upper()}{kind.title[1:]}: {kind.words}"
    clusters = f"{kind.cluster}s"
    yield table((title, "value", "95% interval", bar_scale(), "n", clusters), rows, if_any=(clusters,))
    if len(shown) > most:
        yield f"and {counted(len(shown) - most, 'more rater')}"
    if silent := [one_line(one.rater) for one in kind.raters if one not in shown]:
        yield f"Without a word on this scale: {', '.join(silent)}."


def rated(kind: UnitHeadline) -> list[RaterShare]:
    """Its raters without machines that say nothing on its scale; all of them where nobody says anything."""
    return [one for one in kind.raters if one.share.n or not one.machine] or list(kind.raters)


def _of_what(kind: UnitHeadline, rater: RaterShare) -> str:
    """Who, and how many units of how many a person labelled."""
    name = one_line(rater.rater)
    if rater.machine:
        return f"{name.removesuffix(' (words only)')} (words only, no verdict)" if rater.rules else name
    return f"{name}, {f'all {rater.units:,}' if rater.units == kind.units else f'{rater.units:,} of {kind.units:,}'}"


def _unit_line(kind: UnitHeadline) -> str:
    """The same on one line, of the first raters."""
    told = [
        f"{_of_what(kind, one)}: {'undefined' if one.share.value is None else in_brief(one.share)}"
        for one in rated(kind)[:_FEWEST]
    ]
    more = len(rated(kind)) - _FEWEST
    rest = f" and {counted(more, 'more rater')}" if more > 0 else ""
    return f"{kind.title}, {kind.words}: {'; '.join(told)}{rest}"


def _unit_parts(kinds: Sequence[UnitHeadline], brief: int, *, beside: bool, first: bool = False) -> Iterator[Part]:
    """What leads of these kinds; ``beside``: there are statements, too, which take up room. ``first``: it answers the
    first question."""
    for place, kind in enumerate(kinds):
        if beside and brief > 0:
            line = _unit_line(kind)
            yield f"{_QUESTION} {line[:1].upper()}{line[1:]}" if first and not place else line
        else:
            yield from ("", *unit_table(kind, _MOST_RATERS.get(brief, 2)))


def _screen(figures: StudyFigures, study: Path, lines: Sequence[Compared], most: int, brief: int) -> Iterator[Part]:
    yield from _progress(figures, brief)
    leading = _leading(figures)[: 1 if brief > 1 else _MOST_REVIEWERS]
    shares = _shares(figures, leading, brief)
    kinds = spoken(figures)
    # A person's labels come first: those on other units where nobody has labelled statements.
    ahead = [] if leading else [kind for kind in kinds if kind.people]
    answers = _answer_table(shares, "Statements" if ahead else _QUESTION)
    yield from _unit_parts(ahead, brief, beside=bool(figures.statements), first=True)
    if answers.rows:
        yield from ("", answers)
    yield from reference_lines(figures.references, max(0, brief))
    yield from _unit_parts([kind for kind in kinds if kind not in ahead], brief, beside=bool(figures.statements))
    yield from own_axis_lines(figures, brief)
    first = set(sorted(range(len(lines)), key=lambda place: lines[place].rank)[:most])
    shown = [line for place, line in enumerate(lines) if place in first]
    if shown:
        yield from ("", _judge_table(shown, short=brief > 1))
        if len(lines) > most:
            yield f"and {counted(len(lines) - most, 'more comparison')}"
    sure = list(_sure(figures, leading, shares, [line.kappa for line in shown], max(0, brief)))
    if sure:
        yield ""
        yield f"How sure? {sure[0]}"
        yield from sure[1:]
    yield ""
    sentence, step = _next(figures, study)
    yield f"What next? {sentence}"
    yield step
    yield from provenance_lines(figures.provenance)
    yield NextStep(command("stats", study, "--full"))


def spoken(figures: StudyFigures) -> list[UnitHeadline]:
    """The kinds of unit of which a person or a model has said something."""
    return [kind for kind in figures.headlines if any(not one.rules for one in kind.raters)]


# How far


def _progress(figures: StudyFigures, brief: int) -> Iterator[str]:
    """What there is and how far each reviewer is; ``brief``: without the labels that stand at each rater below."""
    told = []
    of_statements = figures.statements or not figures.headlines
    at_raters = brief > 0 and any(kind.people for kind in figures.headlines)
    for reviewer in figures.reviewers[:_MOST_REVIEWERS]:
        done, others = reviewer.progress, other_units(reviewer.progress)
        parts = [others] if others and not at_raters else []
        if of_statements and (done.decided or done.deferred or not others):
            parts.insert(0, f"{done.decided:,} decided, {done.deferred:,} deferred, {done.open:,} open")
        if parts or not at_raters:
            told.append(": ".join(filter(None, (one_line(reviewer.reviewer), ", ".join(parts)))))
    if len(figures.reviewers) > _MOST_REVIEWERS and told:
        told.append(f"and {counted(len(figures.reviewers) - _MOST_REVIEWERS, 'more reviewer')}")
    nobody = [] if figures.reviewers else ["no decisions yet"]
    yield "; ".join((contents(figures), *(told or nobody)))
    if figures.part is not None:
        yield part_line(figures.part)


def other_units(done: Standing) -> str:
    """How many units of other kinds a reviewer has labelled: ``400 pairs, 12 QA items``; empty for none."""
    known = ((KINDS[kind].noun, count) for kind, count in done.other_units.items() if kind in KINDS)
    told = ", ".join(counted(count, noun) for noun, count in known)
    return told and f"{told} labelled"


def contents(figures: StudyFigures) -> str:
    """What there is: statements in responses, and of each other kind how many units, and how many are labelled."""
    statements, responses = counted(figures.statements, "statement"), counted(figures.responses, "response")
    kinds = [kind for kind in figures.headlines if kind.labelled or not figures.statements]
    units = [f"{counted(kind.units, kind.noun, kind.title)} ({kind.labelled:,} labelled)" for kind in kinds]
    if not figures.statements and units:
        return ", ".join(units) + (f"; {responses}" if figures.responses else "")
    if not figures.statements:
        return f"{responses} without statements" if figures.responses else "no response yet"
    return "; ".join((f"{statements} in {responses}", *units))


# How good the answers are


def _leading(figures: StudyFigures) -> list[ReviewerFigures]:
    """The reviewers with labels on statements, who have most of them first."""
    own = [one for one in figures.reviewers if one.own is not None]
    return sorted(own, key=lambda one: -(one.own.labels if one.own else 0))


def _shares(figures: StudyFigures, leading: Sequence[ReviewerFigures], brief: int) -> list[ShareLine]:
    """The answers of statements in the order in which they count; of the judges, where a person has labels and there is
    little room, the one by any source."""
    answers = [answer for answer in figures.answers if answer.kind == STATEMENT]
    shown = [one.reviewer for one in leading]
    found = []
    own = [one for one in answers if one.by == "labels" and one.who in shown]
    for name, of_one in groupby(own, key=lambda one: one.who):
        several = list(of_one)
        found.append(ShareLine(f"{one_line(name)}: {several[0].of_what}", None))
        found += [ShareLine(f"  {one.what}", one.estimate) for one in several]
    audited = [ShareLine(_AUDITED[one.by], one.estimate) for one in answers if one.by in _AUDITED]
    judged = [one for one in answers if one.by == "models"]
    # A share that the audit corrects stands first below it, and is called what it is.
    judged.sort(key=lambda one: bool(audited) and one.what != _ANY)
    labelled = leading or any(kind.people for kind in figures.headlines)
    judged = [one for one in judged if one.what == _ANY] if labelled and brief > 0 else judged
    judges = [ShareLine(f"  {_ALONE if audited and one.what == _ANY else one.what}", one.estimate) for one in judged]
    names = [one_line(one.judge) for one in figures.between_judges.tallies if not one.offline]
    named = ", ".join(names) if len(names) <= _MOST_JUDGES else f"{names[0]} and {len(names) - 1} more"
    if judges:
        judges.insert(0, ShareLine(f"judges: {named}", None))
    valid = [
        ShareLine("cited URLs valid", figure)
        for figure in _by_judges(figures)
        if figure.name == VALID_URLS and (brief <= _BRIEFEST or not labelled)
    ]
    return [*found, *audited, *judges, *valid]


def _by_judges(figures: StudyFigures) -> tuple[Estimate, ...]:
    """The shares of the whole study by the verdicts, clustered."""
    return figures.support.strata[0].clustered if figures.support.strata else ()


def _answer_table(shares: Sequence[ShareLine], title: str) -> ReportTable:
    """A row for each share that is defined, with its interval drawn."""
    rows = [
        (name,) if figure is None else (name, figure, interval_bar(figure), figure.n, figure.clusters)
        for name, figure in shares
        if figure is None or figure.value is not None
    ]
    clusters = clusters_heading(figure for _, figure in shares if figure is not None)
    return table((title, "value", "95% interval", bar_scale(), "n", clusters), rows)


# How good the judges are


def _compared(figures: StudyFigures) -> list[Compared]:
    """Comparisons on supported or not: judges with reviewers, else each two judges."""
    return list(_with_reviewers(figures)) or [
        Compared(name := f"{one_line(pair.first)}, {one_line(pair.second)}", name, pair, 0)
        for pair in figures.between_judges.pairs
        if pair.scale == BINARY.name and pair.n
    ]


def _with_reviewers(figures: StudyFigures) -> Iterator[Compared]:
    """A reviewer's first group with the judges together and with each; of the other groups with all together.

    Every reviewer comes before the single judges, these before the other groups, the rules last.
    """
    rules = {one.judge for one in figures.between_judges.tallies if one.offline}
    for reviewer in figures.reviewers:
        for place, group in enumerate(reviewer.agreement):
            for comparison in group.comparisons:
                together = comparison.second == TOGETHER
                if comparison.scale == BINARY.name and comparison.n and (together or place == 0):
                    who, judge = one_line(reviewer.reviewer), f"  {one_line(comparison.second)}"
                    named = f"{who}, {group.title}" if together else judge
                    short = f"{who}, {group.mode}{', drawn' if group.drawn else ''}" if together else judge
                    yield Compared(
                        named,
                        short,
                        comparison,
                        rank=2 if place else 0 if together else 3 if comparison.second in rules else 1,
                    )


def _judge_table(lines: Sequence[Compared], *, short: bool) -> ReportTable:
    """A row for each, with the interval of kappa drawn; ``short``: names that take one line."""
    rows = []
    for line in lines:
        name, comparison = line.brief if short else line.name, line.comparison
        agreed, kappa, ac1 = map(comparison.estimate, ("percent agreement", "Cohen's kappa", "Gwet's AC1"))
        counts = (value_cell(ac1, "", _DIGITS), comparison.n, comparison.clusters)
        told = (value_cell(agreed, ""), *cells(kappa, _DIGITS), interval_bar(kappa, _BAR))
        rows.append((name, *told, *counts))
    title = "How good are the judges?" + ("" if short else " (supported or not)")
    clusters = clusters_heading(figure for line in lines for figure in line.comparison.agreement)
    return table((title, "agree", "kappa", "95% interval", bar_scale(_BAR), "AC1", "n", clusters), rows)


# How sure that is


def _sure(
    figures: StudyFigures,
    leading: Sequence[ReviewerFigures],
    shares: Sequence[ShareLine],
    kappas: Sequence[Estimate],
    brief: int,
) -> Iterator[str]:
    """What the figures rest on, what is missing, and what is to be kept in mind.

    ``brief``: from 1 on without what the judges had no verdict on, from 2 on without words on models, with 3 without
    all but the first caution, with 4 without what became of each statement that was drawn.
    """
    if figures.part is not None:
        yield figures.part.cautions[0]
    if absent := figures.flow.statements.not_in_answer:
        yield f"{counted(absent, 'statement')} {NOT_IN_ANSWER}"
    named = [one.reviewer for one in leading]
    told = [one for one in figures.answers if one.by == "labels" and one.caution]
    # Of units the first that somebody labelled in part, where nobody has labelled statements.
    of = [one for one in told if one.kind == STATEMENT and one.who in named] if leading else told[:1]
    for who, caution in dict.fromkeys((one.who, one.caution) for one in of):
        yield f"{one_line(who)}: {caution}"
    yield from _audit(figures, brief)
    for strata in figures.support.strata[:1]:
        for bound in strata.bounds:
            judged = not figures.support.by_rules and bound.name == "response-level support"
            if judged and brief < _BRIEFEST and bound.missing and bound.ends is not None:
                low, high = map(percent, bound.ends)
                lacking = f"{bound.missing:,} of {bound.n:,} lack a verdict"
                yield f"whole responses, whatever is missing: {low} to {high} ({lacking})"
    for figure in _by_judges(figures):
        if figure.name == VALID_URLS and figure.n and figure.dropped and brief < 2:
            yield f"{figure.dropped:,} of {figure.n + figure.dropped:,} cited URLs were not asked for: {_UNASKED}"
    notes = _MOST_NOTES if brief < _BRIEFEST else 0 if brief > _BRIEFEST and leading else 1
    yield from islice(_notes(figures, kappas), notes)
    if brief < 2:
        yield from _kinds(figures.kinds)
        judges = figures.between_judges.tallies
        long = [f"{one_line(each.judge)} {each.pages_in_parts:,}" for each in judges if each.pages_in_parts]
        if long:
            yield f"pages longer than a judge's context, seen in parts: {', '.join(long)}"
    yield from generation_lines(figures.generated, figures.own_work)
    shown = [*(share.figure for share in shares if share.figure is not None), *kappas]
    about = []
    if any(figure.value is not None and figure.low is None for figure in shown):
        about.append("where no interval is given, --full says why")
    if min((figure.clusters for figure in shown if figure.clusters), default=FEW_CLUSTERS) < FEW_CLUSTERS:
        about.append(f"under {FEW_CLUSTERS} {figures.resampling.cluster}s: intervals can be too narrow")
    if about and brief < 3:
        yield "; ".join(about)


def _audit(figures: StudyFigures, brief: int) -> Iterator[str]:
    """What the random draw rests on, by all reviewers together where there are several."""
    whole = any(one.own is not None and one.own.basis == "all" for one in figures.reviewers)
    by_models = figures.flow.statements.judged_by_models
    unsaid = not whole and (brief <= _BRIEFEST or not figures.reviewers)
    if not figures.audit.figures and by_models and unsaid and figures.part is None:
        yield "no label of the random audit yet: nobody knows how right the judges are on the whole study"
    for audit in figures.audit.figures[-1:]:
        who = "all reviewers" if audit.reviewer is None else one_line(audit.reviewer)
        flows = (
            flow_line(audit.supported.flow) if brief <= 3 else short_flow(audit.supported.flow),
            "" if brief else unjudged_line(audit.judges_right.flow),
            "" if brief > 1 else short_gain(audit),
            audit.standing.short if figures.part is None else "",
        )
        yield f"audit of {who}: {'; '.join(filter(None, flows))}"
        told = [("supported, audit alone", audit.supported.study), ("judges right", audit.judges_right.study)]
        lacking = told[: 2 if not brief else 1 if brief <= _BRIEFEST else 0]
        yield from reasons((name, figure) for name, figure in lacking if figure.value is None)


def _notes(figures: StudyFigures, kappas: Sequence[Estimate]) -> Iterator[str]:
    """What the rules are, then why something is undefined; each once."""
    cautions = (
        caution
        for reviewer in figures.reviewers
        for group in reviewer.agreement
        for comparison in group.comparisons
        if comparison.scale == BINARY.name
        for caution in comparison.cautions
        if OFFLINE_IS_TRIAGE in caution
    )
    said = any(one.own is not None for one in figures.reviewers)
    by_rules = [_RULES_BESIDE if said else _RULES_ALONE] if figures.support.by_rules else []
    models = any(not one.offline for one in figures.between_judges.tallies) and not figures.support.by_rules
    judged = [
        figure
        for figure in (_by_judges(figures) if figures.statements and not said else ())
        if figure.name == VALID_URLS or (models and figure.name in WHAT)
    ]
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


# What to do next


def _next(figures: StudyFigures, study: Path) -> tuple[str, NextStep]:
    """One command, and why."""
    flow, audits = figures.flow, figures.audit.figures
    if not flow.statements.in_study and figures.headlines:
        return unit_step(figures.headlines, study)
    if not flow.responses.in_study:
        return "Bring in answers.", NextStep(command("import", study, "FILE"))
    if not flow.statements.in_study:
        if flow.responses.not_parsed:
            return "Split the answers into statements.", NextStep(command("parse", study))
        return "No response has a statement: bring in more.", NextStep(command("import", study, "FILE"))
    if flow.statements.not_judged == flow.statements.in_study and not any(one.own for one in figures.reviewers):
        if not flow.statements.readable_source:
            return "Get the pages that are cited.", NextStep(command("fetch", study))
        return "Let judges read the statements.", NextStep(command("judge", study))
    if not figures.reviewers:
        return "Nobody has decided anything yet.", NextStep(command("review", study))
    if figures.part is not None:
        return "Figures of the whole study.", NextStep(command("stats", study))
    for audit in audits[-1:]:
        for step in next_step(audit, study):
            return step_line(audit), step
    if figures.audit.strata and not audits:
        return "Label the random audit.", NextStep(command("review", study, "--queue", "audit"))
    left = max(reviewer.progress.open for reviewer in figures.reviewers)
    if left:
        return f"{counted(left, 'statement')} still open.", NextStep(command("review", study))
    return "Everything is decided: hand in the report.", NextStep(command("report", study, "report.html"))


def unit_step(kinds: Sequence[UnitHeadline], study: Path) -> tuple[str, NextStep]:
    """What to do next about units of these kinds: go on with one that was begun, begin one, or hand in the report."""
    left = [kind for kind in kinds if kind.labelled < kind.units]
    for kind in sorted(left, key=lambda kind: not kind.labelled):
        queue = KINDS[kind.kind].queue_name
        open_ = counted(kind.units - kind.labelled, kind.noun)
        return f"{open_} without a label.", NextStep(command("review", study, "--queue", queue))
    return "Everything is labelled: hand in the report.", NextStep(command("report", study, "report.html"))
