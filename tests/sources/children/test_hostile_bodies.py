"""A hostile body costs a bounded amount of processor time and memory, and what was left out is said."""

import pytest

from medreview.sources.page import read_page
from tests.bench.hostile_bodies import BODIES, DOSE, MEGABYTES, SECONDS, fetched

WIDE = 3
"""How many times the bound on processor time a slow machine may take."""
CUT = (
    "line breaks, 12.5 MB", "a table of cells that span all", "tables by roles within one another",
    "JATS: marks of references",
)  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_time_and_memory_are_bounded_and_what_is_cut_is_said(name, forks):
    got = forks.read("", BODIES[name](), in_child=True)
    assert got["state"] == "ok"
    assert "Only the first " in got["evidence"]
    assert got["child_seconds"] < WIDE * SECONDS
    assert got["child_mb"] < MEGABYTES


@pytest.mark.parametrize(
    "name", ["200 fractions within one another", "one attribute", "comments", "one script", "900,000 attributes"]
)
def test_a_page_with_something_hostile_in_it_keeps_its_text(name):
    page = read_page(fetched(BODIES[name]()))
    assert page.state == "ok"
    assert page.full_text.count("amoxicillin 500 mg") >= DOSE.count(b"amoxicillin")


@pytest.mark.parametrize("name", ["5,000 divisions within one another", "5,000 tables within one another"])
def test_nesting_without_end_is_said(name):
    assert "nested too deeply" in read_page(fetched(BODIES[name]())).evidence


def test_a_guideline_of_two_megabytes_is_read_whole():
    section = "<h2>{0} Dose</h2><p>Adults take <b>{0} mg</b> twice daily<sup>1</sup>.</p><ul><li>check<li>stop</ul>"
    body = "".join(section.format(number) for number in range(20_000)).encode()
    assert len(body) > 1_900_000
    page = read_page(fetched(b"<html><body><main>" + body + b"</main></body></html>"))
    assert (page.state, page.evidence) == ("ok", "")
    assert "Adults take 19999 mg twice daily" in page.text
