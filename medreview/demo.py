"""The sample study: sixteen answers with saved pages, recorded judgements and a library, made without a network."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from medreview import pipeline
from medreview.progress import SILENT, Progress
from medreview.study import Study

TITLE = "sample study"
SEED: Final = "sample study 5"
"""Of its audit and of every random order in it: everybody meets the same statements in the same order."""


def make_demo(path: Path, progress: Progress = SILENT) -> Study:
    """Make the sample study (``sample_data/README.md`` says what was planted in it) and open it for writing.

    It gets its name when it is whole: one that was broken off is never taken for the sample. Raises
    :class:`~medreview.errors.UserError` when something is there already or the place cannot be written.
    """

    def fill(study: Study) -> None:
        with as_file(files("medreview.sample_data")) as folder:
            inputs = [folder / "responses.jsonl", folder / "judgements.jsonl"]
            pages = pipeline.PageProvider(folder / "pages", recorded=folder / "scans.json")
            library = pipeline.library_of([folder / "library.json"])
            against = pipeline.Authorities(pages.services, pages.network, library)
            pipeline.run(study, inputs, {}, pages, progress, references=against)

    return Study.create(path, TITLE, fill, seed=SEED)
