"""A database that cannot be written, or shall not be: what was there stays, and nothing half made is left."""

import subprocess
import sys
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from tests.exchange.example_study import ExampleStudy


class Interrupted:
    """A progress bar at which somebody presses Ctrl-C, once a stage of the work has begun."""

    def __init__(self, stage: str) -> None:
        self.stage, self.now = stage, ""

    def begin(self, title: str, total: int) -> None:
        self.now = title

    def step(self, count: int = 1) -> None:
        if self.now == self.stage:
            raise KeyboardInterrupt


@pytest.mark.parametrize("stage", ["export", "pages", "indexes"])
def test_an_interrupted_export_leaves_the_old_one(example: ExampleStudy, tmp_path: Path, stage: str) -> None:
    export(example.study, tmp_path / "out", database="labels.db")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    example.decide("supported")
    with pytest.raises(KeyboardInterrupt):
        export(example.study, tmp_path / "out", progress=Interrupted(stage), database="labels.db")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    assert not example.study.reader.in_transaction


def test_a_disk_that_takes_no_more_is_one_sentence(example: ExampleStudy, tmp_path: Path) -> None:
    example.study.close()
    code = f"""
import resource, sys
sys.dont_write_bytecode = True  # a module that is compiled within the limit would be kept half
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
sys.argv = ["medreview", "export", {str(example.study.path)!r}, {str(tmp_path / "out")!r}, "--sqlite", "labels.db"]
from medreview.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    look, told = done.stderr.splitlines()  # the study's own log is too large for this disk as well
    assert look.startswith("This look at the judges is not recorded in the study (the file cannot be written)")
    assert "The database labels.db could not be written" in told
    assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


@pytest.mark.parametrize(
    "name",
    ["labels.csv", "labels", "../labels.db", "a/b.db", ".db", "_internal.db", "a.b.db", "x\n.db", "é.db", "-.db"],
)
def test_a_name_that_is_no_plain_name_is_refused_before_anything_is_made(
    example: ExampleStudy, tmp_path: Path, name: str
) -> None:
    with pytest.raises(UserError, match="The database cannot be called"):
        export(example.study, tmp_path / "new" / "out", database=name)
    assert not (tmp_path / "new").exists()
