"""What fits one screen of 80 x 24 and leaves a row for what is typed next."""

from collections.abc import Iterator
from pathlib import Path

from medreview.study import Study
from medreview.units.registry import KINDS
from tests.support.commands import Program

ROWS = 23
COLUMNS = 80
FEW = ("--replicates", 99)


def screens(medreview: Program, study: Path) -> Iterator[tuple[str, str]]:
    """``stats`` of a study, and of each kind of unit that it uses: which command, and what it prints."""
    with Study.open(study, read_only=True) as opened:
        used = [kind for kind in KINDS if KINDS[kind].in_use(opened.reader)]
    for options in ((), *(("--unit", kind) for kind in used)):
        yield " ".join(options), medreview("stats", study, *options, *FEW).stdout


def assert_one_screen(name: str, text: str) -> None:
    """Rows and columns; a command to copy is never broken, however long. No word is cut."""
    lines = text.splitlines()
    assert len(lines) <= ROWS, f"{name}\n{text}"
    assert all(len(line) <= COLUMNS for line in lines if not line.startswith("  medreview ")), f"{name}\n{text}"
    assert "…" not in text, f"{name}\n{text}"
    assert "0 statements" not in text.splitlines()[0], f"{name}\n{text}"
