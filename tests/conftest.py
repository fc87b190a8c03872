"""What holds for every test, and the sample study."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if sys.dont_write_bytecode:
    # Where Python shall leave nothing beside the modules, each process of the tests would compile all of them anew,
    # which is most of what its start costs. They are kept with what pytest keeps; it comes before what is loaded here.
    sys.pycache_prefix = os.environ.setdefault(
        "PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "compiled")
    )
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest
from hypothesis import settings

from medreview import redaction

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from medreview.study import Study

pytest.register_assert_rewrite("tests.support")

# A gate judges each change by the same examples; `--hypothesis-profile=thorough` looks for new ones, and for many.
# No example has a time limit: on a machine with something else to do any of them may take long.
settings.register_profile("gate", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("gate")

MEMORY = Path("/dev/shm")
"""Files in memory, where the system has such a folder."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ROOM = 8 << 30
"""Bytes that are to be free in it: a run takes less than a quarter of them."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep the folders of the tests in memory where there is room, if nobody has said where they shall be.

    Studies wait for the disk at each commit, and the tests make thousands of studies. What is asked of the disk is the
    same; the files are gone when the machine is switched off.
    """
    if config.option.basetemp is None and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    gc.disable()  # until the tests are collected: nothing that is made by then is garbage


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each worker begin with other test files: what one has compiled, the others find when they come to it.

    On a clean clone each of them would compile all (30 s of processor time more, of three workers). What is wrong in a
    file is reported when it is collected.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers < 2 or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    begin = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")) * len(files) // workers
    for file in (*files[begin:], *files[:begin]):
        with suppress(Exception):
            import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Take modules and tests for what stays: else each search for garbage goes through these thousands again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # of 700 new ones each, screens spend a tenth of their time looking
    gc.enable()


@pytest.fixture(autouse=True)
def no_keys_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is known for as long as a process lives; what one test names as a key is a word in the next."""
    monkeypatch.setattr(redaction, "_known", set())


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the program keeps its log, and matplotlib its list of fonts: not in the home of who runs the tests."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.setenv("MPLCONFIGDIR", str(folder / "matplotlib"))  # else in the folder of the test that draws first
        yield folder


@pytest.fixture(scope="session", autouse=True)
def screens_are_waited_for() -> Iterator[None]:
    """``Pilot.pause`` waits until the screen is drawn, also where the machine gives this process no time."""
    from textual.pilot import Pilot

    from tests.support.settled import pause

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pilot, "pause", pause)
        yield


@pytest.fixture
def empty_study(tmp_path: Path) -> Iterator["Study"]:
    """A study with nothing in it."""
    from medreview.study import Study  # here: a run of a few tests without a study does not load it

    with Study.create(tmp_path / "study.medreview") as opened:
        yield opened


@pytest.fixture
def study(empty_study: "Study") -> "Study":
    """The same, for a fixture of this name in a module or folder to fill."""
    return empty_study


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: many tests wait for a program, a server or the disk."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample study as it is made, made once."""
    from medreview.demo import make_demo
    from tests.support.shared import made_once

    made = made_once(tmp_path_factory, "sample", lambda folder: make_demo(folder / "demo.medreview").close())
    return made / "demo.medreview"


@pytest.fixture(scope="session")
def two_reviewers_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study that two reviewers left (:mod:`tests.support.two_reviewers_study`), to be copied."""
    from tests.support.shared import made_once
    from tests.support.two_reviewers_study import two_reviewers

    return made_once(tmp_path_factory, "two-reviewers", two_reviewers) / "two.medreview"


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    """The sample study. Its audit takes nothing that is flagged, and nothing of the first two responses."""
    from tests.support.settled_audit import settle_audit  # here, so that its asserts are rewritten
    from tests.support.shared import made_once

    def make(folder: Path) -> None:
        settle_audit(Path(shutil.copy(sample_file, folder)), "v.priority > 0 OR r.ordinal <= 2")

    return made_once(tmp_path_factory, "demo", make) / "demo.medreview"


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One Chromium of the system for all tests of a file."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)} is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()
