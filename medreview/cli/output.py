"""How commands speak: results on standard output, messages and progress on standard error, and in which words."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from medreview.next_step import command
from medreview.progress import SILENT, Progress
from medreview.text import counted as counted  # of the words that commands speak in
from medreview.text import in_words
from medreview.visible import json_text, visible, visible_line

if TYPE_CHECKING:
    from pathlib import Path

    import rich.progress


def result(summary: Any, *lines: str, as_json: bool) -> None:
    """The result of a command: one JSON object for scripts, or lines for people.

    Both may quote what came from outside: in JSON it becomes escapes, in a line marks, so that it stays one line.
    """
    if as_json:
        plain = asdict(summary) if is_dataclass(summary) and not isinstance(summary, type) else summary
        print(json_text(plain))
    else:
        print(*map(visible_line, lines), sep="\n")


def say(*lines: str) -> None:
    """A word to the person, on standard error, so that standard output stays clean for scripts. Lines as of
    :func:`result`."""
    for line in lines:
        print(visible_line(line), file=sys.stderr)


def say_if_older(path: "Path", read_only: bool) -> None:
    """Tell a person at the terminal why a study that an older version made takes longer to open."""
    from medreview.study.file_kind import study_version
    from medreview.study.migrations import NEWEST

    if sys.stderr.isatty() and 0 < study_version(path) < NEWEST:
        for_good = f"It is updated first; a copy of it stays in {path.name}.backups."
        for_now = f"A copy of it is updated for this; `{command('review', path)}` does so for good."
        say(f"An older medreview made {path.name}. {for_now if read_only else for_good}")


def bad_records(bad: Iterable[Any], path: object) -> None:
    """Name the records of a file that were left out, as :func:`left_out` does."""
    left_out([(path, record.line, record.reason) for record in bad])


def odd_records(odd: Iterable[Any], path: object) -> None:
    """Name the records of a file that came in and are not as they should be, as :func:`left_out` does."""
    left_out([(path, record.line, record.reason) for record in odd], "taken in as it is")


def left_out(found: Sequence[tuple[object, int, str]], what: str = "left out") -> None:
    """Name what was left out by file, line and reason, the first twenty one by one."""
    for path, line, reason in found[:20]:
        say(f"  {path}, line {line}: {reason}; {what}")
    if len(found) > 20:
        say(f"  and {len(found) - 20} more")


def confirmed(question: str) -> bool:
    """Ask a question on the terminal, yes or no; no where nobody can be asked."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(f"{visible_line(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on standard error; silent when that is not a terminal."""
    if not sys.stderr.isatty():
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<12}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        yield _Bar(bars)


class _Bar:
    def __init__(self, bars: "rich.progress.Progress") -> None:
        self._bars = bars
        self._task: rich.progress.TaskID | None = None

    def begin(self, title: str, total: int) -> None:
        if self._task is not None:
            self._bars.stop_task(self._task)
        self._task = self._bars.add_task(visible_line(title), total=total or None)

    def step(self, count: int = 1) -> None:
        if self._task is not None:
            self._bars.advance(self._task, count)


def counted_each(counts: Mapping[str, int]) -> str:
    """``12 ok, 1 soft 404``."""
    return ", ".join(f"{number} {in_words(name)}" for name, number in counts.items() if number)


def one_line(text: str) -> str:
    """A text from outside on one line of a report."""
    return visible(" ".join(text.split()))


def given(text: str) -> str:
    """As :func:`one_line`, of a field that may be empty: a model, say."""
    return one_line(text) or "(not given)"


def stratum_name(split: str, stratum: str) -> str:
    """``model atlas-2``; without a split it is everything."""
    return f"{split} {given(stratum)}" if split else "all responses"


def price_words(cost: float | None, unpriced: int) -> str:
    """What questions to models cost, ``None``: not known; ``unpriced`` of them are not in it."""
    if cost is None:
        return "cost unknown"
    without = f" without {counted(unpriced, 'question')} whose cost is unknown" if unpriced else ""
    return f"cost {cost:,.4f}{without}"


def pace_words(median_ms: float | None, p95_ms: float | None) -> str:
    """How long their answers took."""
    if median_ms is None or p95_ms is None:
        return "no time measured"
    return f"median {median_ms / 1000:.1f} s, 95% within {p95_ms / 1000:.1f} s"
