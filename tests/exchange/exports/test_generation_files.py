"""What models were asked to generate goes into an export and comes back; who must not know it does not get it."""

import csv
import json
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.exports.package import package
from medreview.exchange.files.export_folder import digest
from medreview.exchange.imports.import_export import import_export
from medreview.study import Study
from medreview.study.check import check
from tests.support.generated_rows import add_generation
from tests.support.study_builder import rows_of

FILES = ("generation_runs", "generation", "generation_values", "generation_attempts", "generation_products",
         "generation_dropped")  # fmt: skip
TABLES = ("generation_run", "generation", "generation_attempt", "generation_product", "generation_dropped")


@pytest.fixture
def study(empty_study: Study):
    empty_study.write(add_generation)
    return empty_study


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_attempts_and_outcomes_are_rows_with_what_they_cost_and_why_they_came_to_nothing(study, tmp_path):
    export(study, tmp_path / "out", database="labels.db")
    first, second = table(tmp_path / "out", "generation")
    assert (first["name"], first["code"], first["attempts"], first["invalid"]) == ("P3", "", "2", "1")
    assert (first["products"], first["dropped"]) == ("1", "1")
    assert (second["name"], second["code"], second["attempts"]) == ("P4", "invalid", "0")
    tried = table(tmp_path / "out", "generation_attempts")
    assert [(row["number"], row["status"], row["codes"]) for row in tried] == [
        ("1", "invalid", "deixis too_long"), ("2", "ok", ""),
    ]  # fmt: skip
    assert (tried[0]["cost"], tried[0]["latency_ms"], tried[1]["raw_output"]) == ("0.25", "1500", '{"a": "k2"}')
    values = {(row["part"], row["name"]): row["value"] for row in table(tmp_path / "out", "generation_values")}
    assert values["options", "seed"] == "7"
    assert values["report", "kept.1"] == "2"


def test_a_new_study_takes_it_over_and_gives_the_same(study, tmp_path):
    export(study, tmp_path / "one")
    with Study.create(tmp_path / "fresh.medreview") as fresh:
        import_export(fresh, tmp_path / "one")
        import_export(fresh, tmp_path / "one")
        assert check(fresh.sealed()) == []
        export(fresh, tmp_path / "two")
        for name in TABLES:
            order = "ORDER BY run_id" if name == "generation_run" else "ORDER BY run_id, item_id"
            here, there = (
                [{key: json.loads(value) if key in ("prompts", "params", "options", "report") else value
                  for key, value in dict(row).items()} for row in rows_of(one, f"SELECT * FROM {name} {order}")]
                for one in (study, fresh)
            )  # fmt: skip
            assert here == there, name
    for name in FILES:
        if name != "generation_attempts":  # what the model wrote, and what it cost, stays where it was asked
            assert (tmp_path / "one" / f"{name}.csv").read_bytes() == (tmp_path / "two" / f"{name}.csv").read_bytes()


def test_a_status_that_there_is_not_is_refused(study, tmp_path):
    export(study, tmp_path / "out")
    file = tmp_path / "out" / "generation_attempts.csv"
    file.write_text(file.read_text().replace('"invalid"', '"excellent"'))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["files"]["generation_attempts.csv"]["sha256"] = digest(file)
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    with Study.create(tmp_path / "new.medreview") as new, pytest.raises(UserError, match="do not fit"):
        import_export(new, tmp_path / "out")


def test_who_is_to_decide_blind_gets_none_of_it(study, tmp_path):
    export(study, tmp_path / "out", blind_for="ada")
    assert [table(tmp_path / "out", name) for name in FILES] == [[]] * len(FILES)
    package(study, tmp_path / "copy.medreview", "ada")
    package(study, tmp_path / "open.medreview", "ada", without=["labels"])
    for part in ("judges", "models", "gold"):
        package(study, tmp_path / f"{part}.medreview", "ada", without=[part])
        with Study.open(tmp_path / f"{part}.medreview") as copy:
            assert [rows_of(copy, f"SELECT * FROM {name}") for name in (*TABLES, "llm_call")] == [[]] * 6, part
    with Study.open(tmp_path / "copy.medreview") as copy, Study.open(tmp_path / "open.medreview") as all_of_it:
        assert [rows_of(copy, f"SELECT * FROM {name}") for name in TABLES] == [[]] * len(TABLES)
        assert all(rows_of(all_of_it, f"SELECT * FROM {name}") for name in TABLES)
