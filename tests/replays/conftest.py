"""The program in an empty folder."""

from pathlib import Path

import pytest

from tests.support.commands import Program


@pytest.fixture
def medreview(tmp_path: Path) -> Program:
    """Called, it runs in this process."""
    return Program(tmp_path)
