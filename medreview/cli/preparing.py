"""What ``run``, ``import`` and ``judge`` share: the study to fill, and how imports are told."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from medreview.cli.output import counted, parts
from medreview.errors import UserError

if TYPE_CHECKING:
    from medreview.pipeline import Imported
    from medreview.sources.stage import FetchSummary
    from medreview.study import Study

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


def synonyms() -> Path | None:
    """The reviewer's own table of synonyms that the settings name."""
    from medreview.config import load_config

    own = load_config().synonyms
    return Path(own) if own else None


_UNITS = {"responses": "response", "judgements": "judgement", "sourcecheckup": "response", "export": "event"}


def imported_sentence(done: "Imported") -> str:
    """What came in from one file, for a person."""
    known = f", {done.known} there already" if done.known else ""
    left = f", {len(done.bad)} left out" if done.bad else ""
    return f"{done.file}: {counted(done.added, _UNITS[done.kind])} added{known}{left}"


def pages_sentence(done: "FetchSummary") -> str:
    """What a fetch brought, in a sentence."""
    count = sum(done.states.values())
    sentence = f"{counted(count, 'page')} fetched" + (f": {parts(done.states)}" if done.states else "")
    again = {"unchanged": done.unchanged, "changed": done.changed}
    if any(again.values()):
        sentence += f"; of those known before, {parts(again)}"
    if done.kept:
        sentence += f"; {counted(done.kept, 'page')} could not be had now, what was read before stays"
    return sentence + (f"; {done.missing} not among the saved pages" if done.missing else "")
