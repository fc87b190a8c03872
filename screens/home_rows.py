"""The first screen in words: where was I, and what is worth my next hour."""

from dataclasses import dataclass

from medreview.review.layout.cells import fit, width
from medreview.review.overview import Overview, QueueLine, ResponseLine
from medreview.screens.widgets.painted import Row, StyledText
from medreview.visible import visible


@dataclass(frozen=True, slots=True)
class Entrance:
    """A line that can be opened: a queue with a filter."""

    queue: str
    filter: str = ""


def head_rows(overview: Overview, reviewer: str, columns: int) -> list[Row]:
    """Study, reviewer, what there is, and how far it is decided."""
    counts = overview.counts
    pages = [
        (overview.unreachable, "unreachable"),
        (overview.paywalled, "paywalled"),
        (overview.not_fetched, "not fetched"),
    ]
    trouble = ", ".join(f"{number} {word}" for number, word in pages if number)
    sources = _counted(overview.sources, "source") + (f" ({trouble})" if trouble else "")
    share = counts.decided / counts.total if counts.total else 0
    tally = f"   decided {counts.decided}   deferred {counts.deferred}   open {counts.open}"
    room = max(4, min(40, columns - width(tally) - 14))
    filled = min(room, round(share * room))
    return [
        [(" ", ""), (overview.title, "title"), ("", "fill"), (f"reviewer {reviewer} ", "dim")],
        [],
        [
            (f"   {_counted(overview.statements, 'statement')} · {_counted(overview.responses, 'response')}", ""),
            (f" · {sources}", ""),
        ],
        [
            (tally, ""),
            ("", "fill"),
            ("█" * filled, "good"),
            ("─" * (room - filled), "rule"),
            (f" {share:4.0%}   ", ""),
        ],
        [],
        [("   REVIEW", "title")],
    ]


def queue_row(number: int, line: QueueLine, columns: int) -> Row:
    """One queue: its number, name, mode, size, how many are open, what it is made of."""
    name = line.kind.title + (", blind" if line.kind.mode == "blind" else "")
    pieces: list[StyledText] = [(f" {number} ", "key"), (f" {fit(name, 28)}", ""), (f"{line.size:>6}", "key")]
    if line.size and line.open != line.size:
        pieces.append((f"  {line.open} open", ""))
    if line.remark:
        pieces.append(("  " + _cut(line.remark, columns - sum(width(text) for text, _ in pieces) - 5), "dim"))
    return pieces


def response_row(line: ResponseLine, columns: int) -> Row:
    """One response: name, progress, the beginning of its question. Not its model: a blind queue says R07 too."""
    done = line.statements and line.decided == line.statements
    progress = f"{line.decided}/{line.statements}" + (" ✓" if done else "")
    question = visible(" ".join(line.question.split()))
    pieces: list[StyledText] = [(f"   {line.name}  ", "title"), (f"{progress:>8}", "good" if done else "")]
    return [*pieces, ("   " + _cut(question, columns - sum(width(text) for text, _ in pieces) - 6), "dim")]


def prepare_rows(overview: Overview, study: str) -> list[Row]:
    """What can be done about the study, as commands, and why."""
    commands = []
    if not overview.responses:
        commands.append((f"medreview run {study} FILE", "no answers yet"))
    if overview.not_fetched:
        commands.append((f"medreview fetch {study}", f"{_counted(overview.not_fetched, 'source')} not fetched"))
    if overview.unjudged:
        commands.append((f"medreview judge {study}", f"{_counted(overview.unjudged, 'statement')} not judged"))
    if overview.responses:
        commands.append((f"medreview export {study} DIR", "labels as tables"))
    heads = ("   PREPARE   ", *[" " * 13] * 2)
    return [
        [(head, "title"), (command, ""), (f"   {why}", "dim")]
        for head, (command, why) in zip(heads, commands, strict=False)
    ]


def _cut(text: str, room: int) -> str:
    return fit(text, min(width(text), max(1, room)))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
