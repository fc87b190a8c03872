"""What is installed is what is in the tree."""

import tomllib
from pathlib import Path

import medreview

ROOT = Path(__file__).parents[1]
MAPPED = {
    "medreview": "medreview",
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


def test_the_version_is_the_same_wherever_it_stands():
    written = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert written == medreview.__version__
    assert f"\n## {written}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_the_link_for_type_checkers_points_to_the_screens():
    assert (ROOT / "medreview" / "screens").readlink() == Path("../screens")


def test_data_files_are_packaged():
    from importlib.resources import files

    assert files("medreview.sample_data").joinpath("responses.jsonl").is_file()
    assert files("medreview.study.migrations").joinpath("0001_study.sql").is_file()
