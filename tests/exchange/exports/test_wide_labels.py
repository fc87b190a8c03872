"""labels_by_reviewer.csv: reviewers as columns of numbers, for programs for statistics; value_labels.csv beside it."""

import csv
import json
from pathlib import Path

import pytest

from medreview.exchange.exports.export import export
from medreview.exchange.exports.wide_labels import codes
from medreview.labels import AXES
from medreview.study import Study
from tests.exchange.example_study import ExampleStudy
from tests.stats.small_study import SmallStudy
from tests.support.edited_study import S1, S2, cut, material
from tests.support.study_builder import build
from tests.support.unit_study import LABELS, RESPONSE_ID, decide, decide_all, fill, units_of


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def wide(study: Study, folder: Path) -> dict[str, dict[str, str]]:
    export(study, folder)
    return {row["unit_id"]: row for row in rows(folder, "labels_by_reviewer.csv")}


def test_each_reviewer_has_a_column_of_numbers_for_each_axis(example: ExampleStudy, tmp_path: Path) -> None:
    example.decide("contradicted")
    example.decide("none", axis="hallucination")
    example.decide("cannot_judge", who="Dr. Bo (ward 3)")
    example.decide("supported", 1, who="Dr. Bo (ward 3)", seen="before", mode="open")
    found = wide(example.study, tmp_path / "out")
    assert list(found[example.units[0]].items())[3:] == [
        ("evidence_Dr_Bo_ward_3", "9"), ("evidence_Dr_Bo_ward_3_blind", "1"),
        ("evidence_ada", "4"), ("evidence_ada_blind", "1"),
        ("hallucination_ada", "0"), ("hallucination_ada_blind", "1"),
    ]  # fmt: skip
    second = found[example.units[1]]
    assert [second[f"evidence_{who}"] for who in ("Dr_Bo_ward_3", "ada")] == ["1", ""]
    assert [second[f"evidence_{who}_blind"] for who in ("Dr_Bo_ward_3", "ada")] == ["0", ""]
    assert set(found) == set(example.units[:2])


def test_value_labels_and_code_book_say_what_the_numbers_are(example: ExampleStudy, tmp_path: Path) -> None:
    example.decide("partial")
    wide(example.study, tmp_path / "out")
    values = rows(tmp_path / "out", "value_labels.csv")
    assert {row["column"] for row in values} == {"evidence_ada"}
    assert {row["level"]: row["code"] for row in values} == {
        "supported": "1", "partial": "2", "not_addressed": "3", "contradicted": "4", "cannot_judge": "9",
    }  # fmt: skip
    (told,) = [row for row in rows(tmp_path / "out", "codebook.csv") if row["column"] == "evidence_ada"]
    assert told["type"] == "integer"
    assert "of ada on the axis evidence: 1 = supported, 2 = partial, 3 = not_addressed" in told["meaning"]


def test_every_level_of_every_axis_has_a_number_of_its_own() -> None:
    for axis, levels in AXES.items():
        found = codes(axis, AXES[axis])
        assert set(found) == {level.level for level in levels}
        assert len(set(found.values())) == len(found)
        assert all(found[level] == int(level) for level in found if level.isdigit())


def test_a_blind_label_counts_as_it_was_given_and_a_stale_one_not_at_all(example: ExampleStudy, tmp_path: Path) -> None:
    example.decide("partial")
    example.do("reveal", payload={})
    example.decide("supported", seen="before", kind="revise", mode="open")
    assert wide(example.study, tmp_path / "out")[example.units[0]]["evidence_ada"] == "2"
    build(example.study, lambda made: example.page(made, "p2", "Another text altogether."))
    assert wide(example.study, tmp_path / "out") == {}


def test_passes_and_settled_conflicts_have_columns_of_their_own(example: ExampleStudy, tmp_path: Path) -> None:
    ours = example.decide("supported")
    theirs = example.decide("partial", who="bo")
    example.decide("partial", pass_no=2)
    settled = {"axis": "evidence", "label": "partial", "by": "third", "of": [ours.event_id, theirs.event_id]}
    example.do("adjudicate", 0, settled, who="cy", mode="open")
    row = wide(example.study, tmp_path / "out")[example.units[0]]
    assert {name: cell for name, cell in row.items() if name.startswith("evidence_") and "blind" not in name} == {
        "evidence_adjudicated": "2", "evidence_ada": "1", "evidence_ada_pass2": "2", "evidence_bo": "2",
    }  # fmt: skip


@pytest.mark.parametrize("names", [("Ann", "ann", "a-n-n"), ("Мария", "李"), ("x" * 60, "x" * 61), ("adjudicated",)])
def test_names_of_columns_fit_other_programs_and_are_never_the_same(
    example: ExampleStudy, tmp_path: Path, names: tuple[str, ...]
) -> None:
    for who in names:
        example.decide("supported", who=who)
    (row,) = wide(example.study, tmp_path / "out").values()
    columns = list(row)[3:]
    assert len({name.lower() for name in columns}) == 2 * len(names)
    assert all(name.isascii() and name.isidentifier() and len(name) <= 32 for name in columns)


def test_units_of_every_kind_are_in_it_but_for_orders(empty_study: Study, tmp_path: Path) -> None:
    fill(empty_study)
    decide_all(empty_study, "ada", 0)
    units = units_of(empty_study)
    decide(empty_study, "ada", units["ranking"], "quality/2", "bad")
    found = wide(empty_study, tmp_path / "out")
    for kind, unit in units.items():
        axis, label, _ = LABELS[kind]
        if kind != "ranking":
            assert found[unit][f"{axis}_ada"] == str(codes(axis, AXES[axis])[label])
    assert found[units["ranking"]]["quality_2_ada"] == "3"
    assert {found[units[kind]]["cluster_id"] for kind in ("statement", "pair", "answer")} == {RESPONSE_ID}
    assert "rank_ada" not in found[units["ranking"]]


def test_a_statement_that_was_edited_away_has_no_row_and_no_line(empty_study: Study, tmp_path: Path) -> None:
    build(empty_study, material)
    for unit in (S1, S2):
        decide(empty_study, "ada", unit, "evidence", "supported")
    cut(empty_study)
    assert set(wide(empty_study, tmp_path / "out")) == {S2}
    export(empty_study, tmp_path / "out", jsonl=True)
    (line,) = (tmp_path / "out" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["unit_id"] == S2


def test_what_to_resample_is_the_question_where_answers_share_one(study: Study, tmp_path: Path) -> None:
    small = SmallStudy(study)
    for name, question in (("r1", "One?"), ("r2", "one"), ("r3", "two")):
        small.response(name, 1, question=question)
        small.said("supported", f"{name}.1")
    found = wide(study, tmp_path / "out")

    expected = {"r1.1": "r1", "r2.1": "r1", "r3.1": "r3"}
    assert {unit: row["cluster_id"] for unit, row in found.items()} == expected
    assert {row["unit_id"]: row["cluster_id"] for row in rows(tmp_path / "out", "labels.csv")} == expected
    every = {row["unit_id"]: row["cluster_id"] for row in rows(tmp_path / "out", "unit_labels.csv")}
    assert every == expected
