"""Runs of judges as a list, and two of them beside each other, as tables."""

from collections.abc import Iterator, Sequence

from medreview.cli.output import counted, one_line, pace_words, price_words
from medreview.cli.reports.estimates import p_cell
from medreview.cli.reports.layout import Part, TableHeading, Title, cells, inset, reasons, table, value_cell
from medreview.llm.costs import PromptCost
from medreview.stats.formulas.estimate import percent
from medreview.stats.reports.run_comparison import ChangedPair, ComparedRun, RunCalibration, RunComparison, StoredRun
from medreview.text import in_words

_HASH = 8
"""Digits of a prompt's hash; the JSON has all."""


def run_rows(runs: Sequence[StoredRun]) -> Iterator[Part]:
    """The runs of a study."""
    rows = [
        (str(run.number), one_line(run.judge), one_line(run.model),
         f"{one_line(run.prompt)} {run.prompt_sha256[:_HASH]}",
         one_line(", ".join(f"{name} {value}" for name, value in run.params.items() if name != "host")), run.judged)
        for run in runs
    ]  # fmt: skip
    words = ("judge", "model", "prompt", "parameters")
    yield table(("run", *words, "pairs"), rows, long=words, if_any=("parameters",))


def comparison_parts(found: RunComparison, changed: Sequence[ChangedPair] | None) -> Iterator[Part]:
    """The comparison; ``changed``: also the pairs, one by one."""
    sides = (found.first, found.second)
    yield Title(f"Run {found.first.run.number} and run {found.second.run.number}")
    yield from run_rows([side.run for side in sides])
    yield f"They differ in: {', '.join(map(one_line, found.differ)) or 'nothing that is stored'}."
    share = percent(found.changed / found.pairs)
    pairs = counted(found.pairs, "pair")
    yield f"{pairs} answered in both; {found.changed:,} ({share}) with another word in the second."
    yield inset(_changes(found))
    yield from ("", *_agreement(found))
    if found.calibration is not None:
        yield from ("", *_calibration(found, found.calibration))
    yield from ("", _costs(sides))
    if changed is None:
        return
    yield from ("", TableHeading("changed"))
    for one in changed:
        yield f"{one_line(one.statement)} ({one_line(one.record or one.statement_id)}, {one_line(one.model)})"
        yield inset(f"{in_words(one.first)} -> {in_words(one.second)}")


def _changes(found: RunComparison) -> Part:
    held = {(one.first, one.second): one.pairs for one in found.changes}
    words = sorted({word for pair in held for word in pair}, key=_turn)
    names = ("first, in rows; second:", *(in_words(word) for word in words))
    return table(names, [(in_words(mine), *(held.get((mine, other), 0) for other in words)) for mine in words])


def _turn(word: str) -> tuple[int, str]:
    order = ("supported", "partial", "contradicted", "not_addressed", "not_supported", "cannot_judge", "no verdict")
    return (order.index(word) if word in order else len(order)), word


def _agreement(found: RunComparison) -> Iterator[Part]:
    part = "all questions" if found.part == "all" else f"the {found.part} half of the questions"
    whose = (
        f"by labels of {', '.join(map(one_line, found.reviewers))} ({found.labels_of})"
        if found.reviewers
        else "no labels"
    )
    shown = f", {found.examples:,} of them worked examples of a run" if found.examples else ""
    yield (
        f"Agreement on supported or not, on {part}, {whose}: {counted(found.statements, 'statement')} in "
        f"{counted(found.clusters, found.cluster)}; {found.dropped:,} labelled without a verdict of both on the same "
        f"pages{shown}."
    )
    yield from found.cautions
    sides, test = (found.first, found.second), found.mcnemar
    rows = [(f"run {side.run.number}", side.agreement, value_cell(side.kappa)) for side in sides]
    tested = (
        f"Only the first is right on {test.b:,}, only the second on {test.c:,}: {test.method}, p "
        f"{p_cell(test.pvalue, at_limit=False)}."
    )
    yield inset(
        table(("", "agree", "95% interval", "kappa"), rows),
        table(
            ("", "points", "95% interval", "p"),
            [("second minus first", *cells(found.difference, signed=True), p_cell(found.p, at_limit=False))],
        ),
        *([tested] if found.statements else []),
        *reasons((f"run {side.run.number}, {one.name}", one) for side in sides for one in (side.agreement, side.kappa)),
        *reasons([(found.difference.name, found.difference)]),
    )


def _calibration(found: RunComparison, told: RunCalibration) -> Iterator[Part]:
    without = f"; {told.dropped:,} without one of a run" if told.dropped else ""
    yield (
        f"Calibration: Brier score of the confidence, lower is better, on {counted(told.statements, 'statement')} in "
        f"{counted(told.clusters, found.cluster)} with a confidence of both{without}."
    )
    sides = ((found.first, told.first), (found.second, told.second))
    yield inset(
        table(("", "Brier", "95% interval"), [(f"run {side.run.number}", *cells(brier)) for side, brier in sides]),
        table(
            ("", "Brier", "95% interval", "p"),
            [("second minus first", *cells(told.difference, signed=True), p_cell(told.p, at_limit=False))],
        ),
        *reasons([*((f"run {side.run.number}, Brier", brier) for side, brier in sides),
                  (told.difference.name, told.difference)]),
    )  # fmt: skip


def _costs(sides: Sequence[ComparedRun]) -> Part:
    told = [_cost(side.run.number, side.cost) for side in sides]
    return inset(TableHeading("cost and time of the questions with its prompt"), *told)


def _cost(number: int, cost: PromptCost | None) -> str:
    if cost is None:
        return f"Run {number}: not asked from here."
    if not cost.calls:
        return f"Run {number}: this file has none of its questions."
    also = f" (with those of run {', '.join(map(str, cost.with_runs))}, of the same prompt)" if cost.with_runs else ""
    return (
        f"Run {number}: {counted(cost.calls, 'question')}{also}, {cost.prompt_tokens:,} tokens in, "
        f"{cost.completion_tokens:,} out; {price_words(cost.cost, cost.unpriced)}; "
        f"{pace_words(cost.latency_median_ms, cost.latency_p95_ms)}."
    )
