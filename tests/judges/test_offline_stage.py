"""The offline judge's worker processes: they end with the program, and Ctrl-C is not theirs to answer."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.support.commands import interruptible

SCRIPT = """
    import signal
    from medreview.judges import offline_stage as stage

    TEXT = "The dose is 5 mg."

    if __name__ == "__main__":
        chunks = (stage.Chunk(f"p{number}", TEXT, (("s1", TEXT),), None, ()) for number in range(20))
        for _ in stage._answers(chunks, 2):
            # The workers hold this standard output, too: it ends when the last of them is gone.
            print("working", flush=True)
            signal.pause()
    """


@pytest.fixture
def working(tmp_path) -> Iterator["subprocess.Popen[str]"]:
    """A program whose workers are waiting for work, in a process group of its own."""
    script = tmp_path / "work.py"
    script.write_text(textwrap.dedent(SCRIPT))
    with interruptible():
        process = subprocess.Popen(
            [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_workers_do_not_outlive_a_killed_program(working):
    working.kill()

    working.communicate(timeout=120)


def test_an_interrupt_is_answered_once(working):
    os.killpg(working.pid, signal.SIGINT)

    _, errors = working.communicate(timeout=120)

    assert errors.count("KeyboardInterrupt") == 1
