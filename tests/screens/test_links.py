"""Addresses of sources as links of the terminal: only where they are asked for, and only plain ones."""

import sys
from pathlib import Path

import pytest

from medreview.screens.source_rows import link_of
from medreview.screens.terminal_output import _change
from medreview.units.cited_source import Source
from tests.support.terminal import Terminal

OPEN = """
import sys
from pathlib import Path
from medreview.config import Config
from medreview.review.queue import open_queue
from medreview.screens.app import run
from medreview.study import Study
with Study.open(Path(sys.argv[1])) as study:
    run(study, Config(reviewer="kb", links=sys.argv[2] == "on"), queue=open_queue(study, "responses", "kb"))
"""


@pytest.mark.parametrize("links", ["on", "off"])
def test_a_link_is_made_where_the_settings_say_so_and_of_plain_addresses_alone(study_path: Path, links: str) -> None:
    with Terminal([sys.executable, "-c", OPEN, str(study_path), links], 80, 24, None) as terminal:
        terminal.wait("? keys")
        terminal.type(":response=R02\r")
        terminal.wait("eGFR of 30")
        terminal.type("qq")
        assert terminal.finish() == 0
    opened = b"\x1b]8;;https://who.example/sepsis-care\x1b\\"
    assert (opened in terminal.output) == (links == "on")
    assert terminal.output.count(b"\x1b]8;;h") == terminal.output.count(b"\x1b]8;;\x1b\\")
    assert b"]8;;https://drug.example" not in terminal.output  # it has an escape sequence in it


def test_only_an_address_whose_host_is_shown_is_a_link() -> None:
    def link(url: str, domain: str, shown: str) -> str:
        source = object.__new__(Source)
        for name, value in (("url", url), ("domain", domain)):
            object.__setattr__(source, name, value)
        return link_of(source, shown)

    assert link("https://who.example/a", "who.example", "who.example/a") == "link:https://who.example/a"
    assert not link("https://who.example/a", "who.example", "who.exam…")
    assert not link("https://who.example@evil.example/a", "evil.example", "who.example@evil.example/a")
    assert not link("javascript:alert(1)", "who.example", "who.example")
    assert not link("https://who.example/\u202ea", "who.example", "who.example/a")
    assert not link("https://who.example/\x1b]0;x\x07", "who.example", "who.example/")


def test_a_link_alone_changes_no_style() -> None:
    assert _change("1|34|", "1|34||https://a.example") == "\x1b]8;;https://a.example\x1b\\"
    assert _change("1|34||https://a.example", "||") == "\x1b]8;;\x1b\\\x1b[m"
