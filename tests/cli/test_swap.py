"""The command ``swap`` as a user gives it."""

import json
from pathlib import Path

from medreview.study import Study
from tests.stats.reports.test_pipeline_swap import FIRST, SECOND
from tests.support.commands import Program
from tests.support.swapped_studies import parsed


def test_two_studies_are_compared_in_tables_and_as_json_and_the_look_is_recorded(
    medreview: Program, tmp_path: Path
) -> None:
    a, b = tmp_path / "a.medreview", tmp_path / "b.medreview"
    for path, parser, said in ((a, "split 9", FIRST), (b, "claude p/1 run", SECOND)):
        parsed(path, parser, said).close()
    told = " ".join(medreview("judges", "swap", a, b, "--replicates", "99").stdout.split())
    for words in ("Support under each combination", "split, g", "claude, c", "Another parser", "Another verifier",
                  "split - claude (g)", "On the statements that both have"):  # fmt: skip
        assert words in told, words
    found = json.loads(medreview("judges", "swap", a, b, "--replicates", "99", "--json").stdout)
    assert {one["pipeline"]["study"] for one in found["support"]} == {"a", "b"}
    assert len(found["swaps"]) == 4
    for path in (a, b):
        with Study.open(path, read_only=True) as study:
            (look,) = study.reader.execute("SELECT json_extract(payload, '$.shown') FROM event WHERE kind = 'look'")
            assert look[0] == "totals"


def test_what_cannot_be_compared_is_said(medreview: Program, tmp_path: Path) -> None:
    a = tmp_path / "a.medreview"
    parsed(a, "split 9", {"r1": {"One.": "g+"}}).close()
    assert "named twice" in medreview("judges", "swap", a, a, check=2).stderr
    assert "nothing was swapped" in medreview("judges", "swap", a).stdout
