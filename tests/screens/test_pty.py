"""The workbench on a real terminal: bytes, colours, signals, silence."""

import os
import re
import signal
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fcntl import ioctl
from pathlib import Path
from typing import Final

import pytest
from pyte.screens import Char

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
        sys.exit(error.exit_code)
print("LEFT IN ORDER")
"""

COMMAND = """
import sys
from medreview.cli.main import main
sys.argv = ["medreview", "review", sys.argv[1], "--queue", "responses", "--reviewer", "kb"]
main()
"""
"""The same by the command itself, with its own exit code."""

Start = Callable[..., Terminal]


@pytest.fixture
def start(study_path: Path) -> Iterator[Start]:
    """Opens the study in a terminal; ``wait``: until the workbench is there."""
    with ExitStack() as opened:

        def run(columns: int = 80, rows: int = 24, wait: bool = True, program: str = OPEN, **environ: str) -> Terminal:
            command = [sys.executable, "-c", program, str(study_path)]
            terminal = opened.enter_context(Terminal(command, columns, rows, None, **environ))
            if wait:
                terminal.wait("? keys")
            return terminal

        yield run


def labels(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        assert verify(study.reader) == []
        return [
            row["label"] for row in study.reader.execute("SELECT label FROM event WHERE kind = 'decide' ORDER BY seq")
        ]


def drafts(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row["text"] for row in study.reader.execute("SELECT text FROM draft ORDER BY at_utc, unit")]


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
        ("q", "Enter open"),
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
    plain.wait_until(lambda: "Why not" not in plain.shown and ": all" in plain.shown, "the keys again")
    plain.type("q")
    plain.wait("Enter open")
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
    terminal.type("nhalf a n\xe9te")
    terminal.wait("half a n\xe9te")
    terminal.process.send_signal(number)
    assert terminal.finish() == 128 + number
    assert b"REFUSED The workbench ended because" in terminal.output
    assert "kept as a draft" in " ".join(terminal.output.decode().split())
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")
    assert terminal.output.rfind(b"\x1b[?25h") > terminal.output.rfind(b"\x1b[?25l")
    assert labels(study_path) == ["partial"]
    assert drafts(study_path) == ["half a n\xe9te"]
    WriterLock(study_path).take()


def test_a_lost_terminal_ends_the_process(study_path: Path, start: Start) -> None:
    terminal = start(program=COMMAND)
    terminal.type("2")
    terminal.wait("saved #")
    terminal.type("nlost?")
    terminal.wait("lost?")
    terminal.hang_up()
    assert terminal.process.wait(10) == 129
    assert labels(study_path) == ["partial"]
    assert drafts(study_path) == ["lost?"]
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
    terminal.wait("Enter open")
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
        ("jh1\r", "marked “50”"),
        ("h1Sb\r", "marked “give 30 mL/kg"),
        ("D", "Delete span 1 of 2, in the response"),
        ("w", "Delete span 2 of 2, in the source: “give 30 mL/kg"),
        ("\x1b", ": all"),
        ("Dw\r", "deleted “give 30 mL/kg"),
        ("u", "undone: deleted “give 30 mL/kg"),
        ("D", "Delete span 1 of 2"),
        ("\r", "deleted “50”"),
    ):
        terminal.type(keys)
        terminal.wait(words)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.finish() == 128 + signal.SIGTERM
    with Study.open(study_path, read_only=True) as study:
        left = study.reader.execute("SELECT json_extract(payload, '$.exact') FROM span_live").fetchall()
    assert [row[0][:4] for row in left] == ["give"]


NO_TEXT: Final = (
    (b"caf\xe9 au lait", "caf au lait", "1 byte that is not UTF-8"),
    (b"\xff\x9b", "", "2 bytes that are not UTF-8"),
    (b"\xe9x", "x", "1 byte that is not UTF-8"),
    (b"\xed\xa0\x80", "", "3 bytes that are not UTF-8"),
    (b"\x1b[99999999;1u", "", "1 key sequence that cannot be read"),
)
"""What is sent amid a note, what of it is in the note, and what is said of the rest."""


def test_what_cannot_be_read_is_left_out_and_said_and_the_note_goes_on(study_path: Path, start: Start) -> None:
    terminal = start()
    for place, (sent, _, said) in enumerate(NO_TEXT, 1):
        terminal.type(f"nwords{place}")
        terminal.wait(f": words{place}")
        assert said not in terminal.shown
        os.write(terminal.master, sent)
        terminal.wait(said)
        terminal.type(" more\r")
        terminal.wait("saved #")
        terminal.type("j")
        terminal.wait(f"{place + 1} of 8")
    terminal.type("qq")
    assert terminal.finish() == 0
    with Study.open(study_path, read_only=True) as study:
        texts = study.reader.execute(
            "SELECT payload ->> '$.text' FROM event WHERE kind = 'note' ORDER BY seq"
        ).fetchall()
    assert [row[0] for row in texts] == [f"words{place}{read} more" for place, (_, read, _) in enumerate(NO_TEXT, 1)]
    assert drafts(study_path) == []


def test_a_kill_takes_no_more_of_a_note_than_its_last_moment(study_path: Path, start: Start) -> None:
    terminal = start()
    terminal.type("nkept however it ends")
    terminal.wait("note S1: kept however it ends")
    terminal.wait_until(lambda: drafts(study_path) == ["kept however it ends"], "the draft in the file")
    terminal.process.kill()
    terminal.process.wait()
    again = start()
    again.wait("Not saved: a note on R01 S1, draft of")
    again.type("n")
    again.wait("Ctrl+X discards it")
    assert "note S1: kept however it ends" in again.shown
    again.type(", says the note\r")
    again.wait("saved #")
    again.type("qq")
    assert again.finish() == 0
    assert drafts(study_path) == []


def test_an_error_of_the_workbench_ends_with_a_code_a_sentence_and_a_log(
    study_path: Path, start: Start, tmp_path: Path
) -> None:
    broken = "from medreview.review.session import ReviewSession\nReviewSession.defer = lambda self: 1 / 0\n"
    terminal = start(program=broken + OPEN, XDG_STATE_HOME=str(tmp_path / "state"))
    terminal.type("ngoes on\x1b")
    terminal.wait("kept as a draft")
    terminal.type("s")
    assert terminal.finish() == 70
    log = tmp_path / "state" / "medreview" / "workbench.log"
    words = " ".join(terminal.output.decode().split())
    assert "The workbench ended on an error of its own" in words
    assert "Traceback" not in words
    assert log.name in words
    assert log.stat().st_mode & 0o777 == 0o600
    assert "ZeroDivisionError" in log.read_text()
    assert "Sepsis" not in log.read_text()
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert drafts(study_path) == ["goes on"]


def test_a_continue_without_a_stop_leaves_keys_and_terminal_as_they_are(study_path: Path, start: Start) -> None:
    terminal = start()
    terminal.process.send_signal(signal.SIGCONT)  # without having been stopped
    terminal.type("nonce")
    terminal.wait("note S1: once")
    terminal.read(0.3)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.finish() == 128 + signal.SIGTERM
    assert termios.tcgetattr(terminal.slave) == terminal.before
    assert b"Traceback" not in terminal.output


def test_the_kernel_changes_no_frame_and_a_stopped_workbench_leaves_the_terminal_as_it_was(start: Start) -> None:
    """A frame in which newlines are looked for comes in pieces; the shell needs them changed."""

    def changed() -> bool:
        return bool(termios.tcgetattr(terminal.slave)[1] & termios.OPOST)

    terminal = start()
    assert terminal.before[1] & termios.OPOST
    assert not changed()
    terminal.process.send_signal(signal.SIGTSTP)
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    assert termios.tcgetattr(terminal.slave) == terminal.before
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait_until(lambda: not changed(), "the terminal taken again")
    terminal.type("q")
    terminal.wait("leave")
    terminal.type("q")
    assert terminal.finish() == 0
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_what_is_drawn_change_by_change_is_what_is_drawn_anew(study_path: Path, start: Start) -> None:
    """Through keys, other sizes and a stop of the program, F5 brings no other cell than stood there."""
    terminal = start(columns=100, rows=30)

    def cells() -> list[list[Char]]:
        screen = terminal.screen
        return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]

    def spoil() -> None:
        terminal.took(b"\x1b[m\x1b[2J\x1b[H" + b"spoiled " * 200)

    for columns, rows, keys in ((100, 30, "jj"), (81, 24, "v"), (160, 50, "]jk")):
        terminal.screen.resize(rows, columns)
        spoil()
        ioctl(terminal.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        terminal.process.send_signal(signal.SIGWINCH)
        terminal.wait_until(lambda: "spoiled" not in terminal.shown, "the screen of another size")
        terminal.type(keys)
        terminal.read(0.3)
        before = cells()
        spoil()
        terminal.type("\x1b[15~")
        terminal.wait_until(lambda before=before: cells() == before, "the same screen, drawn anew")

    terminal.process.send_signal(signal.SIGTSTP)
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    terminal.read(0.05)
    spoil()
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait_until(lambda: cells() == before, "the screen as it was before the stop")
    terminal.type("q")
    terminal.wait("leave")
    terminal.type("q")
    assert terminal.finish() == 0
    assert b"LEFT IN ORDER" in terminal.output


def test_a_click_of_the_terminal_is_a_key_and_its_moves_are_not_asked_for(start: Start, study_path: Path) -> None:
    terminal = start()
    at = next(y for y, row in enumerate(terminal.shown.splitlines(), 1) if "2 partial" in row)
    terminal.type(f"\x1b[<0;20;{at}M\x1b[<0;20;{at}m")
    terminal.wait("S1 → partial")
    terminal.type("qq")
    assert terminal.finish() == 0
    assert b"\x1b[?1000h" in terminal.output
    assert terminal.output.rstrip().find(b"\x1b[?1000l") > 0
    assert b"?1003" not in terminal.output
    assert labels(study_path) == ["partial"]
