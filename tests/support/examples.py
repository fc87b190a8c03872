"""Examples in a Markdown file, run as they stand there.

Fenced blocks of ``python`` are run in their order, in one namespace. In a block with ``>>>`` every expression must
print what stands under it, as in doctest, where ``...`` stands for anything; any other block must only run, and where a
block of ``text`` follows it at once, print that.
"""

import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

_FENCED = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[^\S\n]*$", re.MULTILINE | re.DOTALL)


class _Output(doctest.OutputChecker):
    """White space at the ends of lines does not count: editors take it away from what stands in a file."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(_stripped(want), _stripped(got), optionflags)


def _stripped(text: str) -> str:
    return re.sub(r"[^\S\n]+$", "", text, flags=re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, its lines, the line of the file it begins at, and what it is to print, if told."""

    language: str
    code: str
    line: int
    prints: str | None


def blocks(markdown: str) -> list[Block]:
    """The fenced blocks of a file."""
    found = list(_FENCED.finditer(markdown))
    return [
        Block(
            match[1],
            match[2],
            markdown.count("\n", 0, match.start()) + 2,
            following[2]
            if following and following[1] == "text" and not markdown[match.end() : following.start()].strip()
            else None,
        )
        for match, following in zip_longest(found, found[1:])
    ]


def failures(file: Path, namespace: dict[str, Any] | None = None) -> Iterator[str]:
    """What the examples of a file did otherwise than they say, one report for each block; runs them in this folder.

    An error in a block without ``>>>`` is raised.
    """
    space: dict[str, Any] = {"__name__": "__main__"} if namespace is None else namespace
    for block in blocks(file.read_text(encoding="utf-8")):
        if block.language != "python":
            continue
        report = _prompted(block, file, space) if ">>>" in block.code else _plain(block, file, space)
        if report:
            yield report


def _prompted(block: Block, file: Path, space: dict[str, Any]) -> str:
    examples = doctest.DocTestParser().get_examples(block.code, str(file))
    test = doctest.DocTest(examples, {}, file.name, str(file), block.line - 1, None)
    test.globs = space  # DocTest would copy it: what one block defines, the next one uses
    told = io.StringIO()
    runner = doctest.DocTestRunner(_Output(), optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=told.write, clear_globs=False)
    return told.getvalue()


def _plain(block: Block, file: Path, space: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.code, str(file), "exec"), space)
    if block.prints is None or printed.getvalue().rstrip() == block.prints.rstrip():
        return ""
    return f"{file.name}, line {block.line}: expected\n{block.prints}\nbut printed\n{printed.getvalue()}"
