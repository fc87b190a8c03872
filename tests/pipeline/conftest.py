"""A server that takes batches, and a study to judge by them."""

import json
import shutil
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.study import Study
from tests.pipeline.batch_runs import judges_at
from tests.support.batch_endpoint import BatchEndpoint


@pytest.fixture
def server():
    with BatchEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
def judges(server):
    return judges_at(server)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A study of sixteen statements, each with one page."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "pages").mkdir()
    url = "https://page.example/dose"
    (folder / "pages" / "a.html").write_text(f"<p>{'Adults take 500 mg of it twice daily with food. ' * 40}</p>")
    (folder / "pages" / "manifest.jsonl").write_text(json.dumps({"url": url, "file": "a.html"}))
    text = " ".join(f"On day {day} adults take {day} mg of it twice." for day in range(2, 18))
    (folder / "a.jsonl").write_text(json.dumps({"question": "How much?", "response": f"{text} {url}"}))
    with Study.create(folder / "s.medreview") as study:
        pipeline.run(study, [folder / "a.jsonl"], {}, pipeline.PageProvider(folder / "pages"), processes=0)
        assert study.reader.execute("SELECT count(*) FROM statement").fetchone()[0] == 16
    return folder / "s.medreview"


@pytest.fixture
def demo(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(small, tmp_path / "s.medreview"))
