"""The program as a user starts it: in this process, in one of its own, or under way.

In this process it is quick, and one thing cannot be seen: what only a real process has, which is signals, pipes that
close, limits, the encoding of its streams and its start. Tests of those start a process.
"""

import contextlib
import io
import logging
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

ROOT = Path(__file__).parents[2]
MEDREVIEW = [sys.executable, "-m", "medreview"]
PATIENCE = 120
"""Seconds after which a command that does not end is taken to hang."""
_SILENT = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that Python does not show unless it is asked to."""
_commands = cache(typer.main.get_command)
"""The commands of the program as its start makes them, made once: that is most of what a short command costs."""


def own_settings(folder: Path, text: str) -> Path:
    """Make ``medreview.toml`` in the folder that :class:`Program` takes for the user's own: it needs no trust."""
    path = folder / "config" / "medreview" / "medreview.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Program:
    """The program in a folder of its own, with settings of its own and an output 100 columns wide.

    Both ways of running it assert the exit code, and that no error was left to Python's traceback.
    """

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def own(self) -> dict[str, str]:
        """What the environment has beside or instead of that of the tests."""
        return {"XDG_CONFIG_HOME": str(self.folder / "config"), "COLUMNS": "100", **self.environ}

    def __call__(self, *arguments: object, check: int = 0, input: str = "") -> Done:
        """Run a command in this process, with a text (or nothing) for standard input."""
        return _checked(in_process([str(it) for it in arguments], self.folder, self.own, input), check)

    def process(self, *arguments: object, check: int = 0, input: str = "", **options: Any) -> Done:
        """Run a command in a process of its own; options as of ``subprocess.run``."""
        with interruptible():
            done = subprocess.run(
                [*MEDREVIEW, *map(str, arguments)],
                **self._started(options), capture_output=True, text=True, input=input, timeout=PATIENCE,
            )  # fmt: skip
        return _checked(done, check)

    def start(self, *arguments: object, interrupts: bool = True, **options: Any) -> "subprocess.Popen[str]":
        """A command under way, its streams pipes of text where options of ``subprocess.Popen`` do not say otherwise.

        Ctrl-C reaches it whatever started the tests, unless ``interrupts`` is false.
        """
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with interruptible() if interrupts else uninterruptible():
            return subprocess.Popen(
                [*MEDREVIEW, *map(str, arguments)], **self._started({**pipes, "text": True, **options})
            )

    def _started(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"cwd": self.folder, "env": {**os.environ, **self.own}, **options}


def _checked(done: Done, code: int) -> Done:
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """What is started within answers Ctrl-C, as where a person started it.

    A process inherits that SIGINT is ignored: under ``nohup``, and in the background of a script, the tests would
    interrupt programs that cannot be interrupted. A handler is not inherited; the child has the default instead.
    """
    with _answering(signal.default_int_handler):
        yield


@contextlib.contextmanager
def uninterruptible() -> Iterator[None]:
    """What is started within ignores Ctrl-C, as under ``nohup``."""
    with _answering(signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _answering(handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def in_process(arguments: Sequence[str], folder: Path, environ: Mapping[str, str], given: str = "") -> Done:
    """Run ``medreview`` with these arguments in this process, as ``sys.argv``, folder and environment say.

    The streams are files, as where the output is redirected: no terminal, UTF-8, and with numbers. Log records and
    warnings come out on standard error as they would, and not in the report of the tests. An error that is not
    answered by the program is raised.
    """
    from medreview.cli.main import main

    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.chdir(folder)
        for name, value in environ.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["medreview", *arguments])
        patch.setattr(sys.modules["__main__"], "__package__", None, raising=False)  # else it names `python -m pytest`
        streams = {name: stack.enter_context(_file(name)) for name in ("stdin", "stdout", "stderr")}
        streams["stdin"].write(given)
        streams["stdin"].seek(0)
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        patch.setattr(logging.root, "handlers", [])
        patch.setattr(typer.main, "get_command", _commands)
        code = 0
        with _warnings_as_at_the_start(streams["stderr"]):
            try:
                main()
            except SystemExit as ended:
                code = _code(ended, streams["stderr"])
        out, error = (_content(streams[name]) for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess([*MEDREVIEW, *arguments], code, out, error)


def _file(name: str) -> io.TextIOWrapper:
    errors = "backslashreplace" if name == "stderr" else "strict"
    return io.TextIOWrapper(tempfile.TemporaryFile(), encoding="utf-8", errors=errors, newline="\n")


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def _code(ended: SystemExit, stderr: io.TextIOWrapper) -> int:
    """The exit code, as the interpreter makes it of what the program ends with."""
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    print(ended.code, file=stderr)
    return 1


@contextlib.contextmanager
def _warnings_as_at_the_start(stderr: io.TextIOWrapper) -> Iterator[None]:
    """Warnings go to standard error, and those that Python keeps to itself do not."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.resetwarnings()
        for category in _SILENT:
            warnings.simplefilter("ignore", category)
        yield
        for told in seen:
            stderr.write(warnings.formatwarning(told.message, told.category, told.filename, told.lineno))
