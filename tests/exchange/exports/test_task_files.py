"""What judges said beyond single pairs comes out of a study, and key facts go into the next."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medreview.exchange.exports.export import export
from medreview.exchange.imports.import_export import import_export
from medreview.judges.tasks.key_facts import Fact, add_facts
from medreview.study.ids import content_id
from medreview.study.rows import insert
from tests.exchange.example_study import PAGE, QUOTE, TEXTS, ExampleStudy

NewExample = Callable[[str], ExampleStudy]
FILES = ("merged.csv", "hallucination_findings.csv", "key_facts.csv", "key_fact_votes.csv")


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(example: ExampleStudy, name: str, **row: Any) -> None:
    base = {"judge_run_id": "j1", "reason": "Because.", "raw_output": "{}", "error": ""}
    example.study.write(lambda connection: insert(connection, name, [base | row]))


def merged(example: ExampleStudy, number: int, quotes: list[dict[str, Any]], **more: Any) -> None:
    row = {"merged_judgement_id": f"m{number}", "statement_id": example.units[number], "snapshots": '["p1", "p2"]'}
    row |= {"raw_label": "supported", "verdict": "supported", "supported": 1, "confidence": 0.5}
    add(example, "merged_judgement", **row | {"quotes": json.dumps(quotes)} | more)


def finding(example: ExampleStudy, number: int, spans: list[dict[str, Any]], **more: Any) -> None:
    row = {"finding_id": f"h{number}", "response_id": content_id("r", TEXTS[number]), "assisted": 0}
    row |= {"assisted_by": "[]", "found": 1, "type": "fact", "spans": json.dumps(spans, ensure_ascii=False)}
    add(example, "hallucination_finding", **row | more)


def test_a_merged_judgement_has_a_row_for_every_place_of_its_quotes(example: ExampleStudy, tmp_path: Path) -> None:
    start = PAGE.find(QUOTE)
    there = {"quote": QUOTE, "status": "exact", "snapshot": "p1", "spans": [[start, start + 4], [start + 5, start + 9]]}
    lost = {"quote": "Never.", "status": "absent", "snapshot": None, "spans": []}
    merged(example, 0, [there, lost])
    merged(example, 1, [], verdict=None, supported=None, error="timeout: no answer")
    export(example.study, tmp_path / "out")

    rows = table(tmp_path / "out", "merged.csv")
    shown = ("merged_judgement_id", "quote_no", "quote_status", "snapshot_id", "start_cp", "quote")
    assert [tuple(row[name] for name in shown) for row in rows] == [
        ("m0", "1", "exact", "p1", str(start), QUOTE),
        ("m0", "1", "exact", "p1", str(start + 5), QUOTE),
        ("m0", "2", "absent", "", "", "Never."),
        ("m1", "", "", "", "", ""),
    ]
    assert {row["snapshots"] for row in rows} == {"p1\np2"}
    assert [(row["judge"], row["verdict"], row["supported"], row["error"]) for row in rows[2:]] == [
        ("one", "supported", "1", ""), ("one", "", "", "timeout: no answer"),
    ]  # fmt: skip


def test_a_finding_has_a_row_for_every_span_in_code_points_and_utf16(example: ExampleStudy, tmp_path: Path) -> None:
    text = "💊 " + TEXTS[0]
    example.study.write(lambda db: db.execute("UPDATE response SET text = ? WHERE ordinal = 1", (text,)))
    at = text.find("Lactic")
    finding(
        example,
        0,
        [
            {"quote": "Lactic", "status": "exact", "spans": [[at, at + 6]]},
            {"quote": "gone", "status": "absent", "spans": []},
        ],
    )
    finding(example, 1, [], assisted=1, assisted_by='["e1", "e2"]', found=0, type="none")
    export(example.study, tmp_path / "out")

    there, lost, none = table(tmp_path / "out", "hallucination_findings.csv")
    assert [int(there[name]) for name in ("start_cp", "end_cp", "start_utf16", "end_utf16")] == [
        at, at + 6, at + 1, at + 7,
    ]  # fmt: skip
    assert (there["exact"], there["quote"], there["assisted"], there["assisted_by"]) == ("Lactic", "Lactic", "0", "")
    assert (lost["quote_no"], lost["quote_status"], lost["start_cp"], lost["exact"]) == ("2", "absent", "", "")
    assert (none["assisted"], none["assisted_by"], none["found"], none["type"]) == ("1", "e1\ne2", "0", "none")
    assert (none["quote_no"], none["start_utf16"]) == ("", "")


def test_key_facts_go_round_and_votes_come_out(example: ExampleStudy, new_example: NewExample, tmp_path: Path) -> None:
    add_facts(example.study, "Question 2?", [Fact("Heparin, not warfarin.", "management"), Fact("INR\nis 💊.")], "ada")
    add_facts(example.study, "Question 1?", [Fact("It is stopped below 30.")], "ada")
    fact = example.study.reader.execute("SELECT key_fact_id FROM key_fact WHERE category = 'management'").fetchone()[0]
    vote = {"key_fact_vote_id": "v1", "key_fact_id": fact, "response_id": content_id("r", TEXTS[1])}
    vote |= {"task": "key_fact_presence", "raw_answer": "yes", "answer": 1, "quote_status": "exact"}
    add(example, "key_fact_vote", **vote, quote_start=0, quote_end=8, quote="Warfarin")
    export(example.study, tmp_path / "one")

    (row,) = table(tmp_path / "one", "key_fact_votes.csv")
    assert (row["judge"], row["key_fact_id"], row["answer"], row["quote_end"]) == ("one", fact, "1", "8")
    facts = table(tmp_path / "one", "key_facts.csv")
    assert {(row["question_id"], row["ordinal"], row["added_by"]) for row in facts} == {
        (content_id("q", "Question 2?"), "1", "ada"), (content_id("q", "Question 2?"), "2", "ada"),
        (content_id("q", "Question 1?"), "1", "ada"),
    }  # fmt: skip

    fresh = new_example("fresh")
    import_export(fresh.study, tmp_path / "one")
    import_export(fresh.study, tmp_path / "one")
    export(fresh.study, tmp_path / "two")
    same = [name for name in FILES if (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()]
    assert same == ["merged.csv", "hallucination_findings.csv", "key_facts.csv"]
    assert table(tmp_path / "two", "key_fact_votes.csv") == []


def test_key_facts_that_are_here_keep_their_numbers(
    example: ExampleStudy, new_example: NewExample, tmp_path: Path
) -> None:
    add_facts(example.study, "Question 1?", [Fact("Mine."), Fact("Ours.")], "ada")
    export(example.study, tmp_path / "one")
    other = new_example("other")
    other.fill()
    add_facts(other.study, "Question 1?", [Fact("Ours."), Fact("Yours.")], "zoe")
    import_export(other.study, tmp_path / "one", as_copy=True)

    kept = other.study.reader.execute("SELECT ordinal, text, added_by FROM key_fact ORDER BY ordinal").fetchall()
    assert [tuple(row) for row in kept] == [(1, "Ours.", "zoe"), (2, "Yours.", "zoe"), (3, "Mine.", "ada")]


def test_judgements_of_models_have_a_known_kind(example: ExampleStudy, tmp_path: Path) -> None:
    example.study.write(lambda db: db.execute("UPDATE judge_run SET kind = 'llm'"))
    export(example.study, tmp_path / "out")

    (book,) = [
        row
        for row in table(tmp_path / "out", "codebook.csv")
        if (row["file"], row["column"]) == ("judgements.csv", "kind")
    ]
    assert {row["kind"] for row in table(tmp_path / "out", "judgements.csv")} <= set(book["levels"].split())
