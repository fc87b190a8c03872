"""What is installed is what is in the tree."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import medreview

ROOT = Path(__file__).parents[1]
MAPPED = {
    "medreview": "medreview",
    "medreview.documentation": "docs",
    "medreview.prompts": "prompts",
    "medreview.sample_data": "sample_data",
    "medreview.screens": "screens",
}


def packages_in(name: str, folder: Path) -> set[str]:
    found = set()
    for init in folder.rglob("__init__.py"):
        if not any(part.is_symlink() for part in [init, *init.parents] if part.is_relative_to(folder)):
            found.add(".".join([name, *init.parent.relative_to(folder).parts]))
    return found


def test_every_package_in_the_tree_is_listed():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])

    in_tree = set().union(*(packages_in(name, ROOT / folder) for name, folder in MAPPED.items()))

    assert {name for name in in_tree if not name.startswith("medreview.screens.screens")} == listed


def test_what_a_release_says_of_its_version_is_the_version():
    assert f"\n## {medreview.__version__}\n" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {medreview.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_every_dependency_is_pinned_within_its_bounds_by_hash_and_no_host_is_named():
    pins = (ROOT / "constraints.txt").read_text()
    found = re.findall(r"^(\S+)==([^\s;]+)[^\n]*((?:\\\n +--hash=sha256:[0-9a-f]{64} ?)+)$", pins, re.MULTILINE)
    assert len(found) == len(re.findall(r"^\S+==", pins, re.MULTILINE))
    assert "://" not in pins
    versions = {}
    for name, version, _ in found:
        versions.setdefault(canonicalize_name(name), []).append(version)
    wanted = map(Requirement, tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])
    assert [
        str(one) for one in wanted if not all(map(one.specifier.contains, versions[canonicalize_name(one.name)]))
    ] == []


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a source archive holds no links")
def test_the_link_for_type_checkers_points_to_the_screens():
    assert (ROOT / "medreview" / "screens").readlink() == Path("../screens")


def test_data_files_are_packaged():
    from importlib.resources import files

    assert files("medreview.sample_data").joinpath("responses.jsonl").is_file()
    assert files("medreview.study.migrations").joinpath("0001_study.sql").is_file()
