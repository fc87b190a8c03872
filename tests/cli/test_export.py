"""The command ``export``: with a database, for people and for scripts; and one that shows no judges."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from medreview.study import Study
from tests.support.commands import Program


def test_a_database_of_the_sample_study(medreview: Program, demo: Path, tmp_path: Path) -> None:
    done = medreview("export", demo, "out", "--sqlite", "labels.db", "--no-page-text", "--json")
    told = json.loads(done.stdout)["database"]

    assert done.stderr == ""
    assert (told["file"], told["metadata"]) == ("labels.db", "metadata.json")
    assert told["views"] == ["labels_wide", "disagreements", "pairs_wide"]
    assert told["tables"]["judgements"] == json.loads(done.stdout)["files"]["judgements.csv"] > 500
    assert told["tables"]["snapshots"] > 30
    assert (tmp_path / "out" / told["file"]).stat().st_size > 100_000

    again = medreview("export", demo, "out", "--sqlite", "labels.db")
    assert again.stdout.splitlines()[-1] == "Open the database: datasette out/labels.db -m out/metadata.json"
    plain = medreview("export", demo, "out")
    assert "datasette" not in plain.stdout
    assert not (tmp_path / "out" / "labels.db").exists()


def test_mistakes_are_one_sentence(medreview: Program, demo: Path) -> None:
    named = medreview("export", demo, "out", "--sqlite", "../labels.db", check=2)
    assert "ends in .db" in named.stderr
    alone = medreview("export", demo, "out", "--no-page-text", check=2)
    assert "add --sqlite" in alone.stderr
    for name in ("out.csv", "out.xlsx", "out.zip"):
        file = medreview("export", demo, name, check=2)
        assert f"`medreview export {demo} out`" in file.stderr
        assert f"`medreview export {demo} --table out.csv`" in file.stderr
        assert not (demo.parent / name).exists()
    nowhere = medreview("export", demo, check=2)
    assert f"`medreview export {demo} demo-labels`" in nowhere.stderr
    assert "leave out DIR" in medreview("export", demo, "out", "--table", "labels.csv", check=2).stderr
    assert "leave out --json" in medreview("export", demo, "--table", "-", "--json", check=2).stderr
    medreview("export", demo, "labels.2026-11")


def test_one_table_of_labels(medreview: Program, demo: Path, tmp_path: Path) -> None:
    medreview("review", demo, "--plain", "--reviewer", "ada", input="3\nq\n")
    done = medreview("export", demo, "--table", "labels.csv", "--json")
    assert json.loads(done.stdout) == {"file": "labels.csv", "rows": 1}
    with (tmp_path / "labels.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file, strict=True)
    assert list(row) == [
        "id", "unit", "question", "model", "text", "source", "machine_verdict", "reviewer", "mode", "label",
        "hallucination", "reason", "note", "decided_at",
    ]  # fmt: skip
    assert (row["unit"], row["reviewer"], row["label"]) == ("statement", "ada", "contradicted")
    assert row["question"].endswith("?")
    assert row["source"].startswith("http")
    assert row["mode"] == "assisted"

    printed = medreview("export", demo, "--table", "-")
    assert printed.stdout == (tmp_path / "labels.csv").read_text(encoding="utf-8")
    assert medreview("export", demo, "--table", "labels.csv").stdout == "1 label written to labels.csv\n"
    medreview("export", demo, "--table", "labels.csv", "--dialect", "excel")
    assert (tmp_path / "labels.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    medreview("export", demo, "--table", "labels.csv")
    (tmp_path / "mine.csv").write_text("a,b\n")
    assert "not an earlier result" in medreview("export", demo, "--table", "mine.csv", check=2).stderr


def test_a_folder_for_a_repository(medreview: Program, demo: Path, tmp_path: Path) -> None:
    medreview("review", demo, "--plain", "--reviewer", "Adelheid Quist", input="3\nq\n")
    done = medreview("export", demo, "data", "--deposit", "--jsonl")
    assert done.stdout.splitlines()[-1].startswith("Before you hand it in, read the notes")
    assert {"README.md", "datapackage.json", "ro-crate-metadata.json", "labels.jsonl"} <= {
        path.name for path in (tmp_path / "data").iterdir()
    }
    assert not any(b"Adelheid" in path.read_bytes() for path in (tmp_path / "data").iterdir())
    for also in (("--sqlite", "labels.db"), ("--dialect", "excel")):
        assert "leave out --sqlite" in medreview("export", demo, "other", "--deposit", *also, check=2).stderr
    assert "Export the study without --deposit" in medreview("import", "new.medreview", "data", check=2).stderr


def test_a_blind_export_says_nothing_of_what_is_not_decided_and_costs_no_blind_label(
    medreview: Program, demo: Path, tmp_path: Path
) -> None:
    review = ("review", demo, "--plain", "--queue", "audit")
    medreview(*review, input="1\ns\nq\n")
    done = medreview("export", demo, "out", "--blind", "--sqlite", "labels.db")
    assert done.stderr == ""

    def rows(name: str) -> list[dict[str, str]]:
        with (tmp_path / "out" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    (decided, put_off) = sorted(rows("labels.csv"), key=lambda row: row["verdict_final"], reverse=True)
    assert decided["judge_raw_label"]
    of_judges = {name: value for name, value in put_off.items() if name.startswith(("judge_", "jury_")) and value}
    assert of_judges == {"judge_verdict_missing": "hidden", "judge_supported_missing": "hidden"}
    assert {row["statement_id"] for row in rows("judgements.csv")} == {decided["unit_id"]}
    assert {row["unit_id"] for row in rows("pairs.csv") if row["judge"] or row["flagged"] or row["unsupported"]} == {
        decided["unit_id"]
    }
    with closing(sqlite3.connect(tmp_path / "out" / "labels.db")) as copy:
        assert copy.execute("SELECT DISTINCT statement_id FROM judgements").fetchall() == [(decided["unit_id"],)]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["blind_for"] == decided["reviewer_id"]

    medreview(*review, input="1\nq\n")
    with Study.open(tmp_path / demo, read_only=True) as study:
        labels = study.reader.execute("SELECT mode FROM reviewer_label").fetchall()
        assert [row["mode"] for row in labels] == ["blind", "blind"]
        assert study.reader.execute("SELECT count(*) FROM event WHERE kind = 'look'").fetchone()[0] == 0

    told = medreview("export", demo, "out")
    assert "`export --blind` leaves that out" in told.stderr
    medreview(*review, input="1\nq\n")
    with Study.open(tmp_path / demo, read_only=True) as study:
        labels = study.reader.execute("SELECT mode FROM reviewer_label ORDER BY event_id").fetchall()
        assert [row["mode"] for row in labels] == ["blind", "blind", "assisted"]
