"""What is said of a part of a study that a filter chose, before any figure of it."""

from collections.abc import Iterator

from medreview.cli.output import counted, one_line
from medreview.stats.reports.selection import SelectedPart


def part_line(part: SelectedPart) -> str:
    """Which part it is, and how large."""
    return f"only {one_line(part.words)}: {part.statements:,} of {counted(part.in_study, 'statement')}"


def part_lines(part: SelectedPart | None) -> Iterator[str]:
    """The same with what cannot be said of a part; nothing for a whole study."""
    if part is None:
        return
    yield part_line(part)
    if part.parted:
        has = "has statements" if part.parted == 1 else "have statements"
        yield (
            f"{counted(part.parted, 'response')} {has} outside it, too, and so no place in response support and unused "
            "sources."
        )
    yield from part.cautions
