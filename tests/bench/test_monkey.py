"""A short part of the bench in every run of the tests: some keys of each kind, some sizes, one seed."""

import shutil
from pathlib import Path

from tests.bench.monkey import monkey


def test_random_keys_bytes_and_sizes_end_nothing_and_lose_nothing(demo_file: Path, tmp_path: Path) -> None:
    study = Path(shutil.copy(demo_file, tmp_path / "monkey.medreview"))
    found = monkey(study, tmp_path, keys=300, seed=13)
    assert found.faults == []
    assert found.keys == 300
    assert found.receipts
