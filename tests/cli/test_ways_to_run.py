"""The tests run commands in their own process: what comes out has to be what a process of the program writes."""

import re
import signal

import pytest

AT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
"""The minute in which figures were made."""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("stats", "demo.medreview"), 0),
        (("stat",), 2),
        (("export", "nowhere.medreview", "out"), 2),
        (("review", "demo.medreview"), 2),
    ],
    ids=["a result", "a wrong word", "a mistake", "no terminal"],
)
def test_a_command_in_this_process_writes_what_a_process_writes(medreview, demo, arguments, code):
    here, there = (run(*arguments, check=code) for run in (medreview, medreview.process))

    assert AT.sub("", here.stdout) == AT.sub("", there.stdout)
    assert here.stderr == there.stderr.replace("python -m medreview", "medreview")


@pytest.mark.parametrize("words", [("evidence", "--jsonl"), ("references", "--jsonl", "--library", "l.ris")])
def test_a_filter_that_could_use_no_line_fails_and_says_so(medreview, tmp_path, words):
    (tmp_path / "l.ris").write_text("TY  - JOUR\nTI  - Sepsis\nPY  - 2019\nER  - \n")
    for given in ("no JSON\n{}\n", '{"id": 1}'):
        done = medreview(*words, input=given, check=1)
        assert "no line could be used" in done.stderr
        assert done.stdout.count('"error"') == len(given.splitlines())
    whole = '{"statement": "A.", "source_text": "A.", "reference": "Roe A. Title. 2019."}'
    assert "error" in medreview(*words, input=f"no JSON\n{whole}\n").stdout
    assert medreview(*words, input="\n").stdout == ""


def test_a_program_that_was_started_without_interrupts_goes_on(medreview):
    """As under ``nohup``: who ignores Ctrl-C for it wants it to end by itself."""
    process = medreview.start("evidence", "--jsonl", interrupts=False)
    process.stdin.write('{"quote": "x", "source_text": "y"}\n')
    process.stdin.flush()
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    answer, said = process.communicate('{"quote": "y", "source_text": "y"}\n', timeout=120)

    assert (process.returncode, said) == (0, "")
    assert '"exact"' in answer or '"too_short"' in answer
