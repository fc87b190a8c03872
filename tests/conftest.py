"""What holds for every test, and the sample study."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.support")

from tests.support.commands import in_process  # noqa: E402
from tests.support.shared import made_once  # noqa: E402


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample study, made once."""

    def make(folder: Path) -> None:
        in_process(["demo", "--no-open", "--study", str(folder / "demo.medreview")], folder, {})

    return made_once(tmp_path_factory, "demo", make) / "demo.medreview"
