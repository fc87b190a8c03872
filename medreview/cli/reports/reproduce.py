"""Printed figures beside ours, paper by paper."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from medreview.cli.output import one_line
from medreview.cli.reports.layout import Part, Title, inset, table
from medreview.replays.reproduced import Reproduced
from medreview.stats.formulas.estimate import number


def reproduce_parts(found: Sequence[Reproduced]) -> Iterator[Part]:
    """A table for each paper, and below it the reasons."""
    for paper, group in groupby(found, key=lambda one: one.paper):
        rows = list(group)
        yield Title(paper)
        lines = [
            (one_line(one.what), f"printed: {one.printed}" if one.printed else "not printed", _ours(one), one.outcome)
            for one in rows
        ]
        told = [
            (what, f"{printed}; ours: {ours}" if ours else printed, outcome) for what, printed, ours, outcome in lines
        ]
        yield inset(table(("figure", "printed; ours", ""), told, long=("printed; ours",)))
        for why in dict.fromkeys(one.why for one in rows if one.why):
            names = [one_line(one.what) for one in rows if one.why == why]
            about = names[0] if len(names) == 1 else f"{len(names)} of these"
            yield inset(f"{about}: {one_line(why)}")
    counts = Counter(one.outcome for one in found)
    same, value, other, missing = (counts[one] for one in ("equal", "value equal", "differs", "missing"))
    yield ""
    yield (
        f"{same} equal, {value} equal in value but not in the interval, {other} different, {missing} not computed. "
        "Equal: the same digits, rounded half up, in all that is printed."
    )


def _ours(one: Reproduced) -> str:
    if one.ours is None or one.ours.value is None:
        return ""
    ours, digits = one.ours, 2 if one.ours.scale == "share" else None
    value = number(one.ours.value, ours.scale, digits)
    if ours.low is None or ours.high is None:
        return f"{value}, no interval"
    low, high = (number(end, ours.scale, digits, unit=False) for end in (ours.low, ours.high))
    return f"{value} ({low} to {high})"
