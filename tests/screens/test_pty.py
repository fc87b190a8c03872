"""The workbench on a real terminal: bytes, colours, signals, silence."""

import re
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from medreview.study import Study
from medreview.study.events import verify
from medreview.study.lock import WriterLock
from tests.support.terminal import Terminal

OPEN = """
import sys
from pathlib import Path
from medreview.config import Config
from medreview.errors import UserError
from medreview.review.queue import open_queue
from medreview.screens.app import run
from medreview.study import Study
with Study.open(Path(sys.argv[1])) as study:
    try:
        run(study, Config(reviewer="kb"), queue=open_queue(study, "responses", "kb"))
    except UserError as error:
        print("REFUSED", error)
        sys.exit(2)
print("LEFT IN ORDER")
"""


Start = Callable[..., Terminal]


@pytest.fixture
def start(study_path: Path) -> Iterator[Start]:
    """Opens the study in a terminal; ``wait``: until the workbench is there."""
    with ExitStack() as opened:

        def run(columns: int = 80, rows: int = 24, wait: bool = True, **environ: str) -> Terminal:
            command = [sys.executable, "-c", OPEN, str(study_path)]
            terminal = opened.enter_context(Terminal(command, columns, rows, None, **environ))
            if wait:
                terminal.wait("? " if columns > 100 else "undo")
            return terminal

        yield run


def labels(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        assert verify(study.reader) == []
        return [
            row["label"] for row in study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq")
        ]


def colours(output: bytes) -> set[int]:
    """The SGR codes that colour, of everything that was written."""
    codes = set()
    for found in re.findall(rb"\x1b\[([0-9;:]*)m", output):
        codes |= {int(code) for code in re.split(rb"[;:]", found) if code}
    return {code for code in codes if 30 <= code <= 38 or 40 <= code <= 48 or 90 <= code <= 107}


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_nothing_from_outside_acts_on_the_terminal(start: Start, size: tuple[int, int]) -> None:
    terminal = start(*size)
    for keys, words in (
        (":response=R02\r", "eGFR"),
        ("v", "metformin"),
        ("v", "zero¦width"),
        ("j", "any eGFR"),
        ("n\x1b[200~a\x1b]0;t\x07b\x1b[201~\r", "note"),
        ("]", "scan"),
        ("q", "REVIEW"),
    ):
        terminal.type(keys)
        terminal.wait(words)
    terminal.type("q")
    assert terminal.finish() == 0
    text = terminal.output.decode()
    assert not re.search("\x1b\\](0|1|2|52);", text)
    assert "\x1b[31m" not in text
    assert "\x1b[2J\u202e" not in text
    assert not [char for char in text if 0x80 <= ord(char) < 0xA0 or char in "\u202e\u202c\u200b"]
    assert "[red]bold[/red]" in text
    assert "LEFT IN ORDER" in text


def test_no_color_gives_no_colour_and_an_empty_one_does_not_count(start: Start) -> None:
    plain = start(NO_COLOR="1")
    plain.type("j3")
    plain.wait("Why not")
    assert "^^ 50" in plain.shown
    assert "▌" in plain.shown
    plain.type("\x1b")
    plain.wait_until(lambda: "Why not" not in plain.shown and "agree" in plain.shown, "the keys again")
    plain.type("q")
    plain.wait("REVIEW")
    plain.type("q")
    plain.finish()
    assert colours(plain.output) == set()
    coloured = start(NO_COLOR="")
    assert colours(coloured.output)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_leaves_in_order(study_path: Path, start: Start, number: signal.Signals) -> None:
    terminal = start()
    terminal.type("2")
    terminal.wait("saved #")
    terminal.process.send_signal(number)
    assert terminal.finish() == 0
    assert b"LEFT IN ORDER" in terminal.output
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l")
    assert labels(study_path) == ["partial"]
    WriterLock(study_path).take()


def test_a_lost_terminal_ends_the_process(study_path: Path, start: Start) -> None:
    terminal = start()
    terminal.type("2")
    terminal.wait("saved #")
    terminal.hang_up()
    terminal.process.wait(10)
    assert labels(study_path) == ["partial"]
    with Study.open(study_path) as study:
        assert study.reader.execute("SELECT count(*) FROM bookmark").fetchone()[0] == 1


def test_nothing_is_written_while_nobody_types(start: Start) -> None:
    terminal = start()
    terminal.read(0.5)
    assert terminal.read(1) == b""
    terminal.type("n")
    terminal.wait("note S1")
    terminal.read(0.5)
    assert terminal.read(1) == b""


def test_a_dumb_terminal_is_refused(start: Start) -> None:
    terminal = start(wait=False, TERM="dumb")
    assert terminal.finish() == 2
    assert b"--plain" in terminal.output
    assert b"\x1b" not in terminal.output


def test_typed_ahead_keys_are_answered_in_order(study_path: Path, start: Start) -> None:
    terminal = start()
    terminal.type("2nslow\rj/fluid\r")
    terminal.wait("/fluid")
    terminal.type("\x1b")
    terminal.wait("3 of 8")
    terminal.read(0.3)
    terminal.type("q")
    terminal.wait("REVIEW")
    terminal.type("c")
    terminal.wait("3 of 8")
    terminal.type("qq")
    terminal.finish()
    with Study.open(study_path, read_only=True) as study:
        kinds = [
            row["kind"] for row in study.reader.execute("SELECT kind FROM event WHERE kind <> 'shown' ORDER BY seq")
        ]
    assert kinds == ["decide", "note"]


def test_a_span_is_deleted_and_brought_back_by_the_keys_of_a_terminal(study_path: Path, start: Start) -> None:
    terminal = start()
    for keys, words in (
        ("jh1\r", "marked “Patients with septic sh"),
        ("h1Sb\r", "marked “give 30 mL/kg"),
        ("D", "Delete span 1 of 2, in the response"),
        ("w", "Delete span 2 of 2, in the source: “give 30 mL/kg"),
        ("\x1b", "agree"),
        ("Dw\r", "deleted “give 30 mL/kg"),
        ("u", "undone: deleted “give 30 mL/kg"),
        ("D", "Delete span 1 of 2"),
        ("\r", "deleted “Patients"),
    ):
        terminal.type(keys)
        terminal.wait(words)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.finish() == 0
    with Study.open(study_path, read_only=True) as study:
        left = study.reader.execute("SELECT json_extract(payload, '$.exact') FROM span_live").fetchall()
    assert [row[0][:4] for row in left] == ["give"]
