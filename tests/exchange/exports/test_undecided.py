"""Who is not done with the blind labels reads nothing of what machines say of the rest."""

from pathlib import Path

from medreview.exchange.exports.undecided import without_judges
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from tests.support.study_builder import StudyBuilder, build, rows_of
from tests.support.unit_study import decide

WORD = {"raw_label": "supported", "reason": "", "raw_output": "", "error": ""}


def judged(rows: StudyBuilder) -> None:
    """Two responses of one statement each; a judge has said of both what judges can say."""
    rows.page("u1", "words of the page", snapshot_id="p1")
    run = rows.judge_run("one")
    for name in ("r1", "r2"):
        unit = f"{name}.1"
        rows.response(name, statements=["text"], cites=["u1"])
        rows.judgement("one", unit, "p1", "supported")
        key = {"judge_run_id": run, "statement_id": unit}
        rows.add("merged_judgement", merged_judgement_id=f"m{name}", snapshots="[]", quotes="[]", **key, **WORD)
        told = {key: value for key, value in WORD.items() if key != "raw_label"}
        given = {"assisted": 0, "assisted_by": "[]", "spans": "[]", **told}
        rows.add("hallucination_finding", finding_id=f"f{name}", judge_run_id=run, response_id=name, **given)


def test_of_every_table_only_what_is_decided_can_be_read(tmp_path: Path) -> None:
    def read(column: str, table: str) -> list[str]:
        return [str(row[column]) for row in rows_of(study, f"SELECT {column} FROM {table} ORDER BY 1")]

    with Study.create(tmp_path / "s.medreview") as study:
        build(study, judged)
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        session.decide("supported")
        decide(study, "kb", "answer:r1", "hallucination", "none")
        for _ in range(2):  # and all of it afterwards
            with without_judges(study.reader, "kb"):
                assert read("statement_id", "judgement") == read("statement_id", "merged_judgement") == ["r1.1"]
                assert read("response_id", "hallucination_finding") == ["r1"]
            assert read("statement_id", "merged_judgement") == ["r1.1", "r2.1"]
            assert read("response_id", "hallucination_finding") == ["r1", "r2"]
