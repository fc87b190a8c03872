"""Printed figures are what our formulas give on the printed counts, or the reason why not stands beside them."""

import csv
import json
from pathlib import Path

import pytest

from medreview.replays.reproduced import Printed, Reproduced, read_votes, reproduced
from medreview.stats.formulas.estimate import Estimate
from tests.support.commands import Program

CONSENSUS = [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0]
JUDGES = {
    "one": [1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1],
    "two": [1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0],
    "three": [1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0],
    "\x1b[31mfour": [1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1],
}


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """Kappa of the first judge is 1 - (1/12) / (8 x 3 + 4 x 9) x 144 = 0.8."""
    path = tmp_path / "votes.json"
    printed = {"one": 0.8, "two": 0.9, "Single Physician": 0.7}
    path.write_text(
        json.dumps({"consensus": CONSENSUS, "judges": JUDGES, "printed_kappa": printed, "printed_ci": {"one": [0, 1]}})
    )
    return path


def by_name(found: list[Reproduced]) -> dict[tuple[str, str], Reproduced]:
    return {(one.paper, one.what): one for one in found}


def test_what_the_papers_print_of_counts_is_what_the_formulas_give() -> None:
    found = by_name(list(reproduced()))
    outcomes = {name: one.outcome for name, one in found.items()}

    assert outcomes["ClinIQLink", "hallucination rate, Wilson"] == "equal"
    assert outcomes["ClinIQLink", "plausibility"] == "equal"
    assert outcomes["SourceCheckup", "whole responses supported, by an expert, Wald"] == "equal"
    assert outcomes["SourceCheckup", "whole responses supported, by an expert, Wilson"] == "value equal"
    assert outcomes["SourceCheckup", "SourceCleanup: removed"] == "equal"
    assert {outcomes["CDS notebook", what] for what in ("responses with a citation", "citations per response",
            "allowed, mean of responses", "allowed URLs, mean of responses")} == {"equal"}  # fmt: skip
    pooled = found["CDS notebook", "allowed, pooled"]
    assert (pooled.ours.value if pooled.ours else None, pooled.outcome) == (0.75, "not printed")
    confirmed = found["SourceCheckup", "found unsupported, confirmed by doctors"]
    assert (confirmed.outcome, confirmed.why[:25]) == ("differs", "105 of 110 are 95.5%: the")
    assert {one.outcome for one in found.values() if one.paper == "MedFactEval"} == {"missing"}
    assert all("--votes FILE" in one.why for one in found.values() if one.outcome == "missing")


def test_votes_give_kappas_of_judges_and_of_the_jury_under_each_tie_rule(votes: Path) -> None:
    found = {one.what: one for one in reproduced(read_votes(votes)) if one.paper == "MedFactEval"}

    assert found["kappa of one"].ours is not None
    assert found["kappa of one"].ours.value == pytest.approx(0.8)
    assert (found["kappa of one"].outcome, found["kappa of two"].outcome) == ("value equal", "differs")
    assert found["kappa of three"].outcome == "not printed"
    jury = {what: one.ours for what, one in found.items() if what.startswith("kappa of the jury of 4")}
    present, cases, left_out, absent = jury.values()
    assert present is not None
    assert left_out is not None
    assert cases is not None
    # Even: facts 5 (1001), 8 (0011) and 12 (1001).
    assert (left_out.n, left_out.dropped, present.n) == (9, 3, 12)
    assert (cases.value, cases.clusters, cases.method) == (present.value, 4, "jackknife over cases")
    apart = found["kappa of the jury, minus that of one physician"].ours
    assert apart is not None
    assert absent is not None
    assert present.value is not None
    assert apart.value == pytest.approx(present.value - 0.7)
    assert apart.low is None


@pytest.mark.parametrize(
    ("printed", "equal"),
    [
        (Printed("50.0"), True),
        (Printed("50"), True),
        (Printed("50.1"), False),
        (Printed("50.0", "40.5", "60.0"), True),
        (Printed("50.0", "40.4", "60.0"), False),
        (Printed("0.50", share=False), True),
    ],
)
def test_equal_is_the_same_digits_rounded_half_up(printed: Printed, equal: bool) -> None:
    assert printed.equals(Estimate("share", 0.5, 0.4045, 0.6, "Wilson", 9, scale="share")) is equal


def test_the_command_prints_and_writes_them(medreview: Program, votes: Path) -> None:
    shown = medreview("reproduce", "--votes", votes, "--csv", "out.csv").stdout
    assert "printed; ours" in shown.splitlines()[1]
    given = json.loads(medreview("reproduce", "--votes", votes, "--json").stdout)["figures"]
    with (medreview.folder / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))

    assert "105 of 110 are 95.5%" in " ".join(shown.split())
    assert "\x1b" not in shown
    assert [row["what"] for row in rows] == [one["what"] for one in given]
    assert {"paper", "printed", "outcome", "value", "low", "high", "method", "n", "why"} <= given[0].keys()
    assert float(rows[0]["value"]) == pytest.approx(1090 / 5543)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("[", "cannot be read"),
        ("[]", "is no file of votes"),
        ('{"consensus": [1, 2], "judges": {"a": [1, 0]}}', "is no file of votes"),
        ('{"consensus": [1, 0], "judges": {"a": [true, 0]}}', "is no file of votes"),
        ('{"consensus": [1, 0], "judges": {"a": [1]}}', "not as many votes"),
    ],
)
def test_a_file_that_holds_no_votes_is_refused_in_a_sentence(medreview: Program, body: str, said: str) -> None:
    (medreview.folder / "bad.json").write_text(body)

    assert said in medreview("reproduce", "--votes", "bad.json", check=2).stderr
