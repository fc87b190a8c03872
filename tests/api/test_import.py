"""The names that ``import medreview`` offers, and what looking at them costs."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import medreview

ROOT = Path(__file__).parents[2]
HEAVY = {"numpy", "pandas", "httpx", "lxml", "textual", "openai", "trafilatura", "scipy", "rich"}


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names = set(done.stdout.split())
    return names | {name.partition(".")[0] for name in names}


def test_the_import_alone_loads_nothing_of_it():
    loaded = loaded_after("import medreview; dir(medreview); medreview.__all__")

    assert {name for name in loaded if name.startswith("medreview")} == {"medreview"}
    assert not HEAVY & loaded
    assert "sqlite3" not in loaded


def test_reading_a_study_loads_nothing_heavy(demo_file, tmp_path):
    code = f"""
import medreview
with medreview.open_study({str(shutil.copy(demo_file, tmp_path))!r}, read_only=True) as study:
    next(study.statements()), next(study.responses()), study.pairs(), study.labels(), study.judgements()
medreview.ground_quote("50 mg twice daily", "Take 50 mg twice daily.")
"""
    assert not HEAVY & loaded_after(code)


def test_the_three_lists_of_names_are_one():
    tree = ast.parse((ROOT / "medreview" / "__init__.py").read_text(encoding="utf-8"))
    for_checkers = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert for_checkers == {(module, name) for module, names in medreview._HOMES.items() for name in names}
    assert sorted(name for _, name in for_checkers) == sorted(medreview.__all__)


def test_every_name_is_found_and_is_that_of_its_home():
    for module, names in medreview._HOMES.items():
        for name in names:
            value = getattr(medreview, name)
            assert (value.__module__, value.__name__) == (module, name)
    assert set(medreview.__all__) <= set(dir(medreview))


def test_what_is_not_there_is_an_attribute_error_and_packages_stay_reachable():
    with pytest.raises(AttributeError, match="module 'medreview' has no attribute 'open_studdy'"):
        getattr(medreview, "open_studdy")  # noqa: B009
    from medreview import pipeline

    assert pipeline.__name__ == "medreview.pipeline"
