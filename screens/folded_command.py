"""A command on a screen that it is too long for: broken so that a shell joins it again."""

import shlex

from medreview.next_step import words_of
from medreview.review.layout.cells import width

_INDENT = "     "


def folded(command: str, columns: int) -> list[str]:
    """A command in lines of so many columns at most, all but the last with a backslash at their end.

    Lines that begin with a word are indented; one that goes on with a long word begins at the margin. A word with
    escapes (``$'...'``) stays whole: half an escape would be another word.
    """
    lines, line = [], _INDENT
    for token in words_of(command):
        if line.strip() and width(f"{line}{token} \\") > columns:
            lines.append(f"{line}\\")
            line = _INDENT
        word = "" if token.startswith("$'") else shlex.split(token)[0]
        while len(word) > 1 and not _fits(line, word, columns):
            size = max([1, *(n for n in range(2, len(word)) if _fits(line, word[:n], columns))])
            lines.append(f"{line}{shlex.quote(word[:size])}\\")
            line, word = "", word[size:]
        line += f"{shlex.quote(word) if word else token} "
    return [*lines, line.rstrip()]


def _fits(line: str, word: str, columns: int) -> bool:
    return width(f"{line}{shlex.quote(word)} \\") <= columns
