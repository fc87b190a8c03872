"""Answers through the whole program: from a file, decided with spans and findings, exported, and in again."""

import csv
from pathlib import Path

from medreview import pipeline
from medreview.exchange.exports.export import export
from medreview.review.deciding import Deciding
from medreview.review.open_session import open_session
from medreview.review.queue import open_queue
from medreview.review.reviewer_state import load_reviewer_state
from medreview.study import Study
from medreview.study.check import check
from tests.support.answer_study import answer_units, bring_answers, find


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_labels_spans_findings_and_correct_answers_come_out_of_an_export_and_in_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Study.create(tmp_path / "a.medreview") as study:
        bring_answers(study, tmp_path)
        first, unit, _ = answer_units(study)
        find(study, "one", unit, "context", "after week 28", "in week 35")
        session = open_session(study, "kb", open_queue(study, "answers", "kb", blind=False))
        assert isinstance(session, Deciding)
        session.go(list(session.queue.units).index(unit))
        session.decide("context")
        session.go(list(session.queue.units).index(unit))
        for _ in range(2):
            session.take_finding(session.open_finding())
        session.add_span("response", session.default_span("response"), label="fact", reason="Not after week 20.")
        before = load_reviewer_state(study.reader, unit, "kb")
        export(study, folder)
        answers = {row["unit_id"]: row for row in rows(folder, "answers.csv")}
        assert answers[first]["correct_answer"].startswith("No. Ibuprofen and other NSAIDs")
        spans = [row for row in rows(folder, "answer_spans.csv") if row["reviewer_id"] == "kb"]
        assert [(row["type"], row["exact"], row["reason"]) for row in spans] == [
            ("context", "after week 28", ""), ("context", "in week 35", ""),
            ("fact", before.spans[2].exact, "Not after week 20."),
        ]  # fmt: skip
        assert (spans[1]["with_span"], spans[1]["from_span"], spans[2]["from_finding"]) == (
            spans[0]["span_id"], "2", "",
        )  # fmt: skip
    with Study.create(tmp_path / "b.medreview") as again:
        pipeline.bring_in(again, folder, {}, as_copy=True)
        assert load_reviewer_state(again.reader, unit, "kb") == before
        (reference,) = again.reader.execute("SELECT text FROM reference_answer").fetchall()
        assert reference[0].startswith("No. Ibuprofen")
        assert again.reader.execute("SELECT count(*) FROM gold WHERE axis = 'hallucination'").fetchone()[0] == 3
        assert check(again.reader) == []
