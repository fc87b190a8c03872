"""The before/after table of assisted runs as text."""

from collections.abc import Iterator
from typing import Final

from medreview.cli.output import counted, one_line
from medreview.cli.reports.differences import difference_cells
from medreview.cli.reports.layout import Heading, Part, inset, numbers, reasons, table
from medreview.labels import level_named
from medreview.stats.formulas.differences import Difference
from medreview.stats.formulas.estimate import percent
from medreview.stats.reports.assisted_runs import LEVELS, Against, AssistedReport, JudgeBeforeAfter

NOTHING: Final = "No judge was asked both alone (hallucination_detection) and with remarks (hallucination_assisted)."
_CAUTION: Final = (
    "The remarks may hold the answer: this says how far a judge follows an expert, and counts neither for nor against "
    "any."
)
_TESTS: Final = (
    "Differences are in points of a hundred; p: McNemar's exact test on the responses that changed; Holm: p adjusted "
    "for the {family} of all judges."
)


def assisted_parts(report: AssistedReport) -> Iterator[Part]:
    """For each judge: from what to what its word went, and how often it was right; then every response."""
    if not report.judges:
        yield NOTHING
        return
    yield _CAUTION
    if report.gold_waits:
        yield f"gold of {counted(report.gold_waits, 'answer')} is silent until they are decided"
    for judge in report.judges:
        yield from ("", *_judge(judge))
    family = report.judges[0].differences[0].family
    yield from ("", _TESTS.format(family=counted(family, "difference")))
    yield from ("", Heading("each response"))
    rows = (
        (row.name, one_line(row.judge), *map(_word, (row.before, row.after, row.reviewer, row.gold)))
        for row in report.responses
    )
    yield inset(table(("", "judge", "before", "after", "reviewer", "gold"), rows, long=_WORDS))


_WORDS: Final = ("judge", "before", "after", "reviewer", "gold")


def _judge(judge: JudgeBeforeAfter) -> Iterator[Part]:
    yield Heading(f"{one_line(judge.judge)}: {counted(judge.responses, 'response')} asked before and after")
    lost = [f"{count} {when}" for count, when in (
        (judge.abstained_before, "before"), (judge.abstained_after, "after")) if count]  # fmt: skip
    if lost:
        yield f"without an answer: {', '.join(lost)}"
    columns = [level for level in LEVELS if any(level in row for row in judge.moved.values())]
    moved = (
        (_word(before), *(numbers(row[after])[0] if after in row else "" for after in columns))
        for before, row in judge.moved.items()
    )
    yield inset(table(("before \\ after", *map(_word, columns)), moved))
    told = [(name, one) for name, one in (("reviewer", judge.reviewer), ("gold", judge.gold)) if one.n]
    if told:
        rows = (row for name, one in told for row in _against(name, one))
        yield inset(table(("", "n", "right before", "right after", "wrong to right", "right to wrong"), rows))
    tested = [one for one in judge.differences if one.estimate.n]
    if tested:
        yield inset(table(("after - before", "difference", "95% interval", "p", "Holm", "n"), map(_difference, tested)))
        yield from reasons((one.statistic, one.estimate) for one in tested if one.estimate.low is None)


def _difference(one: Difference) -> tuple[str, ...]:
    return one.statistic, *difference_cells(one), *numbers(one.estimate.n)


def _against(name: str, one: Against) -> Iterator[tuple[str, ...]]:
    yield (
        f"{name}: found or not", *numbers(one.n), _share(one.found_before, one.n), _share(one.found_after, one.n),
        *numbers(one.found_mended, one.found_spoilt),
    )  # fmt: skip
    yield (
        f"{name}: type", *numbers(one.n), _share(one.type_before, one.n), _share(one.type_after, one.n),
        *numbers(one.type_mended, one.type_spoilt),
    )  # fmt: skip


def _share(count: int, of: int) -> str:
    return f"{count:,} ({percent(count / of)})"


def _word(level: str | None) -> str:
    return level_named("hallucination", level).name if level else "-"
