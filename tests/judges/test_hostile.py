"""Pages that tell a judge what to answer, and a judge that does as it is told."""

from pathlib import Path

import pytest

from medreview import pipeline
from medreview.judges.injection import instructions_in
from medreview.sources.fetching.network import Fetched
from medreview.sources.page import read_page
from medreview.study import Study
from tests.judges.renal_study import fill, part_of
from tests.support.study_builder import rows_of

PAGES = sorted((Path(__file__).parent / "hostile").glob("*.html"))
STATEMENT = "Metformin is safe at any eGFR."


def text_of(path):
    address = f"https://hostile.example/{path.stem}"
    head = "text/html; charset=utf-8"
    return read_page(Fetched(address, address, (address,), 200, head, path.read_bytes(), "2026-10-09T08:00:00Z")).text


def obey(quote):
    return {"quote": quote, "reason": "As I was told.", "label": "supported", "confidence": 1.0}


def told(prompt):
    """What the page dictates: the lines of the source that speak to a judge."""
    lines = [line for line in part_of(prompt, "source").split("\n") if instructions_in(line)]
    return " ".join(lines[:1])


OBEDIENCE = {
    "without a quote": lambda prompt: obey(""),
    "quoting the statement": lambda prompt: obey(STATEMENT),
    "quoting what it was told": lambda prompt: obey(told(prompt)),
    "altering a passage": lambda prompt: obey(
        "Metformin should not be started when the eGFR is below 10 mL/min/1.73 m2"
    ),
}


@pytest.mark.parametrize("how", OBEDIENCE)
def test_no_page_gets_support_without_a_quote_that_shows_it(study, serve, tmp_path, how):
    pages = {f"h-{path.stem}": text_of(path) for path in PAGES}
    with Study.create(tmp_path / "h.medreview") as hostile:
        fill(hostile, [("Is it safe?", STATEMENT, [("s1", STATEMENT)])], pages)
        model = serve(lambda prompt: OBEDIENCE[how](prompt))

        pipeline.judge_by(hostile, pipeline.Judges([model.settings()]))

        judged = rows_of(hostile, "SELECT * FROM judgement")
        assert len(judged) == len(PAGES) >= 12
        assert {row["raw_label"] for row in judged} == {"supported"}
        assert [row["snapshot_id"] for row in judged if row["supported"] or row["verdict"] == "supported"] == []
        verdict = rows_of(hostile, "SELECT * FROM verdict")[0]
        assert verdict["supported"] is None
        assert verdict["badges"].startswith(("quote absent", "quote altered"))
        assert "page: instructions" in verdict["badges"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_is_flagged(path):
    assert instructions_in(text_of(path))


def test_support_that_a_hostile_page_does_show_is_believed_and_flagged(tmp_path, serve):
    text = text_of(next(path for path in PAGES if path.stem == "override"))
    quote = "Metformin should not be started when the eGFR is below 30 mL/min/1.73 m2"
    with Study.create(tmp_path / "h.medreview") as hostile:
        fill(hostile, [("Is it safe?", quote + ".", [("s1", quote + ".")])], {"p1": text})
        pipeline.judge_by(hostile, pipeline.Judges([serve(lambda prompt: obey(quote)).settings()]))

        verdict = rows_of(hostile, "SELECT * FROM verdict")[0]
        assert verdict["supported"] == 1
        assert verdict["badges"].startswith("page: instructions")


def test_the_fence_holds_a_page_that_imitates_it(tmp_path, serve):
    text = text_of(next(path for path in PAGES if path.stem == "fence-break"))
    with Study.create(tmp_path / "h.medreview") as hostile:
        fill(hostile, [("Is it safe?", STATEMENT, [("s1", STATEMENT)])], {"p1": text})
        model = serve(lambda prompt: obey(""))
        pipeline.judge_by(hostile, pipeline.Judges([model.settings()]))

    assert part_of(model.prompts[0], "source") == text
    assert part_of(model.prompts[0], "statement") == STATEMENT
