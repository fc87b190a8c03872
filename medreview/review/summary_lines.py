"""The end of a block or sitting in words: the same on the screen and in line mode."""

from collections.abc import Callable, Iterator

from medreview.review.block_summary import BlockSummary
from medreview.units.gold_results import GoldResult
from medreview.words import counted

NameOf = Callable[[str], str]
"""What the screen calls a unit."""
WordsOn = Callable[[str, str, str], str]
"""What the screen calls a label, by unit, axis and label."""


def summary_lines(
    summary: BlockSummary, name_of: NameOf, words_on: WordsOn, *, judges: str = "the judges"
) -> list[str]:
    """Paragraphs, in their order; a detail is indented by two blanks. Texts of gold items come as they are."""
    return [
        *_done(summary),
        *_gold(summary, name_of, words_on),
        *_figures(summary, judges),
        *_twice(summary, name_of, words_on),
    ]


def _done(summary: BlockSummary) -> Iterator[str]:
    parts = [f"{summary.decided} decided", f"{summary.deferred} put off"]
    yield ", ".join([*parts, *([f"{summary.open} open"] if summary.open else [])])
    if summary.median_ms is not None:
        keys = (
            ""
            if summary.median_keys is None
            else f", {summary.median_keys:g} {'key' if summary.median_keys == 1 else 'keys'}"
        )
        yield f"a decision: {_seconds(summary.median_ms)}{keys} (medians); in all {_minutes(summary.active_ms)}"


def _gold(summary: BlockSummary, name_of: NameOf, words_on: WordsOn) -> Iterator[str]:
    if not summary.gold:
        return
    right = sum(one.right for one in summary.gold)
    yield f"gold items: {right} of {len(summary.gold)} right"
    if summary.failed:
        yield f"ATTENTION CHECK FAILED: {', '.join(name_of(one.unit) for one in summary.failed)}"
    for one in summary.gold:
        if not one.right:
            yield f"  {name_of(one.unit)}: {_labels(one, words_on)}"
            if one.gold.why:
                yield f"  {one.gold.why}"
        if one.marked < len(one.gold.spans):
            yield f"  {name_of(one.unit)}: {one.marked} of {counted(len(one.gold.spans), 'span')} marked"


def _figures(summary: BlockSummary, judges: str) -> Iterator[str]:
    found = summary.agreement
    if found is None:
        return
    if found.n:
        without = f"; no common label of theirs on {found.without}" if found.without else ""
        yield f"as {judges}: {found.same} of {found.n}{without}"
    else:
        yield f"as {judges}: no label of yours meets one of theirs"
    if summary.changed:
        yield f"changed after they were shown: {summary.changed}"


def _twice(summary: BlockSummary, name_of: NameOf, words_on: WordsOn) -> Iterator[str]:
    if not summary.twice:
        return
    same = sum(one.same for one in summary.twice)
    yield f"as yourself the first time: {same} of {len(summary.twice)}"
    for one in summary.twice:
        if not one.same:
            first, second = (words_on(one.unit, one.axis, label) for label in (one.first, one.second))
            yield f"  {name_of(one.unit)}: {first}, now {second}"


def _labels(one: GoldResult, words_on: WordsOn) -> str:
    said, right = (words_on(one.unit, one.gold.axis, label) for label in (one.label, one.gold.label))
    return f"you said {said}; right is {right}"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.1f} s" if ms < 10_000 else f"{round(ms / 1000)} s"


def _minutes(ms: int) -> str:
    return f"{round(ms / 1000)} s" if ms < 60_000 else f"{ms / 60_000:.1f} min"
