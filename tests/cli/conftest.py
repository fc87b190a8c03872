import os
import subprocess
import sys

import pytest


@pytest.fixture
def medreview(tmp_path):
    """Run the program as a user does, in an empty folder; returns the finished process."""

    def run(*arguments, check=0, **options):
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config"), "COLUMNS": "100"}
        done = subprocess.run(
            [sys.executable, "-m", "medreview", *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )
        assert done.returncode == check, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory):
    """The sample study, made once."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "medreview", "demo", "--no-open", "--study", str(folder / "demo.medreview")]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return folder / "demo.medreview"


@pytest.fixture
def demo(demo_file, tmp_path):
    """A copy of the sample study that a test may write to."""
    import shutil

    return shutil.copy(demo_file, tmp_path / "demo.medreview")
