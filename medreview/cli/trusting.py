"""The settings for a command; on a terminal, a file that is not trusted yet can be trusted on the spot."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from medreview.cli.output import say

if TYPE_CHECKING:
    from medreview.config import Config

T = TypeVar("T")


def with_settings(use: Callable[["Config"], T]) -> T:
    """What ``use`` makes of the settings.

    Where it needs what a file says that was not trusted, the file is shown and trust asked for on a terminal; in a pipe
    that is refused (``medreview.configured.Untrusted``).
    """
    from medreview.config import load_config
    from medreview.configured import Untrusted

    refused: set[Path] = set()
    while True:
        try:
            return use(load_config())
        except Untrusted as error:
            if error.file in refused or not ask_for_trust(error.file):
                raise
            refused.add(error.file)  # trusted now: asked again only if it changed meanwhile, which is no yes


def ask_for_trust(file: Path) -> bool:
    """Show what a file says on where texts and keys go, and ask whether to use it: yes or no; no without a terminal."""
    from medreview.guarded_settings import read_guarded
    from medreview.settings_files import trust

    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    guarded = read_guarded(file)
    say(f"The settings {file} say where texts and keys go:", *guarded.lines)
    print("Use them, as they are now? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        return False
    trust(file, guarded.content)
    return True
