"""What the command ``review`` does, without Typer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from medreview.cli.opening import open_review
from medreview.cli.output import say
from medreview.cli.review_words import Wanted
from medreview.errors import UserError
from medreview.next_step import command

if TYPE_CHECKING:
    from medreview.cli.mapping import Map
    from medreview.cli.network import PagesFrom
    from medreview.study import Study

SUFFIX: Final = ".medreview"
"""Of the study that is made beside a file of answers."""


def review_paths(paths: Sequence[Path], wanted: Wanted, *, pages: "PagesFrom" = None, mapping: "Map" = None) -> None:
    """Open the study for review; of files of answers one is made first, or taken further."""
    from medreview.study import Study

    if wanted.audit is not None and wanted.queue not in (None, "audit", "random"):
        raise UserError("--audit opens the audit; name no other queue with it.")
    study, files = _study_and_files(paths)
    if files and wanted.read_only and not study.exists():
        raise UserError(f"There is no study {study} to look at yet; without --read-only it is made from {files[0]}.")
    if not files or wanted.read_only:
        with Study.open(study, read_only=wanted.read_only) as opened:
            _review(opened, wanted)
        return
    from medreview.cli.importing import opened_or_made

    with opened_or_made(study) as opened:
        _bring_in(opened, files, [path for path in paths if path == study], pages, mapping)
        _review(opened, wanted)


def _bring_in(opened: "Study", files: list[Path], given: list[Path], pages: "PagesFrom", mapping: "Map") -> None:
    from medreview.cli.importing import prepare, prepared_sentence
    from medreview.cli.network import pages_from
    from medreview.units.registry import kinds_in

    done = prepare(opened, files, mapping, pages_from(pages), "review", *given)
    say(prepared_sentence(opened, done))
    others = kinds_in(opened.reader).keys() - {"response"}  # without a statement, responses are invalid ones
    if not opened.reader.execute("SELECT 1 FROM statement LIMIT 1").fetchone() and not others:
        raise UserError(f"There is nothing to review in {files[0]}: no statement was found in it.")


def _review(opened: "Study", wanted: Wanted) -> None:
    queue = wanted.queue
    if wanted.audit is not None:
        from medreview.config import load_config
        from medreview.review.audit import draw

        draw(opened, wanted.reviewer or load_config().reviewer, size=wanted.audit)
        queue = "audit"
    open_review(opened, wanted.reviewer, queue, wanted.filter, wanted.blind, plain=wanted.plain, goal=wanted.goal)


def _study_and_files(paths: Sequence[Path]) -> tuple[Path, list[Path]]:
    """The study to open, and the files to bring in first; told apart by their content.

    What does not exist is meant for a study, unless it has the name of another kind of file.
    """
    from medreview.study.file_kind import is_database, refuse_no_file

    for path in paths:
        if not (path.is_dir() and path.name):  # of saved answers
            refuse_no_file(path)
    studies = [
        path for path in paths if is_database(path) or path.suffix == SUFFIX or not (path.suffix or path.exists())
    ]
    files = [path for path in paths if path not in studies]
    if len(studies) > 1:
        join = command("merge", *studies[:2])
        raise UserError(f"{studies[1]} is a second study; open one at a time, or join copies of one with `{join}`.")
    return (studies[0] if studies else files[0].with_suffix(SUFFIX)), files
