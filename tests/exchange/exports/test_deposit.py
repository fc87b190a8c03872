"""``export --deposit``: what goes to a repository names no reviewer, holds no page, and is described as it is."""

import csv
import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.study import Study
from tests.exchange.example_study import PAGE, ExampleStudy
from tests.support.generated_rows import add_passages
from tests.support.unit_study import decide, decide_all, do, fill, units_of

ANN, BEA = "Adelheid Quist", "Bea-Lotte"


@pytest.fixture
def study(empty_study: Study) -> Study:
    """Units of every kind with labels of two reviewers, a background, notes and a settled conflict."""
    fill(empty_study)
    empty_study.write(add_passages)
    decide_all(empty_study, ANN, 0)
    decide_all(empty_study, BEA, 1)
    units = units_of(empty_study)
    ours = decide(empty_study, ANN, units["qa"], "relevance", "1")
    theirs = decide(empty_study, BEA, units["qa"], "relevance", "2")
    settled = {"axis": "relevance", "label": "1", "by": "agreement", "of": [ours.event_id, theirs.event_id]}
    do(empty_study, ANN, "adjudicate", units["qa"], settled)
    do(empty_study, ANN, "background", empty_study.meta("study_id"), {"role": "physician", "words": f"I am {ANN}."})
    span = {"target": "response", "axis": "hallucination", "label": "fact", "start": 9, "end": 28}
    do(empty_study, BEA, "span_add", units["answer"], span | {"exact": "needs no monitoring"})
    return empty_study


@pytest.fixture
def folder(study: Study, tmp_path: Path) -> Path:
    export(study, tmp_path / "out", jsonl=True, for_deposit=True)
    return tmp_path / "out"


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_no_file_names_a_reviewer_or_the_study(folder: Path, study: Study) -> None:
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        for name in (ANN, BEA, "Adelheid", "Bea_Lotte", study.meta("study_id")):
            assert name not in text, (path.name, name)
    assert not (folder / "events.csv").exists()
    assert not (folder / "event_values.csv").exists()


def test_a_pseudonym_is_the_same_in_all_files_and_in_the_next_deposit(
    folder: Path, study: Study, tmp_path: Path
) -> None:
    known = {row["reviewer_id"] for row in rows(folder, "reviewers.csv")}
    told = {row["reviewer_id"] for name in ("labels.csv", "unit_labels.csv", "spans.csv") for row in rows(folder, name)}
    assert {ANN, BEA} <= {row[0] for row in study.reader.execute("SELECT DISTINCT reviewer FROM event")}
    assert told == known
    lines = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {label["reviewer_id"] for line in lines for label in line["labels"]} <= known
    columns = set(rows(folder, "labels_by_reviewer.csv")[0])
    assert {column.removeprefix("relevance_") for column in columns if column.startswith("relevance_R")} - {
        f"{one}_blind" for one in known
    } <= known
    (settled,) = {row["adjudicator_id"] for row in rows(folder, "unit_labels.csv")} - {""}
    assert settled in known
    decide(study, "a third one", units_of(study)["qa"], "relevance", "3")
    export(study, tmp_path / "next", for_deposit=True)
    assert known < {row["reviewer_id"] for row in rows(tmp_path / "next", "reviewers.csv")}


def test_the_order_of_rows_tells_no_names(folder: Path) -> None:
    of_unit: dict[str, list[str]] = {}
    for row in rows(folder, "unit_labels.csv"):
        of_unit.setdefault(row["unit_id"], []).append(row["reviewer_id"])
    assert max(map(len, of_unit.values())) > 1
    assert all(told == sorted(told) for told in of_unit.values())


def test_texts_of_pages_and_of_passages_are_not_in_it(
    folder: Path, new_example: Callable[[str], ExampleStudy], tmp_path: Path
) -> None:
    example = new_example("pages")
    example.fill()
    example.machine()
    assert {row["text"] for row in rows(folder, "passages.csv")} == {""}
    assert rows(folder, "passages.csv")[0]["text_sha256"]
    example.decide("supported")
    export(example.study, tmp_path / "pages", jsonl=True, for_deposit=True)
    for path in (tmp_path / "pages").iterdir():
        assert PAGE.splitlines()[2] not in path.read_text(encoding="utf-8"), path.name
    assert rows(tmp_path / "pages", "citations.csv")[0]["text_sha256"]


CASTS: dict[str, Callable[[str], object]] = {
    "string": str, "integer": int, "number": float, "boolean": lambda cell: {"1": True, "0": False}[cell],
    "datetime": datetime.fromisoformat,
}  # fmt: skip


def test_the_data_package_describes_every_cell(folder: Path) -> None:
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert len({resource["name"] for resource in package["resources"]}) == len(package["resources"])
    assert {one["path"] for one in package["resources"]} == {path.name for path in folder.glob("*.csv")}
    for resource in package["resources"]:
        data = (folder / resource["path"]).read_bytes()
        assert (resource["bytes"], resource["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
        fields, held = resource["schema"]["fields"], rows(folder, resource["path"])
        assert data.decode().splitlines()[0] == ",".join(f'"{field["name"]}"' for field in fields)
        for field in fields:
            for cell in (row[field["name"]] for row in held if row[field["name"]]):
                CASTS[field["type"]](cell)
                assert cell in field.get("constraints", {}).get("enum", [cell]), (resource["path"], field["name"])
        keys = [tuple(row[name] for name in resource["schema"].get("primaryKey", ())) for row in held]
        assert not any(map(any, keys)) or len(set(keys)) == len(keys), resource["path"]


def test_the_crate_has_a_root_its_files_and_what_made_them(folder: Path) -> None:
    crate = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    things: dict[str, dict[str, Any]] = {one["@id"]: one for one in crate["@graph"]}
    assert len(things) == len(crate["@graph"])
    descriptor, root = things["ro-crate-metadata.json"], things["./"]
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert descriptor["about"] == {"@id": "./"}
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    datetime.strptime(root["datePublished"], "%Y-%m-%d")
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts == {path.name for path in folder.iterdir()} - {"manifest.json", "ro-crate-metadata.json"}
    for name in parts - {"datapackage.json"}:
        data = (folder / name).read_bytes()
        told = things[name]
        assert (told["contentSize"], told["sha256"]) == (str(len(data)), hashlib.sha256(data).hexdigest())
    for thing in things.values():
        for value in thing.values():
            assert not isinstance(value, dict) or value["@id"] in things or value["@id"].startswith("https://")


def test_the_readme_names_every_table_and_says_what_is_left_out(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{path.name}` |" in text for path in [*folder.glob("*.csv"), folder / "labels.jsonl"])
    assert "## What is not in it" in text


def test_it_is_the_same_each_time_is_replaced_by_the_next_and_is_no_export(
    folder: Path, study: Study, tmp_path: Path
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    export(study, folder, jsonl=True, for_deposit=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(UserError, match="is a deposit; name another folder"):
        export(study, folder)
    with Study.create(tmp_path / "new.medreview") as new, pytest.raises(UserError, match="was made for a repository"):
        import_export(new, folder)
