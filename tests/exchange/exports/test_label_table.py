"""The table of ``export --table``: a row for each unit and reviewer with a label."""

import csv
import io
from pathlib import Path

from medreview.exchange.exports.label_table import COLUMNS, table_lines, write_table
from medreview.study import Study
from tests.exchange.example_study import ExampleStudy
from tests.support.unit_study import LABELS, decide, decide_all, fill, units_of


def rows(study: Study, *who: str, **how: str) -> list[dict[str, str]]:
    """The rows, or those of some reviewers."""
    every = csv.DictReader(io.StringIO("".join(table_lines(study, shown=False, **how))), strict=True)
    return [row for row in every if row["reviewer"] in who or not who]


def test_a_row_has_both_labels_of_a_statement_and_all_that_is_read_beside_them(example: ExampleStudy) -> None:
    given = example.decide("partial")
    example.decide("fact", axis="hallucination")
    example.do("reason", payload={"decision": given.event_id, "code": "number"})
    example.do("note", payload={"text": "30, not 45"})
    example.decide("none", 1, axis="hallucination", who="bo", seen="before", mode="open")
    first, second = rows(example.study)
    assert {name: cell for name, cell in first.items() if name != "decided_at"} == {
        "id": "q1", "unit": "statement", "question": "Question 1?", "model": "ember",
        "text": "Stop metformin when the eGFR falls below 30", "source": "https://a.example/one",
        "machine_verdict": "", "reviewer": "ada", "mode": "blind", "label": "partial", "hallucination": "fact",
        "reason": "number", "note": "30, not 45",
    }  # fmt: skip
    assert first["decided_at"].startswith("20")
    assert (second["reviewer"], second["mode"], second["label"], second["hallucination"]) == (
        "bo", "assisted", "", "none",
    )  # fmt: skip


def test_units_of_every_kind_are_in_it_in_the_first_pass(empty_study: Study) -> None:
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    units = units_of(empty_study)
    decide(empty_study, "ada", units["qa"], "relevance", "1", pass_no=2)
    decide(empty_study, "bo", units["ranking"], "quality/1", "good")
    found = rows(empty_study, "ada", "bo")
    assert len(found) == len(units)
    assert {row["unit"]: row["label"] for row in found} == {kind: LABELS[kind][1] for kind in units}
    (qa,) = [row for row in found if row["unit"] == "qa"]
    assert qa["machine_verdict"] == "5"


def test_a_table_for_who_labels_blind_says_nothing_of_what_is_not_decided(empty_study: Study) -> None:
    fill(empty_study)
    decide(empty_study, "bo", units_of(empty_study)["qa"], "relevance", "4")
    assert [row["machine_verdict"] for row in rows(empty_study, "bo")] == ["5"]
    assert [row["machine_verdict"] for row in rows(empty_study, "bo", blind_for="ada")] == [""]


def test_what_is_printed_steers_no_terminal_and_a_file_has_it_as_it_is(example: ExampleStudy, tmp_path: Path) -> None:
    example.decide("partial")
    example.do("note", payload={"text": "\x1b[31mred\nand more"})
    shown = "".join(table_lines(example.study, shown=True))
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 2
    assert write_table(example.study, tmp_path / "labels.csv") == 1
    assert rows(example.study)[0]["note"] == "\x1b[31mred\nand more"
    assert (tmp_path / "labels.csv").read_text(encoding="utf-8") == "".join(table_lines(example.study, shown=False))
    with (tmp_path / "labels.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == [column.name for column in COLUMNS]
