"""The report at the end of a block or sitting: pace, gold items, and the figures hidden until then, in words."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

from medreview.review.gold import tell, untold_units
from medreview.review.session import ReviewSession
from medreview.text import counted
from medreview.units.label_comparisons import PASS_NO, GoldResult, Twice, gold_results, labelled_twice
from medreview.units.registry import unit_name, words_on

Agrees = Callable[[str, str], bool | None]
"""Whether the machines' label on a unit is this one; ``None`` when they have no common one."""

_ACTS: Final = """SELECT unit, kind, payload, session FROM main_live
WHERE reviewer = ? AND pass = ? AND unit = ? ORDER BY event_id"""
_LABELS: Final = """SELECT unit, axis, label, changed_after_reveal FROM reviewer_label
WHERE reviewer = ? AND pass = ? AND unit = ?"""


@dataclass(frozen=True, slots=True)
class Agreement:
    """``same`` of ``n`` labels as the machines'; ``without``: decided, and the machines have no common label."""

    same: int
    n: int
    without: int


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """Some units of one reviewer and pass: ``decided``, ``deferred`` and ``open``; working time and keys.

    ``median_ms`` and ``median_keys`` are those of a decision, ``None`` where no decision has them (from Python), and
    ``active_ms`` is the time of all. ``gold`` is shown when the block is done. ``agreement`` and ``changed`` (labels
    changed after the judges were shown) are ``None`` as long as the machines' opinion is hidden. ``twice``: the labels
    of both passes, in the second.
    """

    decided: int
    deferred: int
    open: int
    active_ms: int
    median_ms: int | None
    median_keys: float | None
    gold: tuple[GoldResult, ...]
    agreement: Agreement | None
    changed: int | None
    twice: tuple[Twice, ...]

    @property
    def failed(self) -> tuple[GoldResult, ...]:
        """Checks of attention that failed."""
        return tuple(one for one in self.gold if one.gold.attention and not one.right)


def block_summary(
    reader: sqlite3.Connection,
    reviewer: str,
    units: Collection[str],
    *,
    gold: Collection[str] | None = None,
    pass_no: int = 1,
    agrees: Agrees | None = None,
) -> BlockSummary:
    """Sum up some units. ``gold``: those whose right label may be shown, all when it is ``None``.

    ``agrees`` is given once the machines' opinion on all of them may be seen.
    """
    states = {"decided": 0, "deferred": 0, "open": 0}
    times, keys, same, n, without, changed = [], [], 0, 0, 0, 0
    for unit in units:
        acts = reader.execute(_ACTS, (reviewer, pass_no, unit)).fetchall()
        state = "open" if not acts else "deferred" if acts[-1]["kind"] == "defer" else "decided"
        states[state] += 1
        decided = [json.loads(act["payload"]) for act in acts if act["kind"] == "decide"]
        times += [one["active_ms"] for one in decided if "active_ms" in one]
        keys += [one["keys"] for one in decided if "keys" in one]
        if agrees is None or state != "decided":
            continue
        row = reader.execute(_LABELS, (reviewer, pass_no, unit)).fetchone()
        found = agrees(unit, row["label"])
        changed += row["changed_after_reveal"]
        if found is None:
            without += 1
        else:
            n += 1
            same += found
    return BlockSummary(
        **states,
        active_ms=sum(times),
        median_ms=round(median(times)) if times else None,
        median_keys=float(median(keys)) if keys else None,
        gold=tuple(gold_results(reader, reviewer, pass_no, frozenset(units if gold is None else gold))),
        agreement=None if agrees is None else Agreement(same, n, without),
        changed=None if agrees is None else changed,
        twice=tuple(labelled_twice(reader, reviewer, frozenset(units))) if pass_no == PASS_NO else (),
    )


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


LEAST: Final = 20
"""Units decided or put off in a sitting from which on it is summed up when it ends."""


def block_report(session: ReviewSession, *, shown: bool) -> list[str]:
    """The block around the unit on the screen, nothing of which waits; ``shown``: its judges are shown now.

    Raises :class:`UserError` when it cannot be recorded that gold items were shown.
    """
    block = session.block
    units = session.queue.units[block.first : block.last + 1] if block else ()
    return _in_lines(session, units, shown=shown)


SUMMED_UP_FROM: Final = 5
"""Units of a queue from which its end is summed up."""
_COMPARED: Final = 300
"""Units of a queue up to which its labels are held against the judges': each is read for that."""


def queue_report(session: ReviewSession, *, bar: int = 0) -> list[str]:
    """The end of a queue in sentences: what is decided, by label, each with a ``bar`` of so many cells at most; the
    time; the judges, where they may be seen."""
    units = session.queue.units
    labels = Counter(label for unit in units if (label := session.label_of(unit)) is not None)
    shown = not (session.hides_totals or session.settles or len(units) > _COMPARED)
    summary = block_summary(
        session.study.reader,
        session.reviewer,
        units,
        gold=(),
        pass_no=session.pass_no,
        agrees=session.agrees_on if shown else None,
    )
    rest = [(summary.deferred, "put off"), (summary.open, "open")]
    done = [f"{sum(labels.values())} of {len(units)} decided", *(f"{number} {word}" for number, word in rest if number)]
    by_label = [(session.asks.level_named(level).name, number) for level, number in labels.most_common()]
    lines = [f"{', '.join(done)}."]
    if bar and by_label:
        name, most = max(len(name) for name, _ in by_label), by_label[0][1]
        shares = ((label, number, "━" * max(1, number * bar // most)) for label, number in by_label)
        lines += ["", *(f"  {label:<{name}}  {number:>4}  {share}" for label, number, share in shares), ""]
    elif by_label:
        lines.append(f"You said: {', '.join(f'{label} {number}' for label, number in by_label)}.")
    if summary.median_ms is not None:
        lines.append(f"{_minutes(summary.active_ms)} in all, {_seconds(summary.median_ms)} for one (median).")
    found = summary.agreement
    if found is not None and found.n:
        without = f" They have no common verdict on {found.without}." if found.without else ""
        lines.append(f"The judges said the same as you on {found.same} of {found.n}.{without}")
    return lines


def sitting_report(session: ReviewSession, *, told: bool = False) -> list[str]:
    """The summary shown when the reviewer leaves; nothing after a short sitting without gold items, or where what was
    done was ``told`` just now.

    Gold items of blocks that are not done stay hidden. Raises :class:`UserError` as above.
    """
    untold = untold_units(session.study.reader, session.reviewer, session.pass_no)
    if not untold and (told or len(session.acted) < LEAST):
        return []
    return _in_lines(session, {*session.acted, *untold}, shown=False, gold=untold)


def _in_lines(
    session: ReviewSession, units: Collection[str], *, shown: bool, gold: Collection[str] | None = None
) -> list[str]:
    tell(session.study, session.reviewer, units if gold is None else gold, session.pass_no)
    summary: BlockSummary = block_summary(
        session.study.reader,
        session.reviewer,
        units,
        gold=gold,
        pass_no=session.pass_no,
        agrees=session.agrees_on if shown else None,
    )
    reader = session.study.reader
    return summary_lines(summary, partial(unit_name, reader), partial(words_on, reader))
