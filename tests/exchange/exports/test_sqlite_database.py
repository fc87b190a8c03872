"""The exported database holds what the CSV files hold, typed and tied together, with views, search and the pages."""

import csv
import json
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from medreview.atomic_output import new_file
from medreview.errors import UserError
from medreview.exchange.exports.export import export, export_files
from medreview.exchange.exports.sqlite_file import SqliteFile
from medreview.exchange.files.columns import Column, ExportFile
from medreview.exchange.imports.import_export import import_export
from medreview.references.exported import add_exported_references
from medreview.references.model import Reference
from medreview.review.batches import assign
from medreview.review.draws import draw, frame_named
from medreview.review.queue import open_queue
from medreview.study import Study
from medreview.study.ids import content_id
from medreview.units.item_answers import ANSWERS_FILE
from medreview.units.registry import KINDS
from tests.exchange.example_study import PAGE, QUOTE, TEXTS, ExampleStudy
from tests.support import unit_study
from tests.support.generated_rows import add_generation, add_passages
from tests.support.reference_study import CHECKS, add_reference
from tests.support.study_builder import StudyBuilder, build

NewExample = Callable[[str], ExampleStudy]
OF_KINDS = {ANSWERS_FILE.file} | {table.file for kind in KINDS.values() for table in kind.tables}
SQL_TYPES = {"text": "TEXT", "time": "TEXT", "integer": "INTEGER", "boolean": "INTEGER", "number": "REAL"}


def busy(example: ExampleStudy) -> None:
    """A row in every table, and texts and numbers that are easily changed on the way."""
    unit_study.fill(example.study)
    unit_study.decide_all(example.study, "ada", 0)
    example.study.write(add_generation)
    example.study.write(add_passages)
    draw(example.study, "kb", frame_named("qa"), None, name="all")
    assign(example.study, "kb", "all", ["ada"])
    example.do("shown")
    first = example.decide("supported")
    example.do("reveal")
    example.decide("partial", kind="revise", seen="after")
    example.do("reason", payload={"decision": first.event_id, "code": "number"})
    example.do("note", payload={"text": 'Say "no", 💊\r\n=now;\t\0 \u2028<b>'})
    example.decide("contradicted", 3, who="zoe", mode="open", snapshot="elsewhere")
    source = {"axis": "evidence", "label": "partial", "target": "source", "start": 23, "end": 27, "exact": PAGE[23:27]}
    example.do("span_add", 0, source)
    example.do("retract", 3, undoes_event=example.do("flag", 3, {"flag": "feedback", "on": True}).event_id)
    example.do("defer", 2, {"until": 0.1 + 0.2, "tags": ["a b", 7, {"deep": None}], "x.y": ""}, who="zoe")
    quotes = [{"quote": QUOTE, "status": "exact", "snapshot": "p1", "spans": [[0, 4], [5, 9]]}]
    run = {"judge_run_id": "j1", "reason": "Because.", "raw_output": "{}", "error": ""}
    response = content_id("r", TEXTS[0])
    rows: dict[str, dict[str, Any]] = {
        "audit_frame": {"statement_id": example.units[1], "number": 0.125, "stratum": "ember", "rate": 1 / 3},
        "left_out": {"left_out_id": "l1", "response_id": response, "start": 45, "end": 69, "reason": "fragment"},
        "merged_judgement": run | {"merged_judgement_id": "m1", "statement_id": example.units[0], "snapshots": '["p1"]',
                                   "raw_label": "yes", "verdict": "supported", "supported": 1, "confidence": 1.0,
                                   "quotes": json.dumps(quotes)},
        "hallucination_finding": run | {"finding_id": "h1", "response_id": response, "assisted": 0, "assisted_by": "[]",
                                        "found": 0, "type": "none", "spans": "[]"},
        "key_fact": {"key_fact_id": "k1", "question_sha256": "q", "ordinal": 1, "category": "other", "added_by": "ada",
                     "added_at": "2026-01-01", "text": "A fact."},
        "key_fact_vote": run | {"key_fact_vote_id": "v1", "key_fact_id": "k1", "response_id": response, "answer": None,
                                "task": "key_fact_presence", "raw_answer": "?", "quote_status": "none", "quote": ""},
    }  # fmt: skip

    def add(builder: StudyBuilder) -> None:
        for table, row in rows.items():
            builder.add(table, **row)
        printed = Reference(TEXTS[0][:20], 0, 20, "inline", year=2031, title="=Title\u2028")
        add_reference(builder, "e1", response, printed, CHECKS[2])

    build(example.study, add)


@contextmanager
def database(folder: Path, name: str = "labels.db") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{folder / name}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def strict_tables(connection: sqlite3.Connection) -> dict[str, bool]:
    names = {Path(row[0]).stem for row in connection.execute("SELECT file FROM codebook")}
    rows = connection.execute("PRAGMA table_list").fetchall()
    return {row["name"]: bool(row["strict"]) for row in rows if row["name"] in names}


def as_csv(cell: str, column: Column, in_key: bool) -> str | int | float | None:
    """What a cell of a CSV file says, by the type that the code book gives."""
    if cell == "" and not in_key:
        return None
    if SQL_TYPES[column.type] == "TEXT":
        return cell
    return float(cell) if SQL_TYPES[column.type] == "REAL" else int(cell)


def test_every_cell_is_that_of_the_csv_files(example: ExampleStudy, tmp_path: Path) -> None:
    busy(example)
    summary = export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        for name, exported in export_files(example.study.reader).items():
            table, columns, key = exported.table, exported.columns, exported.key
            with (tmp_path / "out" / name).open(encoding="utf-8", newline="") as file:
                header, *rows = list(csv.reader(file, strict=True))
            wanted = [
                {c.name: as_csv(cell, c, c.name in key) for c, cell in zip(columns, row, strict=True)} for row in rows
            ]
            found = [dict(row) for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY rowid')]
            assert found == wanted, table
            assert wanted or name in OF_KINDS, f"{table} is empty, so that nothing was compared"
            types = {row["name"]: row["type"] for row in connection.execute(f'PRAGMA table_info("{table}")')}
            assert types == {column.name: SQL_TYPES[column.type] for column in columns}
            assert set(types) == set(header)
            keys = [r for r in connection.execute(f'PRAGMA table_info("{table}")') if r["pk"]]
            assert tuple(row["name"] for row in sorted(keys, key=lambda row: row["pk"])) == key
        assert all(strict_tables(connection).values())
        assert [tuple(row) for row in connection.execute("PRAGMA integrity_check")] == [("ok",)]
        counted = connection.execute("SELECT count(*) FROM events").fetchone()[0]
    assert summary.database
    assert summary.database.tables["events"] == counted == summary.files["events.csv"]


def test_a_value_that_is_not_of_its_columns_type_stays_what_it_is(example: ExampleStudy, tmp_path: Path) -> None:
    example.do("note", payload={"text": "plain", "keys": "many", "start": -0.5, "end": 10**30, "until": 1 / 3})
    example.do("note", payload={"text": 0.1 + 0.2})
    export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        rows = connection.execute("SELECT payload_keys, payload_start, payload_text FROM events").fetchall()
        strict = strict_tables(connection)
        (value,) = connection.execute("SELECT value FROM event_values").fetchone()
    assert [tuple(row) for row in rows] == [("many", -0.5, "plain"), (None, None, "0.30000000000000004")]
    assert value == "0.3333333333333333"
    assert [table for table, is_strict in strict.items() if not is_strict] == ["events"]


def test_tables_are_tied_together(example: ExampleStudy, tmp_path: Path) -> None:
    busy(example)
    export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        ties = {
            f"{table}.{row['from']} -> {row['table']}"
            for table in (*strict_tables(connection), "sources", "snapshots")
            if f"{table}.csv" not in OF_KINDS
            for row in connection.execute(f'PRAGMA foreign_key_list("{table}")')
        }
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        elsewhere = connection.execute("SELECT * FROM snapshots WHERE snapshot_id = 'elsewhere'").fetchone()
        indexed = {
            f"{row['tbl_name']}.{first['name']}"
            for row in connection.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'").fetchall()
            for first in connection.execute(f"PRAGMA index_info('{row['name']}')").fetchmany(1)
        }
    assert broken == []
    assert ties == {
        "labels.unit_id -> statements", "labels.response_id -> responses", "labels.snapshot_id -> snapshots",
        "labels.first_event_id -> events", "labels.last_event_id -> events",
        "spans.span_id -> events", "unit_labels.first_event_id -> events", "unit_labels.final_event_id -> events",
        "scores.response_id -> responses", "unit_values.unit_id -> units", "case_notes.case_id -> cases",
        "judgements.statement_id -> statements", "judgements.response_id -> responses",
        "judgements.snapshot_id -> snapshots", "judgements.source_id -> sources",
        "events.snapshot -> snapshots", "events.undoes_event -> events",
        "references.response_id -> responses", "reference_checks.reference_id -> references",
        "reference_differences.reference_id -> references", "reference_values.reference_id -> references",
        "reference_values.check_id -> reference_checks",
        "pairs.unit_id -> statements", "pairs.response_id -> responses", "pairs.source_id -> sources",
        "pairs.snapshot_id -> snapshots",
        "event_values.event_id -> events", "statements.response_id -> responses",
        "left_out.response_id -> responses", "citations.response_id -> responses", "citations.source_id -> sources",
        "citations.snapshot_id -> snapshots",
        "merged.statement_id -> statements", "merged.response_id -> responses", "merged.snapshot_id -> snapshots",
        "hallucination_findings.response_id -> responses",
        "key_fact_votes.key_fact_id -> key_facts", "key_fact_votes.response_id -> responses",
        "snapshots.source_id -> sources",
        *(f"generation{part}.generation_run_id -> generation_runs"
          for part in ("", "_values", "_attempts", "_products", "_dropped")),
        "passage_features.passage_run_id -> passage_runs",
    }  # fmt: skip
    assert {elsewhere[name] for name in elsewhere.keys()} == {"elsewhere", None}  # noqa: SIM118
    assert {tie.partition(" ->")[0] for tie in ties} <= indexed


def test_views_read_as_one_would_ask(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    example.study.write(lambda c: c.execute("UPDATE verdict SET verdict = 'supported', supported = 1, tied = 0"))
    example.decide("partial", 0)
    example.do("reveal", 0)
    example.decide("supported", 0, who="zoe")
    example.decide("not_addressed", 1)
    build(example.study, lambda rows: rows.citation(content_id("r", TEXTS[0]), "u1"))  # the same source once more
    export(example.study, tmp_path / "one", database="labels.db")
    with database(tmp_path / "one") as connection:
        wide = [dict(row) for row in connection.execute("SELECT * FROM labels_wide")]
        differing = [dict(row) for row in connection.execute("SELECT * FROM disagreements")]
        pairs = [dict(row) for row in connection.execute("SELECT * FROM pairs_wide ORDER BY statement_no")]
    assert [(row["statement_no"], row["reviewer_id"], row["verdict_final"], row["judge_verdict"]) for row in wide] == [
        (1, "ada", "partial", "supported"), (1, "zoe", "supported", "supported"), (2, "ada", "not_addressed", None),
    ]  # fmt: skip
    first = wide[0]
    assert (first["question"], first["source_url"], first["page_title"], first["page_state"]) == (
        "Question 1?", "https://a.example/one", "Metformin", "ok",
    )  # fmt: skip
    assert (first["statement_text"], first["jury_for"]) == (TEXTS[0].split(". ")[0], 1)
    assert [(row["unit_id"], row["reviewer_id"], row["label_state"]) for row in differing] == [
        (example.units[0], "ada", "current")
    ]
    assert [row["unit_id"] for row in differing] == list(open_queue(example.study, "differing", "ada").units)
    assert [(row["statement_id"], row["source_url"]) for row in pairs] == [
        (unit, "https://a.example/one") for unit in example.units
    ]
    assert [(row["verdict_one"], row["verdict_two"]) for row in pairs] == [
        ("supported", "contradicted"), *[(None, None)] * 4,
    ]  # fmt: skip

    build(example.study, lambda rows: ExampleStudy.page(rows, "p2", PAGE.replace("30", "45")))
    export(example.study, tmp_path / "two", database="labels.db")
    with database(tmp_path / "two") as connection:
        (stale,) = connection.execute("SELECT label_state, source_url FROM disagreements").fetchall()
        (judged,) = connection.execute("SELECT count(verdict_one) FROM pairs_wide").fetchone()
        pages = connection.execute("SELECT snapshot_id, is_current, text FROM snapshots ORDER BY version").fetchall()
    assert tuple(stale) == ("stale", "https://a.example/one")
    assert judged == 0  # what was said of the text before this one is no verdict on it
    assert [tuple(row) for row in pages] == [("p1", 0, PAGE), ("p2", 1, PAGE.replace("30", "45"))]


def test_a_study_of_which_nothing_is_known_yet_has_its_tables_and_views(study: Study, tmp_path: Path) -> None:
    export(study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        names = [row["name"] for row in connection.execute("PRAGMA table_list") if row["type"] in ("table", "view")]
        filled = {name for name in names if connection.execute(f'SELECT 1 FROM "{name}"').fetchone()}
    assert {"labels_wide", "disagreements", "pairs", "pairs_wide"} <= set(names)
    assert {name for name in filled if not name.startswith("sqlite_")} == {"codebook"}


def test_a_page_that_came_again_with_the_same_text_is_still_judged(example: ExampleStudy, tmp_path: Path) -> None:
    build(example.study, lambda rows: ExampleStudy.page(rows, "p2", PAGE))
    export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        row = connection.execute("SELECT snapshot_id, verdict_one, verdict_two FROM pairs_wide").fetchone()
    assert tuple(row) == ("p2", "supported", "contradicted")


def test_every_judge_has_one_column_also_one_with_a_hostile_name(example: ExampleStudy, tmp_path: Path) -> None:
    names = ["one", 'x"; DROP TABLE labels; --', "\u202e药", "ONE's"]

    def judged(rows: StudyBuilder) -> None:
        for number, name in enumerate(names):
            run = rows.judge_run(name, model="another", prompt_id="verify", prompt_sha256="")
            said: dict[str, Any] = {"verdict": None, "supported": number % 2}
            rows.judgement(name, example.units[1], "p1", "no", run=run, judgement_id=f"n{number}", **said)

    build(example.study, judged)
    export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        row = connection.execute("SELECT * FROM pairs_wide WHERE statement_no = 2").fetchone()
        found = {name: row[name] for name in row.keys() if name.startswith("verdict_")}  # noqa: SIM118
    assert found == {
        "verdict_one": "not_supported", "verdict_two": None, "verdict_x_drop_table_labels": "supported",
        "verdict_judge": "not_supported", "verdict_one_s": "supported",
    }  # fmt: skip
    told = json.loads((tmp_path / "out" / "metadata.json").read_text())["databases"]["labels"]["tables"]["pairs_wide"]
    assert "DROP TABLE" in told["columns"]["verdict_x_drop_table_labels"]
    assert "\u202e" not in json.dumps(told, ensure_ascii=False)


def test_words_are_found_by_their_stems_in_statements_and_pages(example: ExampleStudy, tmp_path: Path) -> None:
    export(example.study, tmp_path / "out", database="labels.db")
    with database(tmp_path / "out") as connection:
        match = "SELECT {0}.{1} FROM {0}_fts JOIN {0} ON {0}.rowid = {0}_fts.rowid WHERE {0}_fts MATCH ?"
        statements = connection.execute(match.format("statements", "statement_id"), ("stopping falls",)).fetchall()
        pages = connection.execute(match.format("snapshots", "snapshot_id"), ("doses reviewing",)).fetchall()
    assert [row[0] for row in statements] == [example.units[0]]
    assert [row[0] for row in pages] == ["p1"]


def test_without_page_texts_no_page_is_in_the_file(example: ExampleStudy, tmp_path: Path) -> None:
    export(example.study, tmp_path / "with", database="labels.db")
    export(example.study, tmp_path / "out", database="labels.db", page_text=False)
    unquoted = PAGE.splitlines()[2].encode()
    assert unquoted in (tmp_path / "with" / "labels.db").read_bytes()
    data = (tmp_path / "out" / "labels.db").read_bytes()
    assert unquoted not in data
    with database(tmp_path / "out") as connection:
        row = connection.execute("SELECT text, text_length, title FROM snapshots").fetchone()
        (found,) = connection.execute(
            "SELECT count(*) FROM snapshots_fts WHERE snapshots_fts MATCH 'metformin'"
        ).fetchone()
    assert tuple(row) == (None, len(PAGE), "Metformin")
    assert found == 1


def test_a_new_column_needs_no_more_than_its_description(tmp_path: Path) -> None:
    columns = (
        Column("response_id", "text", "Leads to the responses, as everywhere."),
        Column("vote", "boolean", "1: it counts."),
        Column("weight", "number", "How much."),
        Column("at", "time", "When."),
    )
    responses = (Column("response_id", "text", "The response."),)
    tables = {
        "new": ExportFile("new.csv", columns, ""),
        "responses": ExportFile("responses.csv", responses, "", key=("response_id",)),
    }
    with new_file(tmp_path / "new.db") as made, SqliteFile(made, tables) as file:
        file.add("new", ("r1", 1, 2, "2026-01-01"))
        file.add("new", ("r1", None, None, ""))
        file.add("responses", ("r1",))
        file.end_of_rows()
        file.commit()
    with database(tmp_path, "new.db") as connection:
        rows = connection.execute("SELECT *, typeof(weight) FROM new").fetchall()
        (tie,) = connection.execute("PRAGMA foreign_key_list(new)").fetchall()
    assert [tuple(row) for row in rows] == [("r1", 1, 2.0, "2026-01-01", "real"), ("r1", None, None, None, "null")]
    assert (tie["from"], tie["table"]) == ("response_id", "responses")


def test_the_same_study_gives_the_same_private_bytes_in_both_dialects(example: ExampleStudy, tmp_path: Path) -> None:
    busy(example)
    export(example.study, tmp_path / "one", database="labels.db")
    export(example.study, tmp_path / "two", "excel", database="labels.db")
    for name in ("labels.db", "metadata.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "one").iterdir()} == {0o600}
    assert {path.name for path in (tmp_path / "one").iterdir()} == {
        *export_files(example.study.reader),
        "annotations.jsonld",
        "manifest.json",
        "labels.db",
        "metadata.json",
    }


def test_a_changed_database_is_not_overwritten_and_hinders_no_import(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    busy(example)
    out = tmp_path / "out"
    export(example.study, out, database="labels.db")
    export(example.study, out, database="other.sqlite")
    assert not (out / "labels.db").exists()
    with closing(sqlite3.connect(out / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (note TEXT)")
    with pytest.raises(UserError, match=r"other\.sqlite in .* was changed"):
        export(example.study, out, database="other.sqlite")
    fresh = new_example("fresh")
    taken = import_export(fresh.study, out, also=add_exported_references)
    events = example.study.reader.execute("SELECT count(*) FROM event").fetchone()[0]
    assert (taken.read, taken.added, taken.statements) == (events, events, 6)
    assert events > 20
    with closing(sqlite3.connect(out / "other.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM mine").fetchone() == (0,)
