"""A pipe, a socket, a device, a folder or a link to itself is refused as a study at once, by every command."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from medreview.cli.app import every_command
from tests.support.commands import Program

WITHOUT_STUDY = {
    "config explain", "config set", "config show", "config trust", "config unset", "docs", "evidence", "judges prompts",
    "papers reproduce",
}  # fmt: skip
"""Commands that are given none."""
GIVEN = {
    "import": ["STUDY", "answers.jsonl"],
    "run": ["STUDY", "answers.jsonl"],
    "sources diff": ["STUDY", "https://example.org/a"],
    "judges list": ["--study", "STUDY"],
    "demo": ["--study", "STUDY", "--no-open"],
    "team merge": ["STUDY", "other.medreview"],
    "papers replay": ["cds", "STUDY"],
}
KINDS = ("pipe", "socket", "device", "folder", "symbolic link to itself")


@pytest.fixture(autouse=True)
def _not_for_ever() -> Iterator[None]:
    """What waits for a pipe would wait for ever."""

    def hangs(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    places = {kind: tmp_path / kind for kind in KINDS}
    os.mkfifo(places["pipe"])
    places["folder"].mkdir()
    places["device"].symlink_to("/dev/zero")
    places["symbolic link to itself"].symlink_to("symbolic link to itself")
    before = Path.cwd()
    os.chdir(tmp_path)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    os.chdir(before)
    return places


def commands() -> list[str]:
    """Their words; of a group those of its commands."""
    every = every_command()
    return sorted(name for name, one in every.items() if name not in WITHOUT_STUDY and not hasattr(one, "commands"))


@pytest.mark.parametrize("command", commands())
def test_what_can_be_no_study_is_refused(command: str, medreview: Program, places: dict[str, Path]) -> None:
    for kind, place in places.items():
        if kind == "folder" and command in (
            "review",
            "citations",
            "references",
        ):  # of answers: there is no such file in it
            continue
        given = [str(place) if word == "STUDY" else word for word in GIVEN.get(command, ["STUDY"])]
        done = medreview(*command.split(), *given, check=2)

        assert done.stderr.startswith(f"medreview: {place} is a {kind}; "), done.stderr


def test_other_paths_of_studies_are_refused_too(medreview: Program, demo: Path, places: dict[str, Path]) -> None:
    for kind, place in places.items():
        assert f"{place} is a {kind}" in medreview("team", "merge", demo, place, check=2).stderr
        assert "exists already" in medreview("backup", demo, place, check=2).stderr
        if kind != "folder":
            assert f"{place} is a {kind}" in medreview("review", place, "--read-only", check=2).stderr
            assert f"{place} is a {kind}" in medreview("review", demo, place, check=2).stderr
