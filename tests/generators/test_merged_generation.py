"""What generators made in one copy comes into another, is not made a second time there, and is looked at first."""

import shutil
from pathlib import Path

import pytest

from medreview import pipeline
from medreview.errors import UserError
from medreview.study import Study
from medreview.study.check import check_study
from medreview.study.machine_rows import RowsJoined
from medreview.study.merge import merge
from tests.study.flipped_bits import logical
from tests.support.generator_samples import SAMPLES
from tests.support.judge_endpoint import JudgeEndpoint, says
from tests.support.meddling import meddle
from tests.support.misbehaving import Misbehaving
from tests.support.study_builder import rows_of

_SAME: dict[str, str] = {
    "unit": "unit_id, kind, ordinal, model, belongs_to, content, made_by",
    "response": "response_id, ordinal, model, question, text, invalid, listed",
    "passage": "passage_id, text",
    "clinical_case": "case_id, ordinal, question",
    "gold": "unit, axis, label, spans",
    "reference_answer": "question_sha256, text",
    "opinion": "opinion_id, unit, label",
    "generation_attempt": "*",
    "generation": "*",
    "generation_product": "*",
    "generation_dropped": "*",
    "llm_call": "*",
}
"""What is the same in both afterwards."""


def generate(study: Study, name: str, server: JudgeEndpoint) -> "pipeline.asking.Generated":
    settings = server.settings("writer", concurrency=1)
    return pipeline.generate(study, pipeline.Generating(SAMPLES[name].make, settings, settings))


def two_copies(folder: Path, name: str) -> tuple[Path, Path]:
    ours, theirs = folder / "ours.medreview", folder / "theirs.medreview"
    with Study.create(ours) as study:
        SAMPLES[name].fill(study)
        pipeline.roll_up(study)
    shutil.copy(ours, theirs)
    return ours, theirs


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_generator_made_elsewhere_is_as_if_it_had_been_made_here(name: str, tmp_path: Path) -> None:
    ours, theirs = two_copies(tmp_path, name)
    with JudgeEndpoint() as server:
        server.play(Misbehaving("", SAMPLES[name].good))
        with Study.open(theirs) as study:
            generate(study, name, server)
        with Study.open(ours) as study:
            assert pipeline.merge(study, theirs).rows["generated"] == RowsJoined(SAMPLES[name].inputs)
            assert check_study(study).faults == []
            asked = len(server.received)
            assert generate(study, name, server).waiting == 0
            assert len(server.received) == asked, "nothing is asked a second time"
    with Study.open(ours, read_only=True) as merged, Study.open(theirs, read_only=True) as made:
        for table, columns in _SAME.items():
            query = f"SELECT {columns} FROM {table} ORDER BY 1, 2"
            drop = ("reused",)
            assert [{k: v for k, v in row.items() if k not in drop} for row in rows_of(merged, query)] == [
                {k: v for k, v in row.items() if k not in drop} for row in rows_of(made, query)
            ], table
    before = logical(ours)
    with Study.open(ours) as study:
        assert pipeline.merge(study, theirs).rows["generated"] == RowsJoined(known=SAMPLES[name].inputs)
    assert logical(ours) == before


def test_of_an_input_that_both_worked_on_this_study_keeps_what_it_made(tmp_path: Path) -> None:
    ours, theirs = two_copies(tmp_path, "questions")
    with JudgeEndpoint() as server:
        server.play(Misbehaving("", SAMPLES["questions"].good))
        for path in (theirs, ours):
            with Study.open(path) as study:
                generate(study, "questions", server)
        with Study.open(ours) as study:
            before = rows_of(study, "SELECT * FROM generation")
            assert pipeline.merge(study, theirs).rows["generated"] == RowsJoined(kept=2)
            assert rows_of(study, "SELECT * FROM generation") == before


def test_an_answer_that_was_read_elsewhere_is_read_here_too(tmp_path: Path) -> None:
    ours, theirs = two_copies(tmp_path, "answers")
    with JudgeEndpoint() as server, Study.open(theirs) as study:
        server.play(Misbehaving("", SAMPLES["answers"].good))
        generate(study, "answers", server)
        study.write(lambda c: c.execute("UPDATE response SET cited = 1, parser = 'split 9', marked = '9', dropped = 2"))
    with Study.open(ours) as study:
        merge(study, theirs, parts=["generated"])
        read = rows_of(study, "SELECT DISTINCT cited, parser, marked, dropped FROM response WHERE model <> 'atlas-2'")
        assert read == [{"cited": 0, "parser": None, "marked": None, "dropped": 0}]


def test_a_second_round_elsewhere_comes_where_the_first_made_nothing(tmp_path: Path) -> None:
    ours, theirs = two_copies(tmp_path, "questions")
    with JudgeEndpoint() as server:
        server.play(says("{}"))
        with Study.open(ours) as study:
            generate(study, "questions", server)
        shutil.copy(ours, theirs)
        server.play(Misbehaving("", SAMPLES["questions"].good))
        settings = server.settings("writer", concurrency=1)
        with Study.open(theirs) as study:
            pipeline.generate(study, pipeline.Generating(SAMPLES["questions"].make, settings, settings, again=True))
    with Study.open(ours) as study:
        assert rows_of(study, "SELECT * FROM unit") == []
        assert pipeline.merge(study, theirs, parts=["generated"]).rows["generated"] == RowsJoined(added=2)
        assert {row["code"] for row in rows_of(study, "SELECT code FROM generation_current")} == {""}
        assert len(rows_of(study, "SELECT * FROM unit")) == 2
        assert check_study(study).faults == []


@pytest.mark.parametrize(
    ("statement", "seals", "says_so"),
    [
        ("UPDATE unit SET text = 'Another?'", False, "of unit was changed after it was stored"),
        ("UPDATE generation SET code = 'x'", False, "of generation was changed"),
        ("UPDATE unit SET content = '{}'", True, "its content does not fit its hash"),
        ("UPDATE generation_run SET model = 'another'", True, "what it is does not fit its id"),
        ("UPDATE generation SET report = '[]'", True, "its report is not a table of values"),
    ],
)
def test_a_row_that_is_not_as_it_should_be_keeps_everything_out(
    statement: str, seals: bool, says_so: str, tmp_path: Path
) -> None:
    ours, theirs = two_copies(tmp_path, "questions")
    with JudgeEndpoint() as server, Study.open(theirs) as study:
        server.play(Misbehaving("", SAMPLES["questions"].good))
        generate(study, "questions", server)
    meddle(theirs, statement, seals=seals)
    refused(ours, theirs, says_so)


def test_a_unit_that_no_reviewer_could_be_shown_does_not_come_in(tmp_path: Path) -> None:
    ours, theirs = two_copies(tmp_path, "questions")
    with JudgeEndpoint() as server, Study.open(theirs) as study:
        server.play(Misbehaving("", SAMPLES["questions"].good))
        generate(study, "questions", server)
    nothing = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    meddle(theirs, f"UPDATE unit SET content = '{{}}', content_sha256 = '{nothing}'", seals=True)
    refused(ours, theirs, "does not fit this study")


def refused(ours: Path, theirs: Path, why: str) -> None:
    before = logical(ours)
    with Study.open(ours) as study, pytest.raises(UserError) as error:
        pipeline.merge(study, theirs)
    assert why in str(error.value)
    assert logical(ours) == before
