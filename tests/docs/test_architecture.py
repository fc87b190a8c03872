"""What the pages for developers name is there: functions, tables, views and triggers."""

import ast
import re
import sqlite3
from functools import cache
from pathlib import Path

import pytest

from medreview.study.migrations import migrate
from tests.docs.test_pages import PAGES, ROOT, page

PLACES = sorted(
    {
        (path.name, *found)
        for path in (ROOT / "docs").rglob("*.md")
        for found in re.findall(r"`([\w/]+\.py):([\w.]+)`", path.read_text(encoding="utf-8"))
    }
)
OBJECTS = sorted(
    {
        (kind, name)
        for kinds, names in re.findall(
            r"\b(tables?|views?|triggers?) (`\w+`(?:(?:, | and )`\w+`)*)", page("architecture.md")
        )
        for kind in [kinds.rstrip("s")]
        for name in re.findall(r"\w+", names.replace(" and ", " "))
    }
)


@cache
def names_in(path: str) -> frozenset[str]:
    """What a module defines: ``function``, ``Class``, ``Class.method``, ``NAME``."""
    found = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            inside = {it.name for it in node.body if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)}
            found |= {node.name, *(f"{node.name}.{name}" for name in inside)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


@pytest.mark.parametrize(("page", "path", "name"), PLACES, ids=[f"{path}:{name}" for _, path, name in PLACES])
def test_a_function_that_is_named_exists(page: str, path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    assert name in names_in(path)


def test_the_tables_views_and_triggers_that_are_named_exist(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "empty.medreview", isolation_level=None)
    migrate(connection)
    there = {tuple(row) for row in connection.execute("SELECT type, name FROM sqlite_master")}
    connection.close()

    assert len(OBJECTS) > 15
    assert set(OBJECTS) <= there


def test_files_and_folders_that_are_named_exist() -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:medreview|screens|prompts|tests|docs)/[\w./]*)`", text):
            to_be_named = re.search(r"00NN|TASK", name)
            assert to_be_named or (ROOT / name).exists(), f"{path.name} names {name}"


def test_scripts_that_are_called_exist() -> None:
    for path in PAGES:
        for script in re.findall(r"python (tests/[\w/]+\.py)", path.read_text(encoding="utf-8")):
            assert (ROOT / script).is_file(), f"{path.name} calls {script}"
        for module in re.findall(r"python -m (tests(?:\.[a-z_]+)+)", path.read_text(encoding="utf-8")):
            place = ROOT / module.replace(".", "/")
            files = (place.with_suffix(".py"), place / "__main__.py")
            assert any(file.is_file() for file in files), f"{path.name} calls {module}"
