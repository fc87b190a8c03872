"""The export as a whole: dialects, code book, manifest, the folder, and size."""

import csv
import hashlib
import json
import os
import stat
import tracemalloc
from pathlib import Path
from typing import Literal

import pytest

from medreview.errors import UserError
from medreview.exchange.exports.export import FILES, export, export_files
from medreview.exchange.files.csv_file import CELL_LIMIT
from medreview.study import Study
from medreview.study.ids import Ulids, content_id
from medreview.study.rows import insert
from medreview.text import sha256
from tests.exchange.example_study import ExampleStudy


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("dialect", ["analysis", "excel"])
def test_code_book_and_manifest_fit_the_files(
    example: ExampleStudy, tmp_path: Path, dialect: Literal["analysis", "excel"]
) -> None:
    example.decide("supported")
    summary = export(example.study, tmp_path / "out", dialect)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    import pandas as pd  # here, so that not every worker loads it to collect the tests

    book = pd.read_csv(tmp_path / "out" / "codebook.csv", encoding="utf-8-sig", keep_default_na=False)
    headers = {}
    assert manifest["files"].keys() - summary.files.keys() == set()
    for name, file in manifest["files"].items():
        if name == "annotations.jsonld":
            continue
        data = (tmp_path / "out" / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        rows = list(csv.reader(data.decode("utf-8-sig").splitlines(keepends=True), strict=True))
        assert len(rows) - 1 == file["rows"] == summary.files[name]
        headers[name] = rows[0]
    assert summary.total == sum(summary.files.values())
    assert set(headers) | {"annotations.jsonld", "manifest.json"} == {
        path.name for path in (tmp_path / "out").iterdir()
    }
    assert {name: list(of_file["column"]) for name, of_file in book.groupby("file")} == headers
    assert set(headers) == set(export_files(example.study.reader))
    assert book["meaning"].str.len().min() > 5
    head = example.study.reader.execute("SELECT hash FROM event ORDER BY event_id DESC LIMIT 1").fetchone()[0]
    assert (manifest["event_head"], manifest["dialect"]) == (head, dialect)
    assert manifest["study_id"] == example.study.meta("study_id")


def test_no_level_means_missing() -> None:
    words = {"na", "n/a", "null", "nan", "true", "false", ""}
    for file in FILES.values():
        for column in file.columns:
            assert not words & {level.lower() for level in column.levels}
            assert not {"None", "NONE"} & set(column.levels)


def test_the_code_book_has_every_kind_of_event(example: ExampleStudy) -> None:
    (kind,) = (column for column in FILES["events.csv"].columns if column.name == "kind")
    assert {*kind.levels} == {row[0] for row in example.study.reader.execute("SELECT kind FROM event_kind")}


def test_analysis_has_only_line_feeds_and_quotes_all_text(example: ExampleStudy, tmp_path: Path) -> None:
    example.do("note", payload={"text": "=1+1"})
    export(example.study, tmp_path / "out")
    data = (tmp_path / "out" / "events.csv").read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert b'"=1+1"' in data
    line = (tmp_path / "out" / "statements.csv").read_text().splitlines()[1]
    assert line.startswith(f'"{example.units[0]}","r')
    assert ",1,0," in line


FORMULAS = ("=1+1", "+1", "-1", "@A1", "\tx", "\rx", "＝1", "＋1", "－1", "＠a", " =1+1", "\u00a0+1", "\u200b=1",
            "\ufeff\u2060@A1", "\u202e \u200d-1", "\n=1", "﹦1", "\x00=1")  # fmt: skip
REWRITTEN = ("007", "1e5", "3-12", "1/2", "5.10.2024", "12345678901234567890", "8:30")


@pytest.mark.parametrize("note", [*FORMULAS, *REWRITTEN])
def test_excel_guards_formulas_and_says_so(example: ExampleStudy, tmp_path: Path, note: str) -> None:
    example.do("note", payload={"text": note})
    export(example.study, tmp_path / "out", "excel")
    data = (tmp_path / "out" / "labels.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.endswith(b"\r\n")
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["note"], row["guarded"], row["truncated"]) == ("'" + note, "note", "")
    with (tmp_path / "out" / "judgements.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["guarded"] for row in csv.DictReader(file)] == ["reason", "reason"]


def test_excel_leaves_numbers_alone(example: ExampleStudy, tmp_path: Path) -> None:
    example.do("note", payload={"text": "12", "keys": -3, "start": -0.5})
    export(example.study, tmp_path / "out", "excel")
    with (tmp_path / "out" / "events.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["payload_keys"], row["payload_start"], row["guarded"]) == ("-3", "-0.5", "")


@pytest.mark.parametrize("note", ["x" * 40_000, "💊" * 20_000, "x" * (CELL_LIMIT + 1), "=" + "💊é" * 11_000])
def test_excel_cuts_what_no_cell_holds(example: ExampleStudy, tmp_path: Path, note: str) -> None:
    example.do("note", payload={"text": note})
    export(example.study, tmp_path / "out", "excel")
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    kept, _, count = row["note"].rpartition("…[+")
    kept = kept.removeprefix("'")
    assert row["truncated"] == "note"
    assert CELL_LIMIT - 3 <= len(row["note"].encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert note.startswith(kept)
    assert len(kept) + int(count.rstrip("]")) == len(note)


def test_a_text_that_just_fits_stays(example: ExampleStudy, tmp_path: Path) -> None:
    example.do("note", payload={"text": "x" * CELL_LIMIT})
    export(example.study, tmp_path / "out", "excel")
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (len(row["note"]), row["truncated"]) == (CELL_LIMIT, "")


def test_files_are_private_and_the_same_study_gives_the_same_bytes(example: ExampleStudy, tmp_path: Path) -> None:
    example.decide("supported")
    before = os.umask(0)
    try:
        export(example.study, tmp_path / "out")
        export(example.study, tmp_path / "again")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()} == {0o600}
    assert contents(tmp_path / "out") == contents(tmp_path / "again")
    example.decide("partial", 1)
    export(example.study, tmp_path / "out")
    assert contents(tmp_path / "out") != contents(tmp_path / "again")
    assert [path.name for path in tmp_path.iterdir() if ".partial" in path.name] == []


def test_nothing_of_others_is_overwritten(example: ExampleStudy, tmp_path: Path, new_example: object) -> None:
    out = tmp_path / "out"
    other = new_example("other").study  # type: ignore[operator]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(UserError, match="holds other files"):
        export(example.study, tmp_path / "mine")
    with pytest.raises(UserError, match="is a file"):
        export(example.study, tmp_path / "mine" / "thesis.txt")
    export(example.study, out)
    with pytest.raises(UserError, match="another study"):
        export(other, out)
    (out / "plot.R").write_text("plot(1)")
    with pytest.raises(UserError, match=r"also holds plot\.R"):
        export(example.study, out)
    (out / "plot.R").unlink()
    with (out / "labels.csv").open("a") as file:
        file.write("mine\n")
    with pytest.raises(UserError, match=r"labels\.csv in .* was changed"):
        export(example.study, out)
    (out / "labels.csv").unlink()
    export(example.study, out)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"
    (out / "manifest.json").write_text("{")
    with pytest.raises(UserError, match="damaged"):
        export(example.study, out)


def test_an_export_that_fails_leaves_the_old_one(
    example: ExampleStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(example.study, tmp_path / "out")
    before = contents(tmp_path / "out")
    example.decide("supported")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("medreview.exchange.exports.export.write_manifest", full)
    with pytest.raises(UserError, match="No space left on device"):
        export(example.study, tmp_path / "out")
    assert contents(tmp_path / "out") == before
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    assert not example.study.reader.in_transaction


def test_five_thousand_labels_in_little_memory(study: Study, tmp_path: Path) -> None:
    study.write(lambda connection: _fill(connection, 1000, 5))
    tracemalloc.start()
    export(study, tmp_path / "out")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    import pandas as pd  # here, so that not every worker loads it to collect the tests

    frame = pd.read_csv(tmp_path / "out" / "labels.csv")
    assert frame.shape == (5000, len(FILES["labels.csv"].columns))
    assert frame["verdict_first"].value_counts().to_dict() == {"supported": 2500, "partial": 2500}
    assert peak < 3_000_000  # the files are about 10 MB


def _fill(connection: object, responses: int, each: int) -> None:
    """Responses with decisions, written straight into the tables; the chain is not needed here."""
    ulids = Ulids()
    rows: dict[str, list[dict[str, object]]] = {"response": [], "statement": [], "event": []}
    for number in range(1, responses + 1):
        parts = [f"Statement {number}.{place} says something of medical interest." for place in range(each)]
        text = "\n".join(parts)
        response = {
            "response_id": content_id("r", number),
            "ordinal": number,
            "record_id": "",
            "model": "m",
            "origin": "o",
        }
        response |= {
            "imported_at": "2026",
            "imported_from": "f",
            "text_sha256": sha256(text),
            "question": "Q",
            "text": text,
        }
        rows["response"].append(response)
        for place, part in enumerate(parts):
            start = text.find(part)
            unit = content_id("s", number, place)
            statement = {
                "statement_id": unit,
                "response_id": response["response_id"],
                "ordinal": place + 1,
                "start": start,
            }
            rows["statement"].append({**statement, "end": start + len(part), "text_sha256": sha256(part), "text": part})
            payload = {
                "axis": "evidence",
                "label": ("supported", "partial")[(number + place) % 2],
                "exposure": {"jury": "no"},
            }
            event = {
                "at_utc": "2026-01-01T00:00:00+00:00",
                "reviewer": "ada",
                "session": "x",
                "unit": unit,
                "snapshot": None,
            }
            event |= {"pass": 1, "block": "all", "mode": "blind", "undoes_event": None, "app_version": "0"}
            event |= {"label_set_version": "1", "previous_hash": ""}
            for kind, said in (("shown", {}), ("decide", payload)):
                event_id = ulids.next()
                rows["event"].append(
                    {**event, "event_id": event_id, "kind": kind, "payload": json.dumps(said), "hash": event_id}
                )
    for name, of_table in rows.items():
        insert(connection, name, of_table)  # type: ignore[arg-type]
