"""Pages are read in a process of their own, with bounds on its time and memory."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.children.asking import _IDLE, ReadingLimits, end_idle
from medreview.children.child import BadMessageError, framed, length_of, message_in
from medreview.errors import UserError
from medreview.sources.fetching.network import Limits, Network
from medreview.sources.page import Page, read_page
from medreview.sources.page_reader import PageReader, answer, page_of, read_in_child
from medreview.sources.reading.text_structure import Heading, SetApart
from medreview.study import Study
from tests.sources.bombs import pdf_bomb
from tests.support.commands import ROOT
from tests.support.fetched import fetched
from tests.support.http_server import answer as answer_with

ONE_DOSE = (
    b"<p>Give amoxicillin 500 mg three times daily for five days, and stop it when a rash with fever appears.</p>"
)
PAGE = b"<html><head><title>Dosing</title></head><body><main><h1>Dosing</h1>" + ONE_DOSE * 6 + b"</main></body></html>"
BLOCKS = b"<html><body>" + b"<p>dose" * 100_000
BOMB = pdf_bomb(200)


def web_page(body, state=None, detail=""):
    return fetched(body, "https://example.org/a", "text/html", state=state, detail=detail)


@pytest.fixture
def no_children():
    end_idle()
    yield
    end_idle()


def test_a_page_read_in_child_is_the_page_and_the_next_one_takes_the_same_child(no_children):
    assert read_in_child(web_page(PAGE)) == read_page(web_page(PAGE))
    (first,) = _IDLE["pages"]
    assert read_in_child(web_page(PAGE + b"\xff\xed\xa0\x80")) == read_page(web_page(PAGE + b"\xff\xed\xa0\x80"))
    assert read_in_child(web_page(b"", "timeout", "Late.")).state == "timeout"
    assert [first] == _IDLE["pages"]


@pytest.mark.parametrize(
    ("body", "limits", "said"),
    [
        (BOMB, ReadingLimits(memory=2_000_000_000, cpu_seconds=0), "more than 0 seconds of processor time"),
        (BOMB, ReadingLimits(memory=150_000_000), "more than 150 MB of memory"),
        (BLOCKS, ReadingLimits(memory=60_000_000), "more than 60 MB of memory"),
        (BOMB, ReadingLimits(wall_seconds=0.01), "more than 0.01 seconds"),
    ],
    ids=["time", "memory of native code", "memory", "time on the clock"],
)
def test_a_page_beyond_a_limit_is_unreadable_and_the_next_one_is_read(body, limits, said):
    asked = PageReader(limits)
    page = asyncio.run(asked.read(web_page(body)))
    assert (page.state, page.text, page.full_text) == ("unreadable", "", "")
    assert said in page.evidence
    assert page.evidence.endswith(".")
    assert read_in_child(web_page(PAGE)).state == "ok"


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "run out of memory"), (signal.SIGSEGV, "SIGSEGV"), (signal.SIGTERM, "SIGTERM")],
)
def test_a_child_that_dies_over_a_page_costs_that_page_only(no_children, number, said):
    assert read_in_child(web_page(PAGE)).state == "ok"
    (child,) = _IDLE["pages"]

    async def both():
        asked = PageReader()
        reading = asyncio.create_task(asked.read(web_page(BOMB)))
        while _IDLE["pages"]:
            await asyncio.sleep(0)
        os.kill(child._process.pid, number)
        return await reading, await asked.read(web_page(PAGE))

    hit, other = asyncio.run(both())
    assert hit.state == "unreadable"
    assert said in hit.evidence
    assert other.state == "ok"


def test_how_the_fetch_ended_comes_before_how_the_reading_ended():
    asked = PageReader(ReadingLimits(wall_seconds=0.01))
    page = asyncio.run(asked.read(web_page(BOMB, "http_error", "The server answered with status 500.")))
    assert (page.state, page.evidence) == ("http_error", "The server answered with status 500.")


def test_a_child_that_ended_because_nobody_asked_is_replaced_without_a_word(no_children):
    assert read_in_child(web_page(PAGE)).state == "ok"
    (child,) = _IDLE["pages"]
    child._socket.shutdown(1)  # what the child sees when its parent has gone: it ends, with code 0
    assert child._process.wait(20) == 0
    assert read_in_child(web_page(PAGE)).state == "ok"
    child._process.returncode = None  # as if it had ended between the look at it and the page
    _IDLE["pages"][:] = [child]
    assert read_in_child(web_page(PAGE)).state == "ok"


def test_ctrl_c_ends_the_reading_and_the_child(no_children):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests in the background ignores it
    main = threading.main_thread().ident
    assert read_in_child(web_page(PAGE)).state == "ok"
    (child,) = _IDLE["pages"]

    def press():
        while _IDLE["pages"]:
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(PageReader(ReadingLimits(memory=8_000_000_000)).read(web_page(BOMB)))
    pressing.join()
    assert child._process.returncode == -signal.SIGKILL
    assert read_in_child(web_page(PAGE)).state == "ok"


@pytest.mark.parametrize("executable", ["no/such/python", "/bin/false"])
def test_a_machine_where_no_process_can_be_started_is_told_in_one_sentence(no_children, monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(UserError, match="process that reads pages could not be started"):
        read_in_child(web_page(PAGE))


def test_a_child_that_is_killed_while_it_starts_is_replaced(no_children, monkeypatch, tmp_path):
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nmkdir "{tmp_path}/once" && kill -9 $$\nexec "{sys.executable}" "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    assert read_in_child(web_page(PAGE)) == read_page(web_page(PAGE))
    assert (tmp_path / "once").is_dir()


def test_a_program_that_python_was_loaded_into_reads_pages_too(no_children, monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    assert read_in_child(web_page(PAGE)) == read_page(web_page(PAGE))


def test_a_child_sees_no_keys_and_ends_with_the_parent(no_children, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    script = """
import sys, time
from tests.sources.children.test_reader import PAGE, web_page
from medreview.children import asking
from medreview.sources import page_reader
assert page_reader.read_in_child(web_page(PAGE)).state == "ok"
print(asking._IDLE["pages"][0]._process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        environment = Path(f"/proc/{child}/environ").read_bytes() if Path("/proc/self/environ").exists() else b""
        assert b"sk-very-secret" not in environment
        parent.kill()
        parent.wait()
    ends = time.monotonic() + 120
    while Path(f"/proc/{child}").exists() and state_of(child) != "Z":
        assert time.monotonic() < ends, "the child outlives its parent"
        time.sleep(0.01)


def state_of(process):
    """The letter of a process's state; ``Z`` for one that has ended and that nobody has asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


@pytest.mark.parametrize(
    "change",
    [
        {"state": "fine"}, {"text": None}, {"text": 5}, {"outline": [{"start": "0", "end": 1, "level": 1}]},
        {"page_starts": [1.5]}, {"page_starts": 3}, {"more": 1}, {"outline": [[1, 2, 3]]}, {"set_apart": [[1, 2, 3]]},
        {"set_apart": [[1, 2]]},
    ],
)  # fmt: skip
def test_an_answer_that_is_no_page_is_not_taken(change):
    whole = Page("t", "text", "full", "ok", "", "x 1", (0,), (Heading(0, 4, 1),), (SetApart(1, 2, "collapsed"),))
    page = answer(whole)
    assert page_of(message_in(framed(page)[8:])) == whole
    with pytest.raises(BadMessageError):
        page_of({"page": {**json.loads(json.dumps(page))["page"], **change}})


@pytest.mark.parametrize("data", [b"", b"[", b"[" * 100_000, b"5", b"\xff"])
def test_a_frame_that_is_no_message_is_not_taken(data):
    with pytest.raises(BadMessageError):
        message_in(data)
    with pytest.raises(BadMessageError):
        length_of(b"\xff" * 8, 64_000_000)


def test_a_run_goes_on_after_a_page_that_cannot_be_read(tmp_path, server, monkeypatch):
    monkeypatch.setattr(PageReader.__init__, "__defaults__", (ReadingLimits(memory=2_000_000_000, cpu_seconds=0),))
    pages = {"/slow": BOMB, "/a": PAGE, "/b": PAGE}
    server.routes.update({path: answer_with(body) for path, body in pages.items()})
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": path, "response": f"Take it. Source: {server.base}{path}"}) + "\n" for path in pages)
    )
    with Study.create(tmp_path / "a.medreview") as study:
        pipeline.bring_in(study, answers, {})
        provider = pipeline.PageProvider(network=Network(limits=Limits(host_delay=0.0), allow=server.allow))
        assert pipeline.fetch(study, provider).states == {"unreadable": 1, "ok": 2}
        assert pipeline.fetch(study, provider).states == {}
        states = study.reader.execute("SELECT page_state, state_evidence, raw_size FROM snapshot_current").fetchall()
    assert sorted(map(tuple, states))[-1] == (
        "unreadable", "Reading the page took more than 0 seconds of processor time.", len(BOMB)
    )  # fmt: skip


SECONDS, MEGABYTES = 5.0, 400.0
"""What a hostile body may cost: processor time with the start of the child, and memory of the whole child."""
DOSE = b"<p>Give amoxicillin 500 mg three times daily for five days, and stop it when a rash appears.</p>" * 10
_START = b"<html><body>"


def _filled(piece: bytes, size: int = 10_000_000) -> bytes:
    """A piece again and again, up to a size in bytes."""
    return piece * (size // len(piece))


def _page(piece: bytes, size: int = 10_000_000, before: bytes = b"", after: bytes = b"") -> Callable[[], bytes]:
    return lambda: _START + before + _filled(piece, size) + after


BODIES: dict[str, Callable[[], bytes]] = {
    "a table of cells that span all": _page(b"<tr><td rowspan=65534 colspan=999>x", before=b"<table>"),
    "tables by roles within one another": _page(b"<div role=table>" * 200 + b"x" + b"</div>" * 200),
    "line breaks, 12.5 MB": _page(b"a<br>", 12_500_000),
    "one script": _page(b"var a=1;", before=b"<script>", after=b"</script>" + DOSE),
    "5,000 divisions within one another": lambda: _START + DOSE + b"<div>" * 5_000 + DOSE,
    "5,000 tables within one another": lambda: _START + DOSE + b"<table><tr><td>" * 5_000 + DOSE,
    "200 fractions within one another": lambda: (
        _START + DOSE + b"<math>" + b"<mfrac><mn>1</mn>" * 200 + b"<mn>2</mn>" + b"</mfrac>" * 200 + b"</math>" + DOSE
    ),
    "900,000 attributes": lambda: b"<p " + b" ".join(b"a%d=1" % number for number in range(900_000)) + b">" + DOSE,
    "one attribute": lambda: _START + b"<p class='" + _filled(b"x ") + b"'>" + DOSE,
    "comments": _page(b"<!-- x -->", after=DOSE),
    "JATS: marks of references": lambda: (
        b"<article article-type='x'><body><p>" + _filled(b"a<xref ref-type='bibr'>1</xref>") + b"</p></body></article>"
    ),
}
WIDE = 3
"""How many times the bound on processor time a slow machine may take."""
CUT = (
    "line breaks, 12.5 MB", "a table of cells that span all", "tables by roles within one another",
    "JATS: marks of references",
)  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_time_and_memory_are_bounded_and_what_is_cut_is_said(name, forks):
    got = forks.read("", BODIES[name](), in_child=True)
    assert got["state"] == "ok"
    assert "Only the first " in got["evidence"]
    assert got["child_seconds"] < WIDE * SECONDS
    assert got["child_mb"] < MEGABYTES


@pytest.mark.parametrize(
    "name", ["200 fractions within one another", "one attribute", "comments", "one script", "900,000 attributes"]
)
def test_a_page_with_something_hostile_in_it_keeps_its_text(name):
    page = read_page(fetched(BODIES[name]()))
    assert page.state == "ok"
    assert page.full_text.count("amoxicillin 500 mg") >= DOSE.count(b"amoxicillin")


@pytest.mark.parametrize("name", ["5,000 divisions within one another", "5,000 tables within one another"])
def test_nesting_without_end_is_said(name):
    assert "nested too deeply" in read_page(fetched(BODIES[name]())).evidence


def test_a_guideline_of_two_megabytes_is_read_whole():
    section = "<h2>{0} Dose</h2><p>Adults take <b>{0} mg</b> twice daily<sup>1</sup>.</p><ul><li>check<li>stop</ul>"
    body = "".join(section.format(number) for number in range(20_000)).encode()
    assert len(body) > 1_900_000
    page = read_page(fetched(b"<html><body><main>" + body + b"</main></body></html>"))
    assert (page.state, page.evidence) == ("ok", "")
    assert "Adults take 19999 mg twice daily" in page.text
