"""A command in a process of its own whose nth step of writing is its last, or finds the disk full.

A step is each file that it begins, each write to one, each flush to the disk, each renaming and each transaction of a
study. The process is forked from one that has loaded the program, so that a command can be tried step by step.
"""

import errno
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import IO, Any, Final, Literal

from medreview import atomic_output
from medreview.cli.main import main
from medreview.judges import batch_out
from medreview.sources.saved.pages_folder import SavedPages
from medreview.study import Study
from tests.support.commands import Program

Blow = Literal["kill", "full", "limit"]
"""``limit``: no file may grow beyond so many bytes as the number of the step says, as SQLite meets a full disk."""
KILLED: Final = -signal.SIGKILL
NEVER: Final = 1 << 30


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.all_loaded", __name__])  # there, not here: it takes seconds
    return context


def run(
    arguments: Sequence[object],
    folder: Path,
    environ: Mapping[str, str],
    step: int = NEVER,
    blow: Blow = "kill",
    patience: float = 120,
) -> tuple[int, str, int]:
    """Run a command until its step number ``step`` (from 1); exit code, what it said, and its steps until then.

    ``-c`` and the text of a program run that in place of a command.
    """
    told = folder.with_name(f"{folder.name}.told")
    process = _begun(arguments, folder, environ, step, blow, told)
    process.join(patience)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise AssertionError(f"{arguments} did not end")
    said = told.read_text(encoding="utf-8")
    steps = told.with_suffix(".steps")
    return process.exitcode, said, int(steps.read_text() or 0) if steps.exists() else 0


def start(program: Program, *arguments: object) -> ForkServerProcess:
    """A command under way, to be killed from outside: it begins at once, where a process of its own loads the program.

    What it says is in a file beside the folder.
    """
    folder = program.folder
    return _begun(arguments, folder, program.own, NEVER, "kill", folder.with_name(f"{folder.name}.told"))


def _begun(
    arguments: Sequence[object], folder: Path, environ: Mapping[str, str], step: int, blow: Blow, told: Path
) -> ForkServerProcess:
    process = _context().Process(
        target=_run, args=([str(it) for it in arguments], str(folder), dict(environ), step, blow, str(told))
    )
    process.start()
    return process


def _run(arguments: list[str], folder: str, environ: dict[str, str], step: int, blow: Blow, told: str) -> None:
    os.chdir(folder)
    os.environ.update(environ)
    with open(told, "w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    sys.argv = ["medreview", *arguments]
    batch_out.SHARD_REQUESTS = 10  # type: ignore[misc]  # so that there are several files
    if blow == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (step, step))
    steps = _Steps(NEVER if blow == "limit" else step, blow)
    steps.watch()
    try:
        if arguments[0] == "-c":
            exec(arguments[1], {})
        else:
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    else:
        code = 0
    sys.stdout.flush()
    sys.stderr.flush()
    Path(told).with_suffix(".steps").write_text(str(steps.count))
    os._exit(code)


class _Steps:
    """Counts the steps, and strikes at one of them."""

    def __init__(self, last: int, blow: Blow) -> None:
        self.count = 0
        self._last = last
        self._blow = blow

    def watch(self) -> None:
        """Let every step be counted from now on."""
        for name in ("rename", "replace", "fsync", "mkdir"):
            setattr(os, name, self._counted(getattr(os, name)))
        for name in ("rename_new", "swap"):
            setattr(atomic_output, name, self._counted(getattr(atomic_output, name)))
        begun = os.fdopen

        def begin(descriptor: int, mode: str = "r", *given: Any, **named: Any) -> Any:
            file = begun(descriptor, mode, *given, **named)
            return _File(file, self.take) if mode == "wb" else file

        setattr(os, "fdopen", begin)  # noqa: B010
        for owner, name in ((Study, "_transaction"), (SavedPages, "_append")):
            setattr(owner, name, self._counted(getattr(owner, name)))

    def take(self) -> None:
        """One more step."""
        self.count += 1
        if self.count != self._last:
            return
        if self._blow == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            self.take()
            return function(*given, **named)

        return counted


class _File:
    """A file of which half a piece is on the disk when the blow falls on its writing."""

    def __init__(self, file: IO[Any], take: Callable[[], None]) -> None:
        self._file = file
        self._take = take

    def write(self, data: bytes) -> int:
        """Write in two steps."""
        half = len(data) // 2
        self._file.write(data[:half])
        self._file.flush()
        self._take()
        return half + int(self._file.write(data[half:]))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
