"""The picture of the first screen: shown while the workbench loads, where it is what comes, and never in its way."""

import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from medreview.screens.last_screen import MARK
from medreview.study import Study
from medreview.study.state_folder import state_folder
from tests.support.terminal import Terminal

COMMAND = "import sys\nfrom medreview.cli.main import main\nsys.argv = ['medreview', 'review', *sys.argv[1:]]\nmain()"
MARKED = MARK.strip().encode()

Start = Callable[..., Terminal]


@pytest.fixture
def start(study_path: Path, tmp_path: Path) -> Iterator[Start]:
    """Opens the study from a folder of settings, and waits for the live first screen."""
    with ExitStack() as opened:

        def run(*words: str, columns: int = 80, live: bool = True, **environ: str) -> Terminal:
            command = [sys.executable, "-c", COMMAND, str(study_path), *(words or ("--reviewer", "kb"))]
            terminal = opened.enter_context(Terminal(command, columns, 24, tmp_path, **environ))
            if live:
                terminal.wait("q leave")
                terminal.wait_until(lambda: MARK not in terminal.shown, "the live screen")
            return terminal

        yield run


def leave(terminal: Terminal) -> bytes:
    terminal.type("q")
    assert terminal.finish() == 0
    assert termios.tcgetattr(terminal.slave) == terminal.before
    for enter, leaving in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h")):
        assert terminal.output.rfind(leaving) > terminal.output.rfind(enter)
    assert terminal.output.count(b"\x1b[?1049h") == 1
    return terminal.output


def pictures() -> list[Path]:
    return list((state_folder() / "screens").glob("*.json"))


@pytest.fixture(autouse=True)
def _none_kept() -> None:
    for file in pictures():
        file.unlink()


def test_the_screen_that_was_left_is_there_until_the_live_one_is_and_keys_wait_for_that(start: Start) -> None:
    first = start()
    was = first.shown
    assert MARKED not in leave(first)
    (kept,) = pictures()
    assert kept.stat().st_mode & 0o777 == 0o600

    second = start(live=False)
    second.wait(MARK.strip())
    assert second.shown.splitlines()[:23] == was.splitlines()[:23]
    second.type("?")
    second.wait("Keys")
    second.type("q")
    second.wait_until(lambda: second.shown == was, "the first screen, cell by cell as it was")
    assert MARKED in leave(second)


def test_another_file_reviewer_size_or_setting_has_no_picture(start: Start, study_path: Path, tmp_path: Path) -> None:
    leave(start())
    colours = {"COLORTERM": "truecolor", "NO_COLOR": "1"}
    for size, environ in ((80, {}), (100, {}), (100, colours)):  # each differs in one thing from the one before
        assert MARKED not in leave(start("--reviewer", "eva", columns=size, **environ))

    def again() -> bytes:
        return leave(start("--reviewer", "eva", columns=100, **colours))

    with Study.open(study_path) as study:
        study.write(lambda connection: connection.execute("UPDATE study SET value = 'new' WHERE key = 'title'"))
    assert MARKED not in again()
    assert MARKED in again()
    for file in pictures():
        file.chmod(0o644)
    assert MARKED not in again()
    for file in pictures():
        file.write_text("{")
    assert MARKED not in again()
    (tmp_path / "medreview.toml").write_text("last_screen = false\n")
    assert MARKED not in again()
    assert pictures() == []


def test_nothing_is_kept_while_a_blind_block_hides_the_figures(start: Start) -> None:
    leave(start())
    blind = start()
    blind.type("A")
    blind.wait("? keys")
    blind.type("1")
    blind.wait("saved #")
    blind.type("q")
    blind.wait("Enter open")
    leave(blind)
    for file in pictures():
        file.unlink()
    leave(start())
    assert pictures() == []


def test_a_queue_that_is_opened_by_name_is_there_as_it_was_left(start: Start) -> None:
    queue = ("--queue", "flagged", "--reviewer", "kb")
    first = start(*queue, live=False)
    first.wait("1 of 6")
    first.type("j")
    first.wait("2 of 6")
    first.type("u")
    first.wait("nothing of yours to undo")  # the last row is of the next frame: the one before has been read whole
    was = first.shown
    first.type("q")
    first.wait("q leave")
    assert MARKED not in leave(first)

    second = start(*queue, live=False)
    second.wait(MARK.strip())
    assert second.shown.splitlines()[:23] == was.splitlines()[:23]
    second.wait_until(lambda: MARK not in second.shown, "the live screen")
    second.wait_until(lambda: second.shown.splitlines()[:23] == was.splitlines()[:23], "the statement as it was")
    second.type("q")
    second.wait("q leave")
    leave(second)
    assert MARKED not in leave(start())
    assert MARKED in leave(start())


@pytest.mark.parametrize("ended", ["open elsewhere", "interrupted", "terminated"])
def test_what_ends_the_start_gives_the_terminal_back(start: Start, study_path: Path, ended: str) -> None:
    leave(start())
    with ExitStack() as held:
        if ended == "open elsewhere":
            held.enter_context(Study.open(study_path))
        terminal = start(live=False)
        terminal.wait(MARK.strip())
        if ended != "open elsewhere":
            terminal.process.send_signal(signal.SIGINT if ended == "interrupted" else signal.SIGTERM)
        # CPython ends by the signal itself, having said the same, where that came while it compiled a dataclass
        codes = {"open elsewhere": {2}, "interrupted": {130, -signal.SIGINT}, "terminated": {143}}
        assert terminal.finish() in codes[ended]
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    if ended == "open elsewhere":
        assert terminal.output.rfind(b"medreview: ") > terminal.output.rfind(b"\x1b[?1049l")
