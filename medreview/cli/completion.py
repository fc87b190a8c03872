"""What the Tab key offers as the value of an argument or option. Each loads what it asks and no more.

A name may come from somebody else's study, and what is offered stands on the command line when Enter is pressed: only
names of plain letters are offered. Where nothing is, the shell completes files.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from typer import Context

ASKED: Final = "_MEDREVIEW_COMPLETE"
"""The variable of the environment by which a shell asks for completions."""
SUFFIX: Final = ".medreview"
_PLAIN: Final = re.compile(r"[\w./][\w@%+=:,./~ -]*")
_RECENT: Final = 5
"""Studies of other folders that are offered."""
_MOST_REVIEWERS: Final = 50
Offer = Callable[[Context, str], list[str]]


def offer(values: Callable[[Context, str], Iterable[str]]) -> Offer:
    """Makes a completion of what gives all values there are; an error of any kind offers nothing."""

    def offered(ctx: Context, incomplete: str) -> list[str]:
        found: list[str] = []
        with suppress(Exception):
            found += (one for one in values(ctx, incomplete) if one.startswith(incomplete))
        return [shown for one in dict.fromkeys(found) if (shown := _as_typed(one))]

    return offered


def _as_typed(value: str) -> str:
    """The value as a shell reads it; ``""`` for one that a shell could read otherwise."""
    if not _PLAIN.fullmatch(value):
        return ""
    if " " in value:  # of the shells that are asked, Bash takes the answer for what would be typed
        return value.replace(" ", "\\ ") if os.environ.get(ASKED) == "complete_bash" else ""
    return value


@offer
def studies(ctx: Context, incomplete: str) -> Iterator[str]:
    """The studies of the folder that is typed, and a few of those that were opened last."""
    from medreview.study.recent_list import recent_list

    folder, _ = os.path.split(incomplete)
    with os.scandir(folder or os.curdir) as entries:
        yield from sorted(os.path.join(folder, one.name) for one in entries if one.name.endswith(SUFFIX))
    elsewhere = (one for one in recent_list() if one.file.parent != Path.cwd() and one.file.is_file())
    yield from (one.path for one in islice(elsewhere, _RECENT))


@offer
def queues(ctx: Context, incomplete: str) -> Iterator[str]:
    """The names of queues."""
    from medreview.review.unit_queues import ALL

    yield from (kind.name for kind in ALL)


@offer
def kinds(ctx: Context, incomplete: str) -> Iterator[str]:
    """The kinds of unit other than the statement."""
    from medreview.units.registry import KINDS

    yield from KINDS


@offer
def judges(ctx: Context, incomplete: str) -> Iterator[str]:
    """The judges of the settings, trusted or not: a name tells nobody anything."""
    yield from _configured("judges")


@offer
def models(ctx: Context, incomplete: str) -> Iterator[str]:
    """The models that write; a judge may as well."""
    yield from _configured("models")
    yield from _configured("judges")


def _configured(table: str) -> Iterator[str]:
    import tomllib

    from medreview.bounded_reading import read_toml
    from medreview.settings_places import LARGEST, find_configs

    for path in find_configs():
        yield from tomllib.loads(read_toml(path, LARGEST)[0]).get(table, {})


@offer
def tasks(ctx: Context, incomplete: str) -> Iterator[str]:
    """What judges can be asked."""
    from medreview.judges.prompts import prompt_names

    yield from prompt_names()


@offer
def producers(ctx: Context, incomplete: str) -> Iterator[str]:
    """The systems whose files are read."""
    from medreview.exchange.producers import producers

    yield from (one.name for one in producers())


@offer
def reviewers(ctx: Context, incomplete: str) -> Iterator[str]:
    """Those who have left an event in the study that is typed. It is only read."""
    import shlex
    import sqlite3

    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    for study in (Path(word) for word in shlex.split(line) if word.endswith(SUFFIX)):
        if study.is_file():  # the words before an option without its value are in none of the parameters
            with closing(sqlite3.connect(f"{study.resolve().as_uri()}?mode=ro", uri=True, timeout=0.1)) as reader:
                query = "SELECT DISTINCT reviewer FROM event ORDER BY reviewer LIMIT ?"
                yield from (row[0] for row in reader.execute(query, (_MOST_REVIEWERS,)))


@offer
def settings(ctx: Context, incomplete: str) -> Iterator[str]:
    """The names of settings."""
    from medreview.config_file import every_name

    yield from every_name()
