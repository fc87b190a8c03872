"""A study of one answer that cites one page, and that page."""

import json

import pytest

from medreview import pipeline
from medreview.study import Study
from medreview.study.check import check
from tests.changed_pages.changing_site import ANSWER, ERROR, PAGE, URL


@pytest.fixture
def pages(tmp_path):
    """Writes what the site has from now on, and says where it is."""

    def put(dose="500", more="", footer="", status=200):
        folder = tmp_path / "pages"
        folder.mkdir(exist_ok=True)
        body = PAGE.format(dose=dose, more=more, footer=footer) if status == 200 else ERROR
        (folder / "page.html").write_text(body)
        line = {"url": URL, "file": "page.html", "status": status}
        (folder / "manifest.jsonl").write_text(json.dumps(line))
        return pipeline.PageProvider(folder)

    return put


@pytest.fixture
def study(tmp_path, pages):
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": ANSWER, "model": "own"}))
    with Study.create(tmp_path / "a.medreview") as opened:
        pipeline.run(opened, [tmp_path / "a.jsonl"], {}, pages())
        yield opened
        assert check(opened.reader) == []


@pytest.fixture
def bare(tmp_path):
    """The answer, split, before any page was asked for."""
    (tmp_path / "a.jsonl").write_text(json.dumps({"response": ANSWER, "model": "own"}))
    with Study.create(tmp_path / "bare.medreview") as opened:
        pipeline.bring_in(opened, tmp_path / "a.jsonl", {})
        pipeline.parse(opened)
        yield opened
        assert check(opened.reader) == []
