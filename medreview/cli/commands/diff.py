"""The command ``diff``: what changed between two snapshots of a source, around the labels that rest on it."""

from collections.abc import Iterator
from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from medreview.cli.options import Json, StudyFile
from medreview.cli.output import counted, result, say
from medreview.errors import UserError
from medreview.visible import visible_line
from medreview.words import in_words

if TYPE_CHECKING:
    from medreview.review.snapshot_diff import MarkedPassage, SnapshotDiff, StaleLabel

_WIDTH: Final = 80
_BASIS: Final = {"marked": "you marked", "quote": "a judge quoted", "evidence": "was lit"}
_FATE: Final = {
    "stands": "still stands, word for word",
    "reworded": "reworded",
    "altered": "ALTERED: a number, unit, negation or direction",
    "gone": "GONE",
}
_OPEN: Final = {"same": "", "gone": "[-", "new": "{+"}
_CLOSE: Final = {"same": "", "gone": "-]", "new": "+}"}


def diff(
    study: StudyFile,
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help="An address, a DOI or PMID, or a part of it.")] = "",
    first: Annotated[int | None, typer.Option("--from", metavar="N", help="The earlier snapshot, by number.")] = None,
    second: Annotated[int | None, typer.Option("--to", metavar="N", help="The later; default: the current.")] = None,
    whole: Annotated[bool, typer.Option("--all", help="The two texts, line by line, as a unified diff.")] = False,
    as_json: Json = False,
) -> None:
    """Show what changed between two snapshots of a source, and what became of the passages your labels rest on.

    Words that went stand in [-...-], words that came in {+...+}. A label on an earlier text is stale until you decide
    again (queue "stale").

    Example: medreview diff sepsis.medreview who.int
    """
    from medreview.review.snapshot_diff import full_diff, snapshot_diffs
    from medreview.study import Study

    with Study.open(study, read_only=True) as opened:
        found = list(snapshot_diffs(opened.reader, source, first, second))
        if whole and found and not as_json:
            for change in found:
                try:
                    for line in full_diff(opened.reader, change):
                        print(visible_line(line))
                except UserError as error:  # too long to be shown; the others are not
                    if len(found) == 1:
                        raise
                    say(str(error))
            return
    told = "No source has changed between its snapshots."
    lines = [line for change in found if change.labels for line in (*_change(change), "")]
    if quiet := [change for change in found if not change.labels]:
        lines.append("Changed, and no label rests on the earlier text:")
        lines += (line for change in quiet for line in _head(change, "  "))
    while lines and not lines[-1]:
        lines.pop()
    result({"changes": [asdict(change) for change in found]}, *(lines or [told]), as_json=as_json)


def _head(change: "SnapshotDiff", indent: str = "") -> Iterator[str]:
    yield f"{indent}{change.url}"
    before, after = (f"{version.number} of {_day(version.fetched_at)}" for version in (change.before, change.after))
    yield (
        f"{indent}  snapshot {before} -> {after}: "
        f"{counted(change.lines_same, 'line')} the same, {change.lines_gone:,} gone, {change.lines_new:,} new"
    )


def _change(change: "SnapshotDiff") -> Iterator[str]:
    yield from _head(change)
    for label in change.labels:
        yield ""
        yield from _label(label)


def _label(label: "StaleLabel") -> Iterator[str]:
    said = in_words(label.label)
    yield f"  {label.response} S{label.ordinal}  {said}, by {label.reviewer} on {_day(label.decided_at)}"
    yield from _folded(label.statement)
    for passage in label.passages:
        yield f"    {_BASIS[passage.basis]}; now {_FATE[passage.fate]}"
        yield from _folded(_marked(passage), "      ")
    if not label.passages:
        yield "    no passage was marked, quoted or lit"


def _marked(passage: "MarkedPassage") -> str:
    return " ".join(f"{_OPEN[piece.kind]}{piece.text}{_CLOSE[piece.kind]}" for piece in passage.pieces)


def _folded(text: str, indent: str = "    ") -> list[str]:
    return wrap(" ".join(text.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _day(stamp: str) -> str:
    return stamp[:10]
