"""Commands that are printed for the reader to give next: the one place that spells them."""

import os
import re
import shlex
from pathlib import Path
from typing import Final

from medreview.visible import visible_line

_TOKEN: Final = re.compile(r"""(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|[^\s'"])+""")


def command(name: str, *words: str | Path) -> str:
    """A command of medreview, to be given as it stands: ``medreview fetch 'my study.medreview'``.

    Words are quoted for a POSIX shell. A path stays as it was given, relative or not; one that looks like an option is
    led by ``./``. What the reader has to put in, such as ``FILE``, is in capitals. A word with signs that are not shown
    as they are (``visible``) is quoted as ``$'a\\x0ab'``, which bash, zsh and ksh read: shown and right as it stands.
    """
    return shell("medreview", name, *words)


def shell(*words: str | Path) -> str:
    """A command line of any program, quoted in the same way: ``mv -- 'my study.medreview' a.medreview``."""
    return " ".join(quoted(_word(word)) for word in words)


def quoted(word: str) -> str:
    """One word, quoted for a shell, on one line."""
    if visible_line(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word, visible_line(word))) + "'"


def words_of(command: str) -> list[str]:
    """The words of such a command as they stand there, with their quotes."""
    return _TOKEN.findall(command)


def _escaped(sign: str, shown: str) -> str:
    if sign in "'\\":
        return f"\\{sign}"
    return sign if sign == shown else "".join(f"\\x{byte:02x}" for byte in os.fsencode(sign))


def _word(word: str | Path) -> str:
    text = os.fspath(word)
    return os.path.join(os.curdir, text) if isinstance(word, Path) and text.startswith("-") else text
