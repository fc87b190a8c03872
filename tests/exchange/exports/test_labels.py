"""labels.csv and spans.csv: what the reviewer did, one row for each statement, reviewer and pass."""

import csv
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from medreview.exchange.exports.export import export
from medreview.study.ids import content_id
from medreview.text import sha256
from tests.exchange.example_study import PAGE, QUOTE, TEXTS, ExampleStudy
from tests.support.study_builder import StudyBuilder, build


def table(folder: Path, name: str = "labels.csv") -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


@pytest.fixture
def exported(example: ExampleStudy, tmp_path: Path) -> Any:
    def rows(name: str = "labels.csv") -> list[dict[str, str]]:
        export(example.study, tmp_path / "out")
        return table(tmp_path / "out", name)

    return rows


def test_a_blind_decision_changed_after_the_reveal(example: ExampleStudy, exported: Any) -> None:
    example.do("shown")
    first = example.decide("supported")
    example.do("reveal")
    final = example.decide("contradicted", kind="revise", seen="after")
    example.do("reason", payload={"decision": first.event_id, "code": "topic"})
    example.do("reason", payload={"decision": final.event_id, "code": "number"})
    example.decide("none", axis="hallucination", seen="after")
    example.do("note", payload={"text": "first"})
    example.do("note", payload={"text": '=second, "quoted"\r\nline'})
    example.do("flag", payload={"flag": "dispute", "on": True})
    example.do("flag", payload={"flag": "feedback", "on": True})
    example.do("flag", payload={"flag": "feedback", "on": False})
    example.do("defer")
    (row,) = exported()
    assert (row["verdict_first"], row["verdict_final"], row["changed_after_reveal"]) == (
        "supported",
        "contradicted",
        "1",
    )
    assert (row["halluc_type"], row["reason_code"], row["note"]) == ("none", "number", '=second, "quoted"\r\nline')
    assert (row["flag_dispute"], row["flag_feedback"], row["flag_badly_parsed"], row["deferred_times"]) == (
        "1",
        "0",
        "0",
        "1",
    )
    assert row["exposure_judge_verdict"] == row["exposure_judge_highlight"] == row["exposure_jury"] == "after"
    assert (row["mode"], row["queue_name"], row["reviewer_id"], row["pass_no"]) == ("blind", "flagged", "ada", "1")
    assert (row["active_ms"], row["n_keys"], row["n_events"]) == ("1234", "2", "13")
    moments = [datetime.fromisoformat(row[name]) for name in ("first_shown_utc", "decided_utc")]
    assert 0 <= int(row["wall_ms"]) <= (moments[1] - moments[0]) / timedelta(milliseconds=1)
    assert (row["source_url"], row["source_text_sha256"], row["stale"]) == ("https://a.example/one", sha256(PAGE), "0")
    assert (row["first_event_id"], row["decided_utc"]) < (row["last_event_id"], "9")
    assert (row["judge_verdict"], row["jury_n"], row["jury_for"], row["jury_tie"]) == ("", "2", "1", "1")
    assert (row["judge_raw_label"], row["judge_quote"], row["judge_confidence"]) == ("found", QUOTE, "0.75")
    assert (row["unit_type"], row["statement_ordinal"], row["response_model"], row["origin"]) == (
        "statement",
        "1",
        "ember",
        "forum",
    )
    tied, prompt_not_known, not_drawn = {"judge_verdict", "judge_supported"}, {"judge_prompt_sha256"}, {"stratum"}
    not_looked_at = {"judge_quote_doubt", "guideline"}
    others = {"inclusion_prob", "retired", "tags"}
    no_pairs = {"label_from_pairs", "supported_from_pairs", "pairs_labelled", "pairs"}
    empty = {name for name, value in row.items() if value == ""}
    assert empty == tied | prompt_not_known | not_drawn | not_looked_at | no_pairs | others


def test_a_quote_is_named_with_the_page_that_it_was_looked_up_in_whatever_was_on_the_screen(
    example: ExampleStudy, exported: Any
) -> None:
    def another(rows: StudyBuilder) -> str:
        rows.citation(content_id("r", TEXTS[0]), rows.source("u9", "https://b.example/other"))
        return rows.snapshot("u9", "Nothing on this.")

    example.decide("not_addressed", snapshot=build(example.study, another))
    (row,) = exported()
    assert row["source_url"] == "https://b.example/other"
    assert (row["judge_source_url"], row["judge_quote"]) == ("https://a.example/one", QUOTE)
    assert row["record_id"] == "q1"


def test_a_changed_mind_needs_a_reason_of_its_own_and_is_no_reveal_in_open_mode(
    example: ExampleStudy, exported: Any
) -> None:
    first = example.decide("supported", mode="open", seen="before")
    example.do("reason", payload={"decision": first.event_id, "code": "topic"}, mode="open")
    assert [row["reason_code"] for row in exported()] == ["topic"]
    example.decide("partial", mode="open", seen="before")
    (row,) = exported()
    assert (row["reason_code"], row["changed_after_reveal"], row["exposure_judge_verdict"]) == ("", "0", "before")


def test_undone_events_do_not_count_and_redone_ones_do(example: ExampleStudy, exported: Any) -> None:
    done = example.decide("supported")
    undo = example.do("retract", undoes_event=done.event_id)
    assert exported() == []
    example.do("retract", undoes_event=undo.event_id)
    assert [row["verdict_final"] for row in exported()] == ["supported"]
    second = example.decide("partial")  # before the judges were seen: a correction
    assert [(row["verdict_first"], row["verdict_final"]) for row in exported()] == [("partial", "partial")]
    example.do("retract", undoes_event=second.event_id)
    (row,) = exported()
    assert (row["verdict_first"], row["verdict_final"], row["n_events"]) == ("supported", "supported", "5")


def test_verdicts_are_those_of_the_views(example: ExampleStudy, exported: Any) -> None:
    for step in range(40):
        who, unit = f"r{step % 3}", step % 5
        receipt = example.decide(
            ["supported", "partial", "not_addressed"][step % 3 - 1], unit, who=who, pass_no=1 + step % 2
        )
        if step % 4 == 0:
            example.do("retract", unit, undoes_event=receipt.event_id, who=who)
    rows = {(row["reviewer_id"], row["pass_no"], row["unit_id"]): row for row in exported()}
    for view, column in (("decision_first", "verdict_first"), ("decision_current", "verdict_final")):
        found = {
            (r["reviewer"], str(r["pass"]), r["unit"]): r["label"]
            for r in example.study.reader.execute(f"SELECT * FROM {view}")
        }
        assert {key: row[column] for key, row in rows.items() if row[column]} == found
    assert len(rows) > 15


def test_rows_stand_in_the_order_of_the_responses(example: ExampleStudy, exported: Any) -> None:
    for unit in (4, 0, 2, 3, 1):
        for who in ("zoe", "ada"):
            example.decide("supported", unit, who=who, mode="open", seen="before")
    rows = exported()
    assert [row["unit_id"] for row in rows[::2]] == example.units
    assert [row["reviewer_id"] for row in rows[:2]] == ["ada", "zoe"]
    assert {row["exposure_jury"] for row in rows} == {"before"}
    assert {row["wall_ms"] for row in rows} == {""}
    assert [row["judge_raw_label"] for row in rows[2:]] == [""] * 8
    assert [row["jury_n"] for row in rows[2:]] == [""] * 8


def test_a_reveal_that_was_taken_back_was_still_seen(example: ExampleStudy, exported: Any) -> None:
    example.decide("supported")
    reveal = example.do("reveal")
    example.do("retract", undoes_event=reveal.event_id)
    (row,) = exported()
    assert (row["exposure_judge_verdict"], row["changed_after_reveal"]) == ("after", "0")


def test_stale_labels(example: ExampleStudy, exported: Any) -> None:
    example.decide("supported")
    example.decide("supported", 1, snapshot="gone")
    example.decide("supported", 2, statement_sha256="0" * 64)
    example.do("defer", 3)
    assert [row["stale"] for row in exported()] == ["0", "", "1", ""]
    build(example.study, lambda rows: example.page(rows, "p2", PAGE + " New."))
    assert [row["stale"] for row in exported()] == ["1", "1", "1", ""]
    build(example.study, lambda rows: example.page(rows, "p3", PAGE))
    assert [row["stale"] for row in exported()] == ["0", "", "1", ""]


def test_a_look_is_no_label(example: ExampleStudy, exported: Any) -> None:
    example.do("shown", 1)
    example.do("defer", 2)
    assert [row["deferred_times"] for row in exported()] == ["1"]


def test_spans_point_at_their_text_in_both_units(example: ExampleStudy, exported: Any) -> None:
    start = PAGE.find("metformin", 12)
    span = {"axis": "hallucination", "label": "fact", "target": "source", "start": start, "end": start + 9}
    example.do("span_add", payload={**span, "exact": "metformin", "sha256": sha256(PAGE)})
    inside = {"target": "response", "start": 0, "end": 4, "exact": "Stop", "sha256": sha256(TEXTS[0])}
    deleted = example.do("span_add", payload={**span, **inside})
    kept = example.do("span_add", payload={**span, **inside})
    example.do("span_del", payload={"span": deleted.event_id})
    example.do("span_add", payload={**span, "exact": "metformin", "sha256": sha256(PAGE)}, snapshot="gone")
    in_response, lost, in_source = exported("spans.csv")
    assert (in_response["span_id"], in_response["exact"], in_response["prefix32"]) == (kept.event_id, "Stop", "")
    assert in_response["suffix32"] == TEXTS[0][4:36]
    assert (lost["target_id"], lost["stale"], lost["start_utf16"], lost["prefix32"]) == ("gone", "", "", "")
    assert (int(in_source["start_cp"]), int(in_source["end_cp"])) == (start, start + 9)
    utf16 = PAGE.encode("utf-16-le")
    marked = utf16[int(in_source["start_utf16"]) * 2 : int(in_source["end_utf16"]) * 2].decode("utf-16-le")
    assert marked == in_source["exact"] == "metformin"
    assert int(in_source["start_utf16"]) == start + 1
    assert in_source["prefix32"] == PAGE[max(0, start - 32) : start]
    assert (in_source["stale"], in_source["target_sha256"]) == ("0", sha256(PAGE))
    assert exported()[0]["n_spans"] == "3"


def test_pandas_reads_every_level_as_text(example: ExampleStudy, exported: Any, tmp_path: Path) -> None:
    example.decide("cannot_judge")
    example.decide("none", axis="hallucination")
    example.do("defer", 1)
    exported()
    import pandas as pd  # here, so that not every worker loads it to collect the tests

    frame = pd.read_csv(tmp_path / "out" / "labels.csv")
    assert list(frame["verdict_first"][:1]) == ["cannot_judge"]
    assert list(frame["halluc_type"][:1]) == ["none"]
    assert frame["verdict_first"].isna().tolist() == [False, True]
    assert frame["active_ms"].dropna().tolist() == [1234]
    assert frame["pass_no"].dtype.kind == "i"
    assert frame["judge_confidence"].dropna().tolist() == [0.75]
