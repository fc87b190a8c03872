"""A site whose page changes, and short ways to ask for it again and to look at the study."""

import csv
import json

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.review.overview import overview
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.stats.reports.reviewer_labels import reviewer_labels

PAGE = """<!doctype html><html><head><title>Metformin</title></head><body><main><h1>Metformin</h1>
<h2>Dose</h2><p>Adults start with {dose} mg of metformin twice daily, taken together with a meal.</p>
<p>The dose may be raised slowly over several weeks, so that the stomach can get used to it.</p>
<h2>Kidneys</h2><p>Kidney function is measured before treatment and at least once a year after that.</p>
{more}</main><footer>{footer}</footer></body></html>"""
URL = "https://kidney.example/metformin"
ANSWER = f"Adults start with 500 mg of metformin twice daily. Kidney function is measured before treatment. {URL}"
ERROR = "<html><head><title>Page not found</title></head><body><h1>Page not found</h1></body></html>"


def again(study, pages):
    """Ask for every page anew and judge what is new."""
    done = pipeline.fetch(study, pages, scope="all")
    pipeline.judge(study)
    return done


def reviewed(study, name="responses"):
    return ReviewSession(study, "kb", open_queue(study, name, "kb"))


def rows(study, query):
    return [tuple(row) for row in study.reader.execute(query)]


def put_body(tmp_path, body, status=200):
    """A site whose page is just this."""
    folder = tmp_path / "pages"
    (folder / "page.html").write_text(body)
    (folder / "manifest.jsonl").write_text(json.dumps({"url": URL, "file": "page.html", "status": status}))
    return pipeline.PageProvider(folder)


def stale(study, tmp_path, reviewer="kb"):
    """Whether the label of a reviewer is stale, as every place has it that says so."""
    export(study, tmp_path / "out")
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        told = {row["stale"] for row in csv.DictReader(file) if row["reviewer_id"] == reviewer}
    line = next(line for line in overview(study, reviewer).queues if line.kind.name == "stale")
    session = ReviewSession(study, reviewer, open_queue(study, "responses", reviewer))
    session.go(0)
    of_figures = {label.stale for label in reviewer_labels(study.reader, reviewer).values()}
    said = {told == {"1"}, line.size > 0, session.own.stale, of_figures == {True}}
    assert len(said) == 1, (told, line, session.own.stale, of_figures)
    return said.pop()
