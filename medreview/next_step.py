"""Commands that are printed for the reader to give next: the one place that spells them."""

import os
import shlex
from pathlib import Path


def command(name: str, *words: str | Path) -> str:
    """A command of medreview, to be given as it stands: ``medreview fetch 'my study.medreview'``.

    Words are quoted for a POSIX shell. A path stays as it was given, relative or not; one that looks like an option is
    led by ``./``. What the reader has to put in, such as ``FILE``, is in capitals.
    """
    return shell("medreview", name, *words)


def shell(*words: str | Path) -> str:
    """A command line of any program, quoted in the same way: ``mv -- 'my study.medreview' a.medreview``."""
    return shlex.join(map(_word, words))


def _word(word: str | Path) -> str:
    text = os.fspath(word)
    return os.path.join(os.curdir, text) if isinstance(word, Path) and text.startswith("-") else text
