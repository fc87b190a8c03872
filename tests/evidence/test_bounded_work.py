"""What a statement, a quote and a page cost together: bounded, said where it is cut, and never the square of a size."""

from collections.abc import Callable

import pytest

from medreview.evidence.assess import assess
from medreview.evidence.grounding import LONGEST_QUOTE, QuoteIndex, ground
from medreview.evidence.passage_ranking import SourceIndex
from medreview.evidence.sentence_analysis import LONGEST_COMPARED
from medreview.evidence.source_highlights import matches
from medreview.judges.offline_stage import judge
from medreview.text import Span
from tests.support.cost import LINEAR, growth

LONG = "Lithium is measured after 5 days, and its level is kept below 1.0 mmol/L. "
SHAPES: dict[str, str] = {
    "sentences": "Metformin is taken with a meal, and lithium is measured after 5 days. ",
    "numbers": "1 ",
    "amounts": "5 mg ",
    "negations": "not a ",
    "list": "- take 5 mg [1]\n",
    "markers": "[1]",
    "ellipses": "a ... ",
}


def _pair(text: str) -> None:
    """What is done with a statement and a page, both the same hostile text but for a word."""
    index = SourceIndex(f"Beginning. {text}")
    found = assess(text, index)
    judge(text, index, found)
    for hit in found.spans:
        matches(text, index.text, Span(hit.start, hit.end), index.words)


def _quotation(text: str) -> None:
    """What is done with a quote of half the page: nearly the same, so that the quick ways do not find it."""
    ground(f"{text[: len(text) // 2]} ending", QuoteIndex(f"Beginning. {text}"))


def _short_quotation(text: str) -> None:
    """The same with a quote that is short enough to be aligned."""
    ground(f"{text[:15_000]} ending", QuoteIndex(f"Beginning. {text}"))


STEPS: dict[str, tuple[Callable[[str], None], list[str]]] = {
    "pair": (_pair, ["amounts", "numbers", "list", "sentences"]),
    "quote": (_quotation, ["sentences", "negations", "ellipses", "markers"]),
    "short": (_short_quotation, ["sentences", "negations", "list"]),
}


@pytest.mark.parametrize(("step", "shape"), [(step, shape) for step, (_, shapes) in STEPS.items() for shape in shapes])
def test_four_times_the_text_is_four_times_the_work_at_most(step: str, shape: str) -> None:
    work, piece = STEPS[step][0], SHAPES[shape]

    assert growth(lambda size: work((piece * size)[:size]), 25_000) <= LINEAR


def test_a_statement_that_is_too_long_is_compared_by_its_beginning_and_that_is_said() -> None:
    index = SourceIndex("Lithium is measured after 5 days.")
    said = f"too long to compare: first {LONGEST_COMPARED:,} characters of {len(LONG) * 500:,}"

    found = assess(LONG * 500, index)
    assert found.reasons[-1] == said
    assert judge(LONG * 500, index, found).reason.endswith(f"({said})")
    assert assess("unrelated " * 5_000, index).reasons[-1].startswith("too long to compare")
    assert not any("too long" in reason for reason in assess(LONG, index).reasons)


def test_a_quote_of_any_length_is_found_as_it_stands_and_a_long_one_is_not_looked_for_otherwise() -> None:
    source = QuoteIndex(LONG * 1_000)
    long = LONG * (LONGEST_QUOTE // len(LONG) + 1)

    assert ground(long, source).status == "exact"
    assert ground(long.replace("below 1.0", "below  1.0"), source).status == "normalised"
    assert ground(long.replace("below 1.0", "below 2.0", 1), source).status == "absent"
    assert ground((LONG * 3).replace("below 1.0", "below 2.0", 1), source).status == "altered"


def test_a_quote_joined_of_very_many_parts_is_none() -> None:
    source = QuoteIndex(LONG * 100)

    assert ground(" ... ".join(["Lithium is measured after 5 days"] * 60), source).status == "absent"
