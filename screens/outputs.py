"""What the reviewer takes out while the workbench is open: labels as tables, the report. A thread writes it beside the
study, which stays open for writing; the last row says how far it is, and then where it lies."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from medreview.atomic_output import first_allowed
from medreview.errors import UserError
from medreview.review.blind_block import blind_block_open
from medreview.review.looks import note_look, tells_of_others
from medreview.study import Study
from medreview.study.audit_frame import listable, undecided_audit
from medreview.study.connection import sentence_of

if TYPE_CHECKING:
    from medreview.progress import Progress

WriteReport = Callable[[Study, str, "Progress"], Path]
"""Writes the report on a study for a reviewer, beside the study; where it lies."""
_EVERY_S: Final = 0.4
"""Seconds between two words on how far it is."""


class Output(NamedTuple):
    """Something to write: what it is called, who writes it (from a study open for reading; where it lies then), and
    what there is to say of it beside that."""

    name: str
    write: "Callable[[Study, Progress], Path]"
    remarks: tuple[str, ...] = ()


def labels_output(study: Study, reviewer: str) -> Output:
    """The export, as tables. Looks are noted. What judges say of undecided statements is left out as long as this
    reviewer has blind labels to give."""
    from medreview.exchange.exports.export import export
    from medreview.exchange.files.export_folder import check_replaceable

    left = undecided_audit(study.reader, reviewer)
    blind = bool(left) or blind_block_open(study.reader, reviewer)
    said = [note_look(study, reviewer, "export", "labels")]
    if blind:
        said.append("Without what the judges say of statements that you have not decided: those stay blind.")
    else:
        said.append(note_look(study, reviewer, "export", "verdicts"))

    def write(opened: Study, progress: "Progress") -> Path:
        study_id = opened.meta("study_id")
        stem = opened.path.with_suffix("").name
        folder = first_allowed(
            lambda more: opened.path.with_name(f"{stem}-labels{more}"),
            lambda place: check_replaceable(place, study_id),
        )
        export(opened, folder, progress=progress, blind_for=reviewer if blind else None)
        return folder

    return Output("export of labels", write, tuple(filter(None, said)))


def report_output(study: Study, reviewer: str, write: WriteReport) -> Output:
    """The report. Looks are noted. Raises :class:`UserError` while a blind block is open, which it would reveal."""
    from medreview.judges.fact_votes import has_votes

    if blind_block_open(study.reader, reviewer):
        raise UserError("The report waits until the judges of your blind block are shown: it would tell.")
    listed = None if has_votes(study.reader) else listable(study.reader, reviewer)
    said = [note_look(study, reviewer, "report", "verdicts" if listed is None else "totals")]
    if tells_of_others(study.reader, reviewer, listed):
        said.append(note_look(study, reviewer, "report", "labels"))
    return Output("report", lambda opened, progress: write(opened, reviewer, progress), tuple(filter(None, said)))


class OutputWriter:
    """Writes one output after the other. ``tell`` takes words for the last row, on the workbench's thread, and
    ``start`` runs something on another one."""

    def __init__(self, tell: Callable[[str], None], start: Callable[[Callable[[], None]], object]) -> None:
        self._tell = tell
        self._start = start
        self._busy = ""

    def write(self, study: Study, make: Callable[[], Output]) -> None:
        """Begin to write it; its looks are noted first. Raises :class:`UserError` while one is being written."""
        if self._busy:
            raise UserError(f"The {self._busy} is still being written.")
        if study.elsewhere is not None:
            raise UserError(f"The study is not at its place any more; export {study.elsewhere.rescue} instead.")
        output = make()
        self._busy = output.name
        path, loop = study.path, asyncio.get_running_loop()

        def say(words: str, *, done: bool = False) -> None:
            with suppress(RuntimeError):  # the workbench has ended meanwhile, and what was written is there
                loop.call_soon_threadsafe(self._heard, words, done)

        def work() -> None:
            try:
                with Study.open(path, read_only=True) as opened:
                    place = output.write(opened, _Told(output.name, say))
            except (UserError, OSError, sqlite3.Error) as error:
                why = sentence_of(error, path) if isinstance(error, sqlite3.Error) else error
                say(f"The {output.name} is not written: {why}", done=True)
                return
            written = f"{output.name} written: {shown_place(place)}"
            say(" ".join((f"{written}." if output.remarks else written, *output.remarks)), done=True)

        self._tell(f"{output.name}: writing ...")
        self._start(work)

    def _heard(self, words: str, done: bool) -> None:
        if done:
            self._busy = ""
        self._tell(words)


class _Told:
    """Progress in words, now and then."""

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self._name, self._say = name, say
        self._title, self._total, self._done, self._said = "", 0, 0, 0.0

    def begin(self, title: str, total: int) -> None:
        self._title, self._total, self._done = title, total, 0
        self._tell()

    def step(self, count: int = 1) -> None:
        self._done += count
        self._tell()

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._said >= _EVERY_S:
            self._said = now
            share = f" {min(1.0, self._done / self._total):.0%}" if self._total else ""
            self._say(f"{self._name}: {self._title}{share} ...")


def shown_place(place: Path) -> str:
    """A path as it is read: below the folder that the program was started in, or the home folder, from there on."""
    for base, lead in ((Path.cwd(), ""), (Path.home(), "~/")):
        if place.is_absolute() and place.is_relative_to(base):
            return f"{lead}{place.relative_to(base)}"
    return str(place)
