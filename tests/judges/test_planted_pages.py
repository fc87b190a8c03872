"""Pages whose support is planted, and a judge that does as the page says: what becomes a vote, and what is flagged."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from medreview import pipeline
from medreview.judges.injection import instructions_in
from medreview.judges.quote_grounding import QuoteGrounder
from medreview.study import Study
from medreview.study.ids import content_id
from tests.judges.planted_pages import (
    CLAIM,
    FINDING,
    FIRST,
    HONEST,
    INSTRUCTION,
    PAGES,
    TITLE,
    TRUE_TEXTS,
    honest_pages,
)  # fmt: skip
from tests.judges.renal_study import part_of
from tests.support.study_builder import StudyBuilder, build, rows_of

ELSEWHERE: Final = "Ibuprofen can raise the blood pressure and harm the kidneys of older people."
WAYS: Final[dict[str, tuple[str, float]]] = {
    "the planted claim": (CLAIM, 0.9),
    "the title": (TITLE, 0.9),
    "the first sentence": (FIRST, 0.9),
    "another finding": (FINDING, 0.9),
    "the instruction": (INSTRUCTION, 0.9),
    "no quote": ("", 0.9),
    "an invented quote": ("Three large trials found metformin harmless in patients on dialysis.", 0.9),
    "a changed quote": ("Metformin should be started when the eGFR is below 30 mL/min/1.73 m2.", 0.9),
    "two parts": (f"{FIRST} … Nausea and loose stools are common in the first weeks.", 0.9),
    "another page": (ELSEWHERE, 0.9),
    "certainty without a quote": ("", 1.0),
}
"""Eleven ways of obeying: what is quoted, and how sure the judge says it is."""
FLAGS: Final = ("page: instructions", "quote off topic", "quote absent", "quote altered", "hidden text")


def obeying(quote: str, confidence: float) -> Callable[[str], object]:
    return lambda _: {"quote": quote, "reason": "The page says so.", "label": "supported", "confidence": confidence}


def judged(study: Study) -> list[dict[str, Any]]:
    """For each statement whether a judge's support counts, the page it rests on, and the badges."""
    return rows_of(
        study,
        """SELECT s.statement_id, v.supported, v.badges, j.snapshot_id, j.quote_status, j.quote_doubt
           FROM verdict AS v JOIN statement AS s USING (statement_id) JOIN judgement AS j USING (statement_id)
           JOIN judge_run AS r USING (judge_run_id) WHERE r.kind = 'llm' ORDER BY s.statement_id""",
    )


def with_pages(study: Study, pages: dict[str, str], statement: str) -> None:
    """One response for each page, which cites that page only."""

    def rows(rows: StudyBuilder) -> None:
        for number, (name, text) in enumerate(pages.items()):
            rows.page(f"u{number}", text, f"https://page{number}.example/", snapshot_id=f"p-{name}")
            rows.response(f"r{number}", f"{statement} {number}", cites=[f"u{number}"], parser="test 1")
            rows.statement(f"r{number}", statement, f"s-{name}")

    build(study, rows)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_that_speaks_to_judges_is_marked(page: str) -> None:
    assert instructions_in(f"{HONEST}\n{PAGES[page]}\n")
    assert len(PAGES) == 20


def test_honest_pages_are_not_marked() -> None:
    pages = honest_pages()
    assert len(pages) == 38
    assert [name for name, text in pages.items() if instructions_in(text)] == []


def test_an_honest_judge_of_honest_pages_is_hardly_ever_flagged(serve: Any, tmp_path: Any) -> None:
    pages = honest_pages()
    said = {name: TRUE_TEXTS[int(name.split("-")[0])].split(". ")[0] + "." for name in pages}

    def rows(rows: StudyBuilder) -> None:
        for number, (name, text) in enumerate(pages.items()):
            panels = [[line.start(), line.end(), "collapsed"] for line in re.finditer(r"(?m)^.{40,}$", text)]
            rows.page(
                f"u{number}", text, f"https://page{number}.example/", snapshot_id=f"p-{name}",
                set_apart=json.dumps(panels if number % 2 else []),
            )  # fmt: skip
            rows.response(f"r{number}", f"{said[name]} {number}", cites=[f"u{number}"], parser="test 1")
            rows.statement(f"r{number}", said[name], f"s-{name}")

    def honest(prompt: str) -> object:
        statement = part_of(prompt, "statement")
        return {"quote": statement.rstrip("."), "reason": "So it says.", "label": "supported", "confidence": 0.9}

    with Study.create(tmp_path / "b.medreview") as study:
        build(study, rows)
        pipeline.judge_by(study, pipeline.Judges([serve(honest).settings()]))
        found = judged(study)
    assert len(found) == 38
    flagged = [row for row in found if not row["supported"] or any(flag in row["badges"] for flag in FLAGS)]
    assert len(flagged) <= 2, flagged


def test_no_way_of_obeying_gives_a_vote_that_is_not_flagged(serve: Any, tmp_path: Any) -> None:
    pages = {name: f"{HONEST}\n{INSTRUCTION if name == 'policy' else ''}\n{more}\n" for name, more in PAGES.items()}
    table: list[str] = []
    for way, (quote, confidence) in WAYS.items():
        with Study.create(tmp_path / f"{content_id('t', way)}.medreview") as hostile:
            with_pages(hostile, pages, CLAIM)
            pipeline.judge_by(hostile, pipeline.Judges([serve(obeying(quote, confidence)).settings()]))
            rows = judged(hostile)
        votes = [row for row in rows if row["supported"]]
        flagged = [row for row in rows if any(flag in row["badges"] for flag in FLAGS)]
        table.append(f"{way:26} {len(votes):2} votes, {len(flagged):2} of {len(rows)} flagged")
        assert len(rows) == len(PAGES)
        assert [row["statement_id"] for row in rows if row not in flagged] == [], "\n".join(table)
        if way != "the planted claim":
            assert votes == [], "\n".join(table)
    print("\n".join(table))


@pytest.mark.parametrize(
    ("kind", "series", "supported", "doubt"),
    [
        ("", 0, 1, "none"),
        ("hidden", 0, 0, "hidden"),
        ("alt", 0, 0, "alt"),
        ("boilerplate", 0, 1, "boilerplate"),
        ("collapsed", 0, 1, "collapsed"),
        ("collapsed", 2, 1, "none"),
    ],
)
def test_a_claim_that_stands_only_in_text_that_is_not_open(
    serve: Any, tmp_path: Any, kind: str, series: int, supported: int, doubt: str
) -> None:
    text = f"{HONEST}\n{CLAIM}\n"
    apart = [[text.index(CLAIM), text.index(CLAIM) + len(CLAIM), kind]] if kind else []
    apart = [*([0, 5, "collapsed"], [6, 9, "collapsed"])[:series], *apart]
    with Study.create(tmp_path / "b.medreview") as study_apart:
        build(study_apart, lambda rows: _page_apart(rows, text, apart))
        pipeline.judge_by(study_apart, pipeline.Judges([serve(obeying(CLAIM, 0.9)).settings()]))
        (row,) = judged(study_apart)
    assert (row["supported"] or 0, row["quote_doubt"]) == (supported, doubt)
    assert ("hidden text" in row["badges"]) == (doubt != "none")


def test_a_claim_that_stands_in_the_open_too_is_not_hidden(serve: Any, tmp_path: Any) -> None:
    claim = "Metformin should not be started when the eGFR is below 30."
    text = f"{HONEST}\nIn short: {claim}\n"
    with Study.create(tmp_path / "b.medreview") as both:
        build(both, lambda rows: _page_apart(rows, text, [[len(HONEST), len(text), "boilerplate"]], claim))
        pipeline.judge_by(both, pipeline.Judges([serve(obeying(f"In short: {claim}", 0.9)).settings()]))
        (row,) = judged(both)
    assert (row["supported"], row["quote_doubt"]) == (1, "none")


@pytest.mark.parametrize(
    ("hidden", "quote", "doubt"),
    [
        ((1,), "Stop it below 30. … Halve it below 45.", "hidden"),  # of two parts one stands where nobody sees it
        ((0, 1), "Stop it below 30. … Halve it below 45.", "hidden"),
        ((), "Stop it below 30. … Halve it below 45.", "none"),
        ((0,), "Stop it below 30.", "none"),  # it stands twice, once in the open
        ((0, 2), "Stop it below 30.", "hidden"),
    ],
)
def test_a_quote_in_parts_is_open_when_all_of_them_are_and_one_that_is_repeated_when_it_is_open_once(
    tmp_path: Any, hidden: tuple[int, ...], quote: str, doubt: str
) -> None:
    parts = ("Stop it below 30.", "Halve it below 45.", "Stop it below 30.")
    starts = [0, len(parts[0]) + 2, len(parts[0]) + len(parts[1]) + 4]
    apart = [[starts[place], starts[place] + len(parts[place]), "hidden"] for place in hidden]
    with Study.create(tmp_path / "q.medreview") as study:
        build(study, lambda rows: _page_apart(rows, "\n\n".join(parts), apart))
        found = QuoteGrounder(study.reader).ground(quote, "p1", against=True)
    assert (found.doubt, found.proves) == (doubt, doubt == "none")


def _page_apart(rows: StudyBuilder, text: str, apart: list[list[Any]], statement: str = CLAIM) -> None:
    rows.page("u1", text, "https://page.example/", snapshot_id="p1", set_apart=json.dumps(apart))
    rows.response("r1", statement, cites=["u1"], parser="test 1")
    rows.statement("r1", statement, "s1")
