"""Printed figures beside ours, paper by paper."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby

from medreview.cli.output import one_line
from medreview.cli.reports.layout import Part, Title, inset, table
from medreview.replays.reproduced import Reproduced
from medreview.stats.formulas.estimate import Estimate, half_up, percent


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
    number = partial(percent, digits=2) if one.share else half_up
    return number(one.ours.value) + _ends(one.ours, one.share)


def _ends(figure: Estimate, share: bool) -> str:
    if figure.low is None or figure.high is None:
        return ", no interval"
    low, high = (half_up(end * (100 if share else 1), 2 if share else 3) for end in (figure.low, figure.high))
    return f" ({low} to {high})"
