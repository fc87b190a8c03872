"""The reviewer's editor, on a real terminal: it has the terminal, and the workbench has it again."""

import sys
import termios
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from medreview.review.guidelines import in_force
from medreview.study import Study
from tests.screens.test_pty import OPEN, Start
from tests.support.terminal import Terminal

_KEYS = 'printf "EDITOR READY\\n"; read words; '


@pytest.fixture
def start(study_path: Path, tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as opened:

        def run(script: str, columns: int = 80, rows: int = 24) -> Terminal:
            editor = tmp_path / "editor.sh"
            editor.write_text(f"#!/bin/sh\n{script}\n")
            editor.chmod(0o700)
            command = [sys.executable, "-c", OPEN, str(study_path)]
            told = {"EDITOR": str(editor), "VISUAL": "", "XDG_STATE_HOME": str(tmp_path / "state")}
            terminal = opened.enter_context(Terminal(command, columns, rows, None, **told))
            terminal.wait("? keys")
            return terminal

        yield run


def notes(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        query = "SELECT json_extract(payload, '$.text') FROM event WHERE kind = 'note' ORDER BY seq"
        return [row[0] for row in study.reader.execute(query)]


def drafts(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [row["text"] for row in study.reader.execute("SELECT text FROM draft")]


def leave(terminal: Terminal) -> None:
    terminal.type("q")
    terminal.wait("Enter open")
    terminal.type("q")
    assert terminal.finish() == 0
    assert termios.tcgetattr(terminal.slave) == terminal.before


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_the_editor_has_the_terminal_and_the_note_is_saved(
    start: Start, study_path: Path, size: tuple[int, int]
) -> None:
    terminal = start(f'{_KEYS} [ -t 0 ] && [ -t 1 ] && echo "$words" > "$1"', *size)
    terminal.type("e")
    terminal.wait("EDITOR READY")
    terminal.type("line typed in the editor, caf\u00e9\r")
    terminal.wait("saved #")
    terminal.type("j")
    terminal.wait("2 of 8")
    leave(terminal)
    assert notes(study_path) == ["line typed in the editor, caf\u00e9"]
    assert not drafts(study_path)


def test_what_a_failing_editor_left_is_a_draft_and_the_next_one_goes_on_with_it(start: Start, study_path: Path) -> None:
    terminal = start('if grep -q half "$1"; then echo whole >> "$1"; else echo half > "$1"; kill -9 $$; fi')
    terminal.type("e")
    terminal.wait("kept as a draft")
    assert "ended by signal 9" in " ".join(terminal.shown.split())
    terminal.type("e")
    terminal.wait("saved #")
    leave(terminal)
    assert notes(study_path) == ["half\nwhole"]
    assert not drafts(study_path)


def test_ctrl_c_in_the_editor_is_the_editors_and_nothing_saved_is_nothing_changed(
    start: Start, study_path: Path
) -> None:
    terminal = start(f"trap 'echo CAUGHT; exit 0' INT; {_KEYS}")
    terminal.type("e")
    terminal.wait("EDITOR READY")
    terminal.type("\x03")
    terminal.wait("? keys")
    terminal.type("j")
    terminal.wait("2 of 8")
    leave(terminal)
    assert b"CAUGHT" in terminal.output
    assert not notes(study_path)


def test_no_editor_and_what_it_left_in_another_encoding_are_sentences(start: Start, study_path: Path) -> None:
    terminal = start(r"printf 'caf\351' > " + '"$1"')
    terminal.type("e")
    terminal.wait_until(lambda: "not-taken-1-note.txt" in "".join(terminal.shown.split()), "the file that has it")
    assert "not UTF-8" in " ".join(terminal.shown.split())
    leave(terminal)
    assert not notes(study_path)


def test_guidelines_are_edited_from_their_page(start: Start, study_path: Path) -> None:
    terminal = start('echo "# Ours" > "$1"')
    terminal.type("\x1bOQ")
    terminal.wait("e edit")
    terminal.type("e")
    terminal.wait("version 1")
    terminal.wait("Ours")
    terminal.type("q")
    terminal.wait("? keys")
    leave(terminal)
    with Study.open(study_path, read_only=True) as study:
        assert in_force(study.reader).text == "# Ours\n"
