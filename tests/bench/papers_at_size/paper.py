"""What a replay of a paper at its size is made of, and chance that follows from words alone."""

import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.commands import MEDREVIEW
from tests.support.http_server import Exchange
from tests.support.misbehaving import Asked

Records = list[dict[str, Any]]
EXPECTED = Mapping[tuple[str, str], float]
"""By figure and whose it is."""


class FoundFigure(NamedTuple):
    """A figure as JSON of the program has it, whose it is, and what the paper printed."""

    figure: Mapping[str, Any]
    of: str
    paper: str


class Took(NamedTuple):
    """A command, its seconds on the clock and of a processor, and the most memory that it held, in MB."""

    command: str
    seconds: float
    busy: float
    memory: float


@dataclass
class PaperRun:
    """Runs commands in a folder, each in a process of its own, and remembers what each took; ``base`` is the server."""

    folder: Path
    base: str
    took: list[Took] = field(default_factory=list)

    def run(self, *words: str) -> str:
        """What a command printed; prints what it took. Ends the program where the command fails."""
        began, out, errors = time.monotonic(), self.folder / "out.json", self.folder / "errors.txt"
        own = {"XDG_CONFIG_HOME": str(self.folder / "config"), "XDG_STATE_HOME": str(self.folder / "state")}
        write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, number, str(to), write, 0o600) for number, to in ((1, out), (2, errors))]
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            child = os.posix_spawn(sys.executable, [*MEDREVIEW, *words], {**os.environ, **own}, file_actions=actions)
        finally:
            os.chdir(before)
        memory = 0.0
        while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            memory = _most_memory(child) or memory
            time.sleep(0.05)
        _, status, used = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        self.note(" ".join(("medreview", *(word for word in words[:3] if not word.startswith("-")))),
                  time.monotonic() - began, used.ru_utime + used.ru_stime, memory)  # fmt: skip
        if code:
            raise SystemExit(f"exit code {code}\n{errors.read_text(encoding='utf-8')}")
        return out.read_text(encoding="utf-8")

    def note(self, command: str, seconds: float, busy: float, memory: float) -> None:
        """Remember and print what something took."""
        self.took.append(Took(command, seconds, busy, memory))
        print(f"{command}: {seconds:.1f} s, {busy:.1f} s of processor, {memory:.0f} MB", flush=True)


def _most_memory(process: int) -> float:
    """The most that a process has held, in MB: ``wait4`` would count what this process holds, too."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1e3
    return 0.0


def _nobody(name: str, asked: Asked) -> Mapping[str, Any]:
    raise AssertionError(f"{name} is asked: {asked.prompt[:80]}")


def _no_page(exchange: Exchange) -> None:
    exchange.answer(b"no such page", 404)


def _nothing(bench: PaperRun) -> Iterable[FoundFigure]:
    return ()


@dataclass
class Paper:
    """Material for a replay.

    ``files``: what commands bring in, one after the other. ``judges`` by name with their error rate, and ``models``,
    who answer by ``reply``; ``page`` answers for addresses. ``work`` is done before the replay whose table counts,
    ``found`` has figures beside it, and ``expected`` the rule's. ``skip``: steps of the replay.
    """

    files: Sequence[tuple[str, Records]]
    expected: Callable[[], EXPECTED]
    judges: Mapping[str, float] = field(default_factory=dict)
    models: Sequence[str] = ()
    reply: Callable[[str, Asked], Mapping[str, Any]] = _nobody
    page: Callable[[Exchange], None] = _no_page
    work: Callable[[PaperRun], None] | None = None
    found: Callable[[PaperRun], Iterable[FoundFigure]] = _nothing
    skip: Sequence[str] = ()
    gold: bool = False
    """Whether judges are scored by all right labels, also of what nobody has decided."""

    def replay(self, name: str) -> list[str]:
        """The words of the replay."""
        asked = [word for judge in self.judges for word in ("--judge", judge)]
        asked += [word for model in self.models for word in ("--model", model)]
        left = [word for step in self.skip for word in ("--skip", step)]
        return ["papers", "replay", name, "s.medreview", *asked, *left, *["--gold"] * self.gold, "--json"]


def chance(*of: object) -> float:
    """The same number from 0 to 1 for the same words: what a model or a person does on an item does not depend on
    when it is asked."""
    return random.Random("\x1f".join(map(str, of))).random()


def sentence(*of: object) -> str:
    """A sentence that is of these words alone; it has no medical meaning."""
    code = int(chance("sentence", *of) * 10**9)
    return f"Measure {code:09d} was taken on the ward and is written here with its number."
