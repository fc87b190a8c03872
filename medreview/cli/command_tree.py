"""Every command of the program, one after the other: for its reference, its specification and its manual page."""

from collections.abc import Mapping, Sequence
from typing import Any

from typer.main import get_command


def every_command() -> dict[str, Any]:
    """The commands by what is typed for them; those of a group come after it: ``plan``, ``plan draw``, ..."""
    from medreview.cli.app import GROUPS, app

    found: dict[str, Any] = {}
    commands: Mapping[str, Any] = vars(get_command(app))["commands"]
    for name in (name for within in GROUPS.values() for name in within):
        found[name] = commands[name]
        found |= {f"{name} {inner}": below for inner, below in getattr(commands[name], "commands", {}).items()}
    return found


def command_of(words: Sequence[str], commands: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The name of the command that these words call, and the words behind it."""
    both = " ".join(words[:2])
    return (both, list(words[2:])) if len(words) > 1 and both in commands else (words[0], list(words[1:]))
