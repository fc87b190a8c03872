"""Who is not done with the blind labels reads nothing of what machines say of the rest."""

import json
from pathlib import Path

from medreview.exchange.exports.export import export, without_judges
from medreview.exchange.exports.sqlite_database import snapshot_rows
from medreview.references.model import check_of
from medreview.review.queue import open_queue
from medreview.review.session import ReviewSession
from medreview.study import Study
from medreview.units.stored import NewUnit, add_reference, add_units
from tests.support.reference_study import FLUIDS, STATINS, fill_references
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


def test_a_question_brings_its_correct_answer_only_when_the_answers_to_it_are_decided(tmp_path: Path) -> None:
    def answered(rows: StudyBuilder) -> None:
        rows.response("r1", question="May I?", statements=["No, whole."])

    def read() -> list[str]:
        with without_judges(study.reader, "kb"):
            return [str(row["content"]) for row in rows_of(study, "SELECT content FROM unit")]

    with Study.create(tmp_path / "s.medreview") as study:
        build(study, answered)
        content = {"question": "May I?", "answer": "No, whole.", "quote": "whole", "passage": "", "url": ""}
        question = NewUnit(kind="question", record_id="q", text="May I?", content=content)
        study.write(lambda connection: add_units(connection, [question], "x"))
        decide(study, "kb", question.unit, "answerability", "not_self_contained")
        assert "whole" in read()[0]
        assert not list(snapshot_rows(study.reader)), "a study without pages, with a decision on none"
        study.write(lambda connection: add_reference(connection, "May I?", "No, whole.", "x"))
        assert "whole" not in read()[0]
        decide(study, "kb", "answer:r1", "hallucination", "none")
        assert "whole" in read()[0]


def test_of_a_reference_that_is_not_decided_the_records_are_told_and_what_the_rules_make_of_them_is_not(
    tmp_path: Path,
) -> None:
    def read(table: str) -> dict[str, tuple[object, bool]]:
        rows = rows_of(study, f"SELECT reference_id, verdict, result FROM {table} ORDER BY 1")
        return {row["reference_id"]: (row["verdict"], "because" in row["result"]) for row in rows}

    with Study.create(tmp_path / "s.medreview") as study:
        fill_references(study)
        decide(study, "kb", "reference:f2", "reference", "mismatch")
        with without_judges(study.reader, "kb"):
            for table in ("reference_check", "reference_checked"):
                told = read(table)
                assert told["f2"] == ("mismatch", True)
                assert {told[name] for name in ("f1", "f3", "f4")} == {(None, False)}
            shown = check_of(
                json.loads(rows_of(study, "SELECT result FROM reference_check WHERE reference_id = 'f3'")[0]["result"])
            )
            assert {record.title for record in shown.candidates} == {STATINS.title, FLUIDS.title}
            sources = rows_of(study, "SELECT reference_id, verdict FROM source_reference ORDER BY 1")
            assert [row["verdict"] for row in sources] == [None, "mismatch", None, None]
        assert read("reference_checked")["f3"] == ("other_work", True)


def test_no_file_of_a_blind_export_names_who_wrote_an_answer_that_is_not_decided(tmp_path: Path) -> None:
    def told(folder: str, database: str = "") -> set[str]:
        export(study, tmp_path / folder, database=database, jsonl=True, blind_for="kb")
        held = b"".join(file.read_bytes() for file in (tmp_path / folder).iterdir())
        return {name for name in ("alpha", "omega") if name.encode() in held}

    def named(rows: StudyBuilder) -> None:
        judged(rows)
        for name, model in (("r1", "alpha"), ("r2", "omega")):
            fields = dict.fromkeys(("record_id", "model", "imported_from", "parser", "producer"), model)
            fields |= {"extra": json.dumps({"arm": model}), "created_at": model}
            for column, value in fields.items():
                rows.connection.execute(f"UPDATE response SET {column} = ? WHERE response_id = ?", (value, name))

    with Study.create(tmp_path / "s.medreview") as study:
        build(study, named)
        assert told("nothing decided", "labels.db") == set()
        decide(study, "anna", "r1.1", "evidence", "supported")
        session = ReviewSession(study, "kb", open_queue(study, "responses", "kb"))
        session.decide("supported")
        assert told("one decided") == {"alpha"}
        session.go(1)
        session.decide("supported")
        assert told("all decided") == {"alpha", "omega"}
