"""What holds for every test, and the sample study."""

from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.support")


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample study, made once."""
    from tests.support.commands import in_process  # here, so that its asserts are rewritten
    from tests.support.shared import made_once

    def make(folder: Path) -> None:
        in_process(["demo", "--no-open", "--study", str(folder / "demo.medreview")], folder, {})

    return made_once(tmp_path_factory, "demo", make) / "demo.medreview"
