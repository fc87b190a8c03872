"""Units of every kind go into an export and come back, with everybody's labels and all that belongs to them."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.files.export_folder import digest
from medreview.exchange.imports.import_export import import_export
from medreview.references.exported import add_exported_references
from medreview.study import Study
from medreview.study.check import check
from medreview.study.connection import copy_of
from medreview.study.merge import merge
from tests.support.generated_rows import add_passages
from tests.support.unit_study import ANSWER, LABELS, decide, decide_all, do, fill, units_of

OF_UNITS = (
    "units.csv", "unit_values.csv", "passages.csv", "passage_runs.csv",
    "passage_features.csv", "cases.csv", "case_notes.csv", "reference_answers.csv", "gold.csv",
    "gold_spans.csv", "opinions.csv", "unit_labels.csv", "events.csv", "event_values.csv",
)  # fmt: skip


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count(study: Study, table: str) -> int:
    return int(study.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def study(empty_study):
    fill(empty_study)
    empty_study.write(add_passages)
    return empty_study


def test_an_export_brings_units_of_every_kind_with_their_labels_into_a_new_study_and_out_again_the_same(
    study, tmp_path
):
    units, before = units_of(study), count(study, "event")
    decide_all(study, "ada", 0)
    decide_all(study, "bo", 1)
    span = {"target": "response", "axis": "hallucination", "label": "fact", "start": 9, "end": 28}
    do(study, "ada", "span_add", units["answer"], span | {"exact": ANSWER[9:28], "reason": "It does."})
    do(study, "ada", "note", units["qa"], {"text": "=1+1, “as it says”"})
    export(study, tmp_path / "one")
    with Study.create(tmp_path / "fresh.medreview") as fresh:
        brought = import_export(fresh, tmp_path / "one", also=add_exported_references)
        assert (brought.added, brought.foreign) == (before + 2 * len(units) + 2, 0)
        assert check(fresh.sealed()) == []
        export(fresh, tmp_path / "two")
        assert import_export(fresh, tmp_path / "one").added == 0
    for name in OF_UNITS:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    assert "{" not in (tmp_path / "one" / "units.csv").read_text()
    told = [row for row in rows(tmp_path / "one", "unit_labels.csv") if row["reviewer_id"] in ("ada", "bo")]
    labels = {(row["kind"], row["reviewer_id"]): row for row in told}
    assert {key: (row["axis"], row["label_final"], row["mode"]) for key, row in labels.items()} == {
        (kind, who): (axis, label, "blind")
        for kind, (axis, *both) in LABELS.items()
        if kind in units
        for who, label in zip(("ada", "bo"), both, strict=True)
    }
    assert (labels["qa", "ada"]["note"], labels["answer", "ada"]["n_spans"]) == ("=1+1, “as it says”", "1")
    assert {row["target_id"] for row in rows(tmp_path / "one", "spans.csv")} == {units["answer"].partition(":")[2]}


def test_decisions_on_units_of_every_kind_come_in_from_a_colleagues_copy(study, tmp_path):
    units = units_of(study)
    study.close()
    ours, theirs = tmp_path / "study.medreview", tmp_path / "theirs.medreview"
    shutil.copy(ours, theirs)
    with Study.open(theirs) as copy:
        decide_all(copy, "bo", 1)
        decide(copy, "bo", "pair:nobody:w1", "evidence", "partial")
    with Study.open(ours) as here:
        decide_all(here, "ada", 0)
        summary = merge(here, theirs)
        assert (summary.added, summary.foreign) == (len(units), 1)
        assert check(here.reader) == []


def test_what_was_changed_in_a_unit_its_gold_or_its_passage_is_found(study):
    def broken(statement: str) -> list[str]:
        made = copy_of(study.reader)
        made.execute(statement)
        found = check(made)
        made.close()
        return found

    units = units_of(study)
    assert check(study.reader) == []
    unit = units["qa"]
    assert any(f"The unit {unit} was changed" in one for one in broken("UPDATE unit SET content = '{}'"))
    assert any("outside its text" in one for one in broken("UPDATE gold SET spans = replace(spans, '28', '99')"))
    assert any("not a label of the axis" in one for one in broken("UPDATE gold SET label = 'best'"))
    assert any("The text of passage" in one for one in broken("UPDATE passage SET text = 'other'"))
    assert any("not in this study" in one for one in broken("UPDATE opinion SET unit = 'qa:x'"))


def test_an_export_with_a_changed_unit_is_refused(study, tmp_path):
    export(study, tmp_path / "out")
    file = tmp_path / "out" / "unit_values.csv"
    file.write_text(file.read_text().replace("INR", "aPTT"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["files"]["unit_values.csv"]["sha256"] = digest(file)
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    with Study.create(tmp_path / "new.medreview") as new, pytest.raises(UserError, match="has another hash"):
        import_export(new, tmp_path / "out")


def test_a_blind_export_has_nothing_of_what_machines_say_of_units_that_are_not_decided(study, tmp_path):
    units = units_of(study)
    decide(study, "ada", units["answer"], "hallucination", "fact")
    export(study, tmp_path / "block", blind_for="ada")
    assert rows(tmp_path / "block", "gold.csv") == []  # what is right is told when the block is done
    do(study, "ada", "reveal", units["answer"], {})
    export(study, tmp_path / "blind", blind_for="ada")
    export(study, tmp_path / "open")
    assert [row["unit_id"] for row in rows(tmp_path / "blind", "gold.csv")] == [units["answer"]]
    assert rows(tmp_path / "blind", "opinions.csv") == []
    assert len(rows(tmp_path / "open", "opinions.csv")) == count(study, "opinion") > 2
    assert {row["model"] for row in rows(tmp_path / "blind", "units.csv")} == {""}
    assert {row["value"] for row in rows(tmp_path / "blind", "unit_values.csv") if row["name"].endswith("model")} == {
        ""
    }
    assert {row["part"] for row in rows(tmp_path / "blind", "unit_values.csv")} == {"content"}
    with Study.create(tmp_path / "new.medreview") as new:
        assert import_export(new, tmp_path / "blind").foreign == 0
        assert count(new, "unit") == count(study, "unit") > 3
        assert check(new.reader) == []
