"""Frames over a slow link: what is sent ahead of the terminal's answers, and that nothing is lost by what is not."""

import random
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from textual.events import Key

from medreview.review.queue import open_queue
from medreview.screens.environment import Look
from medreview.screens.terminal_driver import InputReader
from medreview.screens.terminal_output import AHEAD, PATIENCE_S, QUESTION, Answered, FramePace
from medreview.study import Study
from tests.screens.test_pty import OPEN, labels
from tests.support.drawing import apart, drawing, lay_out
from tests.support.terminal import Terminal
from tests.support.workbench import press

FRAME = 5000
ASKS = QUESTION.encode()
MOVES = (
    ("j",),
    ("k",),
    ("J",),
    ("right_square_bracket",),
    ("question_mark", "escape"),
    ("H", "escape"),
    ("v", "v", "v"),
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> FramePace:
    """The pace for a terminal that has answered once."""
    pace = FramePace(clock)
    assert pace.sending(FRAME)
    pace.answered()
    return pace


def test_nobody_waits_for_a_terminal_that_never_answers_and_it_is_asked_once(clock: Clock) -> None:
    pace = FramePace(clock)
    assert [pace.sending(FRAME) for _ in range(3)] == [QUESTION, "", ""]
    assert pace.may_send(FRAME)
    pace.look_again()
    assert pace.sending(FRAME) == QUESTION


def test_a_frame_waits_for_the_answer_to_the_one_before_and_a_little_may_go_ahead(pace: FramePace) -> None:
    assert pace.may_send(FRAME)
    assert pace.sending(FRAME) == QUESTION
    assert not pace.may_send(FRAME)
    assert pace.may_send(AHEAD)
    assert pace.sending(AHEAD - 1) == ""
    assert not pace.may_send(2)
    pace.answered()
    assert pace.may_send(FRAME)
    assert pace.sending(1) == QUESTION, "what went ahead is asked about with the next frame, however small"


def test_small_frames_ask_nothing(pace: FramePace) -> None:
    assert [pace.sending(50) for _ in range(10)] == [""] * 10


def test_an_answer_that_does_not_come_is_waited_for_once(pace: FramePace, clock: Clock) -> None:
    pace.sending(FRAME)
    clock.now += PATIENCE_S - 1
    assert not pace.may_send(FRAME)
    assert pace.patience == 1
    clock.now += 1
    assert pace.may_send(FRAME)
    assert pace.sending(FRAME) == ""
    assert pace.may_send(FRAME)
    pace.answered()  # after all
    assert pace.sending(FRAME) == QUESTION
    assert not pace.may_send(FRAME)


def test_a_report_of_the_cursor_is_an_answer_and_f3_with_shift_a_key() -> None:
    reader = InputReader()
    read = [it for sign in b"\x1b[2;1Rj\x1b[1;2R\x1b[1;5R\x1b[24;80R" for it in reader.feed(bytes([sign]))]
    assert [it.key if isinstance(it, Key) else type(it) for it in read] == [
        Answered, "j", "shift+f3", "ctrl+f3", Answered
    ]  # fmt: skip


@pytest.fixture
def slow(study_path: Path) -> Iterator[Terminal]:
    """The workbench in a terminal that has answered once, and now does not."""
    with Terminal([sys.executable, "-c", OPEN, study_path], 160, 50) as terminal:
        terminal.wait("? ")
        terminal.read(0.3)
        assert ASKS in terminal.output
        terminal.answers = False
        yield terminal


def test_of_a_held_key_only_frames_that_are_seen_are_sent(slow: Terminal) -> None:
    before = len(slow.output)
    for key in "jjjj" + "kj" * 2 + "j":  # to another response and its page, again and again
        slow.type(key)
        slow.read(0.05)
    assert slow.unanswered == 1
    assert len(slow.output[before:].partition(ASKS)[2]) <= AHEAD + 100
    behind = slow.shown
    slow.answers = True
    slow.catch_up()
    assert "6 of 8" not in behind
    slow.wait("6 of 8")
    slow.read(0.1)
    paced = slow.shown
    slow.type("kj")
    slow.wait_until(lambda: slow.shown == paced, "the same screen again")


def test_a_decision_is_saved_while_its_frame_is_held(study_path: Path, slow: Terminal) -> None:
    slow.type("j]")
    slow.wait_until(lambda: slow.unanswered == 1, "a question")
    slow.type("[2")
    slow.wait_until(lambda: labels(study_path) == ["partial"], "the decision in the file")
    slow.answers = True
    slow.catch_up()
    slow.wait("saved #")


def test_the_terminal_is_given_back_with_no_question_open(slow: Terminal) -> None:
    slow.type("jj]")
    slow.wait_until(lambda: slow.unanswered == 1, "a question")
    slow.process.send_signal(signal.SIGTERM)
    slow.read(0.3)
    assert b"\x1b[?1049l" not in slow.output
    slow.catch_up()
    assert slow.finish() == 128 + signal.SIGTERM
    assert b"\x1b[?1049l" in slow.output
    assert b"^[[2" not in slow.output


async def test_however_late_the_answers_no_cell_differs_when_they_have_come(demo_file: Path, tmp_path: Path) -> None:
    luck = random.Random(11)
    with Study.open(Path(shutil.copy(demo_file, tmp_path / "demo.medreview"))) as study:
        app = drawing(study, Look("textual-dark", False, False, True), open_queue(study, "responses", "kb"))
        held = 0
        async with app.run_test(headless=False, size=(120, 40)) as pilot:
            await lay_out(app, pilot, 120, 40)
            for _ in range(10):
                for key in chain(*luck.choices(MOVES, k=luck.randint(1, 6))):
                    await press(pilot, key)
                if luck.random() < 0.2:
                    await lay_out(app, pilot, luck.choice((80, 100, 160)), 40)
                held += bool(app.pace.patience and apart(app.shown(), app.anew()))
                open_question = True
                while open_question:  # the terminal catches up
                    app.pace.answered()
                    app.post_message(Answered())
                    await pilot.pause()
                    open_question = app.pace.patience > 0
                assert apart(app.shown(), app.anew()) == []
        assert held
