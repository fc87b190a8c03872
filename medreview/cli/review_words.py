"""The words of ``review STUDY ...``, read without Typer: most who open a study wait for nothing else.

Words that hold more than the options which open a study, or anything wrong, are left to Typer, so that what is said of
them is said in one place.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

STDIN: Final = Path("-")
"""What names standard input in place of a file."""
SWITCHES: Final = ("blind", "read_only")
"""Options of ``review`` without a value that are read here."""
VALUES: Final = ("queue", "filter", "goal", "reviewer")
"""Options of ``review`` with a text as their value that are read here."""


class ReviewOptions(NamedTuple):
    """The options of ``review`` that say how the study is opened, each as the command names it.

    ``paste`` and ``tour`` are of other commands: ask for an answer first, and show the cards of welcome.
    """

    queue: str | None = None
    filter: str = ""
    audit: int | None = None
    blind: bool = False
    read_only: bool = False
    plain: bool = False
    goal: str | None = None
    reviewer: str | None = None
    paste: bool = False
    tour: bool = False


def opening_words(words: Sequence[str]) -> tuple[Path, ReviewOptions] | None:
    """The study and the options of ``review STUDY ...``, where all of the words are simple; ``None`` for others."""
    given: dict[str, Any] = {}
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            paths.append(word)
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_") if "_" not in name else ""
        if not word.startswith("--") or name in given:
            return None
        if name in SWITCHES and not equals:
            given[name] = True
        elif name in VALUES:
            given[name] = value if equals else next(rest, "-")
            if given[name].startswith("-"):
                return None
        else:
            return None
    return (Path(paths[0]), ReviewOptions(**given)) if len(paths) == 1 and paths[0] else None
