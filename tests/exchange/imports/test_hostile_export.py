"""An export that was changed and whose manifest was made anew: refused by file, row and column, nothing written."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.study import Study
from medreview.study.events import COLUMNS, event_hash
from tests.exchange.example_study import ExampleStudy
from tests.exchange.imports.test_import_export import busy
from tests.study.flipped_bits import logical

Rows = list[dict[str, str]]


def put(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name]["sha256"] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def change(folder: Path, name: str, edit: Callable[[Rows], object]) -> None:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0])
    edit(rows)
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    put(folder, name, (folder / name).read_bytes())


@pytest.fixture
def exported(example: ExampleStudy, tmp_path: Path) -> Path:
    busy(example)
    export(example.study, tmp_path / "out")
    return tmp_path / "out"


def refused(folder: Path) -> str:
    """Why nothing was imported into a new study."""
    with Study.create(folder.parent / "fresh.medreview") as study:
        before = logical(study.path)
        with pytest.raises(UserError) as error:
            import_export(study, folder)
        assert logical(study.path) == before
    return str(error.value)


HUGE = "9" * 30


@pytest.mark.parametrize(
    ("name", "row", "column", "cell", "says"),
    [
        ("responses.csv", 2, "text", "Go on.", "has another hash"),
        ("responses.csv", 1, "dropped", HUGE, "more than 64 bits"),
        ("responses.csv", 1, "cited", "yes", "this is not a whole number"),
        ("statements.csv", 1, "ordinal", HUGE, "more than 64 bits"),
        ("statements.csv", 2, "ordinal", "1", "another statement has this place"),
        ("statements.csv", 1, "start_cp", "9999", "the range lies outside the response"),
        ("statements.csv", 1, "end_cp", "", "a range has a start and an end"),
        ("statements.csv", 1, "start_cp", "1", "does not stand there"),
        ("statements.csv", 1, "parts_cp", "a-b", "these are not ranges"),
        ("statements.csv", 1, "text_sha256", "x", "has another hash"),
        ("statements.csv", 1, "response_id", "r0", "response r0 is missing"),
        ("statements.csv", 2, "audit_number", "nan", "this is not a number from 0 to 1"),
        ("statements.csv", 2, "inclusion_prob", "1e999", "this is not a number from 0 to 1"),
        ("citations.csv", 1, "end_cp", "9999", "the range lies outside the response"),
        ("citations.csv", 1, "ordinal", "first", "this is not a whole number"),
        ("events.csv", 1, "pass", HUGE, "more than 64 bits"),
        ("events.csv", 2, "payload", "axis:i label:s", "names and values do not fit each other"),
        ("events.csv", 2, "payload", "a:s a.b:s", "names and values do not fit each other"),
        ("events.csv", 2, "payload", ".".join("a" * 3_000) + ":s", "deep"),
    ],
)
def test_a_cell_that_cannot_be_right_is_named(
    exported: Path, name: str, row: int, column: str, cell: str, says: str
) -> None:
    change(exported, name, lambda rows: rows[row - 1].update({column: cell}))
    said = refused(exported)
    assert f"was not imported: {name}, row {row}, column " in said
    assert says in said
    assert said.count("\n") == 0


@pytest.mark.parametrize("end", [b'"only","two"\n', b'"a"' + b',"b"' * 40 + b"\n", b'"\xff\xfe"\n', b'"open'])
@pytest.mark.parametrize("name", ["responses.csv", "events.csv"])
def test_a_row_that_is_no_row_is_named(exported: Path, name: str, end: bytes) -> None:
    put(exported, name, (exported / name).read_bytes() + end)
    assert f"was not imported: {name}, " in refused(exported)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ({"label": "fine"}, "label is unknown to this program"),
        ({"event_id": "z"}, "its event_id is not a ULID"),
        ({"at_utc": "yesterday"}, "its at_utc is not a time"),
        ({"kind": "dance"}, "its kind is unknown to this program"),
        ({"mode": "half"}, "its mode is neither blind nor open"),
    ],
)
def test_an_event_that_fits_its_hash_and_nothing_else_is_named(
    example: ExampleStudy, tmp_path: Path, edit: dict[str, str], says: str
) -> None:
    """As a program could export it that knows how hashes are made."""
    example.decide("supported")
    export(example.study, tmp_path / "out")

    def forge(rows: Rows) -> None:
        (row,) = rows
        event = dict(example.study.reader.execute("SELECT * FROM event").fetchone())
        payload = json.loads(event["payload"]) | {name: cell for name, cell in edit.items() if name == "label"}
        event |= {name: cell for name, cell in edit.items() if name != "label"}
        event["payload"] = json.dumps(payload, ensure_ascii=False, sort_keys=True)
        row.update({name: cell for name, cell in edit.items() if name != "label"})
        row["hash"] = event_hash({name: event[name] for name in COLUMNS})
        row["payload_label"] = payload["label"]
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
        (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest | {"event_head": row["hash"]}))

    change(tmp_path / "out", "events.csv", forge)
    said = refused(tmp_path / "out")
    assert "events.csv, row 1, column event_id: of event " in said
    assert says in said


@pytest.mark.parametrize("value", ["\ud800", 2**70, float("inf")])
def test_a_manifest_that_cannot_be_stored_is_refused(exported: Path, value: object) -> None:
    manifest = json.loads((exported / "manifest.json").read_text())
    (exported / "manifest.json").write_text(json.dumps(manifest | {"title": value}))
    assert "in its manifest.json" in refused(exported)
