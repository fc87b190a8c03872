"""What a judge may stand in for, as tables: a person, its confidence, its errors, its repeats and its prompts."""

from collections.abc import Iterator, Sequence
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.estimates import p_cell
from medreview.cli.reports.layout import Cell, Part, TableHeading, Title, cells, inset, reasons, table, value_cell
from medreview.stats.formulas.calibration import Calibration
from medreview.stats.formulas.estimate import FEW_ITEMS, Estimate, half_up, percent, show
from medreview.stats.formulas.human_baseline import LEAST_ITEMS, StandIn
from medreview.stats.formulas.prediction_powered import agree
from medreview.stats.reports.audit_verdicts import WithVerdicts
from medreview.stats.reports.judge_trust import ByFamily, FamilySide, JudgeErrors, JudgeTrust, ShownExamples
from medreview.stats.reports.judged_labels import JudgePrompts, PromptReport, Repeats

_HASH: Final = 8
"""Digits of a prompt's hash that tell prompts apart; the JSON has all."""


def trust_parts(trust: JudgeTrust | None) -> Iterator[Part]:
    """A section; nothing where no judge but the rules was asked, or nobody labelled anything that one judged."""
    if trust is None or not (trust.stand_ins or trust.errors or trust.repeats or trust.prompts.judges):
        return
    yield Title("What a judge may stand in for")
    found = trust.stand_ins
    if found is not None and found.judges:
        clusters = counted(found.clusters, found.cluster)
        yield (
            f"May a judge stand in for a person? By labels of {_whose(found.people, found.title)}: "
            f"{counted(found.statements, 'statement')} with two labels or more in {clusters}."
        )
        yield from found.cautions
        yield stand_in_part(found.judges)
    if trust.errors:
        yield from ("", *_errors(trust))
    yield from map(examples_line, trust.examples)
    for each in trust.repeats:
        yield from ("", _repeats(each))
    if trust.prompts.judges:
        yield from ("", *prompt_parts(trust.prompts))


def examples_line(shown: ShownExamples) -> str:
    """What is left out of the figures on a run with worked examples."""
    return (
        f"{one_line(shown.judge)}, {one_line(shown.prompt)}: {counted(shown.statements, 'statement')} of "
        f"{one_line(shown.reviewer)} in its prompt as worked examples, not asked about and left out of its figures."
    )


def stand_in_part(judges: Sequence[StandIn]) -> Part:
    """The alternative annotator test: each judge, then each judge against each person."""
    tested = [one for one in judges if one.winning_rate is not None]
    rows = [
        (
            one_line(one.judge), one.advantage,
            "" if one.winning_rate is None else percent(one.winning_rate, 0),
            {True: "may stand in", False: "may not", None: "not tested"}[one.may_stand_in],
        )
        for one in judges
    ]  # fmt: skip
    against = [
        (
            f"{one_line(one.judge)}, {one_line(each.person)}", value_cell(each.advantage, "-"),
            "-" if each.person_advantage is None else percent(each.person_advantage),
            p_cell(each.p, at_limit=False), p_cell(each.p_adjusted, at_limit=False),
            {True: "wins", False: "does not", None: ""}[each.wins], each.advantage.n,
        )
        for one in tested
        for each in one.people
        if each.advantage.n
    ]  # fmt: skip
    parts: list[Part] = [
        TableHeading("alternative annotator test"),
        table(("", "advantage", "95% interval", "wins", ""), rows),
    ]
    if tested:
        one = tested[0]
        parts += [table(("judge, person left out", "judge", "person", "p", "adjusted", "", "n"), against)]
        parts.append(
            "advantage: the chance that the judge is as near to the others as the person left out, or nearer; mean "
            "over people. wins: the share of the people against whom it does at least as well when "
            f"{half_up(one.epsilon, 2)} (epsilon) is taken off theirs; from half on it may stand in. p: one-sided, "
            f"adjusted for false discoveries (Benjamini & Yekutieli, {percent(one.false_discoveries, 0)})."
        )
        parts += [f"p: {test}." for test in dict.fromkeys(each.test for one in tested for each in one.people) if test]
        left = [
            f"{one_line(each.person)}: {counted(each.advantage.n, 'item')}, not tested below {LEAST_ITEMS}."
            for each in one.people
            if each.p is None
        ]
        parts += left
    parts += list(dict.fromkeys(one.reason for one in judges if one.reason))
    parts += reasons((one_line(one.judge), one.advantage) for one in tested if one.advantage.low is None)
    return inset(*parts)


def corrected_lines(helped: WithVerdicts) -> Iterator[str]:
    """The judges' rate corrected for their errors, and whether the estimate with the verdicts says the same; nothing
    where it is undefined."""
    corrected = helped.corrected
    rate, powered = corrected.study, helped.beside_corrected
    told = helped.statements - helped.without_verdict
    of = f", of the {told:,} statements with a verdict" if helped.without_verdict else ""
    if rate.value is None:
        return
    yield (
        f"Judges' rate corrected for their errors (Rogan-Gladen), a check{of}: {show(rate)}; sensitivity "
        f"{show(corrected.sensitivity)}, specificity {show(corrected.specificity)}."
    )
    same = agree(rate, powered)
    if same is not None:
        yield (
            f"It agrees with the estimate by audit and verdicts{of and ' of the same statements'}: each lies in the "
            "interval of the other."
            if same
            else f"It does not agree with the estimate by audit and verdicts, {show(powered)} of the same statements. "
            "The audited statements may not be a fair draw of the study: look at how they were drawn and labelled."
        )


def _whose(people: Sequence[str], labels: str) -> str:
    return f"{', '.join(map(one_line, people))} ({labels})"


def _errors(trust: JudgeTrust) -> Iterator[Part]:
    left = ", ".join(f"{count:,} {why}" for why, count in trust.left_out.items())
    yield (
        f"Where judges are wrong, by labels of {_whose(trust.reviewers, trust.labels_of)}: "
        f"{counted(trust.labels, 'statement')}, intervals over {trust.cluster}s{f'; left out: {left}' if left else ''}."
    )
    yield from trust.cautions
    rows = [(one_line(one.judge), one.wrong, one.n, one.clusters, one.dropped) for one in trust.errors]
    heads = ("wrong, supported or not", "value", "95% interval", "n", f"{trust.cluster}s", "no verdict")
    yield inset(table(heads, rows), *reasons((one_line(one.judge), one.wrong) for one in trust.errors))
    if trust.labels < FEW_ITEMS:
        yield inset(f"By confidence, length and family: printed from {FEW_ITEMS} statements on, in --json before.")
        return
    for one in trust.errors:
        if one.calibration is not None:
            yield from ("", _calibration(one, one.calibration, trust.cluster))
    if not any(one.calibration for one in trust.errors):
        yield inset("No judge stored a confidence with these verdicts: there is no calibration to show.")
    yield from ("", _length(trust.errors))
    for one in trust.errors:
        if one.by_family is not None:
            yield from ("", _family(one, one.by_family))
    if trust.tests > 1:
        yield inset(f"{trust.tests:,} tests side by side, by length and by family: p is not adjusted for their number.")


def _calibration(one: JudgeErrors, found: Calibration, cluster: str) -> Part:
    rows = [
        (
            f"{percent(each.low, 0)} to {percent(each.high, 0)}", each.n, percent(each.confidence),
            each.right,
        )
        for each in found.bins
    ]  # fmt: skip
    figures = (found.overconfidence, found.brier, found.error)
    names = {found.overconfidence.name: "confidence minus share right, points"}
    told = [
        (
            names.get(figure.name, figure.name),
            *cells(figure, signed=figure is found.overconfidence),
            figure.n,
            figure.clusters,
            figure.dropped,
        )
        for figure in figures
    ]
    return inset(
        TableHeading(f"{one_line(one.judge)}: is it as often right as it is confident?"),
        table(("confidence", "n", "mean", "right", "95% interval"), rows),
        table(("", "value", "95% interval", "n", f"{cluster}s", "left"), told),
        *reasons((figure.name, figure) for figure in figures),
        *dict.fromkeys(note for figure in figures for note in figure.notes),
    )


def _length(errors: Sequence[JudgeErrors]) -> Part:
    rows = []
    for one in errors:
        for each in one.by_length.parts:
            size = f"{each.least:,} to {each.most:,}" if each.wrong.n else "-"
            rows.append((f"{one_line(one.judge)}, {each.part}", size, each.wrong, each.wrong.n))
    trends = [
        (one_line(one.judge), *cells(one.by_length.trend, signed=True), p_cell(one.by_length.p, at_limit=False))
        for one in errors
    ]
    why = [(one_line(one.judge), one.by_length.trend) for one in errors]
    parts = [(f"{one_line(one.judge)}, {each.part}", each.wrong) for one in errors for each in one.by_length.parts]
    return inset(
        TableHeading("wrong, by length of the statement"),
        table(("", "characters", "wrong", "95% interval", "n"), rows, long=("characters",)),
        table(("more often wrong for twice the length, points", "value", "95% interval", "p"), trends),
        *reasons([*parts, *why]),
    )


def _family(one: JudgeErrors, found: ByFamily) -> Part:
    unknown = f"; {counted(found.unknown, 'statement')} of answers whose model is not named" if found.unknown else ""
    writers = ", ".join(map(one_line, found.writers)) or "nobody named"
    of = f"{one_line(one.judge)}, of the family {one_line(found.family)}; answers by {writers}{unknown}"
    if not found.same.agreement.n:
        return inset(f"{of}: none that is labelled is by a model of its own family.")
    sides = (("same family", found.same), ("other families", found.other))
    rows: list[tuple[Cell, ...]] = [
        (name, side.agreement, side.agreement.n, side.false_support, side.false_support.n) for name, side in sides
    ]
    apart = found.difference
    rows.append(
        ("same minus other, points", *cells(apart.agreement, signed=True), "",
         *cells(apart.false_support, signed=True), "")
    )  # fmt: skip
    tested = [
        f"{name} {p_cell(p, at_limit=False)}"
        for name, p in (("agreement", found.agreement_p), ("false support", found.false_support_p))
        if p is not None
    ]
    named = [(figure.name, figure) for figure in (apart.agreement, apart.false_support)]
    return inset(
        TableHeading(of),
        table(("", "agree", "95% interval", "n", "false support", "95% interval", "n"), rows),
        *([f"p, two-sided: {', '.join(tested)}"] if tested else []),
        *reasons(figure for side in ((f"{name}, ", side) for name, side in sides) for figure in _named(*side)),
        *reasons(named),
    )


def _named(name: str, side: FamilySide) -> tuple[tuple[str, Estimate], ...]:
    return (f"{name}agreement", side.agreement), (f"{name}false support", side.false_support)


def _repeats(found: Repeats) -> Part:
    figures = (found.same, found.kappa)
    rows = [(figure.name, figure, figure.n, figure.clusters) for figure in figures]
    differ = f"the runs differ in {', '.join(map(one_line, found.differ))}" if found.differ else "all parameters alike"
    prompt = f"{one_line(found.prompt) or 'prompt not known'} {found.prompt_sha256[:_HASH]}".rstrip()
    return inset(
        TableHeading(f"{one_line(found.judge)} asked again, {prompt}: {counted(found.runs, 'run')}"),
        f"{counted(found.pairs, 'pair')} of statement and page answered twice or more; {differ}.",
        table(("", "value", "95% interval", "n", "clusters"), rows),
        *reasons((figure.name, figure) for figure in figures),
    )


def prompt_parts(report: PromptReport) -> Iterator[Part]:
    """The prompts of each judge on one half of the questions."""
    yield (
        f"Prompts on the {report.half} half: {counted(report.labels, 'labelled statement')} in "
        f"{counted(report.clusters, report.cluster)}"
        f"{', by labels of ' + _whose(report.reviewers, report.labels_of) if report.reviewers else ''}."
    )
    yield from report.cautions
    if report.half == "tuning":
        yield "Choose a prompt here; the test half is for the one that was chosen."
    yield _looks(report)
    named = {
        each.prompt_sha256: f"{_short(each.prompt_sha256)} is {one_line(each.prompt) or 'not known here'}"
        for judge in report.judges
        for each in judge.prompts
    }
    if named:
        yield f"{'; '.join(named.values())}."
    for judge in report.judges:
        yield from ("", _prompts(judge))
    if not report.judges:
        yield "No judge but the rules was asked."


def _looks(report: PromptReport) -> str:
    if not report.looks:
        return "Nobody had looked at the test half before."
    times = "once" if report.looks == 1 else f"{report.looks:,} times"
    return f"The test half was looked at {times} before: a prompt chosen since then was chosen with it in sight."


def _short(sha256: str) -> str:
    return sha256[:_HASH] or "no hash"


def _prompts(found: JudgePrompts) -> Part:
    rows = [
        (
            _short(each.prompt_sha256), each.agreement, value_cell(each.kappa),
            *(("", "", "") if each.minus_newest is None else
              (*cells(each.minus_newest, signed=True), p_cell(each.p, at_limit=False))),
        )
        for each in found.prompts
    ]  # fmt: skip
    of = f"{counted(found.statements, 'statement')} with a verdict of every prompt, {found.dropped:,} without"
    named = [
        (f"{_short(each.prompt_sha256)}, {figure.name}", figure)
        for each in found.prompts
        for figure in (each.agreement, each.kappa, each.minus_newest)
        if figure is not None
    ]
    return inset(
        TableHeading(f"{one_line(found.judge)}: {of}"),
        table(("", "agree", "95% interval", "kappa", "minus newest", "95% interval", "p"), rows),
        *reasons(named),
    )
