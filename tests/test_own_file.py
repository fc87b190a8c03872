"""A new user's own file: twenty answers, their pages on a web server, nothing of the sample study."""

import json

import pytest

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.sources.fetching.network import Limits, Network
from medreview.study.check import check
from tests.support.http_server import LocalServer

DRUGS = ["ramipril", "bisoprolol", "amlodipine", "furosemide", "warfarin"]
PAGE = """<!doctype html><html><head><title>{drug}</title></head><body><nav><a href="/">Home</a></nav><main>
<h1>{drug}</h1><p>The usual starting dose of {drug} in adults is 5 mg once daily, taken in the morning with water.</p>
<p>{drug} should not be stopped suddenly without talking to a doctor, because symptoms may come back.</p>
<p>Blood tests for kidney function are done before treatment with {drug} and again after two weeks of treatment.</p>
</main></body></html>"""


def page(exchange):
    drug = exchange.path.strip("/")
    if drug in DRUGS:
        exchange.answer(PAGE.format(drug=drug).encode(), headers={"Content-Type": "text/html; charset=utf-8"})
    else:
        exchange.answer(b"nothing here", 404)


@pytest.fixture
def site():
    with LocalServer(page) as server:
        yield server


def answers(site):
    for number in range(20):
        drug = DRUGS[number % len(DRUGS)]
        dose = 5 if number < 10 else 50
        yield {
            "id": f"q{number}",
            "question": f"How is {drug} started?",
            "response": f"The usual starting dose of {drug} in adults is {dose} mg once daily. "
            f"It should not be stopped suddenly.\n\nSource: {site.base}/{drug if number else 'gone'}",
            "model": "own",
        }


def test_from_the_file_to_labels(tmp_path, study, site):
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(answer) + "\n" for answer in answers(site)))
    pages = pipeline.PageProvider(network=Network(limits=Limits(host_delay=0), allow=site.allow))
    done = pipeline.run(study, [file], {}, pages)

    assert done.imported[0].added == 20
    assert done.parsed.statements == 40
    assert done.fetched.states == {"ok": 5, "http_error": 1}
    session = ReviewSession(study, "kb", open_queue(study, "flagged", "kb"))
    assert "numbers differ" in session.item.verdict.badges
    assert "50 mg" in session.item.text
    session.decide("contradicted")
    summary = export(study, tmp_path / "labels")
    assert summary.files["labels.csv"] == 1
    assert check(study.reader) == []


def test_without_leave_nothing_on_this_machine_is_fetched(tmp_path, study, site):
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(answer) + "\n" for answer in answers(site)))
    done = pipeline.run(study, [file], {}, pipeline.PageProvider(network=Network(limits=Limits(host_delay=0))))

    assert done.fetched.states == {"blocked": 6}
