"""Commands that open the workbench: review, and demo on the sample study."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.files import Json, StudyFile
from medreview.cli.output import counted, progress, result, say
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.review.queue import Queue
    from medreview.study import Study

Reviewer = Annotated[str | None, typer.Option(help="Who decides; default: from the settings, else the login name.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command()(demo)
    app.command()(review)


def review(
    study: StudyFile,
    queue: Annotated[
        str | None,
        typer.Option(help="flagged, audit, deferred, differing, stale or responses; default: where you were."),
    ] = None,
    filter: Annotated[str, typer.Option(help="Only some of the queue, e.g. 'model=atlas-2 badge=quote'.")] = "",
    blind: Annotated[bool, typer.Option("--blind", help="Hide the judges until you decide.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Look, decide nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Line prompts, for screen readers and scripts.")] = False,
    reviewer: Reviewer = None,
) -> None:
    """Review statements beside their sources. Opens where you left off; everything is saved as you decide.

    Example: medreview review sepsis.medreview --queue audit
    """
    from medreview.study import Study

    with Study.open(study, read_only=read_only) as opened:
        _open(opened, reviewer, queue, filter, blind, plain=plain)


def demo(
    study: Annotated[Path, typer.Option(help="Where the sample study is made or found.")] = Path("demo.medreview"),
    no_open: Annotated[bool, typer.Option("--no-open", help="Make the study, do not open the workbench.")] = False,
    reviewer: Reviewer = None,
    as_json: Json = False,
) -> None:
    """Make the sample study and review it: sixteen answers, saved pages, no network, nothing to set up.

    Example: medreview demo
    """
    from medreview.study import Study

    if study.exists():
        opened = Study.open(study)
        say(f"The sample study is at {study} already; your decisions in it are kept.")
    else:
        opened = _make_demo(study)
    with opened:
        statements = opened.reader.execute("SELECT count(*) FROM statement").fetchone()[0]
        flagged = opened.reader.execute("SELECT count(*) FROM verdict WHERE priority > 0").fetchone()[0]
        if no_open:
            sentence = f"{study}: {counted(statements, 'statement')}, {flagged} flagged."
            told = {"study": str(study), "statements": statements, "flagged": flagged}
            result(told, f"{sentence}\nReview them: medreview review {study}", as_json=as_json)
        else:
            _open(opened, reviewer, None, "", False, first="flagged")


def _make_demo(path: Path) -> "Study":
    from importlib.resources import as_file, files

    from medreview import pipeline
    from medreview.study import Study

    study = Study.create(path, "sample study")
    try:
        with as_file(files("medreview.sample_data")) as folder, progress() as bar:
            inputs = [folder / "responses.jsonl", folder / "judgements.jsonl"]
            pipeline.run(study, inputs, {}, pipeline.Pages(folder / "pages"), bar)
    except BaseException:
        study.discard()
        raise
    return study


def _open(
    study: "Study",
    reviewer: str | None,
    queue: str | None,
    filter: str,
    blind: bool,
    *,
    first: str | None = None,
    plain: bool = False,
) -> None:
    from dataclasses import replace

    from medreview.config import load_config

    config = load_config()
    if reviewer:
        config = replace(config, reviewer=reviewer)
    opened = _queue(study, config.reviewer, queue, filter, blind, first or ("flagged" if plain else None))
    with _copying(study):
        if plain and opened is not None:
            from medreview.cli.plain import review_plain
            from medreview.review.session import ReviewSession

            review_plain(ReviewSession(study, config.reviewer, opened))
        else:
            from medreview.screens.app import run

            notice = "" if study.writable else "read-only: decisions cannot be saved"
            run(study, config, queue=opened, notice=notice)


def _queue(
    study: "Study", reviewer: str, name: str | None, filter: str, blind: bool, first: str | None
) -> "Queue | None":
    """The queue to open at once: the one asked for, the one the reviewer was in, or ``first``; ``None`` for home."""
    from medreview.review.queue import open_queue

    if name or filter or blind:
        name = name or ("responses" if blind else "flagged")
        found = open_queue(study, name, reviewer, filter=filter, blind=blind or None)
        if not found.units:
            raise UserError("There is nothing in this queue" + (f" that fits {filter!r}." if filter else "."))
        return found
    row = study.reader.execute(
        "SELECT block, mode, filter FROM bookmark WHERE reviewer = ? ORDER BY at_utc DESC LIMIT 1", (reviewer,)
    ).fetchone()
    if row:
        found = open_queue(study, row["block"], reviewer, filter=row["filter"], blind=row["mode"] == "blind")
        if found.units:
            return found
    return open_queue(study, first, reviewer) if first else None


@contextmanager
def _copying(study: "Study") -> Iterator[None]:
    """Copy the study while the workbench is already in use: nobody waits for a large file to be copied."""
    from medreview.study.backup import backup_if_changed

    failed: list[str] = []

    def copy() -> None:
        try:
            backup_if_changed(study.path)
        except UserError as error:
            failed.append(str(error))

    thread = threading.Thread(target=copy, name="study-backup")
    if study.writable:
        thread.start()
    try:
        yield
    finally:
        if study.writable:
            thread.join()
        for sentence in failed:
            say(sentence)
