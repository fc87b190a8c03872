"""Who may import whom: the contracts of ``[tool.importlinter]`` in pyproject.toml."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BREAKING = {
    "the order of the folders": ("medreview/study/ids.py", "medreview.evidence.quantities"),
    "the order of exchange": ("medreview/exchange/files/columns.py", "medreview.exchange.imports.file_rows"),
    "the order of sources": (
        "medreview/sources/fetching/fetch.py",
        "medreview.sources.reading.untrusted_markup",
    ),
    "no cycles within a folder": ("medreview/statements/sentences.py", "medreview.statements.split"),
    "commands do not need each other": ("medreview/cli/commands/study_file.py", "medreview.cli.commands.config"),
    "stages do not call each other": ("medreview/statements/stage.py", "medreview.citations.stage"),
    "only the pipeline calls the stages": ("medreview/cli/plain.py", "medreview.statements.stage"),
    "widgets know neither study nor session": ("screens/widgets/lines.py", "medreview.review.session"),
}
"""By contract: a file, and an import that it must not hold."""


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    wide = {**os.environ, "COLUMNS": "400"}
    return subprocess.run(command, cwd=folder, env=wide, capture_output=True, text=True)


def test_imports_go_one_way():
    done = checked(ROOT)

    assert done.returncode == 0, done.stdout
    assert f"{len(BREAKING)} kept, 0 broken" in done.stdout


def test_each_contract_is_broken_by_an_import_against_it(tmp_path):
    shutil.copytree(ROOT / "medreview", tmp_path / "medreview", symlinks=True)
    shutil.copytree(ROOT / "screens", tmp_path / "screens")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, imported in BREAKING.values():
        with (tmp_path / file).open("a") as end:
            end.write(f"\n\ndef planted() -> None:\n    import {imported}\n")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    done = checked(tmp_path)

    assert done.returncode == 1
    assert {contract["name"] for contract in contracts} == BREAKING.keys()
    for name, (file, imported) in BREAKING.items():
        module = file.removesuffix(".py").replace("/", ".").replace("screens.", "medreview.screens.")
        folder = module.rpartition(".")[0]
        told = f"cycles are allowed in {folder}." if "cycles" in name else f"{module} -> {imported}"
        assert f"{name} BROKEN" in done.stdout
        assert told in done.stdout
