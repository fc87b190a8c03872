"""What the command ``review`` does, without Typer: open a study or files of answers, in the workbench or in line mode.

It finds the reviewer and the queue, and copies the study on the way.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from medreview.cli.output import say, say_if_older
from medreview.cli.review_words import STDIN, ReviewOptions
from medreview.cli.verdict_access import current_verdicts
from medreview.errors import UserError
from medreview.next_step import command, shell

if TYPE_CHECKING:
    from medreview.cli.network import PagesFrom
    from medreview.cli.options import AnswerOptions, Map
    from medreview.config import Config
    from medreview.progress import Progress
    from medreview.review.queue import Queue
    from medreview.study import Study


def open_review(study: "Study", wanted: ReviewOptions, *, first: str | None = None) -> None:
    """Open a study for review: the queue asked for, else the first screen.

    That begins with where the reviewer left off; ``first`` is the queue to open at once the first time. Line mode has
    no such screen: it goes on where the reviewer left off, or in triage. A copy for a colleague is reviewed by them,
    unless somebody is named. Raises :class:`UserError` where the settings name another.
    """
    from dataclasses import replace

    from medreview.config import load_config
    from medreview.review.audit import begin
    from medreview.review.goal import read_goal
    from medreview.study.package import package_of

    config = load_config()
    copy = package_of(study.reader)
    named = wanted.reviewer or (copy.made_for if copy else "")
    if not wanted.reviewer and named and "reviewer" in config.origins and config.reviewer != named:
        raise UserError(
            f"This is the copy for {named}, and the settings say that you are {config.reviewer}: add "
            f"`--reviewer {shell(named)}`, or your own name to look at it."
        )
    if named:
        config = replace(config, reviewer=named)
    if wanted.goal is not None:
        config = replace(config, goal=wanted.goal)
    read_goal(config.goal)  # before anything is opened
    current_verdicts(study)
    begin(study, config.reviewer)
    opened = _queue(study, config.reviewer, wanted, first)
    with _meanwhile(study, named) as begin_copy:
        if wanted.plain and opened is not None:
            from medreview.cli.plain import review_plain
            from medreview.review.goal import sitting_goal
            from medreview.review.open_session import open_session

            begin_copy()
            aim = sitting_goal(config.goal)
            learns = config.learned_order
            review_plain(
                open_session(study, config.reviewer, opened, reveal=config.reveal, goal=aim, learns=learns),
                learns=learns,
            )
        else:
            _workbench(study, config, opened, begin_copy, paste=wanted.paste, tour=wanted.tour)


def _workbench(
    study: "Study", config: "Config", queue: "Queue | None", begin_copy: Callable[[], None], *, paste: bool, tour: bool
) -> None:
    """Run the workbench; once more with each answer that is pasted in it."""
    from medreview.screens.app import run

    notice = "" if study.writable else "read-only: decisions cannot be saved"
    while True:
        pasted: list[Sequence[str]] = []
        if parting := run(
            study,
            config,
            queue=queue,
            notice=notice,
            paste=paste,
            pasted=pasted.append,
            report=_report,
            tour=tour,
            once_shown=begin_copy,
        ):
            say(parting)
        if not pasted:
            return
        paste, notice = False, ""
        try:
            queue = _of_pasted(study, config.reviewer, *pasted[0])
        except UserError as error:
            queue, notice = None, str(error)


def _report(study: "Study", reviewer: str, progress: "Progress") -> Path:
    from medreview.cli.reports.study_page.written import write_beside

    return write_beside(study, reviewer, progress)


def _of_pasted(study: "Study", reviewer: str, question: str, answer: str) -> "Queue":
    """The statements of an answer that was pasted, or of the file whose path was."""
    from medreview.cli.importing import prepare, spooled
    from medreview.cli.network import pages_from
    from medreview.import_files import Chosen
    from medreview.review.queue import open_queue
    from medreview.review.text_entry import file_in

    last = "SELECT coalesce(max(ordinal), 0) FROM response"
    before = study.reader.execute(last).fetchone()[0]
    named = file_in(answer)
    with nullcontext(named) if named else spooled("pasted", [answer.encode("utf-8", "replace")]) as file:
        prepare(study, [file], None, pages_from(None), "import", study.path, chosen=Chosen(question=question))
    after = study.reader.execute(last).fetchone()[0]
    if after == before:
        raise UserError("This answer is in the study already.")
    names = f"response=R{after:02d}" if after == before + 1 else ""
    queue = open_queue(study, "responses", reviewer, filter=names)
    if not queue.units:
        raise UserError("The answer is in the study, and no statement that can be checked was found in it.")
    return queue


def _queue(study: "Study", reviewer: str, wanted: ReviewOptions, first: str | None) -> "Queue | None":
    """The queue to open at once; ``None`` for the first screen."""
    from medreview.review.queue import open_queue

    if wanted.queue or wanted.filter or wanted.blind:
        name = wanted.queue or ("responses" if wanted.blind else "flagged")
        found = open_queue(study, name, reviewer, filter=wanted.filter, blind=wanted.blind or None)
        if not found.units:
            raise UserError(found.nothing)
        return found
    if not wanted.plain and first is None:  # the first screen finds by itself where that was
        return None
    from medreview.review.resuming import last_place

    place = last_place(study, reviewer)
    if place is not None:
        return place.queue if wanted.plain else None
    return open_queue(study, first or _first_queue(study, reviewer), reviewer)


def _first_queue(study: "Study", reviewer: str) -> str:
    """The reviewer's first batch that is not done; else triage, and in a study without statements, the queue of the
    first kind of unit that it has."""
    from medreview.review.overview import batch_lines
    from medreview.study.counts import count_statements
    from medreview.units.registry import KINDS, kinds_in

    if mine := [line for line in batch_lines(study.reader, reviewer, 1) if line.waiting]:
        return mine[0].kind.name
    others = [] if count_statements(study.reader) else list(kinds_in(study.reader))
    return KINDS[others[0]].queue_name if others else "flagged"


@contextmanager
def _meanwhile(study: "Study", named: str) -> Iterator[Callable[[], None]]:
    """What begins to copy the study while the workbench is already in use, and notes that it was opened: nobody waits
    for a large file to be copied. ``named``: the reviewer, if the command line names one."""
    failed: list[str] = []
    title = study.meta("title")

    def copy() -> None:
        from medreview.study.backup import backup_if_changed
        from medreview.study.recent_list import note_opened

        note_opened(study.path, title, named)
        try:
            backup_if_changed(study.path)
        except UserError as error:
            failed.append(str(error))

    thread = threading.Thread(target=copy, name="study-backup")

    def begin() -> None:
        if study.writable and thread.ident is None:
            thread.start()

    try:
        yield begin
    finally:
        begin()  # of a workbench that never came to be shown
        if study.writable:
            thread.join()
        for sentence in failed:
            say(sentence)


SUFFIX: Final = ".medreview"
"""Of the study that is made beside a file of answers."""
_OF_STDIN: Final = Path("answers.medreview")
"""The study of answers that come on standard input."""


def review_paths(
    paths: Sequence[Path],
    wanted: ReviewOptions,
    *,
    pages: "PagesFrom" = None,
    mapping: "Map" = None,
    answers: "AnswerOptions | None" = None,
) -> None:
    """Open the study for review; one is made first, or taken further, of files of answers (``answers``: which)."""
    if wanted.audit is not None and wanted.queue not in (None, "audit", "random"):
        raise UserError("--audit opens the audit; name no other queue with it.")
    study, files = _study_and_files(paths)
    if files and wanted.read_only and not study.exists():
        raise UserError(f"There is no study {study} to look at yet; without --read-only it is made from {files[0]}.")
    if not files or wanted.read_only:
        from medreview.study import Study

        say_if_older(study, wanted.read_only)
        with Study.open(study, read_only=wanted.read_only) as opened:
            _review(opened, wanted)
        return
    from medreview.cli.importing import files_given, opened_or_made

    with opened_or_made(study) as opened:
        with files_given(files) as read:
            _bring_in(opened, read, [path for path in paths if path == study], pages, mapping, answers)
        if STDIN in files:
            _take_terminal(study)
        _review(opened, wanted)


def _take_terminal(study: Path) -> None:
    """Make the terminal standard input again, from which answers came: a person decides there.

    Raises :class:`UserError` without a terminal.
    """
    if sys.stdin.isatty():
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise UserError(f"The answers are in {study}; review them on a terminal: {command('review', study)}") from None
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # the old one has met the end of the pipe


def _bring_in(
    opened: "Study",
    files: list[Path],
    given: list[Path],
    pages: "PagesFrom",
    mapping: "Map",
    answers: "AnswerOptions | None",
) -> None:
    from medreview.cli.importing import prepare, prepared_sentence
    from medreview.cli.network import pages_from
    from medreview.units.registry import kinds_in

    chosen = answers.chosen() if answers else None
    done = prepare(opened, files, mapping, pages_from(pages), "review", *given, chosen=chosen)
    say(prepared_sentence(opened, done))
    others = kinds_in(opened.reader).keys() - {"response"}  # without a statement, responses are invalid ones
    if not opened.reader.execute("SELECT 1 FROM statement LIMIT 1").fetchone() and not others:
        raise UserError(f"There is nothing to review in {files[0]}: no statement was found in it.")


def _review(opened: "Study", wanted: ReviewOptions) -> None:
    if wanted.audit is not None:
        from medreview.config import load_config
        from medreview.review.audit import draw

        draw(opened, wanted.reviewer or load_config().reviewer, size=wanted.audit)
        wanted = wanted._replace(queue="audit")
    open_review(opened, wanted)


def _study_and_files(paths: Sequence[Path]) -> tuple[Path, list[Path]]:
    """The study to open, and the files to import first, known by their content.

    A path that does not exist is meant for a study, unless it has the name of another kind of file.
    """
    from medreview.study.file_kind import is_database, refuse_no_file

    for path in paths:
        if path != STDIN and not (path.is_dir() and path.name):  # of saved answers
            refuse_no_file(path)
    studies = [
        path
        for path in paths
        if is_database(path) or path.suffix == SUFFIX or not (path.suffix or path.exists() or path == STDIN)
    ]
    files = [path for path in paths if path not in studies]
    if len(studies) > 1:
        join = command("team", "merge", *studies[:2])
        raise UserError(f"{studies[1]} is a second study; open one at a time, or join copies of one with `{join}`.")
    if studies:
        return studies[0], files
    return (_OF_STDIN if files[0] == STDIN else files[0].with_suffix(SUFFIX)), files
