"""What the documents show is what happens, and what they list is what there is."""

import shutil
from pathlib import Path

import nbformat
import pytest

import medreview
from tests.support.examples import blocks, failures
from tests.tools import api_reference, run_notebook

ROOT = Path(__file__).parents[2]
WITH_EXAMPLES = [
    file
    for file in sorted((ROOT / "docs").rglob("*.md"))
    # tests/docs runs the programs of these
    if file.name not in ("ray-programs.md", "figures-again.md", "check-a-figure.md")
    and any(block.language == "python" for block in blocks(file.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=lambda file: file.name)
def test_examples_do_what_they_say(file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    if told := "\n".join(failures(file)):
        pytest.fail(told, pytrace=False)


def test_an_example_that_prints_something_else_is_reported(tmp_path):
    file = tmp_path / "wrong.md"
    file.write_text(
        "```python\n>>> x = 1\n>>> x + 1\n3\n```\n\nas text:\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n"
        "```python\nprint(x)\n```\n```text\n2\n```\n"
    )

    first, second = failures(file)

    assert "wrong.md" in first
    assert "line 3" in first
    assert "line 17" in second


def test_the_reference_is_what_the_code_says():
    text = api_reference.FILE.read_text(encoding="utf-8")

    held = text.partition(api_reference.BEGIN)[2].partition(api_reference.END)[0].strip()

    assert held == api_reference.reference(), "write it anew: python -m tests.tools.api_reference"


def test_the_reference_has_every_public_name_once_with_what_it_means():
    listed = [name for names in api_reference.GROUPS.values() for name in names.split()]

    assert sorted(listed) == sorted(medreview.__all__)
    for name in listed:
        value = getattr(medreview, name)
        assert value.__doc__, name
        for part in value.__mro__ if isinstance(value, type) else ():
            assert all(held.__doc__ for _, held in api_reference.members(part)), name


def test_the_notebook_shows_what_its_cells_give(demo_file, tmp_path):
    shutil.copy(demo_file, tmp_path)

    done = run_notebook.executed(run_notebook.FILE, tmp_path)

    kept = run_notebook.printed(nbformat.read(run_notebook.FILE, as_version=4))
    assert run_notebook.printed(done) == kept, "keep what it shows now: python -m tests.tools.run_notebook"
