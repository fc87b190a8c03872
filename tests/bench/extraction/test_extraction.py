"""The extraction benchmark runs, its side files are true, and medreview is not behind the plain libraries."""

import io
import json
from contextlib import redirect_stdout
from typing import Any

import pytest

from tests.bench.extraction.cases import holds, holds_row
from tests.bench.extraction.run import main


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, Any]]:
    """What ``run.py --json`` gives, by kind and extractor."""
    with redirect_stdout(io.StringIO()) as told:
        main(["--json"])
    found = json.loads(told.getvalue())
    return {kind: {one["extractor"]: one for one in found[kind]} for kind in ("html", "pdf")} | {"of": found["of"]}


def test_there_is_enough_to_measure(results):
    assert results["of"]["html"]["cases"] >= 25
    assert results["of"]["pdf"]["cases"] >= 10
    for what, least in (("facts", 150), ("rows", 40), ("boilerplate", 100)):
        assert results["of"]["html"][what] >= least


def test_medreview_keeps_as_much_as_plain_trafilatura(results):
    ours, plain = results["html"]["medreview, text as judged"], results["html"]["trafilatura, default"]
    assert ours["facts"] >= plain["facts"]
    assert ours["rows"] >= plain["rows"]


def test_medreview_lets_in_less_than_get_text(results):
    ours, theirs = results["html"]["medreview, text as judged"], results["html"]["BeautifulSoup get_text"]
    assert ours["boilerplate"] < theirs["boilerplate"]
    assert ours["rows"] > theirs["rows"]


def test_the_full_text_holds_what_the_main_text_holds(results):
    full, main = results["html"]["medreview, full text"], results["html"]["medreview, text as judged"]
    assert full["facts"] >= main["facts"]


def test_pdfs_are_read_as_well_as_by_the_plain_library(results):
    ours, plain = results["pdf"]["medreview"], results["pdf"]["pypdfium2, plain"]
    for what in ("facts", "rows", "pages"):
        assert ours[what] >= plain[what]
    assert results["pdf"]["BeautifulSoup on the bytes"]["facts"] == 0


HARD = {
    "4.0–11.0×10⁹/L",
    "below 0.5 × 10⁹/L on two counts",
    "The first bag holds 150 mg/kg[2] in 200 mL of glucose 5%",
    "A second dose of vitamin K is given after 12 to 24 hours if the INR is still above 5.0.",
}
"""A formula, raised figures of PDFs, and a sentence over the end of a page: known to be lost by every plain way."""


def test_every_other_fact_is_kept_by_some_extractor(results):
    """A string that no extractor finds is most likely a slip in a side file."""
    lost: set[str] = set()
    for kind in ("html", "pdf"):
        of_each = [one["misses"] for one in results[kind].values()]
        for case in set.intersection(*map(set, of_each)):
            lost |= set.intersection(*(set(misses[case].get("facts", ())) for misses in of_each))
    assert lost <= HARD


def test_the_marks_can_fail():
    assert holds("a dose of 5 mg twice daily", "5 mg twice daily")
    assert not holds("a dose of 15 mg twice daily", "5 mg twice daily")
    assert not holds("up to 5 mg", "p to 5 mgs")
    assert holds_row(["| 30–44 | 1000 mg |"], ("30–44", "1000 mg"))
    assert holds_row(["Death[a] | 19 (3.0)"], ("Death", "19 (3.0)"))
    assert not holds_row(["30–441000 mg"], ("30–44", "1000 mg"))
    assert not holds_row(["30–44", "1000 mg"], ("30–44", "1000 mg"))
    assert not holds_row(["| 30–44 | 1000 mgb |"], ("30–44", "1000 mg"))
    assert not holds_row(["| 130–44 | 1000 mg |"], ("30–44", "1000 mg"))
