"""Runs docs/reference/notebook.ipynb and keeps what it prints: ``python -m tests.tools.run_notebook``."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FILE = Path(__file__).parents[2] / "docs" / "reference" / "notebook.ipynb"
_OWN = ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "XDG_CONFIG_HOME")
"""Folders of the person's own: a kernel would read settings there and leave files."""


def executed(file: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook as it is after every cell was run in a folder, by a kernel of this Python."""
    notebook = nbformat.read(file, as_version=4)
    with _own_folders(folder):
        NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run
    return notebook


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """What each cell of code shows as plain text."""
    return [
        "".join(output.text if "text" in output else output.data["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@contextmanager
def _own_folders(folder: Path) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _OWN}
    for name in _OWN:
        own = folder / ".jupyter" / name.lower()
        own.mkdir(parents=True)
        os.environ[name] = str(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        nbformat.write(executed(FILE, Path(empty)), FILE)
    sys.stdout.write("\n".join(printed(nbformat.read(FILE, as_version=4))))
