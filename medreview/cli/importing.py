"""Bringing files into a study: the argument, the study to fill, and what came in."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from medreview.cli.output import counted
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.import_files import Imported
    from medreview.study import Study

_UNITS: Final = {"responses": "response", "judgements": "judgement", "sourcecheckup": "response", "export": "event"}
"""What is counted in a file of each kind."""

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Answers, judgements, tables or exports.")]


@contextmanager
def opened_or_made(path: Path) -> Iterator["Study"]:
    """The study, made if there is none; one that was made for a file that could not be read is taken away again."""
    from medreview.study import Study

    fresh = not path.exists()
    with Study.create(path) if fresh else Study.open(path) as study:
        try:
            yield study
        except UserError:
            if fresh and not study.reader.execute("SELECT 1 FROM response LIMIT 1").fetchone():
                study.discard()
            raise


def imported_sentence(done: "Imported") -> str:
    """What came in from one file, for a person."""
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    return f"{done.file}: {counted(done.added, _UNITS[done.kind])} added{known}{left}"
