"""The first screen in words: where the reviewer stopped, the queues, and the commands for what is missing."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from medreview.next_step import command, words_of
from medreview.review.cell_width import fit, fit_words, width
from medreview.review.overview import Overview, ResponseLine
from medreview.review.queue import FilterLine
from medreview.review.queue_kinds import QueueLine
from medreview.review.resuming import DraftPlace, LastPlace
from medreview.screens.widgets.painted import Row, StyledText, wrapped
from medreview.units.registry import KINDS
from medreview.visible import visible

if TYPE_CHECKING:
    from medreview.review.home_figures import HomeFigures
    from medreview.stats.formulas.estimate import Estimate


_INDENT = "     "


def folded(command: str, columns: int) -> list[str]:
    """A command in lines of so many columns at most, all but the last with a backslash at their end.

    Lines that begin with a word are indented; one that goes on with a long word begins at the margin. A word with
    escapes (``$'...'``) stays whole: half an escape would be another word.
    """
    lines, line = [], _INDENT
    for token in words_of(command):
        if line.strip() and width(f"{line}{token} \\") > columns:
            lines.append(f"{line}\\")
            line = _INDENT
        word = "" if token.startswith("$'") else shlex.split(token)[0]
        while len(word) > 1 and not _fits(line, word, columns):
            size = max([1, *(n for n in range(2, len(word)) if _fits(line, word[:n], columns))])
            lines.append(f"{line}{shlex.quote(word[:size])}\\")
            line, word = "", word[size:]
        line += f"{shlex.quote(word) if word else token} "
    return [*lines, line.rstrip()]


def _fits(line: str, word: str, columns: int) -> bool:
    return width(f"{line}{shlex.quote(word)} \\") <= columns


PREPARE_ROWS: Final = 5
"""Rows for commands, the most needed first: the list above them needs its room."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """A line that can be opened: a queue with a filter; ``blind``: if other than the queue's usual mode; ``unit``: the
    statement in it that opens, if not where the reviewer left off."""

    queue: str
    filter: str = ""
    blind: bool | None = None
    unit: str = ""


def head_rows(overview: Overview, reviewer: str, columns: int) -> list[Row]:
    """Study and reviewer, what there is, how far it is decided; then where I was and what is next, in sentences."""
    counts = overview.progress
    pages = [
        (overview.unreachable, "unreachable"),
        (overview.paywalled, "paywalled"),
        (overview.not_fetched, "not fetched"),
    ]
    trouble = ", ".join(f"{number} {word}" for number, word in pages if number)
    sources = _counted(overview.sources, "source") + (f" ({trouble})" if trouble else "")
    share = counts.decided / counts.total if counts.total else 0
    whose = "your batch:  " if overview.mine else ""
    tally = "   ".join(("", f"{whose}decided {counts.decided}", f"deferred {counts.deferred}", f"open {counts.open}"))
    room = max(4, min(40, columns - width(tally) - 14))
    filled = min(room, max(counts.decided > 0, round(share * room)))
    contents = " · ".join((*_contents(overview), *([sources] if overview.sources or not overview.has_units else [])))
    who = f"reviewer {visible(reviewer)} "
    rows: list[Row] = [
        [(f" {fit_words(visible(overview.title), columns - width(who) - 3)}", "title"), ("", "fill"), (who, "dim")],
        *([_package_row(overview, columns)] if overview.package else []),
        *wrapped(contents, columns - 1, "dim", 2, lead="   "),
        [
            (tally, ""),
            ("", "fill"),
            ("█" * filled, "own"),
            ("─" * (room - filled), "rule"),
            (f" {share:4.0%}   ", ""),
        ],
        [],
    ]
    for sentence in overview.card:
        rows += wrapped(sentence, columns - 2, "", lead="   ")
    return [*rows, []] if overview.card else rows


def _contents(overview: Overview) -> Iterator[str]:
    """What there is to review: statements, or the units that the study has instead; then responses."""
    if overview.statements or not overview.has_units:
        yield _counted(overview.statements, "statement")
    else:
        for line in overview.kinds:
            yield f"{line.size} {line.kind.title if line.size != 1 else KINDS[line.kind.unit].noun}"
    if overview.responses or not overview.has_units:
        yield _counted(overview.responses, "response") + (f" ({overview.invalid} invalid)" if overview.invalid else "")


def _package_row(overview: Overview, columns: int) -> Row:
    """Which part of the study a copy for a colleague is, and what is not in it."""
    assert overview.package is not None
    without = ", ".join(overview.package.without) or "nothing"
    what = overview.package.holds or "a copy"
    words = f" {what} by {overview.package.made_by} of {overview.package.made_at[:10]}, without: {without}"
    return [(_cut(visible(words), columns - 2), "badge")]


def place_row(place: LastPlace, columns: int) -> Row:
    """Where the reviewer left off: queue, place, filter."""
    pieces: list[StyledText] = [("    continue  ", "title")]
    return [*pieces, (_cut(visible(place.words), columns - sum(width(text) for text, _ in pieces) - 3), "")]


def draft_row(place: DraftPlace, columns: int) -> Row:
    """What was begun and is not saved, and its first words."""
    head = f"   not saved: {place.words}  "
    words = visible(" ".join(place.draft.text.split()))
    return [(_cut(head, columns), "badge"), (_cut(f"“{words}”", columns - width(head) - 3), "")]


def more_drafts_row(number: int, columns: int) -> Row:
    """That there are more of them, which come up once those above are saved or discarded."""
    return [
        (
            _cut(f"     and {_counted(number, 'note')} more not saved; done with these, they are listed here", columns),
            "badge",
        )
    ]


def queue_row(line: QueueLine, columns: int) -> Row:
    """One queue: its capital, name, mode, size, how many of that are open and deferred, what it is made of."""
    name, size = line.kind.title, str(line.size)
    most = 31 - len(size)  # into the empty cells before a short number
    blind = line.kind.mode == "blind" and line.kind.chosen != "conflicts"
    if blind and not (line.kind.chosen and width(f"{name}, blind") > most):
        name += ", blind"
    named = max(26, min(width(name), most))
    pieces: list[StyledText] = [(f" {line.kind.key or ' '} ", "key"), (f" {fit(name, named)}", "")]
    if not (line.size or line.hidden or line.reserved):
        return [pieces[0], (f"{pieces[1][0]}{size.rjust(32 - named)}", "dim")]
    if line.hidden:
        return [*pieces, (_cut("  counted when your blind block is done", columns - 32), "dim")]
    pieces.append((size.rjust(32 - named), "title"))
    for number, word in ((line.open, "open"), (line.deferred, "deferred")):
        if number not in (0, line.size):
            pieces.append((f"  {number} {word}", ""))
    room = columns - sum(width(text) for text, _ in pieces) - 5  # the pointer, a gap, and a blank at the end
    kept = [f"{line.reserved} more reserved for the audit", f"+{line.reserved} reserved"] if line.reserved else [""]
    told = ("; ".join(filter(None, (held, line.remark))) for held in kept)
    remark = next((words for words in told if width(words) <= room), "")
    return [*pieces, (f"  {remark}", "dim")] if remark else pieces


def saved_row(line: FilterLine, columns: int) -> Row:
    """A saved filter: its name, how many units it keeps and how many are open, its queue and filter."""
    saved = line.saved
    head: list[StyledText] = [(f"   {fit(visible(saved.name), 26)}", "title")]
    where = f"{saved.title}{', blind' if saved.mode == 'blind' else ''}, filter {saved.filter}"
    if line.wrong or line.hidden:
        why = line.wrong or "counted when your blind block is done"
        return [*head, (f"  {_cut(visible(why), columns - 33)}", "dim")]
    head.append((f"{line.size:>6}", "title"))
    if line.open not in (0, line.size):
        head.append((f"  {line.open} open", ""))
    room = columns - sum(width(text) for text, _ in head) - 4
    return [*head, (f"  {_cut(visible(where), room)}", "dim")]


def warning_row(overview: Overview) -> Row:
    """What is lost when triage comes before the audit."""
    whole = next(line.size for line in overview.queues if line.kind.name == "audit")
    return [(f"    triage first? then {overview.lost_to_triage} of the {whole} in the audit cannot be blind", "badge")]


def response_row(line: ResponseLine, columns: int) -> Row:
    """One response: name, progress, the beginning of its question. Not its model: a blind queue says R07 too."""
    done = line.statements and line.decided == line.statements
    progress = f"{line.decided}/{line.statements}" + (" ✓" if done else "") if line.statements else ""
    progress = "invalid" if line.invalid else progress
    question = visible(" ".join(line.question.split()))
    pieces: list[StyledText] = [(f"   {line.name}  ", "title"), (f"{progress:>8}", "own" if done else "")]
    return [*pieces, ("   " + _cut(question, columns - sum(width(text) for text, _ in pieces) - 6), "dim")]


def figure_rows(figures: "HomeFigures", columns: int) -> list[Row]:
    """What labels say so far, in sentences: the reviewer's own of the answers, and of other units; then how much of the
    study is supported by the audit, and how often the judges agree with the reviewer there."""
    judges = _judge_rows(figures, columns) if figures.view is not None else ()
    return [*_own_rows(figures, columns), *judges]


def _own_rows(figures: "HomeFigures", columns: int) -> Iterator[Row]:
    own = figures.own
    if own is not None:
        told = [
            f"{name} {_spoken(figure)}"
            for name, figure in (
                ("by a cited source", own.cited), ("by any source", own.any_source), ("whole answers", own.responses),
            )
            if figure.value is not None
        ]  # fmt: skip
        rest = ": they say nothing about the rest" if own.caution else ""
        said = f"supported {', '.join(told)}" if told else "no label says supported or not"
        yield from wrapped(f"By your labels, {own.of_what}{rest}: {said}.", columns - 2, "", lead="   ")
    for kind in figures.units:
        for one in kind.people:
            share = f"{_spoken(one.share)} of {one.share.n:,}"
            others = kind.units - one.units
            some = f", which says nothing about the other {others:,}" if others else ""
            words = f"By your labels, {kind.title}, {kind.words}: {share}{some}."
            yield from wrapped(words, columns - 2, "", lead="   ")


def _judge_rows(figures: "HomeFigures", columns: int) -> Iterator[Row]:
    from medreview.screens.figure_rows import sentence

    assert figures.view is not None
    if figures.supported:
        yield from wrapped(
            f"{figures.supported[0].upper()}{figures.supported[1:].rstrip('.')}.", columns - 2, "dim", lead="   "
        )
    yield from wrapped(sentence(figures.view, "the judges"), columns - 2, "", lead="   ")


def _range(figure: "Estimate") -> str:
    """`` (54-93%)``; nothing without an interval."""
    from medreview.stats.formulas.estimate import percent

    if figure.low is None or figure.high is None:
        return ""
    return f" ({percent(figure.low, 0)[:-1]}-{percent(figure.high, 0)})"


def _spoken(figure: "Estimate") -> str:
    """``86% (73-93%)``."""
    from medreview.stats.formulas.estimate import percent

    return "no figure" if figure.value is None else f"{percent(figure.value, 0)}{_range(figure)}"


def prepare_rows(overview: Overview, study: Path, judge: str, columns: int, most: int = PREPARE_ROWS) -> list[Row]:
    """What can be done about the study, and the commands for it, right as they stand, in about ``most`` rows.

    ``judge`` is the first of the models in the settings, ``""`` without any.
    """
    steps = []
    if not overview.responses and not overview.kinds:
        steps.append(("no answers yet", command("run", study, "FILE")))
    if overview.not_fetched:
        steps.append((f"{_counted(overview.not_fetched, 'source')} not fetched", command("fetch", study)))
    if overview.unjudged:
        steps.append((f"{_counted(overview.unjudged, 'statement')} not judged", command("judge", study)))
    if overview.statements and not overview.judged_by_model:
        ask = command("judge", study, "--judge", judge) if judge else command("judges")
        steps.append(("no model has judged the statements yet", ask))
    rows: list[Row] = []
    for why, step in steps:
        more = _step(why, step, columns)
        if rows and len(rows) + len(more) > most:
            break
        rows += more
    return rows


def _step(why: str, step: str, columns: int) -> list[Row]:
    """Why, then the command: beside it, or below where there is no room."""
    head: list[StyledText] = [("   ", ""), (f"{why}: ", "dim")]
    if sum(width(text) for text, _ in head) + width(step) < columns:
        return [[*head, (step, "")]]
    return [head, *([(line, "")] for line in folded(step, columns))]


def _cut(text: str, room: int) -> str:
    return fit_words(text, max(1, room))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
